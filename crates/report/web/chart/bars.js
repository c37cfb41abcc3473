// A bar chart with one bar per rank.

import { line, onFrame, prepare, text } from "./canvas.js";
import { duration, ticks } from "./numbers.js";
import { tellOf, tip } from "./tip.js";

const BARS_HEIGHT = 190;

export class Bars {
  /** Makes a chart of `count` stacked bars. A part of `parts` has a colour token and one value per
   * bar. `mean` is where the dashed line is, if not at the mean of all bars; `margins` are left and
   * right of the bars. */
  constructor(canvas, bars) {
    this.canvas = canvas;
    this.become(bars);
    this.redraw = onFrame(() => this.draw());
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left - this.box.x) / this.box.width) * this.count);
    };
    tellOf(canvas, (event) => {
      const bar = this.box ? at(event) : -1;
      return bar >= 0 && bar < this.count ? this.lines(bar) : null;
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.cursor = Math.min(this.count - 1, Math.max(0, (this.cursor ?? -1) + step));
      const box = canvas.getBoundingClientRect();
      tip({ clientX: box.left + this.box.x + ((this.cursor + 0.5) * this.box.width) / this.count, clientY: box.top + 40 }, this.lines(this.cursor));
    });
    canvas.addEventListener("blur", () => tip());
  }

  /** Shows other bars. */
  show(bars) {
    this.become(bars);
    this.draw();
  }

  become({ count, parts, label, lines, mean, height = BARS_HEIGHT, margins = () => [60, 4], widest = 64 }) {
    Object.assign(this, { count, parts, label, lines, height, margins, widest });
    this.sums = Array.from({ length: count }, (_, i) => parts.reduce((sum, part) => sum + part.values[i], 0));
    this.most = this.sums.reduce((most, sum) => Math.max(most, sum), 0);
    this.mean = mean ?? this.sums.reduce((a, b) => a + b, 0) / count;
  }

  draw() {
    if (this.canvas.clientWidth < 120) return;
    const { context, width } = prepare(this.canvas, this.height);
    const { colours, count, parts } = this;
    const [left, right] = this.margins(width);
    const box = { x: left, y: 12, width: width - left - right, height: this.height - 36 };
    this.box = box;
    const { values } = ticks(0, this.most, 3);
    const top = Math.max(this.most, values.at(-1)) || 1;
    const toY = (value) => box.y + box.height - (value / top) * box.height;
    for (const value of values) {
      const y = Math.round(toY(value)) + 0.5;
      line(context, colours.css.line, box.x, y, box.x + box.width, y);
      text(context, duration(value), box.x - 6, Math.max(box.y, y), colours.css.ink3, "right");
    }
    // The width of a bar is limited, so that a single bar does not fill the chart.
    const step = Math.min(box.width / count, this.widest);
    box.width = step * count;
    const gap = step > 4 ? 1 : 0;
    // Narrow bars begin at whole pixels; otherwise they would look striped.
    const edge = (bar) => box.x + (step < 8 ? Math.round(bar * step) : bar * step);
    for (let bar = 0; bar < count; bar++) {
      let base = 0;
      for (const part of parts) {
        const high = (part.values[bar] / top) * box.height;
        context.fillStyle = colours.css[part.colour];
        context.fillRect(edge(bar), box.y + box.height - base - high, Math.max(1, edge(bar + 1) - edge(bar) - gap), high);
        base += high;
      }
    }
    if (count > 1) {
      const y = Math.round(toY(this.mean)) + 0.5;
      context.setLineDash([4, 3]);
      line(context, colours.css.ink, box.x, y, width - right, y);
      context.setLineDash([]);
    }
    for (const bar of new Set([0, Math.floor(count / 2), count - 1])) {
      const align = bar === 0 ? "left" : bar === count - 1 && box.width > width - left - right - 16 ? "right" : "center";
      const x = align === "left" ? box.x : align === "right" ? box.x + box.width : box.x + (bar + 0.5) * step;
      if (bar && (bar + 0.5) * step < 40) continue;
      text(context, this.label(bar), x, this.height - 12, colours.css.ink3, align);
    }
  }
}
