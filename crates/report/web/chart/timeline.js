// The timeline: phases, bandwidth and every call on one time axis.
//
// `marks` are rows of named stretches of time, `flows` are bytes over time, and `lanes` are calls
// (see `Lane`). A part without data takes no room.

import { bandwidth } from "./bandwidth.js";
import { heading, onFrame, prepare, selection, setFont, text, timeAxis, unknown, unknownWords } from "./canvas.js";
import { drawFlow } from "./flow.js";
import { useGestures } from "./gestures.js";
import { counted, duration, moment, rate, thousands } from "./numbers.js";
import { rowsOfPick } from "./pick.js";
import { Range } from "./range.js";

const MARKS = 22;
const OVERVIEW = 26;
/** Height in pixels from which a selection selects rows too. */
const ROWS_FROM = 24;
/** Largest distance in pixels between the pointer and the call that its tip describes. */
const REACH = 3;
/** Calls per pixel above which single calls are not visible. */
const DENSE = 6;
const NOT_RECORDED = "not recorded";

export class Timeline {
  /** Makes a timeline of `span` seconds. If `ends` is given, nothing was recorded after it. */
  constructor(canvas, { span, ends = null, marks = [], flows = [], lanes = [], changed = () => {} }) {
    Object.assign(this, { canvas, ends, marks, flows, lanes, changed });
    this.time = new Range(0, span, Math.max(span * 1e-9, 1e-8));
    this.drags = "zoom";
    this.colourBy = "operation";
    /** Flags: show writes, show reads. */
    this.shows = [true, true];
    /** Ranks that are shown; null shows all. */
    this.picked = null;
    this.isByNode = false;
    this.box = null;
    this.redraw = onFrame(() => this.draw());
    useGestures(canvas, this);
  }

  get isWhole() { return this.time.isWhole && !this.picked && this.lanes.every((lane) => lane.view.isWhole); }

  // Actions that gestures call.

  zoneAt(x, y) {
    if (!this.layout || x < this.layout.x || x > this.layout.x + this.layout.width) return null;
    const { overview, bottom } = this.layout;
    if (y >= overview.y - 4 && y <= overview.y + OVERVIEW + 4) return "overview";
    return y <= bottom ? "plot" : null;
  }

  shareAt(x) { return Math.min(1, Math.max(0, (x - this.layout.x) / this.layout.width)); }
  timeAt(x) { return this.time.low + this.shareAt(x) * this.time.width; }
  pan(share) { this.time.pan(share); this.update(); }
  zoom(factor, share) { this.time.scale(factor, share); this.update(); }

  move(pixels, isOverview) {
    const whole = this.time.whole[1] - this.time.whole[0];
    // Dragging the overview moves the frame; dragging the plot moves its content.
    this.pan(isOverview ? (-pixels / this.layout.width) * (whole / this.time.width) : pixels / this.layout.width);
  }

  panRows(share) {
    for (const lane of this.lanes) {
      lane.view.pan(share);
      lane.view.show(Math.round(lane.view.low), Math.round(lane.view.high));
    }
    this.update();
  }

  reset() {
    this.time.reset();
    this.pick(null);
  }

  /** Shows one row per node, or one per rank. */
  group(isByNode) {
    this.isByNode = isByNode;
    this.pick(null);
  }

  /** Shows only these ranks, in the form that `readPick` returns; null shows all. */
  pick(ranks) {
    this.picked = ranks;
    for (const lane of this.lanes) lane.arrange(this.isByNode, ranks && rowsOfPick(ranks, lane.ranks));
    this.update();
  }

  show(low, high) { this.time.show(low, high); this.update(); }

  selecting(x1, y1, x2, y2) {
    const { x, width, top, bottom } = this.layout;
    const lane = Math.abs(y2 - y1) > ROWS_FROM ? this.laneAt(y1) : null;
    const within = (value, low, high) => Math.min(high, Math.max(low, value));
    const [a, b] = [within(Math.min(x1, x2), x, x + width), within(Math.max(x1, x2), x, x + width)];
    const [c, d] = lane
      ? [within(Math.min(y1, y2), lane.box.y, lane.box.y + lane.box.height), within(Math.max(y1, y2), lane.box.y, lane.box.y + lane.box.height)]
      : [top, bottom];
    this.box = { x: a, y: c, width: b - a, height: d - c, lane };
    this.redraw();
  }

