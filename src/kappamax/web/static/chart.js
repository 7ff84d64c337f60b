// Draw agreement and temperature against the steps of a search, on a log scale because early steps change most.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 520, HEIGHT = 200, LEFT = 40, RIGHT = 12, TOP = 24, BOTTOM = 30;

export function chart(entries, last, start = null) {
  const agreements = [...entries.map((one) => one.agreement), ...(entries.length && start !== null ? [start] : [])];
  const low = entries.length ? Math.min(...agreements) : 0, high = entries.length ? Math.max(...agreements) : 1;
  const spread = high - low || 0.1;
  const hottest = Math.max(...entries.map((one) => one.temperature), 1e-300);
  const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(Math.max(1, step))) / Math.log(Math.max(2, last));
  const y = (share) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
  const points = (of) => entries.map((one) => `${x(one.step).toFixed(1)},${y(of(one)).toFixed(1)}`).join(" ");
  const begin = start === null ? "" : `${x(1).toFixed(1)},${y((start - low) / spread).toFixed(1)}`;
  const words = entries.length ? `Agreement between ${low.toFixed(4)} and ${high.toFixed(4)}, and temperature, during ${entries.at(-1).step} steps` : "No search has been run yet";
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": words });
  svg.append(make("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0) }), make("line", { class: "axis", x1: LEFT, x2: LEFT, y1: y(0), y2: y(1) }),
    text(LEFT, HEIGHT - 8, "1", "middle"), text((LEFT + WIDTH) / 2, HEIGHT - 8, "log scale", "middle"), text(WIDTH - RIGHT, HEIGHT - 8, entries.length ? `${last.toLocaleString("en-US")} steps` : "steps", "end"),
    text(LEFT + 6, 14, "— agreement"), text(LEFT + 106, 14, "- - temperature"));
  if (entries.length) {
    svg.append(text(LEFT - 5, y(0), low.toFixed(2), "end"), text(LEFT - 5, y(1) + 8, high.toFixed(2), "end"),
      make("polyline", { class: "temperature", points: points((one) => one.temperature / hottest) }),
      make("polyline", { class: "agreement", points: `${begin} ${points((one) => (one.agreement - low) / spread)}` }));
  }
  return svg;
}

function make(tag, attributes) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

function text(x, y, words, anchor = "start") {
  const element = make("text", { x, y, "text-anchor": anchor });
  element.textContent = words;
  return element;
}
