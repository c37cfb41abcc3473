// Where in a file: offset by rank, and how often each part was touched.

import { frame, onFrame, prepare, putPixels, rowLabels, selection, text, line } from "./canvas.js";
import { mix } from "./colours.js";
import { useGestures } from "./gestures.js";
import { byteTicks, bytes, counted, moment, offsetLabel, thousands } from "./numbers.js";
import { Range } from "./range.js";

const TOP = 92;
const STRIP = 48;
/** Pixels of a block from which on its borders are drawn. */
const GRID = 5;
const BOX_FROM = 16;

export class Space {
  /** `label` and `who` name a row of what is shown; `changed` is told of zooms. */
  constructor(canvas, { label, who, changed = () => {} }) {
    Object.assign(this, { canvas, label, who, changed });
    this.drags = "zoom";
    this.redraw = onFrame(() => this.draw());
    useGestures(canvas, this);
  }

  /** Shows a file: `extents`, or a `grid` of cells; `unit` is its stripe or block. */
  set({ extents = null, grid = null, extent, unit, verb }) {
    Object.assign(this, { extents, grid, unit, verb });
    const rows = extents ? extents.rows.length : grid ? grid.rows : 0;
    this.lines = rows;
    this.offsets = new Range(0, Math.max(1, extent), 16);
    this.rows = new Range(0, Math.max(1, rows), 1);
    this.update();
  }

