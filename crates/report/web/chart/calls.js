// Single calls, ordered by row and within a row by time.

import { summed, unzigzag } from "./unpack.js";

/** A nanosecond in seconds. */
export const NANO = 1e-9;

export class Calls {
  /**
   * Decodes the columns of the page. `rows` has the number of calls of each row. The others have one
   * number per call: `took` its duration and `kind` its operation; `start`, `length` and `file` have
   * the difference from the call before, `offset` that from its end.
   */
  constructor({ rows, start, took, kind, offset, length, file }) {
    const count = start.length;
    this.count = count;
    this.firstOf = new Uint32Array(rows.length + 1);
    rows.forEach((calls, row) => { this.firstOf[row + 1] = this.firstOf[row] + calls; });
    this.row = new Uint32Array(count);
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    // The latest end so far in the row. It finds calls that began earlier and still run.
    this.latest = new Float64Array(count);
    this.isRead = new Uint8Array(count);
    this.offset = new Float64Array(count);
    this.length = summed(length);
    this.file = summed(file);
    for (let row = 0; row < rows.length; row++) {
      let time = 0;
      let place = 0;
      let latest = -Infinity;
      for (let i = this.firstOf[row]; i < this.firstOf[row + 1]; i++) {
        time += unzigzag(start[i]);
        this.row[i] = row;
        this.start[i] = time * NANO;
        this.end[i] = (time + took[i]) * NANO;
        latest = Math.max(latest, this.end[i]);
        this.latest[i] = latest;
        this.isRead[i] = kind[i] & 1;
        if (kind[i] & 2) {
          this.offset[i] = -1;
        } else {
          place += unzigzag(offset[i]);
          this.offset[i] = place;
          place += this.length[i];
        }
      }
    }
  }

  /** Returns the calls of a row that may touch this time: the first, and the one after the last. */
  within(row, from, to) {
    const [first, end] = [this.firstOf[row], this.firstOf[row + 1]];
    return [search(this.latest, first, end, from), search(this.start, first, end, to, true)];
  }

  /** Returns the call of these rows that is nearest to a moment, and its row. A call further away
   * than `reach` does not count; without a call the result is -1. */
  nearestOf(rows, time, reach, shows = [true, true]) {
    const best = { row: -1, call: -1, away: reach };
    for (const row of rows) {
      const [first, end] = this.within(row, time - reach, time + reach);
      for (let i = first; i < end; i++) {
        if (!shows[this.isRead[i]]) continue;
        const away = time < this.start[i] ? this.start[i] - time : time > this.end[i] ? time - this.end[i] : 0;
        if (away < best.away || (away === best.away && best.call < 0)) Object.assign(best, { row, call: i, away });
      }
    }
    return best;
  }
}

/** Returns the first place whose value is at least the key; if `isAbove`, above the key. */
export function search(values, first, end, key, isAbove = false) {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (values[middle] < key || (isAbove && values[middle] === key)) first = middle + 1; else end = middle;
  }
  return first;
}
