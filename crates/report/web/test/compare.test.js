// Places of the dots of a comparison.

import assert from "node:assert/strict";
import test from "node:test";

import { changeOf, ends, spread } from "../compare/dots.js";

test("dots that would cover each other move apart", () => {
  assert.deepEqual(spread([10, 50, 90], 11), [0, 0, 0]);
  const away = spread([50, 52, 51], 11);
  assert.equal(new Set(away).size, 3);
  assert.equal(away[0], 0);
  // The order of the runs is kept.
  assert.deepEqual(spread([90, 10], 11), [0, 0]);
  assert.equal(spread(new Array(100).fill(5), 11).length, 100);
});

test("an axis of ratios always shows no change", () => {
  for (const [low, high] of [[0.3, 0.31], [1.4, 2.8], [0.99, 1.01]]) {
    const [from, to] = ends(low, high);
    assert.ok(from < low && from < 1 && to > high && to > 1);
  }
});

test("a ratio is told as a change", () => {
  assert.equal(changeOf(0.31), "-69 %");
  assert.equal(changeOf(1.5), "+50 %");
  assert.equal(changeOf(1.004, 1), "+0.4 %");
  assert.equal(changeOf(1), "same");
  assert.equal(changeOf(1.0001, 1), "same");
});
