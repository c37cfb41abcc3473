// Drawing on a canvas: text, axes, labels and pixels in the style of the page, sharp on any screen.

import { decimalsOf, ticks } from "./numbers.js";

/** Gives a canvas this height and its full width, and clears it. Coordinates are CSS pixels. */
export function prepare(canvas, height) {
  const width = canvas.clientWidth;
  const ratio = Math.min(2, devicePixelRatio || 1);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  // Setting the size clears a canvas even if the size stays the same.
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.style.height = `${height}px`;
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.imageSmoothingEnabled = false;
  setFont(context);
  return { context, width, height };
}

let family;

export function setFont(context, weight = 400) {
  family ??= getComputedStyle(document.body).fontFamily;
  context.font = `${weight} 12px ${family}`;
}

export function text(context, words, x, y, colour, align = "left") {
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(words, x, y);
}

/** Draws a title, and its explanation if there is room. */
export function heading(context, colours, x, y, room, title, words) {
  setFont(context, 600);
  text(context, title, x, y, colours.css.ink);
  const used = context.measureText(title).width + 8;
  setFont(context);
  if (words && used + context.measureText(words).width <= room) text(context, words, x + used, y, colours.css.ink3);
}

export function line(context, colour, x1, y1, x2, y2) {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

export function frame(context, colour, { x, y, width, height }) {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
}

/** Draws the labels of a time axis below a box, and lines up to `top` if it is given. No label goes
 * beyond `until`. */
export function timeAxis(context, colours, range, box, top, until = box.x + box.width) {
  const { values, step } = ticks(range.low, range.high, Math.max(2, box.width / 110));
  const decimals = decimalsOf(step);
  let free = -Infinity;
  for (const value of values) {
    const x = box.x + ((value - range.low) / range.width) * box.width;
    if (top !== undefined) line(context, colours.css.line, Math.round(x) + 0.5, top, Math.round(x) + 0.5, box.y + box.height);
    const words = `${value.toFixed(decimals)} s`;
    const half = context.measureText(words).width / 2;
    const at = Math.min(Math.max(x, box.x + half), box.x + box.width - half);
    if (at - half < free + 8 || at + half > until) continue;
    text(context, words, at, box.y + box.height + 12, colours.css.ink2, "center");
    free = at + half;
  }
}

/** Height from which a row has a label of its own. */
const LABELLED = 15;

/** Draws labels of rows at the left of a box: of all rows if there is room, otherwise of a few. */
export function rowLabels(context, colours, rows, box, label) {
  const [low, high] = [Math.floor(rows.low), Math.ceil(rows.high)];
  const step = box.height / (high - low);
  const few = [low, low + Math.floor((high - low) / 2), high - 1];
  const shown = step >= LABELLED ? Array.from({ length: high - low }, (_, i) => low + i) : few;
  let free = -Infinity;
  for (const row of new Set(shown)) {
    const y = box.y + (row - low + 0.5) * step;
    const at = Math.min(Math.max(y, box.y + 6), box.y + box.height - 5);
    if (at - 6 < free) continue;
    text(context, fitted(context, label(row), box.x - 8), box.x - 6, at, colours.css.ink3, "right");
    free = at + 8;
  }
}

/** Puts pixels on a sheet that can be drawn several times. A sheet that is given is used again. */
export function sheetOf(data, width, height, sheet = new OffscreenCanvas(width, height)) {
  if (sheet.width !== width || sheet.height !== height) [sheet.width, sheet.height] = [width, height];
  sheet.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
  return sheet;
}

/** Draws a sheet, stretched to a box. */
export function putSheet(context, sheet, box) {
  context.drawImage(sheet, box.x, box.y, box.width, box.height);
}

/** Shortens text to its end if there is not enough room. */
export function fitted(context, words, room) {
  if (context.measureText(words).width <= room) return words;
  let from = 1;
  while (from < words.length && context.measureText(`…${words.slice(from)}`).width > room) from++;
  return `…${words.slice(from)}`;
}

/** Returns the owner's kept value. If the key has changed, it makes a new one. */
export function kept(owner, key, make) {
  const words = key.join();
  if (owner.kept?.words !== words) owner.kept = { words, made: make() };
  return owner.kept.made;
}

/** Fills the part of a box without data. */
export function unknown(context, colours, box, from) {
  const x = Math.max(box.x, from);
  const width = box.x + box.width - x;
  if (!(width > 0)) return;
  context.fillStyle = colours.css.line;
  context.fillRect(x, box.y, width, box.height);
}

/** Labels the part without data, if there is room. */
export function unknownWords(context, colours, box, from, words) {
  const x = Math.max(box.x, from);
  const [room, half] = [box.x + box.width - x, 8];
  const wide = context.measureText(words).width;
  if (room < wide + 2 * half || box.height < 2 * half) return;
  const [middle, y] = [x + room / 2, box.y + box.height / 2];
  // A background hides the lines between rows, which would go through the words.
  context.fillStyle = colours.css.line;
  context.fillRect(middle - wide / 2 - half, y - half, wide + 2 * half, 2 * half);
  text(context, words, middle, y, colours.css.ink2, "center");
}

/** Draws the box of a selection. */
export function selection(context, colours, { x, y, width, height }) {
  context.fillStyle = colours.css.accent;
  context.globalAlpha = 0.16;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.css.accent;
  context.strokeRect(x + 0.5, y + 0.5, width, height);
}

/** Returns a function that draws once at the next frame, however often it is called. */
export function onFrame(draw) {
  let waiting = 0;
  return () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  };
}
