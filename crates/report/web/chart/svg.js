// Pictures of few marks: SVG, which takes its colours from the style sheet.

import { tip } from "./tip.js";

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element of a picture. */
export function make(name, attributes, words) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (words !== undefined) element.textContent = words;
  return element;
}

/** Puts an empty picture of this height in place of what the host has. Returns it and its width. */
export function picture(host, height, label) {
  const width = Math.max(280, host.clientWidth);
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
  host.replaceChildren(svg);
  return [svg, width];
}

/** Makes a mark tell these lines to the pointer, to the keyboard and to screen readers. */
export function telling(mark, lines) {
  for (const [key, value] of Object.entries({ tabindex: 0, role: "img", "aria-label": lines.join(", ") })) mark.setAttribute(key, value);
  const show = () => {
    const box = mark.getBoundingClientRect();
    tip({ clientX: box.right, clientY: box.bottom }, lines);
  };
  const hide = () => tip();
  mark.addEventListener("pointerenter", show);
  mark.addEventListener("focus", show);
  mark.addEventListener("pointerleave", hide);
  mark.addEventListener("blur", hide);
  return mark;
}
