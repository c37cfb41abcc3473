import assert from "node:assert/strict";
import { test } from "node:test";

import { HeatMap } from "../chart/heatmap.js";

globalThis.document = { addEventListener() {} };
globalThis.addEventListener = () => {};
const canvas = { addEventListener() {} };

const map = (more) => new HeatMap(canvas, {
  rows: 2, bins: 2, bin: 1, read: [2e9, 2e9, 0, 1e9], written: [0, 0, 0, 0], ranksIn: (row) => [2, 1][row],
  label: String, who: (row) => `row ${row}`, ...more,
});

test("time of several ranks is never longer than the run, bytes are said to be of all", () => {
  const time = map({ isTime: true });
  assert.deepEqual([...time.byRow], [2e9, 1e9]);
  assert.equal(time.lines(0, 0).at(-1), "whole run: 2.000 s in calls, the mean of 2");
  assert.equal(time.lines(1, 1).at(-1), "whole run: 1.000 s in calls");
  const bytes = map({ isTime: false });
  assert.equal(bytes.lines(0, 0).at(-1), "whole run: 3.7 GiB, 2 together");
});

test("what a trace does not have is not taken for nothing", () => {
  const cut = map({ isTime: true, ends: 0.5 });
  assert.match(cut.lines(0, 1).at(-1), /not recorded/);
  assert.match(cut.lines(0, 0).at(-1), /whole run/);
});
