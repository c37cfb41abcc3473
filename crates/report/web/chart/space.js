// The spatial view: offsets in a file by rank or over time, and how often each part was touched.

import { fitted, frame, kept, line, onFrame, prepare, putSheet, rowLabels, selection, sheetOf, text } from "./canvas.js";
import { mix, packed } from "./colours.js";
import { useGestures } from "./gestures.js";
import { byteTicks, bytes, counted, decimalsOf, exactly, moment, offsetLabel, thousands, ticks } from "./numbers.js";
import { Range } from "./range.js";
import { Boxes, layered } from "./boxes.js";

const TOP = 92;
const STRIP = 48;
/** Width in pixels from which the borders of blocks are drawn. */
const GRID = 5;
const BOX_FROM = 16;
/** Number of extents above which they are drawn as pixels. */
const MANY = 3000;
/** Largest number of extents that a tip lists. */
const TOLD = 5;

export class Space {
  /** Makes the chart. `label` and `who` name a row; `changed` is called when the view changes. */
  constructor(canvas, { label, who, whose = "ranks", changed = () => {} }) {
    Object.assign(this, { canvas, label, who, whose, changed });
    this.drags = "zoom";
    this.redraw = onFrame(() => this.draw());
    useGestures(canvas, this);
  }

  /**
   * Shows a file, from `extents` or from a `grid` of cells. `unit` is the size of its stripes or
   * blocks. With `span`, the begin and end of a time, the vertical axis is time instead of ranks.
   */
  set({ extents = null, grid = null, extent, unit, verb, span = null }) {
    Object.assign(this, { extents, grid, unit, verb, span });
    const rows = extents ? extents.rows.length : grid ? grid.rows : 0;
    this.lines = rows;
    this.offsets = new Range(0, Math.max(1, extent), 16);
    this.rows = span ? new Range(...span, (span[1] - span[0]) * 1e-6) : new Range(0, Math.max(1, rows), 1);
    this.update();
  }

  get isWhole() { return this.offsets.isWhole && this.rows.isWhole; }
  zoneAt(x, y) { return this.box && x >= this.box.x && x <= this.box.x + this.box.width && y >= TOP - STRIP && y <= this.box.y + this.box.height ? "plot" : null; }
  shareAt(x) { return Math.min(1, Math.max(0, (x - this.box.x) / this.box.width)); }
  pan(share) { this.offsets.pan(share); this.update(); }
  zoom(factor, share) { this.offsets.scale(factor, share); this.update(); }
  move(pixels) { this.pan(pixels / this.box.width); }
  panRows(share) { this.rows.pan(share); this.update(); }
  show(low, high) { this.offsets.show(low, high); this.update(); }
  reset() { this.offsets.reset(); this.rows.reset(); this.update(); }
  update() { this.changed(this); this.redraw(); }

  selecting(x1, y1, x2, y2) {
    const { x, y, width, height } = this.box;
    const within = (value, low, high) => Math.min(high, Math.max(low, value));
    const isTall = Math.abs(y2 - y1) > BOX_FROM;
    const [a, b] = [within(Math.min(x1, x2), x, x + width), within(Math.max(x1, x2), x, x + width)];
    const [c, d] = isTall ? [within(Math.min(y1, y2), y, y + height), within(Math.max(y1, y2), y, y + height)] : [y, y + height];
    this.chosen = { x: a, y: c, width: b - a, height: d - c, isTall };
    this.redraw();
  }

  select(x1, y1, x2, y2, isMeant) {
    const chosen = isMeant && this.chosen;
    this.chosen = null;
    if (chosen) {
      const offset = (x) => this.offsets.low + this.shareAt(x) * this.offsets.width;
      const whole = (value, round) => (this.span ? value : round(value));
      if (chosen.isTall) this.rows.show(whole(this.rowAt(chosen.y), Math.floor), whole(this.rowAt(chosen.y + chosen.height), Math.ceil));
      this.offsets.show(offset(chosen.x), offset(chosen.x + chosen.width));
    }
    this.update();
  }

  toX(offset) { return this.box.x + ((offset - this.offsets.low) / this.offsets.width) * this.box.width; }
  /** Returns the row, or the moment, at a height. */
  rowAt(y) { return this.rows.low + ((y - this.box.y) / this.box.height) * this.rows.width; }

