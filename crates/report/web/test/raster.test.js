import assert from "node:assert/strict";
import { test } from "node:test";

import { bandwidth, ofBins, ofCalls } from "../chart/bandwidth.js";
import { Calls } from "../chart/calls.js";
import { Cells } from "../chart/cells.js";
import { Boxes, layered } from "../chart/boxes.js";
import { Extents } from "../chart/extents.js";
import { classOf } from "../chart/lane.js";
import { Range } from "../chart/range.js";
import { Raster, isSecond, linesOf, rasterCalls, rasterCells } from "../chart/raster.js";

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

/** Makes `Calls` from rows of `[start, end, offset, length, isRead, file]`, in seconds and bytes. */
function callsOf(rows) {
  const columns = { rows: rows.map((row) => row.length), start: [], took: [], kind: [], offset: [], length: [], file: [] };
  let [length, file] = [0, 0];
  for (const row of rows) {
    let [time, place] = [0, 0];
    for (const [start, end, at, size, isRead = 0, of = 0] of row) {
      const [from, to] = [Math.round(start * 1e9), Math.round(end * 1e9)];
      columns.start.push(zigzag(from - time));
      columns.took.push(to - from);
      columns.kind.push(isRead);
      columns.offset.push(zigzag(at - place));
      columns.length.push(zigzag(size - length));
      columns.file.push(zigzag(of - file));
      [time, place, length, file] = [from, at + size, size, of];
    }
  }
  return new Calls(columns);
}

/** Returns the coverage of each pixel of a line. */
function covered(raster, line) {
  const shown = raster.pixels({ colours: Uint32Array.of(0, 0) });
  return Array.from({ length: raster.width }, (_, x) => shown[(line * raster.width + x) * 4 + 3]);
}

test("a call covers its pixels, however many they are", () => {
  const raster = new Raster(10, 1);
  raster.add(0, 2.5, 7.25, 1, 1);
  const line = covered(raster, 0);
  assert.deepEqual(line.map((alpha) => alpha > 0), [false, false, true, true, true, true, true, true, false, false]);
  assert.equal(line[4], 255);
  assert.ok(line[2] < 255 && line[7] < line[2]);
  raster.add(0, -5, 100, 1, 0);
  assert.ok(covered(raster, 0).every((alpha) => alpha === 255));
});

