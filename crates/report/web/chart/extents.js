// Parts of a file that calls touched, in order of place.

import { search } from "./calls.js";

export class Extents {
  /** Those calls of a lane that read or wrote this file, where it is known where. */
  constructor(calls, file, isRead) {
    const found = [];
    for (let i = 0; i < calls.count; i++) {
      if (calls.file[i] === file && calls.isRead[i] === (isRead ? 1 : 0) && calls.offset[i] >= 0 && calls.length[i] > 0) found.push(i);
    }
    found.sort((a, b) => calls.offset[a] - calls.offset[b] || calls.start[a] - calls.start[b]);
    this.calls = calls;
    this.call = Uint32Array.from(found);
    this.count = found.length;
    this.low = Float64Array.from(found, (i) => calls.offset[i]);
    this.high = Float64Array.from(found, (i) => calls.offset[i] + calls.length[i]);
    this.row = Uint32Array.from(found, (i) => calls.row[i]);
    // The highest end so far: where to begin to look for what reaches into a view.
    this.reach = new Float64Array(this.count);
    this.end = 0;
    for (let i = 0; i < this.count; i++) this.reach[i] = this.end = Math.max(this.end, this.high[i]);
    this.shared = sharedOf(this);
    this.rows = [...new Set(this.row)].sort((a, b) => a - b);
    this.lineOf = new Map(this.rows.map((row, line) => [row, line]));
  }

  /** Those that may touch these offsets: from the first to before the second. */
  within(low, high) {
    return [search(this.reach, 0, this.count, low, true), search(this.low, 0, this.count, high)];
  }

  /** How often each of so many columns was covered, on average over its bytes. */
  times(low, high, columns) {
    const scale = columns / (high - low);
    const sums = new Float64Array(columns + 1);
    const steps = new Float64Array(columns + 1);
    const [first, end] = this.within(low, high);
    for (let i = first; i < end; i++) {
      const from = Math.max(0, (this.low[i] - low) * scale);
      const to = Math.min(columns, (this.high[i] - low) * scale);
      if (!(to > from)) continue;
      const [a, b] = [Math.floor(from), Math.floor(to)];
      if (a === b) {
        sums[a] += to - from;
        continue;
      }
      sums[a] += a + 1 - from;
      sums[b] += to - b;
      steps[a + 1] += 1;
      steps[b] -= 1;
    }
    let level = 0;
    for (let i = 0; i < columns; i++) sums[i] += level += steps[i];
    return sums.subarray(0, columns);
  }

  /** Blocks of the file in view that several rows touched. */
  sharedBlocks(low, high, unit) {
    const only = new Map();
    const shared = new Set();
    const [first, end] = this.within(low, high);
    for (let i = first; i < end; i++) {
      const last = Math.floor((Math.min(this.high[i], high) - 1) / unit);
      for (let block = Math.floor(Math.max(this.low[i], low) / unit); block <= last; block++) {
        const row = only.get(block);
        if (row === undefined) only.set(block, this.row[i]);
        else if (row !== this.row[i]) shared.add(block);
      }
    }
    return shared;
  }
}

/** Marks extents with bytes that another row touched too. */
function sharedOf({ count, low, high, row }) {
  const shared = new Uint8Array(count);
  // The two furthest ends so far, of different rows.
  let [first, second] = [{ row: -1, end: -1 }, { row: -1, end: -1 }];
  for (let i = 0; i < count; i++) {
    const other = first.row === row[i] ? second : first;
    if (other.end > low[i]) shared[i] = 1;
    if (first.row === row[i]) first.end = Math.max(first.end, high[i]);
    else if (high[i] > first.end) [first, second] = [{ row: row[i], end: high[i] }, first];
    else if (high[i] > second.end) second = { row: row[i], end: high[i] };
  }
  // And from the other side: what begins before the end of this one.
  [first, second] = [{ row: -1, at: Infinity }, { row: -1, at: Infinity }];
  for (let i = count - 1; i >= 0; i--) {
    const other = first.row === row[i] ? second : first;
    if (other.at < high[i]) shared[i] = 1;
    if (first.row !== row[i]) second = first;
    first = { row: row[i], at: low[i] };
  }
  return shared;
}