  draw() {
    if (this.canvas.clientWidth < 120 || !this.offsets) return;
    const small = this.canvas.clientWidth < 560;
    const tall = Math.min(small ? 260 : 340, this.span ? 340 : Math.max(60, this.lines * 24));
    const { context, width } = prepare(this.canvas, TOP + tall + 26);
    const x = small ? 40 : 60;
    this.box = { x, y: TOP, width: Math.max(1, Math.floor(width - x - 2)), height: tall };
    const { colours, box } = this;
    this.drawTimes(context);
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    this.visible = 0;
    this.drawGrid(context);
    if (this.extents) this.drawExtents(context); else if (this.grid) this.drawCells(context);
    context.restore();
    frame(context, colours.css.line2, box);
    if (this.span) this.timeLabels(context); else rowLabels(context, colours, this.rows, box, (row) => this.label(this, row));
    const { values, step } = byteTicks(this.offsets.low, this.offsets.high, Math.max(2, box.width / 130));
    let free = -Infinity;
    for (const value of values) {
      const words = offsetLabel(value, step);
      const half = context.measureText(words).width / 2;
      const at = Math.max(box.x + half, Math.min(box.x + box.width - half, this.toX(value)));
      if (at - half < free + 10) continue;
      text(context, words, at, box.y + box.height + 13, colours.css.ink2, "center");
      free = at + half;
    }
    if (this.chosen) selection(context, colours, this.chosen);
    this.drawn?.(this);
  }

  /** Draws the labels of the time axis at the left, the earliest on top. */
  timeLabels(context) {
    const { colours, box, rows } = this;
    const { values, step } = ticks(rows.low, rows.high, box.height / 60);
    for (const value of values) {
      const y = box.y + ((value - rows.low) / rows.width) * box.height;
      const at = Math.min(Math.max(y, box.y + 6), box.y + box.height - 5);
      text(context, fitted(context, `${value.toFixed(decimalsOf(step))} s`, box.x - 8), box.x - 6, at, colours.css.ink3, "right");
    }
  }

  /** Draws how often all rows together touched each part of the file. */
  drawTimes(context) {
    const { colours, box } = this;
    const { low, high } = this.offsets;
    const times = this.extents ? this.extents.times(low, high, box.width) : this.gridTimes(box.width);
    const most = Math.max(1, Math.ceil(times.reduce((a, b) => Math.max(a, b), 0) - 0.05));
    const base = TOP - 24;
    const scale = STRIP / most;
    text(context, `times ${this.verb}`, box.x, 8, colours.css.ink2);
    for (const value of new Set([0, 1, most])) {
      const y = Math.round(base - value * scale) + 0.5;
      line(context, colours.css.line, box.x, y, box.x + box.width, y);
      if (value !== 1 || scale > 12) text(context, thousands(value), box.x - 6, y, colours.css.ink3, "right");
    }
    for (const [colour, from, to] of [[colours.css.ext, 0, 1], [colours.css.cost, 1.004, Infinity]]) {
      context.fillStyle = colour;
      for (let i = 0; i < times.length; i++) {
        if (times[i] <= from) continue;
        const [below, above] = [Math.floor(from), Math.min(to, times[i])];
        context.fillRect(box.x + i, base - above * scale, 1, (above - below) * scale);
      }
    }
  }

  gridTimes(columns) {
    const times = new Float64Array(columns);
    const { grid } = this;
    if (!grid) return times;
    for (let i = 0; i < columns; i++) {
      const bin = Math.floor((this.offsets.low + ((i + 0.5) / columns) * this.offsets.width) / grid.width);
      for (let row = 0; row < grid.rows && bin < grid.bins; row++) times[i] += grid.cells[row * grid.bins + bin] / grid.full;
    }
    return times;
  }

  /** Returns the blocks in view that several rows touched. The result is kept until the view
   * changes. */
  sharedIn(unit) {
    const { low, high } = this.offsets;
    const known = this.shared;
    if (known?.extents !== this.extents || known.low !== low || known.high !== high || known.unit !== unit) {
      this.shared = { extents: this.extents, low, high, unit, blocks: this.extents?.sharedBlocks(low, high, unit) ?? new Set() };
    }
    return this.shared.blocks;
  }

