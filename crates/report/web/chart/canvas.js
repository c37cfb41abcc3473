// Drawing: sharp on any screen, text and axes by the style of the page.

import { decimalsOf, ticks } from "./numbers.js";

/** A canvas of this height, as wide as its place; draws in CSS pixels. */
export function prepare(canvas, height) {
  const width = canvas.clientWidth;
  const ratio = Math.min(2, devicePixelRatio || 1);
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.imageSmoothingEnabled = false;
  setFont(context);
  return { context, width, height };
}

export function setFont(context, weight = 400) {
  context.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
}

export function text(context, words, x, y, colour, align = "left") {
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(words, x, y);
}

/** A title, and how to read it as far as there is room. */
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

/** Labels at the bottom of a box, and lines up to `top` if it is given. */
export function timeAxis(context, colours, range, box, top) {
  const { values, step } = ticks(range.low, range.high, Math.max(2, box.width / 110));
  const decimals = decimalsOf(step);
  let free = -Infinity;
  for (const value of values) {
    const x = box.x + ((value - range.low) / range.width) * box.width;
    if (top !== undefined) line(context, colours.css.line, Math.round(x) + 0.5, top, Math.round(x) + 0.5, box.y + box.height);
    const words = `${value.toFixed(decimals)} s`;
    const half = context.measureText(words).width / 2;
    const at = Math.min(Math.max(x, box.x + half), box.x + box.width - half);
    if (at - half < free + 8) continue;
    text(context, words, at, box.y + box.height + 12, colours.css.ink2, "center");
    free = at + half;
  }
}

/** A few labels of rows at the left of a box. */
export function rowLabels(context, colours, rows, box, label) {
  const [low, high] = [Math.floor(rows.low), Math.ceil(rows.high)];
  const step = box.height / (high - low);
  const middle = low + Math.floor((high - low) / 2);
  let free = -Infinity;
  for (const row of new Set([low, middle, high - 1])) {
    const y = box.y + (row - low + 0.5) * step;
    const at = Math.min(Math.max(y, box.y + 6), box.y + box.height - 5);
    if (at - 6 < free) continue;
    text(context, label(row), box.x - 6, at, colours.css.ink3, "right");
    free = at + 8;
  }
}

/** Pixels stretched into a box. */
export function putPixels(context, data, width, height, box) {
  const buffer = new OffscreenCanvas(width, height);
  buffer.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
  context.drawImage(buffer, box.x, box.y, box.width, box.height);
}

/** What is being selected. */
export function selection(context, colours, { x, y, width, height }) {
  context.fillStyle = colours.css.accent;
  context.globalAlpha = 0.16;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.css.accent;
  context.strokeRect(x + 0.5, y + 0.5, width, height);
}

/** Draws at the next frame, once, however often it is asked to. */
export function onFrame(draw) {
  let waiting = 0;
  return () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  };
}
