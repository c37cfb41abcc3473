import assert from "node:assert/strict";
import { test } from "node:test";

import { flameBars, inkOn, isWithin } from "../chart/flame.js";
import { largestIn } from "../chart/matrix.js";
import { largestAt, numberWords } from "../chart/series.js";
import { readPlace, writePlace } from "../profile/address.js";
import { columnName, orderOf, pathOf, profileOf } from "../profile/model.js";

/** Regions of a page: parent, name, seconds. */
function profile(list, more = {}) {
  const regions = list.map(([parent, name, seconds, rest]) => ({ parent, name, seconds, itself: seconds, ...rest }));
  const columns = more.columns ?? [];
  return profileOf({ ranks: { count: 1, per: 1, all: 1, first: 0 }, regions, steps: [], nodes: null, ...more }, (i) => Float64Array.from(columns[i]));
}

const TREE = [[null, "main", 10], [0, "a", 6], [1, "b", 2], [0, "c", 3], [null, "late", 5]];

test("bars are as wide as their seconds, and those below lie within", () => {
  const { roots, regions } = profile(TREE);
  const bars = flameBars(roots, null, (region) => region.seconds, 150);
  const of = (name) => bars.find(({ node }) => node?.name === name);
  assert.deepEqual([of("main").x, of("main").width, of("late").x, of("late").width], [0, 100, 100, 50]);
  assert.deepEqual([of("a").x, of("a").width, of("c").x, of("c").width], [0, 60, 60, 30]);
  assert.equal(of("b").level, 2);
  const closer = flameBars(roots, regions[1], (region) => region.seconds, 150);
  assert.deepEqual(closer.map(({ node, width, isAbove = false }) => [node.name, width, isAbove]), [["main", 150, true], ["a", 150, false], ["b", 50, false]]);
});

test("regions of other threads never leave the bar of the region to which they belong", () => {
  const { roots } = profile([[null, "main", 4], [0, "worker", 12], [0, "rest", 4]]);
  const [main, worker, rest] = flameBars(roots, null, (region) => region.seconds, 100);
  assert.equal(main.width, 100);
  assert.deepEqual([worker.width, rest.x + rest.width], [75, 100]);
});

test("what is too thin to be seen is put together, not dropped", () => {
  const many = Array.from({ length: 500 }, (_, i) => [0, `small ${i}`, 0.01]);
  const { roots } = profile([[null, "main", 10], [0, "large", 5], ...many]);
  const rest = flameBars(roots, null, (region) => region.seconds, 100).filter((bar) => bar.rest);
  assert.equal(rest.length, 1);
  assert.equal(rest[0].rest, 500);
  assert.ok(Math.abs(rest[0].width - 50) < 1e-6);
});

test("nothing, and regions without time, are drawn as nothing", () => {
  assert.deepEqual(flameBars([], null, () => 0, 100), []);
  const { roots } = profile([[null, "main", 0], [0, "a", 0]]);
  assert.deepEqual(flameBars(roots, null, (region) => region.seconds, 100), []);
});

test("words on a bar can be read", () => {
  assert.deepEqual(inkOn([10, 100, 112]), [255, 255, 255]);
  assert.deepEqual(inkOn([205, 106, 21]), [22, 24, 27]);
  assert.deepEqual(inkOn([181, 180, 171]), [22, 24, 27]);
});

test("a rank that was never there has no time, not zero", () => {
  const { regions } = profile([[null, "main", 10, { unit: 1e6, time: 0, below: 1, calls: 2 }]], {
    ranks: { count: 3, per: 1, all: 3, first: 0 },
    columns: [[6001, 0, 1], [1000, 0, 0], [4, 0, 1]],
  });
  const { time, own, calls, files } = regions[0].byRank;
  assert.deepEqual([...time].map((value) => Number(value.toFixed(6))), [6, NaN, 0]);
  assert.deepEqual([...own].map((value) => Number(value.toFixed(6))), [5, NaN, 0]);
  assert.deepEqual([...calls], [2, 2, 1]);
  assert.equal(files, null);
  const page = { ranks: { count: 3, per: 1, all: 3, first: 0 } };
  assert.deepEqual(orderOf(page, regions[0], true), [0, 2, 1]);
  assert.deepEqual(orderOf(page, regions[0], false), [0, 1, 2]);
});

test("columns of several ranks are named by the first and the last", () => {
  assert.equal(columnName({ ranks: { per: 4, all: 10, first: 0 } }, 0), "0–3");
  assert.equal(columnName({ ranks: { per: 4, all: 10, first: 0 } }, 2), "8–9");
  assert.equal(columnName({ ranks: { per: 1, all: 1, first: 7 } }, 0), "7");
});

test("the largest of neighbours is shown, and a gap where none is", () => {
  assert.deepEqual([...largestIn([1, 5, NaN, NaN, 2, NaN], 3)], [5, NaN, 2]);
  assert.deepEqual([...largestIn([0, NaN], 1)], [0]);
  assert.deepEqual(largestIn([1, 2], 5), [1, 2]);
});

test("the slowest iterations are found", () => {
  assert.deepEqual(largestAt([1, 9, 3, 9, 4], 0, 5, 3), [1, 3, 4]);
  assert.deepEqual(largestAt([1, 9, 3], 2, 3, 2), [2]);
  assert.deepEqual(largestAt([], 0, 0, 2), []);
});

test("numbers of metrics have few digits", () => {
  assert.deepEqual([0, 0.00123456, 12, -3.5, 1e-7, 2e9].map(numberWords), ["0", "0.001235", "12", "-3.5", "1.0e-7", "2.0e+9"]);
});

test("addresses name a region and iterations, and nothing else", () => {
  assert.deepEqual(readPlace("#ranks=3"), { region: 3, steps: null, iterations: null, section: "ranks" });
  const place = { region: 5, steps: 4, iterations: [120, 160] };
  assert.equal(writePlace(place), "#region=5&steps=4&i=120-160");
  assert.deepEqual(readPlace(writePlace(place)), { ...place, section: "flame" });
  assert.equal(readPlace("#table").section, null);
  assert.equal(readPlace("#region=<img>").region, null);
  assert.equal(writePlace({ region: null, steps: null, iterations: null }), "");
});

test("paths and levels follow from parents", () => {
  const { regions, levels } = profile(TREE);
  assert.deepEqual(pathOf(regions[2]), ["main", "a", "b"]);
  assert.equal(levels, 3);
  assert.ok(isWithin(regions[2], regions[0]) && !isWithin(regions[4], regions[0]));
});