  get isWhole() { return this.offsets.isWhole && this.rows.isWhole; }
  zoneAt(x, y) { return this.box && x >= this.box.x && x <= this.box.x + this.box.width && y >= TOP - STRIP && y <= this.box.y + this.box.height ? "plot" : null; }
  shareAt(x) { return Math.min(1, Math.max(0, (x - this.box.x) / this.box.width)); }
  pan(share) { this.offsets.pan(share); this.update(); }
  zoom(factor, share) { this.offsets.scale(factor, share); this.update(); }
  move(pixels) { this.pan(pixels / this.box.width); }
  panRows(share) { this.rows.pan(share); this.update(); }
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
      const row = (y) => this.rows.low + ((y - this.box.y) / this.box.height) * this.rows.width;
      if (chosen.isTall) this.rows.show(Math.floor(row(chosen.y)), Math.ceil(row(chosen.y + chosen.height)));
      this.offsets.show(offset(chosen.x), offset(chosen.x + chosen.width));
    }
    this.update();
  }

  toX(offset) { return this.box.x + ((offset - this.offsets.low) / this.offsets.width) * this.box.width; }

  draw() {
    if (this.canvas.clientWidth < 120 || !this.offsets) return;
    const small = this.canvas.clientWidth < 560;
    const tall = Math.min(small ? 260 : 340, Math.max(60, this.lines * 24));
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
    rowLabels(context, colours, this.rows, box, (line) => this.label(this, line));
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

  /** How often each part was touched, all rows together. */
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
    for (let i = 0; i < times.length; i++) {
      const once = Math.min(1, times[i]) * scale;
      context.fillStyle = colours.css.ext;
      context.fillRect(box.x + i, base - once, 1, once);
      if (times[i] <= 1.004) continue;
      context.fillStyle = colours.css.cost;
      context.fillRect(box.x + i, base - times[i] * scale, 1, (times[i] - 1) * scale);
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

  drawGrid(context) {
    const { colours, box, unit } = this;
    this.blocks = unit ? (unit / this.offsets.width) * box.width : 0;
    if (this.blocks < GRID) return;
    const shared = this.extents?.sharedBlocks(this.offsets.low, this.offsets.high, unit) ?? new Set();
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

  drawExtents(context) {
    const { colours, box, extents } = this;
    const [first, end] = extents.within(this.offsets.low, this.offsets.high);
    const step = box.height / this.rows.width;
    const thick = Math.max(1, step - (step > 4 ? 1 : 0));
    // What came after another row is on top.
    for (const isLater of [0, 1]) {
      context.fillStyle = isLater ? colours.css.cost : colours.css.ext;
      for (let i = first; i < end; i++) {
        if (extents.later[i] !== isLater) continue;
        const row = extents.lineOf.get(extents.row[i]);
        if (row + 1 < this.rows.low || row > this.rows.high) continue;
        this.visible++;
        const x = this.toX(extents.low[i]);
        const wide = this.toX(extents.high[i]) - x;
        const air = wide > 8 ? 1 : 0;
        context.fillRect(x, box.y + (row - this.rows.low) * step, Math.max(isLater ? 1.2 : 0.6, wide - air), Math.max(isLater ? 2 : 1, thick));
      }
    }
  }

  drawCells(context) {
    const { colours, box, grid } = this;
    const data = new Uint8ClampedArray(grid.rows * grid.bins * 4);
    for (let i = 0; i < grid.rows * grid.bins; i++) {
      const times = grid.cells[i] / grid.full;
      if (!(times > 0)) continue;
      const colour = mix(colours.rgb.ext, colours.rgb.cost, times > 1.004 ? Math.min(1, times - 1) : 0);
      data.set([...colour, 255 * Math.min(1, times ** 0.4)], i * 4);
    }
    const wide = (grid.bins * grid.width * box.width) / this.offsets.width;
    const tall = (grid.rows * box.height) / this.rows.width;
    putPixels(context, data, grid.bins, grid.rows, { x: this.toX(0), y: box.y - (this.rows.low * tall) / grid.rows, width: wide, height: tall });
  }

  /** What is seen, in words. */
  detail(unitName) {
    const seen = this.extents ? `, ${counted(this.visible, "extent")}` : `; the finest parts are ${bytes(this.grid?.width ?? 0)}`;
    const wide = `${bytes(Math.round(this.offsets.width))} of the file in view${seen}. `;
    if (!this.unit) return `${wide}How the file lies on its storage is not known.`;
    if (this.blocks < GRID) return `${wide}Zoom in for the borders of its ${bytes(this.unit)} ${unitName}.`;
    const shared = this.sharedBlocks ? ` Shaded: ${counted(this.sharedBlocks, "block")} that several ranks touch.` : "";
    return `${wide}Grid: ${unitName} of ${bytes(this.unit)}.${shared}`;
  }

  hit(x, y) {
    if (!this.box || x < this.box.x || y < this.box.y || y > this.box.y + this.box.height) return null;
    const offset = this.offsets.low + this.shareAt(x) * this.offsets.width;
    const row = Math.floor(this.rows.low + ((y - this.box.y) / this.box.height) * this.rows.width);
    if (row < 0 || row >= this.lines) return null;
    const where = [`offset ${bytes(Math.floor(offset))}${this.unit ? `, block ${thousands(Math.floor(offset / this.unit))}` : ""}`];
    const name = this.who(this, row);
    if (this.grid) {
      const bin = Math.floor(offset / this.grid.width);
      const times = this.grid.cells[row * this.grid.bins + bin] / this.grid.full;
      return [name, ...where, `${this.verb} ${times ? times.toFixed(2) : 0} times`];
    }
    const reach = (2 * this.offsets.width) / this.box.width;
    const { extents } = this;
    const [first, end] = extents.within(offset - reach, offset + reach);
    const found = [];
    for (let i = first; i < end && found.length < 6; i++) if (extents.lineOf.get(extents.row[i]) === row) found.push(i);
    if (!found.length) return [name, ...where, `not ${this.verb}`];
    const [one] = found;
    const times = found.slice(0, 5).map((i) => `${this.verb} at ${moment(extents.calls.start[extents.call[i]], 1)}, ${bytes(extents.high[i] - extents.low[i])} at ${bytes(extents.low[i])}`);
    return [`${name}: ${bytes(extents.high[one] - extents.low[one])}`, ...where, ...times, ...(extents.later[one] ? [`another had ${this.verb} some of it before`] : [])];
  }
}