  drawGrid(context) {
    const { colours, box, unit } = this;
    this.blocks = unit ? (unit / this.offsets.width) * box.width : 0;
    this.sharedBlocks = 0;
    if (this.blocks < GRID) return;
    const shared = this.sharedIn(unit);
    for (let block = Math.floor(this.offsets.low / unit); block * unit < this.offsets.high; block++) {
      const x = Math.round(this.toX(block * unit)) + 0.5;
      if (shared.has(block)) {
        context.fillStyle = colours.css.cost;
        context.globalAlpha = 0.13;
        context.fillRect(x, box.y, this.blocks, box.height);
        context.globalAlpha = 1;
      }
      line(context, colours.css.line, x, box.y, x, box.y + box.height);
    }
    this.sharedBlocks = shared.size;
  }

  /** Draws many extents as pixels. The time for an extent does not depend on its size. */
  drawMany(context, first, end) {
    const { colours, box, extents, rows, span } = this;
    const key = [first, end, this.offsets.low, this.offsets.high, rows.low, rows.high, box.width, box.height, Boolean(span), colours.css.bg];
    const { sheet, visible } = kept(extents, key, () => {
      const { width, height } = box;
      const [raster, later] = [new Boxes(width, height), new Boxes(width, height)];
      const [wide, tall] = [width / this.offsets.width, height / rows.width];
      const gap = !span && tall > 4 ? 1 : 0;
      let seen = 0;
      for (let i = first; i < end; i++) {
        const call = extents.call[i];
        const from = span ? extents.calls.start[call] : extents.line[i];
        const to = span ? extents.calls.end[call] : from + 1;
        if (to < rows.low || from > rows.high) continue;
        seen++;
        const x = (extents.low[i] - this.offsets.low) * wide;
        const y = (from - rows.low) * tall;
        const boxes = extents.later[i] ? later : raster;
        boxes.add(x, y, (extents.high[i] - this.offsets.low) * wide, (to - rows.low) * tall - gap);
      }
      return { visible: seen, sheet: sheetOf(layered([[raster, colours.rgb.ext], [later, colours.rgb.cost]]), width, height) };
    });
    this.visible = visible;
    putSheet(context, sheet, box);
  }

  drawExtents(context) {
    const { colours, box, extents, rows, span } = this;
    const { start, end: ends } = extents.calls;
    const [first, end] = extents.within(this.offsets.low, this.offsets.high);
    if (end - first > MANY) {
      this.drawMany(context, first, end);
      return;
    }
    const step = box.height / rows.width;
    const thick = Math.max(1, step - (step > 4 ? 1 : 0));
    // Extents that another row touched before are drawn last, on top.
    for (const isLater of [0, 1]) {
      context.fillStyle = isLater ? colours.css.cost : colours.css.ext;
      for (let i = first; i < end; i++) {
        if (extents.later[i] !== isLater) continue;
        const call = extents.call[i];
        const from = span ? start[call] : extents.line[i];
        const to = span ? ends[call] : from + 1;
        if (to < rows.low || from > rows.high) continue;
        this.visible++;
        const x = this.toX(extents.low[i]);
        const wide = this.toX(extents.high[i]) - x;
        const air = wide > 8 ? 1 : 0;
        const high = span ? (to - from) * step : thick;
        context.fillRect(x, box.y + (from - rows.low) * step, Math.max(isLater ? 1.2 : 0.6, wide - air), Math.max(isLater ? 2 : 1, high));
      }
    }
  }

  drawCells(context) {
    const { box, grid, rows } = this;
    const key = [this.colours.css.bg];
    const sheet = kept(grid, key, () => sheetOf(this.cellPixels(), grid.bins, grid.rows));
    const wide = (grid.bins * grid.width * box.width) / this.offsets.width;
    const [low, high] = rows.whole;
    const tall = ((high - low) * box.height) / rows.width;
    putSheet(context, sheet, { x: this.toX(0), y: box.y - ((rows.low - low) / (high - low)) * tall, width: wide, height: tall });
  }

