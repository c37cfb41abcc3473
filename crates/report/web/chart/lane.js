// A lane of the timeline: the calls of one interface, one row per rank.

import { frame, heading, kept, putSheet, rowLabels, sheetOf } from "./canvas.js";
import { counted, moment, percent, thousands } from "./numbers.js";
import { Range } from "./range.js";
import { Raster, linesOf, rasterCalls, rasterCells } from "./raster.js";

/** Upper bounds of Darshan's size classes. */
const CLASS_ENDS = [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30];

/** Returns the number of Darshan's class for a size. */
export function classOf(size) {
  const found = CLASS_ENDS.findIndex((end) => size <= end);
  return found < 0 ? CLASS_ENDS.length : found;
}

/** Functions that return the value that colours a call, 0 to 1. */
const VALUES = {
  operation: (calls, i) => 1 - calls.isRead[i],
  // A logarithmic scale from a microsecond to a second.
  duration: (calls, i) => Math.min(1, (Math.log10(Math.max(1e-6, calls.end[i] - calls.start[i])) + 6) / 6),
  size: (calls, i) => classOf(calls.length[i]) / CLASS_ENDS.length,
};

export class Lane {
  /**
   * Makes a lane of `rows` rows, from single `calls` or from `cells`. `label` and `who` name a row,
   * `tip` describes a call. A group of `groups` has a name and rows that can be shown as one.
   */
  constructor({ title, words, rows, count, label, who, tip, whose = "ranks", calls = null, cells = null, groups = null }) {
    Object.assign(this, { title, words, rows, count, label, who, tip, whose, calls, cells, groups });
    this.raster = new Raster(1, 1);
    this.values = {};
    this.arrange(false);
  }

  /** Shows one row per group, only the `picked` rows, or all rows. */
  arrange(isGrouped, picked = null) {
    this.isGrouped = isGrouped && !picked && Boolean(this.groups);
    this.picked = picked;
    const each = picked?.map((row) => ({ name: this.label(row), rows: [row] }));
    this.parts = each ?? (this.isGrouped ? this.groups : null);
    this.shown = this.parts ? this.parts.length : this.rows;
    this.view = new Range(0, this.shown, 1);
  }

  /** A description of the rows that are shown. */
  get rowsInWords() {
    if (!this.shown) return `none of these ${this.whose}`;
    if (this.isGrouped && this.view.isWhole) return `${counted(this.shown, "node")}: share of the time of its ranks`;
    if (this.picked) return `${thousands(this.view.width)} of ${counted(this.rows, "row")}`;
    return this.view.isWhole ? this.words : `${thousands(this.view.width)} of ${counted(this.shown, "row")}`;
  }

  /** Returns the rows of each line of a view. */
  lines(view, height) {
    return linesOf(view, height, this.parts?.map((part) => part.rows));
  }

  valuesFor(colourBy) {
    const { calls } = this;
    this.values[colourBy] ??= Float32Array.from({ length: calls.count }, (_, i) => VALUES[colourBy](calls, i));
    return this.values[colourBy];
  }

  /** Returns the pixels of this part of the time, and the number of calls in it. */
  pixels(time, view, { width, height }, { colours, colourBy, shows }) {
    const { raster } = this;
    const lines = this.lines(view, height);
    const palette = colours.palettes[colourBy === "operation" ? "operation" : "marks"];
    let [count, level] = [0, null];
    if (this.calls) count = rasterCalls(raster, this.calls, time, lines, width, this.valuesFor(colourBy), shows);
    else level = rasterCells(raster, this.cells, time, lines, width, shows);
    return { data: raster.pixels(palette), width, height: lines.length, count, level };
  }

  /** Returns all values that the pixels of this part of the time depend on. */
  key(time, view, { width, height }, { colours, colourBy, shows }) {
    return [time.low, time.high, view.low, view.high, width, height, colourBy, ...shows, this.isGrouped, this.picked?.join(" "), colours.css.bg];
  }

  draw(context, time, look) {
    const { box, view } = this;
    const { colours } = look;
    const { x, y, width, height } = box;
    heading(context, colours, x, y - 13, width, this.title, this.rowsInWords);
    if (!this.shown) {
      this.visible = 0;
      frame(context, colours.css.line2, box);
      return;
    }
    const { count, level } = kept(this, this.key(time, view, box, look), () => {
      const made = this.pixels(time, view, box, look);
      this.sheet = sheetOf(made.data, made.width, made.height, this.sheet);
      return made;
    });
    this.visible = count;
    this.level = level;
    putSheet(context, this.sheet, box);
    const step = height / Math.ceil(view.width);
    if (step >= 3) {
      context.fillStyle = colours.css.surface;
      for (let row = 1; row < view.width; row++) context.fillRect(x, y + row * step - 0.5, width, 1);
    }
    frame(context, colours.css.line2, box);
    rowLabels(context, colours, view, box, (line) => (this.parts ? this.parts[line].name : this.label(line)));
  }

  /** Draws the whole run in a small box. Its pixels are kept until colours or rows change. */
  drawWhole(context, time, box, look) {
    const view = new Range(0, this.shown);
    const key = this.key(time, view, box, look).join();
    if (this.whole?.key !== key) {
      const { data, width, height } = this.pixels(time, view, box, look);
      this.whole = { key, sheet: sheetOf(data, width, height, this.whole?.sheet) };
    }
    putSheet(context, this.whole.sheet, box);
  }

  /** Returns the tip at a moment and a height. `reach` is the largest distance of a call. */
  hit(time, y, reach, width, shows) {
    const { view, box } = this;
    if (!this.shown) return null;
    const line = Math.min(this.shown - 1, Math.floor(view.low + ((y - box.y) / box.height) * Math.ceil(view.width)));
    const when = moment(time, width);
    const group = this.isGrouped ? this.groups[line] : null;
    const rows = this.parts ? this.parts[line].rows : [line];
    const name = group ? `${group.name}, ${counted(rows.length, "rank")}` : this.who(rows[0]);
    if (this.cells) {
      const { width: wide, bins, read, write } = this.level;
      const bin = this.cells.binAt(this.level, time);
      if (bin === null) return [name, `${when}: no ${this.title} call`];
      const share = (cells) => percent(rows.reduce((sum, row) => sum + cells[row * bins + bin], 0) / rows.length / this.cells.full);
      const from = this.cells.begin + bin * wide;
      return [`${this.title}, ${name}`, `${moment(from, wide)} to ${moment(from + wide, wide)}`, `${share(write)} of the time in writes`, `${share(read)} in reads`];
    }
    const { row, call } = this.calls.nearestOf(rows, time, reach, shows);
    if (call < 0) return [name, `${when}: no ${this.title} call`];
    return this.tip(call, this.who(row));
  }
}
