// The search: the best gain after every run beside that of random search, and the effects of values.

import { thousands, ticks } from "../chart/numbers.js";
import { make, picture } from "../chart/svg.js";
import { tip } from "../chart/tip.js";
import { apart, bestAfter, gainEnds, logScale, nearestTo, ratioTicks, times } from "./scale.js";

const PLOT = 236;
const ABOVE = 8;

/** Draws the search. `chosen` is the number of the run that is picked out; `pick` is called with
 * another one. */
export function drawSearch(host, { trials, asks, convergence, random }, chosen, pick) {
  const hadFocus = host.contains(document.activeElement);
  const count = asks;
  const place = trials.findIndex((trial) => trial.n === chosen);
  const [svg, width] = picture(host, PLOT + ABOVE + 28, "Best gain after each run, beside random search. Left and right choose a run.");
  const isNarrow = width < 560;
  const left = 44;
  const room = width - left - (isNarrow ? 10 : 108);
  const gains = trials.map((trial) => trial.gain).filter((gain) => gain !== null);
  const most = Math.max(1.05, ...gains, ...random.map((step) => step.high)) * 1.08;
  const x = (n) => left + ((n - 0.5) / count) * room;
  const y = (gain) => ABOVE + PLOT - (gain / most) * PLOT;
  for (const value of ticks(0, most, 5).values) {
    svg.append(make("line", { class: "grid", x1: left, x2: left + room, y1: y(value), y2: y(value) }));
    svg.append(make("text", { class: "ax", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, `${value < 1000 ? value : thousands(value)}×`));
  }
  const marks = [1, ...ticks(1, count, isNarrow ? 4 : 8).values.filter((n) => Number.isInteger(n) && x(n) >= x(1) + 50)];
  for (const n of marks) {
    svg.append(make("text", { class: "ax", x: x(n), y: ABOVE + PLOT + 20, "text-anchor": n === 1 ? "start" : "middle" }, n === 1 ? "run 1" : thousands(n)));
  }
  const path = (points) => points.map(([a, b], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
  if (random.length) {
    const up = random.map((step) => [x(step.n), y(step.high)]);
    const down = random.map((step) => [x(step.n), y(step.low)]).reverse();
    svg.append(make("path", { class: "band", d: `${path([...up, ...down])}Z` }));
    svg.append(make("path", { class: "usual", d: path(random.map((step) => [x(step.n), y(step.median)])) }));
  }
  const best = bestAfter(convergence, count);
  const corners = best.flatMap((gain, i) => (i ? [[x(i + 1), y(best[i - 1])], [x(i + 1), y(gain)]] : [[x(1), y(gain)]]));
  svg.append(make("path", { class: "best", d: path(corners) }));
  const end = best.at(-1) ?? 1;
  const usual = random.at(-1)?.median;
  if (!isNarrow) {
    const [a, b] = apart(y(end), y(usual ?? 0), 16);
    svg.append(make("text", { class: "k", x: left + room + 8, y: (usual === undefined ? y(end) : a) + 4 }, `best ${times(end)}`));
    if (usual !== undefined) svg.append(make("text", { x: left + room + 8, y: b + 4 }, `random ${times(usual)}`));
  }
  const points = trials.map((trial) => {
    const isMeasured = trial.gain !== null;
    const [cx, cy] = [x(trial.n), y(isMeasured ? trial.gain : 0.05 * most)];
    const isChosen = trial.n === chosen;
    if (isMeasured) return make("circle", { class: `dot ${trial.kind}${isChosen ? " chosen" : ""}`, cx, cy, r: isChosen ? 6 : count > 200 ? 2.5 : 4 });
    const d = `M${cx - 4} ${cy - 4}l8 8M${cx - 4} ${cy + 4}l8 -8`;
    return make("path", { class: `cross${isChosen ? " chosen" : ""}`, d });
  });
  svg.append(...points);
  const nearest = (event) => {
    const box = svg.getBoundingClientRect();
    const n = ((event.clientX - box.left - left) / room) * count + 0.5;
    return trials[nearestTo(trials, n)];
  };
  svg.addEventListener("pointermove", (event) => tip(event, nearest(event).lines));
  svg.addEventListener("pointerleave", () => tip());
  svg.addEventListener("click", (event) => pick(nearest(event).n));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pick(trials[Math.min(trials.length - 1, Math.max(0, place < 0 ? 0 : place + step))].n);
  });
  svg.addEventListener("blur", () => tip());
  svg.setAttribute("tabindex", 0);
  if (place >= 0 && hadFocus) {
    svg.focus({ preventScroll: true });
    const box = points[place].getBoundingClientRect();
    tip({ clientX: box.right, clientY: box.bottom }, trials[place].lines);
  }
}

/** Draws the effects of the values of a parameter on an axis that all parameters share. */
export function drawEffects(host, rows, ends, name) {
  const row = 22;
  const bottom = rows.length * row;
  const [svg, width] = picture(host, bottom + 22, `${name}: what its values went along with`);
  const [left, right] = [Math.min(132, width * 0.3), width - 112];
  const x = logScale(ends[0], ends[1], left + 6, right);
  for (const ratio of ratioTicks(ends[0], ends[1], x, width < 420 ? 30 : 38)) {
    svg.append(make("line", { class: ratio === 1 ? "one" : "grid", x1: x(ratio), x2: x(ratio), y1: 0, y2: bottom }));
    svg.append(make("text", { class: "ax", x: x(ratio), y: bottom + 16, "text-anchor": "middle" }, `${ratio}×`));
  }
  rows.forEach((one, i) => {
    const y = (i + 0.5) * row;
    const group = make("g", { class: one.isChosen ? "tuned" : "default" });
    group.append(make("title", {}, one.lines.join("\n")));
    group.append(make("text", { class: one.isChosen ? "k" : "", x: left - 4, y: y + 4, "text-anchor": "end" }, one.label));
    if (one.ratio !== null) {
      if (one.low !== null) group.append(make("line", { class: "reach", x1: x(one.low), x2: x(one.high), y1: y, y2: y }));
      group.append(make("circle", { class: "dot", cx: x(one.ratio), cy: y, r: one.isChosen ? 5 : 4 }));
    }
    group.append(make("text", { class: one.isChosen ? "k" : "", x: width, y: y + 4, "text-anchor": "end" }, one.words));
    svg.append(group);
  });
}

/** The ends of an axis that shows all effects, but no more than a factor of 30 to each side. */
export function effectEnds(parameters) {
  const all = parameters.flatMap((parameter) => parameter.rows.flatMap((row) => [row.ratio, row.low, row.high]));
  const [low, high] = gainEnds(all.filter((ratio) => ratio !== null));
  return [Math.max(low, 1 / 30), Math.min(high, 30)];
}