  cellPixels() {
    const { grid, colours } = this;
    const { ext, cost } = colours.rgb;
    const data = Uint32Array.from(grid.cells, (cell) => {
      const times = cell / grid.full;
      if (!(times > 0)) return 0;
      return packed(mix(ext, cost, times > 1.004 ? Math.min(1, times - 1) : 0)) | (Math.round(255 * Math.min(1, times ** 0.4)) << 24);
    });
    return new Uint8ClampedArray(data.buffer);
  }

  /** Returns a description of the view. */
  detail(unitName) {
    const seen = this.extents ? `, ${counted(this.visible, "extent")}` : `; the finest parts are ${bytes(this.grid?.width ?? 0)}`;
    const wide = `${bytes(Math.round(this.offsets.width))} of the file in view${seen}. `;
    if (!this.unit) return `${wide}The layout of the file on its storage is unknown.`;
    if (this.blocks < GRID) return `${wide}Zoom in for the borders of its ${bytes(this.unit)} ${unitName}.`;
    const shared = this.sharedBlocks ? ` Shaded: ${counted(this.sharedBlocks, "block")} that several ${this.whose} touch.` : "";
    return `${wide}Grid: ${unitName} of ${bytes(this.unit)}.${shared}`;
  }

  hit(x, y) {
    if (!this.box || x < this.box.x || y < this.box.y || y > this.box.y + this.box.height) return null;
    const offset = this.offsets.low + this.shareAt(x) * this.offsets.width;
    const where = `offset ${exactly(Math.floor(offset))}${this.unit ? `, block ${thousands(Math.floor(offset / this.unit))}` : ""}`;
    if (this.grid) return this.hitGrid(offset, this.rowAt(y), where);
    if (!this.extents) return null;
    const reach = (2 * this.offsets.width) / this.box.width;
    return this.span ? this.hitMoment(offset, this.rowAt(y), reach, where) : this.hitRow(offset, Math.floor(this.rowAt(y)), reach, where);
  }

  hitGrid(offset, at, where) {
    const { grid, span } = this;
    const row = span ? Math.floor(((at - span[0]) / (span[1] - span[0])) * grid.rows) : Math.floor(at);
    if (row < 0 || row >= grid.rows) return null;
    const times = grid.cells[row * grid.bins + Math.floor(offset / grid.width)] / grid.full;
    const name = span ? `around ${moment(at, this.rows.width)}` : this.who(this, row);
    return [name, where, `${this.verb} ${times ? times.toFixed(2) : 0} times`];
  }

  hitRow(offset, row, reach, where) {
    if (row < 0 || row >= this.lines) return null;
    const { extents } = this;
    const name = this.who(this, row);
    const [first, end] = extents.within(offset - reach, offset + reach);
    const found = [];
    for (let i = first; i < end && found.length <= TOLD; i++) if (extents.line[i] === row) found.push(i);
    if (!found.length) return [name, where, `not ${this.verb}`];
    const times = found.slice(0, TOLD).map((i) => this.tell(i));
    return [`${name}: ${bytes(extents.high[found[0]] - extents.low[found[0]])}`, where, ...times, ...this.before(found[0])];
  }

  /** Returns the tip of the view over time: the rows that touched the offset at that moment. */
  hitMoment(offset, time, reach, where) {
    const { extents } = this;
    const { start, end: ends } = extents.calls;
    const soon = (2 * this.rows.width) / this.box.height;
    const [first, end] = extents.within(offset - reach, offset + reach);
    const found = [];
    for (let i = first; i < end && found.length <= TOLD; i++) {
      const call = extents.call[i];
      if (start[call] <= time + soon && ends[call] >= time - soon) found.push(i);
    }
    const when = moment(time, this.rows.width);
    if (!found.length) return [when, where, `not ${this.verb} then`];
    const told = found.slice(0, TOLD).map((i) => `${this.who(this, extents.line[i])}: ${this.tell(i)}`);
    return [when, where, ...told, ...this.before(found[0])];
  }

  tell(i) {
    const { extents } = this;
    return `${this.verb} at ${moment(extents.calls.start[extents.call[i]], 1)}, ${bytes(extents.high[i] - extents.low[i])} at ${exactly(extents.low[i])}`;
  }

  before(i) { return this.extents.later[i] ? [`another has ${this.verb} some of it before`] : []; }
}
