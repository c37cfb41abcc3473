// A heat map of time by rank, with the sums of columns above and of rows beside it.

import { kept, onFrame, prepare, putSheet, rowLabels, sheetOf, text, timeAxis, unknown, unknownWords } from "./canvas.js";
import { bytes, moment, percent, rate, thousands } from "./numbers.js";
import { Range } from "./range.js";
import { tellOf, tip } from "./tip.js";

/** Largest height of the map, and height of a row if there are few. */
const MAP_HEIGHT = 232;
const ROW_HEIGHT = 24;
const ABOVE = 56;
const BELOW = 24;
/** Least shade of a cell that is not empty. */
const FAINTEST = 0.12;

export class HeatMap {
  /**
   * Makes a map of `rows` × `bins` cells from sums of reads and writes. Bytes have a square-root
   * scale that ends at the largest cell. Time has a linear scale that ends where calls fill the
   * cell.
   */
  constructor(canvas, { rows, bins, bin, read, written, isTime, ranksIn, label, who, ends = null, opened = () => {} }) {
    Object.assign(this, { canvas, rows, bins, bin, isTime, ranksIn, label, who, ends, opened });
    this.parts = { read, written };
    this.cells = read.map((value, i) => value + written[i]);
    this.byTime = new Float64Array(bins);
    this.byRow = new Float64Array(rows);
    this.most = 0;
    // A row of several ranks shows the mean of their times, so it is never longer than the run.
    for (let row = 0; row < rows; row++) {
      const share = isTime ? 1 / ranksIn(row) : 1;
      for (let at = 0; at < bins; at++) {
        const value = this.cells[row * bins + at];
        this.byTime[at] += value;
        this.byRow[row] += value * share;
        this.most = Math.max(this.most, value);
      }
    }
    this.redraw = onFrame(() => this.draw());
    this.listen();
  }

  /** Returns the shade of a value, 0 to 1. */
  shade(row, value) {
    if (!(value > 0)) return 0;
    const share = this.isTime ? value / 1e9 / this.bin / this.ranksIn(row) : Math.sqrt(value / this.most);
    return FAINTEST + (1 - FAINTEST) * Math.min(1, share);
  }

  pixels() {
    const { colours: shades } = this.colours.palettes.scale;
    const opaque = 255 << 24;
    const data = Uint32Array.from(this.cells, (value, i) => {
      const shade = this.shade(Math.floor(i / this.bins), value);
      return shades[Math.round(shade * (shades.length - 1))] | opaque;
    });
    return new Uint8ClampedArray(data.buffer);
  }

  draw() {
    if (this.canvas.clientWidth < 120) return;
    const tallest = Math.min(MAP_HEIGHT, Math.max(2 * ROW_HEIGHT, this.rows * ROW_HEIGHT));
    const { context, width, height } = prepare(this.canvas, ABOVE + tallest + BELOW);
    const { colours, rows, bins } = this;
    const small = width < 460;
    const [left, right] = small ? [40, 44] : [48, 58];
    const box = { x: left, y: ABOVE, width: width - left - right, height: tallest };
    this.box = box;
    kept(this, [colours.css.bg], () => { this.sheet = sheetOf(this.pixels(), bins, rows, this.sheet); });
    putSheet(context, this.sheet, box);
    if (this.ends !== null) {
      const from = box.x + (this.ends / (bins * this.bin)) * box.width;
      unknown(context, colours, box, from);
      unknownWords(context, colours, box, from, "not recorded");
    }
    context.fillStyle = colours.css.h3;
    const highest = Math.max(...this.byTime);
    const longest = Math.max(...this.byRow);
    const step = box.width / bins;
    this.byTime.forEach((value, i) => {
      const high = highest > 0 ? (value / highest) * 34 : 0;
      context.fillRect(box.x + i * step, box.y - 4 - high, Math.max(0.6, step - 0.3), high);
    });
    const tall = box.height / rows;
    this.byRow.forEach((value, row) => {
      const long = longest > 0 ? (value / longest) * (right - 8) : 0;
      context.fillRect(box.x + box.width + 4, box.y + row * tall, long, tall < 3 ? tall + 0.5 : tall - 0.5);
    });
    const most = this.isTime ? `${(longest / 1e9).toFixed(2)} s` : bytes(longest);
    const until = Math.min(box.x + box.width, width - 10 - context.measureText(most).width);
    timeAxis(context, colours, new Range(0, bins * this.bin), box, undefined, until);
    rowLabels(context, colours, { low: 0, high: rows }, box, this.label);
    const top = this.isTime ? percent(highest / 1e9 / this.bin / this.allRanks()) : rate(highest / this.bin);
    text(context, top, width - 2, 8, colours.css.ink3, "right");
    text(context, most, width - 2, height - BELOW + 12, colours.css.ink3, "right");
    if (this.cursor) {
      const { row, at } = this.cursor;
      context.strokeStyle = colours.css.cost;
      context.lineWidth = 2;
      context.strokeRect(box.x + at * step, box.y + row * tall, Math.max(3, step), Math.max(3, tall));
    }
  }

