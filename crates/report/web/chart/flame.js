// A flame graph that hangs from the top: each bar is a region, as wide as its time.

import { onFrame, prepare, setFont, text } from "./canvas.js";
import { along, mix } from "./colours.js";
import { duration } from "./numbers.js";
import { tellOf, tip } from "./tip.js";

const BAR = 28;
const GAP = 2;
/** Levels that are shown at once, and how many of them lie above the bar that fills the width. */
const MOST_LEVELS = 24;
const ABOVE_FOCUS = 3;
/** Narrower bars are put together. */
const THIN = 1;
/** Width from which a bar has a name, and from which it has its time too. */
const NAMED = 30;
const TIMED = 130;

/** Returns the bars of a forest in a given width: those above the focus in full width, and those
 * below it by their value. Bars too thin to be seen are put together: `rest` is their number. */
export function flameBars(roots, focus, value, width) {
  const bars = [];
  const top = focus ? Math.max(0, focus.depth - ABOVE_FOCUS) : 0;
  for (let node = focus?.parent; node && node.depth >= top; node = node.parent) {
    bars.push({ node, x: 0, width, level: node.depth - top, isAbove: true });
  }
  const waiting = [];
  const row = (nodes, x, room, whole) => {
    const sum = nodes.reduce((total, node) => total + value(node), 0);
    // Threads of their own may have more time than the region to which they belong.
    const scale = Math.max(sum, whole) > 0 ? room / Math.max(sum, whole) : 0;
    let at = x;
    let rest = 0;
    let restFrom = 0;
    const level = nodes[0] ? nodes[0].depth - top : 0;
    const flush = () => {
      if (rest && at - restFrom >= 0.4) bars.push({ node: null, rest, x: restFrom, width: at - restFrom, level });
      rest = 0;
    };
    for (const node of nodes) {
      const wide = value(node) * scale;
      if (wide < THIN) {
        if (!rest) restFrom = at;
        rest += wide > 0 ? 1 : 0;
      } else {
        flush();
        if (level < MOST_LEVELS) {
          bars.push({ node, x: at, width: wide, level });
          waiting.push([node, at, wide]);
        }
      }
      at += wide;
    }
    flush();
  };
  if (focus) row([focus], 0, width, value(focus)); else row(roots, 0, width, 0);
  while (waiting.length) {
    const [node, x, wide] = waiting.pop();
    if (node.kids.length) row(node.kids, x, wide, value(node));
  }
  return bars;
}

