import assert from "node:assert/strict";
import { test } from "node:test";

import { Range } from "../chart/range.js";
import { readAddress, writeAddress } from "../page/address.js";

test("a view stays within its axis", () => {
  const range = new Range(0, 10, 0.001);
  range.show(4, 6);
  range.pan(-5);
  assert.deepEqual([range.low, range.high], [0, 2]);
  range.pan(100);
  assert.deepEqual([range.low, range.high], [8, 10]);
  range.show(-3, 40);
  assert.ok(range.isWhole);
});

test("zooming keeps the point under the pointer, and ends somewhere", () => {
  const range = new Range(0, 10, 0.001);
  range.scale(0.5, 0.25);
  assert.deepEqual([range.low, range.high], [1.25, 6.25]);
  for (let i = 0; i < 100; i++) range.scale(0.5, 0.5);
  assert.ok(Math.abs(range.width - 0.001) < 1e-12);
  for (let i = 0; i < 100; i++) range.scale(2, 0.5);
  assert.ok(range.isWhole);
  range.show(NaN, 3);
  assert.ok(range.isWhole);
});

test("addresses tell time, ranks and files, and nothing else", () => {
  assert.deepEqual(readAddress("#t=6.35-11.65"), { time: [6.35, 11.65], ranks: null, file: null });
  assert.deepEqual(readAddress("#t=6.35-11.65&r=0,16-31"), { time: [6.35, 11.65], ranks: [[0, 0], [16, 31]], file: null });
  assert.deepEqual(readAddress("#file=3"), { time: null, ranks: null, file: 3 });
  for (const hash of ["", "#findings", "#ranks", "#t=abc", "#t=1-", "#file=-1", "#t=1e9-2", "#r=a"]) {
    assert.deepEqual(readAddress(hash), { time: null, ranks: null, file: null }, hash);
  }
});

test("what is in view has an address that leads back to it", () => {
  const time = new Range(0, 12);
  assert.equal(writeAddress({ time, picked: null }), "");
  assert.deepEqual(readAddress(writeAddress({ time, picked: [[3, 3]] })), { time: null, ranks: [[3, 3]], file: null });
  time.show(6.35, 11.65);
  assert.deepEqual(readAddress(writeAddress({ time, picked: [[0, 4]] })), { time: [6.35, 11.65], ranks: [[0, 4]], file: null });
});
