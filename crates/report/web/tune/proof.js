// The proof: seconds and gain of every round, and what each layer gains alone.

import { decimalsOf, thousands, ticks } from "../chart/numbers.js";
import { make, picture, telling } from "../chart/svg.js";
import { gainEnds, logScale, ratioTicks, times } from "./scale.js";

/** Height of a row, by the number of rows: many are put closer. */
const rowOf = (count) => (count > 40 ? 9 : count > 10 ? 16 : 22);
/** Rows above the rounds, for what they have in common. */
const TOP = 44;
const LEFT = 28;
const RIGHT = 14;

/** Writes the numbers of rows, each 5th if there are many. */
function numberRows(svg, rounds, height) {
  rounds.forEach(({ round }, i) => {
    if (rounds.length > 40 && round % 5) return;
    svg.append(make("text", { class: "ax", x: LEFT - 8, y: TOP + (i + 0.5) * height + 4, "text-anchor": "end" }, round));
  });
}

/** Draws default and tuned of each round on one scale; above them medians and quartiles. */
export function drawRounds(host, { rounds, sides, axis }) {
  const height = rowOf(rounds.length);
  const bottom = TOP + rounds.length * height;
  const [svg, width] = picture(host, bottom + 26, "Default and best settings in each round");
  const room = width - LEFT - RIGHT;
  const scaled = (value) => value * axis.factor;
  const most = scaled(Math.max(...rounds.flatMap((round) => [round.default, round.tuned]), ...sides.map((side) => side.high))) * 1.06;
  const x = (value) => LEFT + (scaled(value) / most) * room;
  const { values, step } = ticks(0, most, room < 300 ? 3 : 5);
  for (const value of values) {
    const at = LEFT + (value / most) * room;
    svg.append(make("line", { class: "grid", x1: at, x2: at, y1: 6, y2: bottom + 4 }));
    const words = `${step < 1 ? value.toFixed(decimalsOf(step)) : thousands(value)}${axis.unit}`;
    const isLast = at > width - 24;
    svg.append(make("text", { class: "ax", x: isLast ? width : at, y: bottom + 20, "text-anchor": isLast ? "end" : "middle" }, words));
  }
  sides.forEach((side, i) => {
    const y = 12 + 18 * i;
    const [low, middle, high] = [side.low, side.median, side.high].map(x);
    const group = make("g", { class: i ? "tuned" : "default" });
    group.append(make("rect", { class: "quartiles", x: low, width: Math.max(2, high - low), y: y - 6, height: 12 }));
    group.append(make("rect", { class: "median", x: middle - 1.25, width: 2.5, y: y - 8, height: 16 }));
    const isRight = high + 60 < width;
    group.append(make("text", { x: isRight ? high + 7 : low - 7, y: y + 4, "text-anchor": isRight ? "start" : "end" }, side.words));
    svg.append(group);
  });
  numberRows(svg, rounds, height);
  rounds.forEach((round, i) => {
    const y = TOP + (i + 0.5) * height;
    const group = make("g", { class: "round" });
    group.append(make("rect", { class: "hit", x: 0, width, y: y - height / 2, height }));
    group.append(make("line", { class: "join", x1: x(round.default), x2: x(round.tuned), y1: y, y2: y }));
    const r = height < 12 ? 3 : 4.5;
    group.append(make("circle", { class: "dot default", cx: x(round.default), cy: y, r }));
    group.append(make("circle", { class: "dot tuned", cx: x(round.tuned), cy: y, r }));
    svg.append(telling(group, round.lines));
  });
}