/** Shortens text in its middle if there is not enough room; nothing is left if there is none. */
export function squeezed(context, words, room) {
  if (context.measureText(words).width <= room) return words;
  const letters = [...words];
  let [low, high] = [0, letters.length - 1];
  const cut = (count) => `${letters.slice(0, Math.ceil(count / 2)).join("")}…${letters.slice(letters.length - Math.floor(count / 2)).join("")}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (context.measureText(cut(middle)).width <= room) low = middle; else high = middle - 1;
  }
  return low > 1 ? cut(low) : "";
}

function lightness([r, g, b]) {
  const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

const DARK = [22, 24, 27];
const LIGHT = [255, 255, 255];

/** Returns black or white, whichever is easier to read on a colour. */
export function inkOn(colour) {
  const behind = lightness(colour) + 0.05;
  return (lightness(LIGHT) + 0.05) / behind >= behind / (lightness(DARK) + 0.05) ? LIGHT : DARK;
}

export const cssOf = (colour) => `rgb(${colour.map(Math.round).join(",")})`;

export class Flame {
  /**
   * Makes a graph of a forest. `value` is the time of a node, `shade` its colour token or a number
   * from 0 to 1, `lines` its tip. `isHit` is false for nodes that a search does not find. `selected`
   * and `focused` are called when the reader selects a bar or fills the width with it.
   */
  constructor(canvas, { roots, levels, value, shade, lines, isHit = () => true, selected, focused }) {
    Object.assign(this, { canvas, roots, value, shade, lines, isHit, selected, focused });
    this.levels = Math.min(MOST_LEVELS, Math.max(3, levels));
    this.focus = null;
    this.selection = null;
    this.bars = [];
    this.redraw = onFrame(() => this.draw());
    this.listen();
  }

  draw() {
    if (this.canvas.clientWidth < 120) return;
    const { context, width } = prepare(this.canvas, this.levels * (BAR + GAP));
    this.bars = flameBars(this.roots, this.focus, this.value, width);
    for (const bar of this.bars) this.drawBar(context, bar);
    const chosen = this.bars.find(({ node }) => node && node === this.selection);
    if (!chosen) return;
    context.strokeStyle = this.colours.css.ink;
    context.lineWidth = 2;
    context.strokeRect(chosen.x + 1, chosen.level * (BAR + GAP) + 1, Math.max(1, chosen.width - 3), BAR - 2);
  }

  fill(node) {
    const { rgb } = this.colours;
    const shade = this.shade(node);
    return typeof shade === "string" ? rgb[shade] : along([rgb.h0, rgb.h1, rgb.h2, rgb.h3, rgb.h4, rgb.h5], 0.08 + 0.84 * shade);
  }

  drawBar(context, { node, rest, x, width, level, isAbove }) {
    const { rgb } = this.colours;
    const y = level * (BAR + GAP);
    if (rest) {
      context.fillStyle = cssOf(rgb.line);
      context.fillRect(x, y, Math.max(0.5, width - 1), BAR);
      return;
    }
    const full = this.fill(node);
    const colour = isAbove ? mix(full, rgb.surface, 0.55) : this.isHit(node) ? full : mix(full, rgb.surface, 0.78);
    context.fillStyle = cssOf(colour);
    context.fillRect(x, y, Math.max(1, width - 1), BAR);
    if (width < NAMED) return;
    const ink = cssOf(inkOn(colour));
    const words = width >= TIMED ? duration(this.value(node)) : "";
    const used = words ? context.measureText(words).width + 14 : 0;
    setFont(context, node === this.selection ? 640 : 400);
    const name = squeezed(context, node.name, width - 14 - used);
    if (name) text(context, name, x + 7, y + BAR / 2, ink);
    setFont(context);
    if (words && name) text(context, words, x + width - 8, y + BAR / 2, ink, "right");
  }

  barAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const level = Math.floor(y / (BAR + GAP));
    return this.bars.find((bar) => bar.level === level && x >= bar.x && x < bar.x + bar.width);
  }

  /** Fills the width with a node, or with everything. */
  show(node) {
    this.focus = node;
    this.focused(node);
    this.redraw();
  }

  /** Selects a node, and brings it into view. */
  choose(node) {
    this.selection = node;
    if (node && this.focus && !isWithin(node, this.focus) && !isWithin(this.focus, node)) this.show(null);
    this.redraw();
  }

  listen() {
    const { canvas } = this;
    tellOf(canvas, (event) => {
      const bar = this.barAt(event);
      canvas.style.cursor = bar?.node ? "pointer" : "default";
      if (!bar) return null;
      return bar.node ? this.lines(bar.node) : [`${bar.rest} more`, "too little time to be seen; a click on the bar above makes room"];
    });
    canvas.addEventListener("click", (event) => {
      const { node, isAbove } = this.barAt(event) ?? {};
      if (!node) return;
      const opened = node.kids.length ? node : node.parent;
      // A second click on what fills the width goes back.
      this.show(node === this.focus ? node.parent : isAbove || node.kids.length ? opened : this.focus ?? opened);
      this.selected(node);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !this.key(event.key)) return;
      event.preventDefault();
    });
    canvas.addEventListener("blur", () => tip());
  }

  /** Does what a key asks for, and returns true if it means something. */
  key(key) {
    const at = this.selection ?? this.focus ?? this.roots[0];
    const siblings = at.parent ? at.parent.kids : this.roots;
    const place = siblings.indexOf(at);
    const next = { ArrowLeft: siblings[place - 1], ArrowRight: siblings[place + 1], ArrowUp: at.parent, ArrowDown: at.kids[0] };
    if (key in next) {
      const node = next[key];
      if (!node) return true;
      if (this.focus && !isWithin(node, this.focus)) this.show(isWithin(this.focus, node) ? node : this.focus.parent);
      this.selected(node);
      this.draw();
      this.tellSelection();
      return true;
    }
    if (key === "Enter") this.show(at.kids.length ? at : at.parent);
    else if (key === "Escape" || key === "Backspace") { this.show(this.focus?.parent ?? null); tip(); }
    else if (key === "0" || key === "Home") this.show(null);
    else return false;
    return true;
  }

  tellSelection() {
    const bar = this.bars.find(({ node }) => node && node === this.selection);
    const box = this.canvas.getBoundingClientRect();
    if (!bar) return tip();
    tip({ clientX: box.left + bar.x + Math.min(40, bar.width / 2), clientY: box.top + (bar.level + 1) * (BAR + GAP) - 8 }, this.lines(this.selection));
  }
}

/** Returns true if a node is another one, or below it. */
export function isWithin(node, above) {
  for (let at = node; at; at = at.parent) if (at === above) return true;
  return false;
}
