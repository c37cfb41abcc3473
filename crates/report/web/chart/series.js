// Iterations one by one: a bar for the mean of all ranks, a line at the slowest, and lines of metrics
// below.

import { heading, line, onFrame, prepare, selection, text } from "./canvas.js";
import { useGestures } from "./gestures.js";
import { duration, thousands, ticks } from "./numbers.js";
import { Range } from "./range.js";

const STEPS_TALL = 196;
const METRIC_TALL = 64;
const METRIC_TITLE = 22;
const AXIS = 26;
const LEFT = 56;
/** Least number of entries in view. */
const FEWEST = 6;
/** Room above the highest bar, for the names of the slowest. */
const HEAD = 22;
const WIDEST = 28;

/** Returns the places of the largest values between two entries, the largest first. */
export function largestAt(values, from, to, count) {
  const found = [];
  for (let i = from; i < to; i++) {
    if (found.length === count && !(values[i] > values[found.at(-1)])) continue;
    let place = found.length;
    while (place && values[i] > values[found[place - 1]]) place--;
    found.splice(place, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}

export class Series {
  /** Makes a chart; `show` gives it something to draw. `changed` is called with the view. */
  constructor(canvas, { changed }) {
    Object.assign(this, { canvas, changed, drags: "select", isRoot: false });
    this.redraw = onFrame(() => this.draw());
    useGestures(canvas, this);
  }

  /** Shows iterations: `mean`, `most` and `files` in seconds, `each` iterations in an entry,
   * `metrics` with `name` and `values`, and `lines`, the tip of an entry. */
  show(data) {
    this.data = data;
    this.range = new Range(0, data.mean.length, Math.min(FEWEST, data.mean.length));
    this.draw();
    this.changed();
  }

  get shown() {
    return [Math.max(0, Math.floor(this.range.low + 1e-9)), Math.min(this.data.mean.length, Math.ceil(this.range.high - 1e-9))];
  }

  scaled(value) { return this.isRoot ? Math.sqrt(value) : value; }

  draw() {
    if (this.canvas.clientWidth < 120 || !this.data) return;
    const { mean, most, files, each, metrics } = this.data;
    const tall = STEPS_TALL + AXIS + metrics.length * (METRIC_TITLE + METRIC_TALL);
    const { context, width } = prepare(this.canvas, tall);
    const { css } = this.colours;
    const box = { x: LEFT, y: HEAD, width: width - LEFT - 8, height: STEPS_TALL - HEAD };
    this.box = box;
    this.whole = tall;
    const [from, to] = this.shown;
    let highest = 0;
    for (let i = from; i < to; i++) highest = Math.max(highest, mean[i], most ? most[i] : 0);
    const top = highest > 0 ? highest * 1.04 : 1;
    const bottom = box.y + box.height;
    const toY = (value) => bottom - (this.scaled(value) / this.scaled(top)) * box.height;
    for (const value of ticks(0, top, 4).values) {
      const y = Math.round(toY(value)) + 0.5;
      line(context, css.line, box.x, y, box.x + box.width, y);
      text(context, duration(value), box.x - 6, y, css.ink3, "right");
    }
    const step = box.width / this.range.width;
    const toX = (entry) => box.x + (entry - this.range.low) * step;
    this.toX = toX;
    const wide = Math.min(WIDEST, Math.max(1, step - (step > 3 ? 1 : 0)));
    const place = (entry) => toX(entry + 0.5) - wide / 2;
    context.save();
    context.beginPath();
    context.rect(box.x, 0, box.width, bottom);
    context.clip();
    context.fillStyle = css.accent;
    for (let i = from; i < to; i++) context.fillRect(place(i), toY(mean[i]), wide, bottom - toY(mean[i]));
    if (files) {
      context.fillStyle = css.write;
      for (let i = from; i < to; i++) {
        // On a scale of roots parts cannot be stacked: files are the same share of the bar.
        const high = mean[i] > 0 ? (bottom - toY(mean[i])) * Math.min(1, files[i] / mean[i]) : 0;
        if (high >= 0.5) context.fillRect(place(i), bottom - high, wide, high);
      }
    }
    if (most) {
      context.fillStyle = css.ink;
      if (step > 3) for (let i = from; i < to; i++) context.fillRect(place(i), toY(most[i]) - 1, wide, 1.5);
      else for (let i = from; i < to; i++) if (most[i] > 1.02 * mean[i]) context.fillRect(place(i), toY(most[i]) - 1, 1, 1.5);
    }
    context.restore();
    line(context, css.line2, box.x, bottom + 0.5, box.x + box.width, bottom + 0.5);
    this.names(context, box, toY);
    this.axis(context, box, bottom + 13, each);
    metrics.forEach((metric, i) => this.metric(context, metric, bottom + AXIS + i * (METRIC_TITLE + METRIC_TALL)));
    if (this.selecting_) selection(context, this.colours, this.selecting_);
    this.canvas.dataset.view = `${from}-${to}`;
  }

  /** Names the slowest entries. */
  names(context, box, toY) {
    const { mean, most, each } = this.data;
    const [from, to] = this.shown;
    const isSmall = box.width < 560;
    const put = [];
    const found = largestAt(mean, from, to, isSmall ? 2 : 4);
    const slowest = largestAt(mean, 0, mean.length, 1)[0];
    for (const entry of found) {
      if (!(mean[entry] > 1.2 * this.data.median) && entry !== slowest) continue;
      const isSlowest = entry === slowest;
      const words = `${isSlowest ? "▲ " : ""}${thousands(entry * each)}${each > 1 ? " …" : ""}, ${duration(mean[entry])}`;
      const long = context.measureText(words).width;
      const x = Math.min(Math.max(this.toX(entry + 0.5) - 5, box.x), box.x + box.width - long);
      const y = Math.max(8, toY(most ? Math.max(most[entry], mean[entry]) : mean[entry]) - 10);
      if (put.some((other) => Math.abs(other.y - y) <= 14 && x < other.x + other.long + 8 && x + long + 8 > other.x)) continue;
      // Words do not stand on higher bars.
      const [first, last] = [this.entryAt(x - 3), this.entryAt(x + long + 3)];
      let isFree = true;
      for (let i = Math.max(from, first); i <= Math.min(to - 1, last); i++) {
        isFree &&= i === entry || toY(Math.max(mean[i], most ? most[i] : 0)) > y + 7;
      }
      if (!isFree) continue;
      put.push({ x, y, long });
      text(context, words, x, y, isSlowest ? this.colours.css.cost : this.colours.css.ink2);
    }
  }

  axis(context, box, y, each) {
    const [from, to] = this.shown;
    const { values } = ticks(from * each, Math.max(from + 1, to - 1) * each, Math.max(2, box.width / 110));
    let free = -Infinity;
    for (const value of values.filter((one) => Number.isInteger(one))) {
      const x = this.toX(value / each + 0.5);
      const words = thousands(value);
      const half = context.measureText(words).width / 2;
      if (x < box.x || x > box.x + box.width || x - half < free + 8) continue;
      const at = Math.min(Math.max(x, box.x + half), box.x + box.width - half);
      text(context, words, at, y, this.colours.css.ink3, "center");
      free = at + half;
    }
  }

  metric(context, { name, values }, y) {
    const { css } = this.colours;
    const { box } = this;
    const [from, to] = this.shown;
    heading(context, this.colours, box.x, y + METRIC_TITLE / 2, box.width, name, "");
    const area = { y: y + METRIC_TITLE, height: METRIC_TALL - 12 };
    let [low, high] = [0, 0];
    for (let i = from; i < to; i++) if (values[i] !== null) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
    if (low === high) high = low + 1;
    const toY = (value) => area.y + area.height - ((value - low) / (high - low)) * area.height;
    for (const value of ticks(low, high, 2).values) {
      const at = Math.round(toY(value)) + 0.5;
      line(context, css.line, box.x, at, box.x + box.width, at);
      text(context, numberWords(value), box.x - 6, at, css.ink3, "right");
    }
    context.strokeStyle = css.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    const isKnown = (entry) => (values[entry] ?? null) !== null;
    context.fillStyle = css.accent;
    for (let i = from; i < to; i++) {
      if (!isKnown(i)) continue;
      const [x, y] = [this.toX(i + 0.5), toY(values[i])];
      if (i > from && isKnown(i - 1)) context.lineTo(x, y);
      else if (i + 1 < to && isKnown(i + 1)) context.moveTo(x, y);
      // One that stands alone is a point.
      else context.fillRect(x - 2, y - 2, 4, 4);
    }
    context.stroke();
  }

  // What gestures ask for.
  zoneAt(x, y) { return this.box && x >= this.box.x && x <= this.box.x + this.box.width && y < this.whole ? "plot" : null; }
  shareAt(x) { return Math.min(1, Math.max(0, (x - this.box.x) / this.box.width)); }
  entryAt(x) { return Math.min(this.data.mean.length - 1, Math.floor(this.range.low + this.shareAt(x) * this.range.width)); }
  hit(x, y) { return this.zoneAt(x, y) ? this.data.lines(this.entryAt(x)) : null; }
  moved() { this.redraw(); this.changed(); }
  pan(share) { this.range.pan(share); this.moved(); }
  zoom(factor, share) { this.range.scale(factor, share); this.moved(); }
  move(pixels) { this.range.pan(pixels / this.box.width); this.moved(); }
  reset() { this.range.reset(); this.moved(); }
  look(from, to) { this.range.show(from, to); this.moved(); }

  selecting(x1, _, x2) {
    const [from, to] = [Math.min(x1, x2), Math.max(x1, x2)].map((x) => this.box.x + this.shareAt(x) * this.box.width);
    this.selecting_ = { x: from, y: this.box.y, width: to - from, height: this.box.height };
    this.redraw();
  }

  select(x1, _, x2, __, isMeant) {
    this.selecting_ = null;
    if (isMeant) this.look(this.entryAt(Math.min(x1, x2)), this.entryAt(Math.max(x1, x2)) + 1); else this.redraw();
  }
}

/** Writes a number with few digits. */
export function numberWords(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(1);
}
