// Scales of gains, and the ends of the charts of a search.

import assert from "node:assert/strict";
import test from "node:test";

import { apart, bestAfter, gainEnds, logScale, nearestTo, ratioTicks, times } from "../tune/scale.js";
import { effectEnds } from "../tune/search.js";

test("a gain has two decimals up to ten", () => {
  assert.equal(times(2.957), "2.96×");
  assert.equal(times(1), "1.00×");
  assert.equal(times(9.996), "10.0×");
  assert.equal(times(41.84), "41.8×");
  assert.equal(times(12345.6), "12,346×");
});

test("a logarithmic axis has equal steps for equal factors, and nothing leaves it", () => {
  const x = logScale(0.5, 8, 100, 500);
  assert.deepEqual([0.5, 1, 2, 4, 8].map((ratio) => Math.round(x(ratio))), [100, 200, 300, 400, 500]);
  assert.deepEqual([x(0.01), x(1e9)], [100, 500]);
});

test("an axis of gains always shows both sides of no change", () => {
  for (const gains of [[], [3, 4], [0.2], [1], [Infinity, NaN, 0, -1]]) {
    const [low, high] = gainEnds(gains);
    assert.ok(low > 0 && low < 0.8 && high > 1.25 && Number.isFinite(high), String(gains));
  }
});

test("ticks of ratios keep their distance, and 1 is among them", () => {
  for (const [low, high] of [[0.77, 1.3], [0.4, 5], [0.77, 45], [0.01, 2000], [0.034, 30]]) {
    for (const width of [160, 320, 700]) {
      const x = logScale(low, high, 0, width);
      const found = ratioTicks(low, high, x, 40);
      assert.ok(found.includes(1), `${low} ${high} ${width}`);
      found.slice(1).forEach((ratio, i) => assert.ok(x(ratio) - x(found[i]) >= 40));
    }
  }
});

test("the best gain is known after every run", () => {
  assert.deepEqual(bestAfter([[1, 1], [3, 1.5], [6, 2]], 7), [1, 1, 1.5, 1.5, 1.5, 2, 2]);
  assert.deepEqual(bestAfter([[1, 1]], 2), [1, 1]);
  assert.deepEqual(bestAfter([], 2), [1, 1]);
});

test("labels that would cover each other move apart, and keep their order", () => {
  assert.deepEqual(apart(10, 100, 16), [10, 100]);
  assert.deepEqual(apart(50, 54, 16), [44, 60]);
  assert.deepEqual(apart(54, 50, 16), [60, 44]);
  assert.deepEqual(apart(50, 50, 16), [42, 58]);
});

test("effects share an axis that one wild value cannot stretch without end", () => {
  const row = (ratio, low = null, high = null) => ({ ratio, low, high });
  const [low, high] = effectEnds([{ rows: [row(0.5, 0.4, 0.6), row(null)] }, { rows: [row(2, 1.5, 1e6)] }]);
  assert.ok(low < 0.4 && low > 1 / 30 && high === 30);
});

test("the pointer finds the nearest trial, also where some are left out", () => {
  const trials = [1, 2, 5, 9].map((n) => ({ n }));
  const found = [-3, 0, 1.4, 1.6, 3, 4, 6.9, 7.1, 9, 1e9].map((n) => trials[nearestTo(trials, n)].n);
  assert.deepEqual(found, [1, 1, 1, 2, 2, 5, 5, 9, 9, 9]);
  assert.equal(nearestTo([{ n: 4 }], 1), 0);
});
