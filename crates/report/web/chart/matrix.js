// A heat map of rows by ranks. What a rank never did is not zero: it has no cell.

import { onFrame, prepare, text } from "./canvas.js";
import { along } from "./colours.js";
import { squeezed } from "./flame.js";
import { tellOf, tip } from "./tip.js";

const ROW = 20;
const FOOT = 24;
/** Width from which an empty cell is drawn as a box. */
const BOXED = 6;

/** Returns the room at the left and at the right of a map. */
export function mapMargins(width) { return width < 560 ? [98, 40] : [150, 92]; }

/** Returns the largest of the values that are there in each of `count` parts of a row; NaN where
 * there is none. */
export function largestIn(values, count) {
  if (count >= values.length) return values;
  const most = new Float64Array(count).fill(NaN);
  for (let i = 0; i < values.length; i++) {
    const at = Math.floor((i * count) / values.length);
    if (values[i] >= 0 && !(values[i] <= most[at])) most[at] = values[i];
  }
  return most;
}

export class Matrix {
  /**
   * Makes a map. A row has a `name`, `values` in the order of columns (NaN: never there), `full`
   * (the value with the darkest shade), a `mean` for its bar, and `words` for the end of the bar.
   * `label` names a column, `lines` is the tip of a cell, and `opened` is called with the row that
   * the reader chooses.
   */
  constructor(canvas, { lines, opened }) {
    Object.assign(this, { canvas, lines, opened, rows: [], columns: 0, chosen: -1, cursor: null });
    this.redraw = onFrame(() => this.draw());
    this.listen();
  }

  show({ rows, columns, label, foot, chosen }) {
    Object.assign(this, { rows, columns, label, foot, chosen });
    this.draw();
  }

  draw() {
    if (this.canvas.clientWidth < 120 || !this.rows.length) return;
    const { context, width } = prepare(this.canvas, this.rows.length * ROW + FOOT);
    const { rgb, css } = this.colours;
    const isSmall = width < 560;
    const [left, right] = mapMargins(width);
    const box = { x: left, width: width - left - right, height: this.rows.length * ROW };
    this.box = box;
    const stops = [rgb.h0, rgb.h1, rgb.h2, rgb.h3, rgb.h4, rgb.h5];
    const parts = Math.min(this.columns, Math.floor(box.width));
    const edge = (part) => Math.round(box.x + (part * box.width) / parts);
    const longest = Math.max(...this.rows.map((row) => row.mean), 0);
    this.rows.forEach((row, at) => {
      const y = at * ROW;
      const isChosen = at === this.chosen;
      text(context, squeezed(context, row.name, left - 12), left - 8, y + ROW / 2, isChosen ? css.ink : css.ink2, "right");
      const values = largestIn(row.values, parts);
      for (let part = 0; part < parts; part++) {
        const [from, to] = [edge(part), edge(part + 1)];
        if (values[part] >= 0) {
          context.fillStyle = `rgb(${along(stops, row.full > 0 ? values[part] / row.full : 0).map(Math.round).join(",")})`;
          context.fillRect(from, y + 1, to - from, ROW - 2);
        } else if (to - from >= BOXED) {
          context.strokeStyle = css.ink3;
          context.lineWidth = 1;
          context.setLineDash([2, 2]);
          context.strokeRect(from + 1.5, y + 3.5, to - from - 3, ROW - 7);
          context.setLineDash([]);
        } else {
          context.fillStyle = css.line;
          context.fillRect(from, y + ROW / 2, to - from, 1);
        }
      }
      const end = box.x + box.width + 6;
      const long = longest > 0 ? (row.mean / longest) * (right - (isSmall ? 8 : 54)) : 0;
      context.fillStyle = css.h3;
      context.fillRect(end, y + 5, Math.max(1, long), ROW - 10);
      if (!isSmall) text(context, row.words, end + long + 5, y + ROW / 2, css.ink2);
      if (isChosen) {
        context.strokeStyle = css.ink;
        context.lineWidth = 2;
        context.strokeRect(box.x - 1, y + 1, box.width + 2, ROW - 2);
      }
    });
    const y = box.height + 13;
    if (this.foot) text(context, squeezed(context, this.foot, box.width), box.x, y, css.ink3);
    else this.axis(context, box, y);
    if (this.cursor) {
      const { row, column } = this.cursor;
      const step = box.width / this.columns;
      context.strokeStyle = css.cost;
      context.lineWidth = 2;
      context.strokeRect(box.x + column * step, row * ROW + 1, Math.max(3, step), ROW - 2);
    }
  }

  axis(context, box, y) {
    const count = Math.max(1, Math.min(this.columns - 1, Math.floor(box.width / 120)));
    let free = -Infinity;
    for (let i = 0; i <= count; i++) {
      const column = Math.round((i * (this.columns - 1)) / count);
      const words = this.label(column);
      const half = context.measureText(words).width / 2;
      const x = box.x + ((column + 0.5) * box.width) / this.columns;
      const at = Math.min(Math.max(x, box.x + half), box.x + box.width - half);
      if (at - half < free + 8) continue;
      text(context, words, at, y, this.colours.css.ink3, "center");
      free = at + half;
    }
  }

  placeOf(event) {
    if (!this.box) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - top) / ROW);
    const column = Math.floor(((event.clientX - left - this.box.x) / this.box.width) * this.columns);
    if (row < 0 || row >= this.rows.length) return null;
    return { row, column: column >= 0 && column < this.columns ? column : null };
  }

  listen() {
    const { canvas } = this;
    tellOf(canvas, (event) => {
      const place = this.placeOf(event);
      return place && this.lines(this.rows[place.row], place.column);
    });
    canvas.addEventListener("click", (event) => {
      const place = this.placeOf(event);
      if (place) this.opened(this.rows[place.row]);
    });
    canvas.addEventListener("blur", () => { this.cursor = null; tip(); this.redraw(); });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (event.key === "Enter" && this.cursor) this.opened(this.rows[this.cursor.row]);
      if (event.key === "Escape") { this.cursor = null; tip(); this.redraw(); }
      if (!step || !this.rows.length) return;
      event.preventDefault();
      const { row, column } = this.cursor ?? { row: Math.max(0, this.chosen), column: -step[1] };
      const within = (value, end) => Math.min(end - 1, Math.max(0, value));
      this.cursor = { row: within(row + step[0], this.rows.length), column: within(column + step[1], this.columns) };
      this.draw();
      const { left, top } = canvas.getBoundingClientRect();
      const clientX = left + this.box.x + ((this.cursor.column + 0.5) * this.box.width) / this.columns;
      tip({ clientX, clientY: top + (this.cursor.row + 0.5) * ROW }, this.lines(this.rows[this.cursor.row], this.cursor.column));
    });
  }
}
