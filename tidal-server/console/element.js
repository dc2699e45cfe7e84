// Building elements without markup in strings: nothing that comes from the data is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

// element("button", {class: "primary", onclick: f}, "Like") or element("p", {}, [a, b]). Keys that begin with "on" are
// listeners; true and false set and leave out an attribute.
export function element(name, attributes = {}, children = []) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of [children].flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

// Outlines on a grid of 24 by 24.
const ICONS = {
  like: "M7 11v9M7 11l4.2-7.4a1.9 1.9 0 0 1 3.5 1.2L14 9h4.6a2 2 0 0 1 2 2.4l-1.3 7a2 2 0 0 1-2 1.6H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3",
  dislike: "M17 13V4M17 13l-4.2 7.4a1.9 1.9 0 0 1-3.5-1.2L10 15H5.4a2 2 0 0 1-2-2.4l1.3-7a2 2 0 0 1 2-1.6H20a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-3",
  hide: "M3 3l18 18M10.6 6.2A9.6 9.6 0 0 1 12 6c5 0 8.5 4 9.5 6a14 14 0 0 1-2.6 3.5M6.5 7.6A14.5 14.5 0 0 0 2.5 12c1 2 4.5 6 9.5 6a9.4 9.4 0 0 0 4-.9M9.9 10a3 3 0 0 0 4.2 4.2",
  similar: "M4 4h9v9H4zM17 9h3v11H9v-3",
  follow: "M12 5v14M5 12h14",
  following: "M5 12.5l4.5 4.5L19 7.5",
  block: "M5.6 5.6l12.8 12.8M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4.5 4.5",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7l7 7",
  people: "M12 4.5a3.7 3.7 0 1 0 0 7.4a3.7 3.7 0 0 0 0-7.4M4.5 20c.6-4 3.6-6 7.5-6s6.9 2 7.5 6",
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

export function count(number) {
  return WHOLE.format(number);
}
