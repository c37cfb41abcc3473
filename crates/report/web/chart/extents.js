// Extents: parts of a file that calls touched, ordered by offset.

import { search } from "./calls.js";

/** Returns the calls of a lane to this file whose offsets are known, at most `most` of them. */
export function callsTo(calls, file, isRead, most = Infinity) {
  const found = [];
  for (let i = 0; i < calls.count && found.length < most; i++) {
    if (calls.file[i] === file && calls.isRead[i] === (isRead ? 1 : 0) && calls.offset[i] >= 0 && calls.length[i] > 0) found.push(i);
  }
  return found;
}

export class Extents {
  constructor(calls, file, isRead) {
    const found = callsTo(calls, file, isRead);
    found.sort((a, b) => calls.offset[a] - calls.offset[b] || calls.start[a] - calls.start[b]);
    this.calls = calls;
    this.call = Uint32Array.from(found);
    this.count = found.length;
    this.low = Float64Array.from(found, (i) => calls.offset[i]);
    this.high = Float64Array.from(found, (i) => calls.offset[i] + calls.length[i]);
    this.row = Uint32Array.from(found, (i) => calls.row[i]);
    // The highest end so far. It finds extents that begin before a view and reach into it.
    this.reach = new Float64Array(this.count);
    this.end = 0;
    for (let i = 0; i < this.count; i++) this.reach[i] = this.end = Math.max(this.end, this.high[i]);
    // The time from the first call to the end of the last.
    const [first, last] = found.reduce(([low, high], i) => [Math.min(low, calls.start[i]), Math.max(high, calls.end[i])], [Infinity, -Infinity]);
    this.span = this.count ? [first, last > first ? last : first + 1e-9] : null;
    this.later = laterThanOthers(this);
    this.rows = [...new Set(this.row)].sort((a, b) => a - b);
    const lineOf = new Map(this.rows.map((row, line) => [row, line]));
    this.line = Uint32Array.from(this.row, (row) => lineOf.get(row));
  }

  /** Returns the extents that may touch these offsets: the first, and the one after the last. */
  within(low, high) {
    return [search(this.reach, 0, this.count, low, true), search(this.low, 0, this.count, high)];
  }

  /** Returns for each column how often its bytes were touched on average. */
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

  /** Returns the blocks in view that several rows touched. */
  sharedBlocks(low, high, unit) {
    const base = Math.floor(low / unit);
    const count = Math.floor((high - 1) / unit) - base + 1;
    const shared = new Set();
    if (!(count > 0)) return shared;
    const touched = new Touched(count);
    const [first, end] = this.within(low, high);
    for (let i = first; i < end; i++) {
      const from = Math.floor(Math.max(this.low[i], low) / unit) - base;
      const to = Math.floor((Math.min(this.high[i], high) - 1) / unit) - base + 1;
      if (to > from) touched.add(this.row[i], from, to);
    }
    for (let block = 0; block < count; block++) if (touched.bySeveral(block)) shared.add(base + block);
    return shared;
  }
}

/** Marks extents with bytes that another row touched earlier. */
function laterThanOthers({ calls, call, count, low, high, row }) {
  const later = new Uint8Array(count);
  if (row.every((one) => one === row[0])) return later;
  const borders = new Float64Array(2 * count);
  borders.set(low);
  borders.set(high, count);
  borders.sort();
  let different = 0;
  for (const border of borders) if (!different || borders[different - 1] !== border) borders[different++] = border;
  const touched = new Touched(different);
  const start = Float64Array.from(call, (one) => calls.start[one]);
  const order = Uint32Array.from(call, (_, i) => i).sort((a, b) => start[a] - start[b] || a - b);
  for (const i of order) {
    const from = search(borders, 0, different, low[i]);
    const to = search(borders, from, different, high[i]);
    later[i] = touched.byOther(row[i], from, to) ? 1 : 0;
    touched.add(row[i], from, to);
  }
  return later;
}

const NOBODY = -1;
const SEVERAL = -2;

/** Remembers the rows that touched each place. It is a tree, so that long extents take no more time
 * than short ones. */
class Touched {
  constructor(places) {
    this.size = 1;
    while (this.size < places) this.size *= 2;
    // The row that touched all places of a node, and the row that touched any of them.
    this.all = new Int32Array(2 * this.size).fill(NOBODY);
    this.any = new Int32Array(2 * this.size).fill(NOBODY);
  }

  add(row, from, to) {
    let [low, high] = [from + this.size, to + this.size];
    while (low < high) {
      if (low & 1) this.mark(low++, row);
      if (high & 1) this.mark(--high, row);
      low >>= 1;
      high >>= 1;
    }
  }

  /** Notes that this row touched all places of a node, and so some places of the nodes above. */
  mark(node, row) {
    const known = this.all[node];
    this.all[node] = known === NOBODY || known === row ? row : SEVERAL;
    for (let up = node; up; up >>= 1) {
      const any = this.any[up];
      if (any === SEVERAL || any === row) break;
      this.any[up] = any === NOBODY ? row : SEVERAL;
    }
  }

  /** Returns true if several rows touched this place. */
  bySeveral(place) {
    let who = NOBODY;
    for (let up = place + this.size; up; up >>= 1) {
      const all = this.all[up];
      if (all === SEVERAL || (all !== NOBODY && who !== NOBODY && all !== who)) return true;
      if (all !== NOBODY) who = all;
    }
    return false;
  }

  byOther(row, from, to) {
    let [low, high] = [from + this.size, to + this.size];
    while (low < high) {
      if (low & 1 && this.hasOther(low++, row)) return true;
      if (high & 1 && this.hasOther(--high, row)) return true;
      low >>= 1;
      high >>= 1;
    }
    return false;
  }

  hasOther(node, row) {
    const any = this.any[node];
    if (any !== NOBODY && any !== row) return true;
    for (let up = node >> 1; up; up >>= 1) {
      const all = this.all[up];
      if (all !== NOBODY && all !== row) return true;
    }
    return false;
  }
}
