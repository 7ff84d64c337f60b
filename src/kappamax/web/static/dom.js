// Create elements. Text is never interpreted as markup, except for figures drawn by the server.

/** Create an element with attributes by name, listeners in the attribute `on`, and text or elements as children. */
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

/** Replace the content of a container. */
export function fill(container, ...children) {
  container.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

/** Return a figure drawn by the server as an element, or null if it is not an SVG. */
export function picture(svg) {
  if (!svg) return null;
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return parsed.nodeName === "svg" ? document.importNode(parsed, true) : null;
}

/** Return a figure with the same content as a table below it. */
export function figure(svg, caption, behind) {
  const drawn = picture(svg);
  if (!drawn) return behind ?? null;
  return h("figure", {}, h("div", { class: "scroll" }, drawn), caption ? h("figcaption", {}, caption) : null,
    behind ? h("details", {}, h("summary", {}, "Show as a table"), behind) : null);
}

/** Return rows of text as a table that scrolls horizontally, also with the keyboard. */
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

/** Enable or disable a button; a disabled button keeps the focus and is announced as disabled. */
export function enable(element, usable) {
  if (usable) element.removeAttribute("aria-disabled");
  else element.setAttribute("aria-disabled", "true");
}

/** Return a function that runs `work` after a pause in its calls. */
export function debounced(work, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...values);
  };
}
