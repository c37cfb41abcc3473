// Single calls: by row, and by time within a row.

import { summed, unzigzag } from "./unpack.js";

/** A nanosecond. */
export const NANO = 1e-9;

export class Calls {
  /**
   * Columns as the page has them: calls of each row, then for each call the steps of its start, its
   * time, its kind, and the steps of its place, size and file.
   */
  constructor({ rows, start, took, kind, offset, length, file }) {
    const count = start.length;
    this.count = count;
    this.firstOf = new Uint32Array(rows.length + 1);
    rows.forEach((calls, row) => { this.firstOf[row + 1] = this.firstOf[row] + calls; });
    this.row = new Uint32Array(count);
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    // The latest end of the row so far, to find calls that are still under way.
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

  /** The calls of a row that may touch this time: from the first to before the second. */
  within(row, from, to) {
    const [first, end] = [this.firstOf[row], this.firstOf[row + 1]];
    return [search(this.latest, first, end, from), search(this.start, first, end, to, true)];
  }

  /** The call of some rows nearest to a moment, no further than `reach`, and its row; -1 if there is none. */
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

/** The first place whose value is not below the key, or above it. */
export function search(values, first, end, key, isAbove = false) {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (values[middle] < key || (isAbove && values[middle] === key)) first = middle + 1; else end = middle;
  }
  return first;
}
