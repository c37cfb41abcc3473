import assert from "node:assert/strict";
import { test } from "node:test";

import { byteTicks, bytes, counted, decimalsOf, duration, exactly, moment, offsetLabel, percent, rate, ticks } from "../chart/numbers.js";

test("bytes and counts read as in the rest of the report", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1,023 B");
  assert.equal(bytes(1024), "1 KiB");
  assert.equal(bytes(12925), "12.6 KiB");
  assert.equal(bytes(1024 * 1024 - 1), "1 MiB");
  assert.equal(bytes(549755813888), "512 GiB");
  assert.equal(rate(705691648), "673 MiB/s");
  assert.equal(counted(1, "call"), "1 call");
  assert.equal(counted(2048, "call"), "2,048 calls");
  assert.equal(percent(0.0764), "7.6 %");
  assert.equal(percent(0.84), "84 %");
  assert.equal(percent(0.0001), "< 0.1 %");
  assert.equal(percent(0), "0 %");
});

test("times are as fine as they are short", () => {
  assert.equal(duration(762), "762 s");
  assert.equal(duration(16.38), "16.4 s");
  assert.equal(duration(0.00123), "1.23 ms");
  assert.equal(duration(4.2e-6), "4.20 µs");
  assert.equal(duration(17e-9), "17 ns");
  assert.equal(duration(10020), "2 h 47 m");
  assert.equal(moment(6.4912345678, 1), "6.491 s");
  assert.equal(moment(6.491234567, 1e-6), "6.491234567 s");
});

test("ticks are round, lie in the view and are about as many as asked for", () => {
  for (const [low, high] of [[0, 12], [6.35, 11.65], [0, 1e-6], [3.00001, 3.00002], [0, 1e12]]) {
    const { values, step } = ticks(low, high, 8);
    assert.ok(values.length >= 3 && values.length <= 14, `${values}`);
    assert.ok(values.every((value) => value >= low - step * 1e-3 && value <= high + step * 1e-3));
    const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    assert.ok([1, 2, 5, 10].some((round) => Math.abs(lead - round) < 1e-6), `${step}`);
  }
  assert.deepEqual(ticks(5, 5, 3).values, [5]);
  assert.equal(decimalsOf(0.05), 2);
  assert.deepEqual(byteTicks(0, 4096, 4).values, [0, 1024, 2048, 3072, 4096]);
  assert.equal(offsetLabel(3 * 2 ** 30, 2 ** 30), "3 GiB");
  assert.equal(offsetLabel(1536, 512), "1.5 KiB");
});

test("places at the ticks of an axis are exact, and no two read the same", () => {
  const [MIB, GIB] = [2 ** 20, 2 ** 30];
  assert.deepEqual([1, 5, 7].map((i) => offsetLabel(i * 256 * MIB, 256 * MIB)), ["256 MiB", "1.25 GiB", "1.75 GiB"]);
  assert.equal(offsetLabel(17 * 64 * MIB, 64 * MIB), "1,088 MiB");
  assert.equal(offsetLabel(9 * 128 * MIB, 128 * MIB), "1.125 GiB");
  for (let power = 0; power < 36; power++) {
    const step = 2 ** power;
    const read = (words) => Number(words.split(" ")[0].replaceAll(",", "")) * 1024 ** ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].indexOf(words.split(" ")[1]);
    for (const first of [0, 3 * GIB + 7 * step]) {
      for (let i = 0; i < 12; i++) {
        const amount = Math.floor(first / step) * step + i * step;
        assert.equal(read(offsetLabel(amount, step)), amount, `${amount} at ${step}: ${offsetLabel(amount, step)}`);
      }
    }
  }
  assert.equal(exactly(1536), "1.5 KiB (1,536)");
  assert.equal(exactly(17), "17 B");
});