/** Draws the gain of each round, and above them the estimate with its interval. */
export function drawRatios(host, { rounds, speedup, isGain }) {
  const height = rowOf(rounds.length);
  const bottom = TOP + rounds.length * height;
  const [svg, width] = picture(host, bottom + 26, `Gain of each round; all together ${times(speedup.median)}`);
  const gains = rounds.map((round) => round.ratio);
  const [low, high] = gainEnds([...gains, speedup.low ?? 1, speedup.high ?? 1]);
  const x = logScale(low, high, LEFT, width - RIGHT);
  for (const ratio of ratioTicks(low, high, x, 40)) {
    const at = x(ratio);
    svg.append(make("line", { class: ratio === 1 ? "one" : "grid", x1: at, x2: at, y1: 4, y2: bottom + 4 }));
    svg.append(make("text", { class: "ax", x: Math.min(at, width - 14), y: bottom + 20, "text-anchor": "middle" }, `${ratio}×`));
  }
  const group = make("g", { class: isGain ? "tuned" : "default" });
  const middle = x(speedup.median);
  let [from, to] = [middle, middle];
  if (speedup.low !== null && speedup.high !== null) {
    [from, to] = [x(speedup.low), x(speedup.high)];
    group.append(make("rect", { class: "interval", x: from, width: Math.max(1, to - from), y: 4, height: bottom }));
    group.append(make("line", { class: "span", x1: from, x2: to, y1: 17, y2: 17 }));
  }
  group.append(make("path", { class: "whole", d: `M${middle} 9 l7 8 l-7 8 l-7 -8z` }));
  const isRight = Math.max(to, middle + 7) + 62 < width;
  const at = isRight ? Math.max(to, middle + 7) + 6 : Math.min(from, middle - 7) - 6;
  group.append(make("text", { class: "k", x: at, y: 21, "text-anchor": isRight ? "start" : "end" }, times(speedup.median)));
  svg.append(group);
  numberRows(svg, rounds, height);
  rounds.forEach((round, i) => {
    const y = TOP + (i + 0.5) * height;
    const mark = make("g", { class: "round" });
    mark.append(make("rect", { class: "hit", x: 0, width, y: y - height / 2, height }));
    mark.append(make("circle", { class: "dot plain", cx: x(round.ratio), cy: y, r: height < 12 ? 3 : 4 }));
    svg.append(telling(mark, round.lines));
  });
}

/** Draws what each layer gains alone, and all together. */
export function drawLayers(host, { layers, speedup }) {
  const row = 34;
  const bottom = (layers.length + 1) * row;
  const [svg, width] = picture(host, bottom + 24, "What the settings of each layer gain alone");
  const left = 88;
  const room = width - left - 60;
  const gains = layers.flatMap((layer) => [layer.speedup, layer.high]).filter((gain) => gain !== null);
  const most = Math.max(1.05, speedup.median, speedup.high ?? 0, ...gains) * 1.02;
  const x = (gain) => left + (gain / most) * room;
  const { values } = ticks(0, most, room < 240 ? 3 : 5);
  for (const value of values) {
    svg.append(make("line", { class: "grid", x1: x(value), x2: x(value), y1: 0, y2: bottom }));
    svg.append(make("text", { class: "ax", x: x(value), y: bottom + 16, "text-anchor": "middle" }, `${value}×`));
  }
  const all = { name: "all together", speedup: speedup.median, low: speedup.low, high: speedup.high, lines: speedup.lines, isAll: true };
  [...layers.map((layer) => ({ ...layer, name: `${layer.layer} only` })), all].forEach((layer, i) => {
    const y = (i + 0.5) * row;
    const group = make("g", { class: layer.isAll ? "all" : "layer" });
    group.append(make("rect", { class: "hit", x: 0, width, y: y - row / 2, height: row }));
    group.append(make("text", { class: layer.isAll ? "k" : "", x: left - 8, y: y + 4, "text-anchor": "end" }, layer.name));
    let end = x(layer.speedup ?? 0);
    if (layer.speedup !== null) group.append(make("rect", { class: "gain", x: left, width: end - left, y: y - 8, height: 16 }));
    if (layer.isAll && layer.low !== null) {
      group.append(make("line", { class: "reach", x1: x(layer.low), x2: x(layer.high), y1: y, y2: y }));
      end = Math.max(end, x(layer.high));
    } else if (layer.low !== null) {
      for (const gain of [layer.low, layer.high]) group.append(make("circle", { class: "dot plain", cx: x(gain), cy: y, r: 4 }));
      end = Math.max(end, x(layer.high) + 4);
    }
    group.append(make("text", { x: end + 8, y: y + 4 }, layer.speedup === null ? "failed" : times(layer.speedup)));
    svg.append(telling(group, layer.lines));
  });
  svg.append(make("line", { class: "one", x1: x(1), x2: x(1), y1: 0, y2: bottom }));
}