  allRanks() {
    let all = 0;
    for (let row = 0; row < this.rows; row++) all += this.ranksIn(row);
    return all;
  }

  value(amount, row) {
    if (!this.isTime) return bytes(Math.round(amount));
    const ranks = row === undefined ? this.allRanks() : this.ranksIn(row);
    return `${percent(amount / 1e9 / this.bin / ranks)} of the time in calls`;
  }

  lines(row, at) {
    const width = this.bin * 20;
    if (this.ends !== null && at * this.bin > this.ends) return [moment(at * this.bin, width), "not recorded: the trace is incomplete"];
    const when = `${moment(at * this.bin, width)} to ${moment((at + 1) * this.bin, width)}`;
    if (row < 0) return [`all, ${when}`, this.value(this.byTime[at]), ...(this.isTime ? [] : [rate(this.byTime[at] / this.bin)])];
    const place = row * this.bins + at;
    const { read, written } = this.parts;
    const ranks = this.ranksIn(row);
    const total = this.isTime ? `${(this.byRow[row] / 1e9).toFixed(3)} s in calls` : bytes(this.byRow[row]);
    const whose = ranks === 1 ? "" : this.isTime ? `, the mean of ${thousands(ranks)}` : `, ${thousands(ranks)} together`;
    return [
      `${this.who(row)}, ${when}`,
      this.isTime ? this.value(this.cells[place], row) : `written ${bytes(written[place])}, read ${bytes(read[place])}`,
      `whole run: ${total}${whose}`,
    ];
  }

  placeOf(x, y) {
    if (!this.box) return null;
    const at = Math.floor(((x - this.box.x) / this.box.width) * this.bins);
    const row = Math.floor(((y - this.box.y) / this.box.height) * this.rows);
    return at >= 0 && at < this.bins && row < this.rows ? { row: Math.max(-1, row), at } : null;
  }

  listen() {
    const { canvas } = this;
    const found = (event) => {
      const box = canvas.getBoundingClientRect();
      return this.placeOf(event.clientX - box.left, event.clientY - box.top);
    };
    tellOf(canvas, (event) => {
      const place = found(event);
      return place && this.lines(place.row, place.at);
    });
    let tapped;
    canvas.addEventListener("click", (event) => {
      const place = found(event);
      if (!place) return;
      // The first tap shows the tip. The second tap opens the cell.
      const isFirst = event.pointerType === "touch" && tapped !== place.at;
      tapped = place.at;
      if (!isFirst) this.open(place.at);
    });
    canvas.addEventListener("blur", () => { this.cursor = null; tip(); this.redraw(); });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (event.key === "Enter" && this.cursor) this.open(this.cursor.at);
      if (!step) return;
      event.preventDefault();
      const { row, at } = this.cursor ?? { row: 0, at: 0 };
      const within = (value, end) => Math.min(end - 1, Math.max(0, value));
      this.cursor = { row: within(row + step[0], this.rows), at: within(at + step[1], this.bins) };
      this.redraw();
      const box = canvas.getBoundingClientRect();
      const clientX = box.left + this.box.x + ((this.cursor.at + 0.5) * this.box.width) / this.bins;
      const clientY = box.top + this.box.y + ((this.cursor.row + 0.5) * this.box.height) / this.rows;
      tip({ clientX, clientY }, this.lines(this.cursor.row, this.cursor.at));
    });
  }

  /** Calls `opened` with the time of a few bins around this one. */
  open(at) { this.opened(Math.max(0, at - 3) * this.bin, Math.min(this.bins, at + 4) * this.bin); }
}
