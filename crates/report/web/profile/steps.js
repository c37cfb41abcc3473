// The iterations of a region, and the controls around them.

import { numberWords, Series } from "../chart/series.js";
import { duration, percent, thousands } from "../chart/numbers.js";
import { choose } from "../page/controls.js";

const find = (id) => document.getElementById(id);

export class StepsPart {
  constructor(profile, { changed }) {
    Object.assign(this, { profile, changed, at: 0, isChosen: false });
    this.chart = new Series(find("steps"), { changed: () => this.viewed() });
    this.buttons = [...document.querySelectorAll("#steps-which button")];
    this.buttons.forEach((button, at) => button.addEventListener("click", () => { this.isChosen = true; this.show(at); }));
    const scales = [...document.querySelectorAll("#steps-scale button")];
    for (const button of scales) {
      button.addEventListener("click", () => {
        choose(scales, "aria-pressed", button);
        this.chart.isRoot = button.dataset.v === "root";
        this.chart.redraw();
      });
    }
    find("steps-reset").addEventListener("click", () => this.chart.reset());
  }

  set colours(colours) { this.chart.colours = colours; }
  get steps() { return this.profile.steps[this.at]; }

  draw() {
    if (this.chart.data) this.chart.draw(); else this.show(0);
  }

  /** Shows the iterations of a region. */
  show(at) {
    this.at = at;
    const { steps } = this;
    choose(this.buttons, "aria-pressed", this.buttons[at]);
    find("steps-title").textContent = this.buttons[at].dataset.title;
    find("steps-slowest").textContent = this.buttons[at].dataset.slowest;
    for (const box of document.querySelectorAll("details.slow")) box.hidden = Number(box.dataset.i) !== at;
    const each = steps.each > 1 ? `; a bar is the mean of ${thousands(steps.each)} iterations` : "";
    find("steps-each").textContent = `▲ the slowest${each}`;
    this.key(steps);
    this.chart.show({ ...steps, lines: (entry) => this.lines(entry) });
  }

  key({ most, files }) {
    const { profile } = this;
    const item = (name, words) => {
      const span = document.createElement("span");
      span.append(Object.assign(document.createElement("i"), { className: name }), words);
      return span;
    };
    const isOne = profile.ranks.all === 1;
    find("steps-key").replaceChildren(
      item("k-data", isOne ? "seconds" : `mean of ${thousands(profile.ranks.all)} ${profile.whose}`),
      ...(files ? [item("k-write", "in file calls")] : []),
      ...(most && !isOne ? [item("k-slowest", `slowest ${profile.who}`)] : []),
    );
  }

  lines(entry) {
    const { steps, profile } = this;
    const first = entry * steps.each;
    const last = Math.min(steps.count, first + steps.each) - 1;
    const which = last > first ? `iterations ${thousands(first)} to ${thousands(last)}` : `iteration ${thousands(first)}`;
    const lines = [`${which}, ${duration(steps.mean[entry])}`];
    if (steps.median > 0) lines.push(`${(steps.mean[entry] / steps.median).toFixed(2)}× the median of ${duration(steps.median)}`);
    if (steps.most && profile.ranks.all > 1) lines.push(`the slowest is ${profile.who} ${steps.rank[entry]} with ${duration(steps.most[entry])}`);
    if (steps.files?.[entry] > 0) lines.push(`in file calls ${duration(steps.files[entry])}, ${percent(Math.min(1, steps.files[entry] / steps.mean[entry]))}`);
    for (const { name, values } of steps.metrics) if (values[entry] !== null) lines.push(`${name}: ${numberWords(values[entry])}`);
    return lines;
  }

  viewed() {
    find("steps-reset").disabled = this.chart.range.isWhole;
    this.changed();
  }

  /** The part that is shown, as numbers of iterations; null if all are. */
  get view() {
    if (!this.chart.data || this.chart.range.isWhole) return null;
    const [from, to] = this.chart.shown;
    return [from * this.steps.each, Math.min(this.steps.count, to * this.steps.each) - 1];
  }

  /** Shows the iterations of a region, and a part of them if it is given. */
  open(region, part) {
    const at = this.profile.steps.findIndex((steps) => steps.region === region);
    if (at < 0) return;
    this.isChosen = true;
    if (at !== this.at || !this.chart.data) this.show(at);
    if (part) this.chart.look(part[0] / this.steps.each, (part[1] + 1) / this.steps.each); else this.chart.reset();
  }
}
