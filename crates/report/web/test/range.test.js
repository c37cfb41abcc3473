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

const NOTHING = { time: null, ranks: null, space: null, first: null };

test("addresses tell time, ranks and files, and nothing else", () => {
  assert.deepEqual(readAddress("#t=6.35-11.65"), { ...NOTHING, time: [6.35, 11.65], first: "time" });
  assert.deepEqual(readAddress("#t=6.35-11.65&r=0,16-31"), { ...NOTHING, time: [6.35, 11.65], ranks: [[0, 0], [16, 31]], first: "time" });
  const space = { file: 3, way: null, lane: null, down: "rank", bytes: null };
  assert.deepEqual(readAddress("#file=3"), { ...NOTHING, space, first: "space" });
  const all = { file: 0, way: "read", lane: "MPI-IO", down: "time", bytes: [16, 4096] };
  assert.deepEqual(readAddress("#file=0&way=read&lane=MPI-IO&down=time&o=16-4096").space, all);
  assert.deepEqual(readAddress("#file=3&way=both&o=4-x").space, space);
  assert.equal(readAddress("#file=3&t=1-2").first, "space");
  for (const hash of ["", "#findings", "#ranks", "#t=abc", "#t=1-", "#file=-1", "#t=1e9-2", "#r=a", "#o=1-2", "#way=read"]) {
    assert.deepEqual(readAddress(hash), NOTHING, hash);
  }
});

test("what is in view has an address that leads back to it, of both charts", () => {
  const timeline = { time: new Range(0, 12), picked: null };
  const space = { offsets: new Range(0, 1 << 20, 16), place: { file: 2, way: "read", lane: "POSIX", down: "rank", isFirst: true } };
  assert.equal(writeAddress({ timeline, space }), "");
  assert.equal(writeAddress({ timeline, space: null }), "");
  timeline.picked = [[3, 3]];
  assert.deepEqual(readAddress(writeAddress({ timeline })), { ...NOTHING, ranks: [[3, 3]], first: "time" });
  timeline.time.show(6.35, 11.65);
  space.offsets.show(4096, 12288);
  for (const isSpaceFirst of [false, true]) {
    const read = readAddress(writeAddress({ timeline, space }, isSpaceFirst));
    assert.deepEqual([read.time, read.ranks, read.first], [[6.35, 11.65], [[3, 3]], isSpaceFirst ? "space" : "time"]);
    assert.deepEqual(read.space, { file: 2, way: "read", lane: "POSIX", down: "rank", bytes: [4096, 12288] });
  }
  space.offsets.reset();
  space.place = { ...space.place, isFirst: false, down: "time" };
  assert.deepEqual(readAddress(writeAddress({ timeline, space })).space, { file: 2, way: "read", lane: "POSIX", down: "time", bytes: null });
});
