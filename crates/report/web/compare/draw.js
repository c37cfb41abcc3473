// Draws the run times of both sides, and the interval of their ratio.

import { decimalsOf, duration, thousands, ticks } from "../chart/numbers.js";
import { make, picture, telling } from "../chart/svg.js";
import { changeOf, ends, spread } from "./dots.js";

const DOT = 11;

/** Draws a dot for each run. */
export function drawRuns(host, sides) {
  const [svg, width] = picture(host, 150, "Run time of every run");
  const left = width < 500 ? 52 : 64;
  const room = width - left - (width < 500 ? 64 : 92);
  const most = Math.max(...sides.flatMap((side) => side.runs.map((run) => run.seconds)));
  const axis = ticks(0, most * 1.04, room < 300 ? 4 : 7);
  const top = Math.max(most * 1.04, axis.values.at(-1));
  const x = (seconds) => left + (top > 0 ? seconds / top : 0) * room;
  for (const value of axis.values) {
    svg.append(make("line", { class: "grid", x1: x(value), x2: x(value), y1: 14, y2: 112 }));
    const words = axis.step < 1 ? value.toFixed(decimalsOf(axis.step)) : thousands(value);
    svg.append(make("text", { class: "ax", x: x(value), y: 130, "text-anchor": "middle" }, value === 0 ? "0 s" : words));
  }
  sides.forEach((side, i) => {
    const y = i ? 86 : 38;
    const group = make("g", { class: side.name });
    const places = side.runs.map((run) => x(run.seconds));
    group.append(make("text", { class: "k", x: 0, y: y + 4 }, side.name));
    if (places.length > 1) {
      group.append(make("line", { class: "spread", x1: Math.min(...places), x2: Math.max(...places), y1: y, y2: y }));
      group.append(make("line", { class: "middle", x1: x(side.median), x2: x(side.median), y1: y - 13, y2: y + 13 }));
    }
    const away = spread(places, DOT);
    side.runs.forEach((run, at) => {
      const lines = [`${side.name}, run ${at + 1}`, duration(run.seconds), run.log];
      const dot = make("circle", { class: "dot", cx: places[at], cy: y + away[at], r: 5.5 });
      group.append(telling(dot, lines));
    });
    group.append(make("text", { class: "k", x: Math.max(...places) + 14, y: y + 4 }, duration(side.median)));
    svg.append(group);
  });
}

/** Draws the ratio and its interval on an axis where the middle is no change. */
export function drawRatio(host, { ratio, low, high, call }) {
  const [svg, width] = picture(host, 76, `Change of the run time: ${changeOf(ratio, 1)}`);
  const left = width < 500 ? 52 : 64;
  const room = width - left - (width < 500 ? 64 : 92);
  const [from, to] = ends(low ?? ratio, high ?? ratio);
  const x = (value) => left + ((value - from) / (to - from)) * room;
  const [near, far] = [Math.max(from, 0.95), Math.min(to, 1.05)];
  svg.append(make("rect", { class: "near", x: x(near), width: x(far) - x(near), y: 8, height: 46 }));
  const axis = ticks(from - 1, to - 1, room < 320 ? 4 : 8);
  const decimals = Math.max(0, decimalsOf(axis.step) - 2);
  for (const value of axis.values) {
    const at = x(1 + value);
    svg.append(make("line", { class: Math.abs(value) < 1e-9 ? "one" : "grid", x1: at, x2: at, y1: 8, y2: 54 }));
    svg.append(make("text", { class: "ax", x: at, y: 70, "text-anchor": "middle" }, changeOf(1 + value, decimals)));
  }
  const group = make("g", { class: call });
  if (low !== null && high !== null) {
    group.append(make("line", { class: "span", "stroke-width": 4, x1: x(low), x2: x(high), y1: 31, y2: 31 }));
    for (const end of [low, high]) group.append(make("line", { class: "span", "stroke-width": 2, x1: x(end), x2: x(end), y1: 23, y2: 39 }));
  }
  group.append(make("circle", { class: "point", cx: x(ratio), cy: 31, r: 6 }));
  svg.append(group, make("text", { class: "k", x: 0, y: 35 }, "change"));
  const words = changeOf(ratio, Math.abs(ratio - 1) < 0.0995 ? 1 : 0);
  svg.append(make("text", { class: "k", x: Math.min(width - 60, x(high ?? ratio) + 12), y: 35 }, words));
}
