import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { Calls } from "../chart/calls.js";
import { columnsOf, inflate, summed, unzigzag } from "../chart/unpack.js";

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

/** Encodes columns as the writer of the page does. */
function packed(columns) {
  const data = [];
  const sizes = columns.map((values) => {
    const before = data.length;
    for (let value of values) {
      for (; value > 127; value = Math.floor(value / 128)) data.push((value % 128) + 128);
      data.push(value);
    }
    return [values.length, data.length - before];
  });
  return { sizes, text: deflateSync(Uint8Array.from(data)).toString("base64") };
}

test("columns come out as they went in", async () => {
  const columns = [[0, 1, 127, 128, 300], [], [2 ** 40, 2 ** 52 + 1]];
  const { sizes, text } = packed(columns);
  const column = columnsOf(await inflate(`\n${text}\n`), sizes);
  columns.forEach((values, i) => assert.deepEqual([...column(i)], values));
});

test("steps add up, whatever their sign", () => {
  assert.deepEqual([0, 1, 2, 3].map(unzigzag), [0, -1, 1, -2].map((value) => value + 0));
  assert.deepEqual([...summed(Float64Array.from([5, -2, 0].map(zigzag)))], [5, 3, 3]);
});

test("calls keep nanoseconds, places and files", () => {
  const calls = new Calls({
    rows: [2, 1],
    start: [1_000_000_001, 7, 500].map(zigzag),
    took: [3, 2, 10],
    kind: [0, 1, 3],
    offset: [100, -110, 0].map(zigzag),
    length: [10, -5, 0].map(zigzag),
    file: [1, 0, -1].map(zigzag),
  });
  assert.equal(calls.start[1].toFixed(9), "1.000000008");
  assert.equal((calls.end[0] - calls.start[0]).toFixed(9), "0.000000003");
  assert.deepEqual([...calls.offset], [100, 0, -1]);
  assert.deepEqual([...calls.length], [10, 5, 5]);
  assert.deepEqual([...calls.file], [1, 1, 0]);
  assert.deepEqual([...calls.isRead], [0, 1, 1]);
  assert.deepEqual([...calls.row], [0, 0, 1]);
});