  select(x1, y1, x2, y2, isMeant) {
    const box = isMeant && this.box;
    this.box = null;
    if (!box) {
      this.redraw();
      return;
    }
    if (box.lane) {
      const { view, box: place } = box.lane;
      const row = (y) => view.low + ((y - place.y) / place.height) * view.width;
      const [low, high] = [Math.floor(row(box.y)), Math.ceil(row(box.y + box.height))];
      view.show(low, Math.max(low + 1, high));
    }
    this.show(this.timeAt(box.x), this.timeAt(box.x + box.width));
  }

  update() {
    this.changed(this);
    this.redraw();
  }

  laneAt(y) { return this.lanes.find((lane) => lane.box && y >= lane.box.y && y < lane.box.y + lane.box.height); }

  // Drawing.

  /** Places all parts from the top down and returns the layout. */
  arrange(width) {
    const small = width < 560;
    const x = small ? 40 : 60;
    const inner = Math.max(1, Math.floor(width - x - 2));
    let y = 20;
    const top = y;
    for (const row of this.marks) {
      row.box = { x, y, width: inner, height: MARKS };
      y += MARKS + 28;
    }
    for (const flow of this.flows) {
      const height = this.lanes.length ? 76 : this.flows.length > 1 ? 110 : 170;
      flow.box = { x, y, width: inner, height };
      y += height + 30;
    }
    for (const lane of this.lanes) {
      const share = lane === this.lanes.at(-1) ? (small ? 170 : 250) : small ? 76 : 110;
      // A lane with few rows is lower; its rows are still high enough to see.
      const height = Math.min(share, lane.shown ? Math.max(44, lane.shown * 22) : 12);
      lane.box = { x, y, width: inner, height };
      y += height + 30;
    }
    const bottom = y - 30;
    return { small, x, width: inner, top, bottom, overview: { x, y: bottom + 30, width: inner, height: OVERVIEW }, height: bottom + 30 + OVERVIEW + 20 };
  }

  draw() {
    if (this.canvas.clientWidth < 120) return;
    this.layout = this.arrange(this.canvas.clientWidth);
    const { context } = prepare(this.canvas, this.layout.height);
    const { x, width, bottom, small, overview } = this.layout;
    const { colours } = this;
    const gridTop = (this.flows[0] ?? this.lanes[0] ?? this.marks[0])?.box.y;
    timeAxis(context, colours, this.time, { x, y: bottom - 1, width, height: 1 }, gridTop);
    const gap = this.ends === null ? Infinity : this.toX(this.ends);
    const plots = [...this.flows, ...this.lanes].map((plot) => plot.box);
    for (const box of plots) unknown(context, colours, box, gap);
    for (const row of this.marks) this.drawMarks(context, row);
    for (const flow of this.flows) drawFlow(context, colours, flow, this.time, this.shows);
    for (const lane of this.lanes) lane.draw(context, this.time, this);
    for (const box of plots) unknownWords(context, colours, box, gap, NOT_RECORDED);
    this.visible = this.lanes.reduce((sum, lane) => sum + lane.visible, 0);
    this.drawOverview(context, overview);
    text(context, small ? "whole run" : "whole run; drag the frame to move", x, overview.y + OVERVIEW + 11, colours.css.ink3);
    if (this.box) selection(context, colours, this.box);
    this.drawn?.(this);
  }

  drawMarks(context, row) {
    const { colours } = this;
    const { x, y, width } = row.box;
    heading(context, colours, x, y - 11, width, row.title, row.words);
    for (const mark of row.marks) {
      const from = Math.max(x, this.toX(mark.begin));
      const to = Math.min(x + width, this.toX(mark.end));
      if (to < x || from > x + width) continue;
      context.fillStyle = colours.css.accent;
      context.fillRect(from, y, Math.max(1, to - from - 1), MARKS);
      const label = [mark.label, mark.short].find((words) => words && context.measureText(words).width < to - from - 12);
      if (label) text(context, label, from + 6, y + MARKS / 2 + 1, colours.css.surface);
    }
  }

