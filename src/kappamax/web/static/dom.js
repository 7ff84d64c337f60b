// Make elements; text is always text, and only the server's pictures are markup.

/** An element: attributes by name, `on` for listeners, text and elements as children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Put elements in the place of what a container held. */
export function fill(container, ...children) {
  container.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

/** A picture the server drew, as an element; nothing if it is not one. */
export function picture(svg) {
  if (!svg) return null;
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return parsed.nodeName === "svg" ? document.importNode(parsed, true) : null;
}

/** A picture with the table behind it. */
export function figure(svg, caption, behind) {
  const drawn = picture(svg);
  if (!drawn) return behind ?? null;
  return h("figure", {}, h("div", { class: "scroll" }, drawn), caption ? h("figcaption", {}, caption) : null,
    behind ? h("details", {}, h("summary", {}, "The same as a table"), behind) : null);
}

/** Rows of text as a table that scrolls sideways, with the keyboard too. */
export function textTable(caption, header, rows) {
  return h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, header.map((name) => h("th", { scope: "col" }, String(name))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => (i === 0
        ? h("th", { scope: "row" }, cell) : h("td", {}, cell))))))));
}

export function button(words, onClick, attributes = {}) {
  return h("button", { type: "button", ...attributes, on: { click: (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") !== "true") onClick(event);
  } } }, words);
}

/** A button that cannot be used keeps its focus and says so. */
export function enable(element, usable) {
  if (usable) element.removeAttribute("aria-disabled");
  else element.setAttribute("aria-disabled", "true");
}

/** Run `work` once typing has paused. */
export function debounced(work, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...values);
  };
}