test("calls are counted and drawn where they are, at every zoom", () => {
  const calls = callsOf([[[0, 1, 0, 10], [5, 6, 10, 10]], [[2, 9, 0, 10, 1]]]);
  const raster = new Raster(1, 1);
  const values = Float32Array.from(calls.isRead, (isRead) => 1 - isRead);
  const lines = linesOf(new Range(0, 2), 100);
  const seen = (line) => covered(raster, line).map((alpha) => (alpha > 0 ? 1 : 0));
  const time = new Range(0, 10);
  assert.equal(rasterCalls(raster, calls, time, lines, 10, values), 3);
  assert.equal(raster.height, 2);
  assert.deepEqual(seen(0), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  assert.deepEqual(seen(1), [0, 0, 1, 1, 1, 1, 1, 1, 1, 0]);
  // Reads only, then a part of the time. Nothing of the earlier contents remains.
  assert.equal(rasterCalls(raster, calls, time, lines, 10, values, [false, true]), 1);
  assert.ok(seen(0).every((one) => one === 0));
  time.show(3, 4);
  assert.equal(rasterCalls(raster, calls, time, lines, 10, values), 1);
  assert.ok(covered(raster, 1).every((alpha) => alpha === 255));
});

test("colours are those of a palette: by value, or one of two in their shares", () => {
  const raster = new Raster(4, 4);
  for (let line = 0; line < 4; line++) raster.add(line, 0, 4, 1, line / 3);
  const scale = new Uint32Array(raster.pixels({ colours: Uint32Array.of(1, 2, 3, 4) }).buffer);
  assert.deepEqual([0, 4, 8, 12].map((at) => scale[at] & 0xffffff), [1, 2, 3, 4]);
  const mixed = new Uint32Array(raster.pixels({ colours: Uint32Array.of(7, 9), isMixed: true }).buffer);
  assert.ok(mixed.slice(0, 4).every((pixel) => (pixel & 0xffffff) === 7));
  assert.ok(mixed.slice(12).every((pixel) => (pixel & 0xffffff) === 9));
});

test("sizes are in Darshan's classes", () => {
  assert.deepEqual([0, 100, 101, 1024, 1025, 4 << 20, 2 ** 30, 2 ** 30 + 1].map(classOf), [0, 0, 1, 1, 2, 5, 8, 9]);
});

test("rows that share a line share its weight", () => {
  const lines = linesOf(new Range(0, 7), 3);
  assert.equal(lines.length, 3);
  assert.deepEqual(lines.flat(), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(linesOf(new Range(1, 3), 9, [[0], [1, 4], [2, 3]]), [[1, 4], [2, 3]]);
  const calls = callsOf([[[0, 1, 0, 1]], [], [], []]);
  const raster = new Raster(1, 1);
  const quarter = Math.round(255 * 0.25 ** 0.55);
  for (const together of [linesOf(new Range(0, 4), 1), linesOf(new Range(0, 1), 9, [[3, 0, 1, 2]])]) {
    rasterCalls(raster, calls, new Range(0, 1), together, 4, [0]);
    assert.ok(covered(raster, 0).every((alpha) => Math.abs(alpha - quarter) <= 1));
  }
});

test("the nearest call is found, and nothing where there is nothing", () => {
  const calls = callsOf([[[0, 8, 0, 1], [1, 1.5, 1, 1], [2, 2.5, 2, 1]], [[8.5, 8.7, 0, 1, 1]]]);
  const nearest = (rows, time, shows) => calls.nearestOf(rows, time, 0.1, shows).call;
  assert.equal(nearest([0], 5), 0);
  assert.equal(nearest([0], 8.05), 0);
  assert.equal(nearest([0], 8.6), -1);
  assert.deepEqual([calls.nearestOf([0, 1], 8.6, 0.1).row, nearest([0, 1], 8.6, [true, false])], [1, -1]);
});

test("coarser cells are means of finer ones", () => {
  const bins = 256;
  const write = new Float64Array(bins).fill(0);
  write[3] = 1000;
  const cells = new Cells({ rows: 1, bins, begin: 2, width: 0.5, read: new Float64Array(bins), write, bytesRead: write, bytesWritten: write, full: 1000 });
  assert.deepEqual(cells.levels.map((level) => level.bins), [256, 128, 64]);
  assert.equal(cells.levels[2].write[0], 250);
  assert.equal(cells.level(1.2).width, 1);
  assert.equal(cells.level(0.01).width, 0.5);
  assert.equal(cells.binAt(cells.levels[0], 1.9), null);
  const raster = new Raster(1, 1);
  const level = rasterCells(raster, cells, new Range(0, 130), linesOf(new Range(0, 1), 1), 260);
  assert.equal(level.width, 0.5);
  const line = covered(raster, 0);
  assert.deepEqual(line.flatMap((alpha, x) => (alpha > 0 ? [x] : [])), [7]);
});

test("bandwidth adds up to the bytes, of calls and of bins", () => {
  const calls = callsOf([[[0, 4, 0, 400], [4, 4, 0, 100, 1]]]);
  const time = new Range(0, 8);
  const flow = bandwidth(ofCalls(calls, time), time, 16);
  const sum = (series) => series.reduce((a, b) => a + b, 0) * 0.5;
  assert.ok(Math.abs(sum(flow.written) - 400) < 1e-6);
  assert.ok(Math.abs(sum(flow.read) - 100) < 1e-6);
  assert.equal(flow.written[15], 0);
  assert.equal(flow.most, Math.max(...flow.read.map((value, i) => value + flow.written[i])));
  const bins = bandwidth(ofBins(2, [10, 0], [0, 30], 1), time, 16);
  assert.ok(Math.abs(sum(bins.read) - 10) < 1e-9 && Math.abs(sum(bins.written) - 30) < 1e-9);
  assert.equal(bins.read[0], 0);
  const writes = bandwidth(ofCalls(calls, time, [true, false]), time, 16);
  assert.deepEqual([sum(writes.read), Math.round(sum(writes.written))], [0, 400]);
});

test("who comes after another in a file is marked", () => {
  const calls = callsOf([[[0, 1, 0, 100], [4, 5, 0, 50]], [[2, 3, 90, 20]], [[3, 4, 200, 10]]]);
  const extents = new Extents(calls, 0, false);
  assert.deepEqual([...extents.low], [0, 0, 90, 200]);
  // The second row wrote over the end of the first; the first over itself only.
  assert.deepEqual([...extents.later], [0, 0, 1, 0]);
  assert.deepEqual([...extents.times(0, 100, 2)], [2, 1.2]);
  assert.deepEqual([...extents.sharedBlocks(0, 220, 64)], [1]);
  assert.equal(new Extents(calls, 1, false).count, 0);
});

test("marks of who was before hold for random extents", () => {
  let seed = 7;
  const random = (end) => (seed = (seed * 48271) % 2147483647) % end;
  const rows = Array.from({ length: 4 }, () => []);
  for (let i = 0; i < 300; i++) rows[random(4)].push([i, i + 1, random(500), 1 + random(60)]);
  const calls = callsOf(rows);
  const extents = new Extents(calls, 0, false);
  for (let i = 0; i < extents.count; i++) {
    let expected = 0;
    for (let j = 0; j < extents.count; j++) {
      const earlier = calls.start[extents.call[j]] < calls.start[extents.call[i]];
      const overlaps = extents.low[j] < extents.high[i] && extents.low[i] < extents.high[j];
      if (earlier && overlaps && extents.row[i] !== extents.row[j]) expected = 1;
    }
    assert.equal(extents.later[i], expected, `extent ${i}`);
  }
});

test("two colours are shown in their shares", () => {
  const count = (share) => Array.from({ length: 16 }, (_, i) => isSecond(share, i % 4, i >> 2)).filter(Boolean).length;
  assert.deepEqual([0, 0.25, 0.5, 1].map(count), [0, 4, 8, 16]);
});

test("a short call alone is a whole mark, among many it is a part of the time", () => {
  const alpha = (calls, time, width) => {
    const raster = new Raster(1, 1);
    rasterCalls(raster, calls, time, linesOf(new Range(0, 1), 1), width, new Float32Array(calls.count));
    return covered(raster, 0);
  };
  const alone = alpha(callsOf([[[4.9996, 5.0004, 0, 1]]]), new Range(0, 10), 100);
  assert.deepEqual(alone.flatMap((value, x) => (value ? [[x, value]] : [])), [[49, 255]]);
  const many = alpha(callsOf([Array.from({ length: 50 }, (_, i) => [i / 5, i / 5 + 1e-4, 0, 1])]), new Range(0, 10), 100);
  assert.ok(many.every((value) => value < 200), `${many}`);
  // The same holds at the edge of the view.
  assert.equal(alpha(callsOf([[[10, 10, 0, 1]]]), new Range(0, 10), 100)[99], 255);
});

test("boxes cover what any of them does, however large they are", () => {
  const boxes = new Boxes(8, 4);
  boxes.add(1.2, 0, 3.4, 1);
  boxes.add(-5, 2, 100, 3);
  boxes.add(6.9, 3.2, 6.95, 3.3);
  boxes.add(20, 0, 30, 4);
  const data = new Uint32Array(32);
  boxes.paint(data, 1);
  const lines = [0, 1, 2, 3].map((y) => data.subarray(y * 8, y * 8 + 8).join(""));
  assert.deepEqual(lines, ["01100000", "00000000", "11111111", "00000010"]);
  const [r, g, b, a] = layered([[boxes, [10, 20, 30]]]).subarray(4);
  assert.deepEqual([r, g, b, a], [10, 20, 30, 255]);
});

test("blocks that several touch are found among very many extents", () => {
  const rows = [0, 1].map((row) => Array.from({ length: 20000 }, (_, i) => [i, i + 1, row * 64, 640]));
  const extents = new Extents(callsOf(rows), 0, false);
  const began = performance.now();
  assert.deepEqual([...extents.sharedBlocks(0, 704, 64)], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(performance.now() - began < 500);
});