  toX(time) { return this.layout.x + ((time - this.time.low) / this.time.width) * this.layout.width; }

  drawOverview(context, box) {
    const { colours } = this;
    context.fillStyle = colours.css.sunken;
    context.fillRect(box.x, box.y, box.width, box.height);
    const lane = this.lanes.findLast((one) => one.shown);
    const whole = new Range(...this.time.whole);
    if (this.ends !== null) unknown(context, colours, box, box.x + (this.ends / whole.width) * box.width);
    if (lane) {
      lane.drawWhole(context, whole, box, this);
    } else if (this.flows.length) {
      const columns = Math.floor(box.width);
      const flow = bandwidth(this.flows[0].source(whole, this.shows), whole, columns);
      for (const [series, colour] of [[flow.both, colours.css.read], [flow.written, colours.css.write]]) {
        context.fillStyle = colour;
        for (let i = 0; i < columns; i++) {
          const high = flow.most > 0 ? (series[i] / flow.most) * box.height : 0;
          if (high > 0) context.fillRect(box.x + i, box.y + box.height - high, 1, high);
        }
      }
    }
    const [from, to] = [this.time.low, this.time.high].map((time) => box.x + (time / whole.width) * box.width);
    context.fillStyle = colours.css.bg;
    context.globalAlpha = 0.72;
    context.fillRect(box.x, box.y, from - box.x, box.height);
    context.fillRect(to, box.y, box.x + box.width - to, box.height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.css.accent;
    context.lineWidth = 2;
    context.strokeRect(from, box.y, Math.max(3, to - from), box.height);
    setFont(context);
  }

  /** Returns a sentence about the level of detail. */
  detail() {
    const wide = `${duration(this.time.width)} wide`;
    if (!this.lanes.length) return `${wide}. `;
    const total = this.lanes.reduce((sum, lane) => sum + lane.count, 0);
    const coarse = this.lanes.find((lane) => lane.cells);
    if (coarse) {
      return `${counted(total, "call")}, ${wide}: time in calls, in stretches of ${duration(coarse.level?.width ?? coarse.cells.finest)}; the finest are ${duration(coarse.cells.finest)}.`;
    }
    const dense = this.visible / this.layout.width > DENSE;
    return `${thousands(this.visible)} of ${counted(total, "call")} in view, ${wide}; ${dense ? "drawn as time covered per pixel: zoom in for single calls" : "single calls visible"}.`;
  }

  // The tip at the pointer.

  hit(x, y) {
    if (!this.layout || this.zoneAt(x, y) !== "plot") return null;
    const time = this.timeAt(x);
    for (const row of this.marks) {
      if (y < row.box.y || y >= row.box.y + MARKS) continue;
      return row.marks.find((mark) => time >= mark.begin && time <= mark.end)?.tip() ?? null;
    }
    if (this.ends !== null && time > this.ends && [...this.flows, ...this.lanes].some(({ box }) => y >= box.y && y < box.y + box.height)) {
      return [moment(time, this.time.width), `${NOT_RECORDED}: the trace is incomplete`];
    }
    for (const flow of this.flows) {
      if (y < flow.box.y || y >= flow.box.y + flow.box.height || !flow.own) continue;
      const column = Math.min(flow.own.read.length - 1, Math.floor(this.shareAt(x) * flow.own.read.length));
      const lines = [moment(time, this.time.width)];
      if (this.shows[0]) lines.push(`written ${rate(flow.own.written[column])}`);
      if (this.shows[1]) lines.push(`read ${rate(flow.own.read[column])}`);
      if (flow.asked) lines.push(`requested through MPI-IO ${rate(flow.asked[column])}`);
      return lines;
    }
    const lane = this.laneAt(y);
    return lane ? lane.hit(time, y, (REACH * this.time.width) / lane.box.width, this.time.width, this.shows) : null;
  }
}
