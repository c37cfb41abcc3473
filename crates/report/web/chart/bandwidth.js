// Bytes per second over time, from calls, cells or a heat map.

/** Returns bytes per second in each column of a view: read, written, and both together. */
export function bandwidth(source, time, columns) {
  const width = time.width / columns;
  const ways = () => ({ read: new Float64Array(columns + 1), written: new Float64Array(columns + 1) });
  const [sums, steps] = [ways(), ways()];
  source((from, to, amount, isRead) => {
    if (to < time.low || from > time.high || !(amount > 0)) return;
    const sum = isRead ? sums.read : sums.written;
    const step = isRead ? steps.read : steps.written;
    // A call without duration counts in one column.
    let a = (from - time.low) / width;
    let b = Math.max((to - time.low) / width, a + 1e-3);
    const each = amount / (b - a) / width;
    a = Math.max(0, a);
    b = Math.min(columns, b);
    if (b <= a) return;
    const [first, last] = [Math.floor(a), Math.floor(b)];
    if (first === last) {
      sum[first] += each * (b - a);
      return;
    }
    sum[first] += each * (first + 1 - a);
    sum[last] += each * (b - last);
    step[first + 1] += each;
    step[last] -= each;
  });
  for (const way of ["read", "written"]) {
    let level = 0;
    let largest = 0;
    for (let i = 0; i < columns; i++) {
      level += steps[way][i];
      sums[way][i] += level;
      largest = Math.max(largest, sums[way][i]);
    }
    // A tiny rest is a rounding error and counts as zero.
    for (let i = 0; i < columns; i++) if (sums[way][i] < largest * 1e-9) sums[way][i] = 0;
  }
  const [read, written] = [sums.read.subarray(0, columns), sums.written.subarray(0, columns)];
  const both = read.map((value, i) => value + written[i]);
  return { read, written, both, most: both.reduce((a, b) => Math.max(a, b), 0) };
}

/** Returns a source of the bytes of calls in view. `shows` has a flag for writes and one for reads.
 * */
export function ofCalls(calls, time, shows = [true, true]) {
  return (add) => {
    for (let row = 0; row + 1 < calls.firstOf.length; row++) {
      const [first, end] = calls.within(row, time.low, time.high);
      for (let i = first; i < end; i++) if (shows[calls.isRead[i]]) add(calls.start[i], calls.end[i], calls.length[i], calls.isRead[i]);
    }
  };
}

/** Returns a source of bytes in bins of equal width from `begin` on. */
export function ofBins(width, read, written, begin = 0, shows = [true, true]) {
  return (add) => {
    for (let bin = 0; bin < read.length; bin++) {
      const from = begin + bin * width;
      if (shows[1]) add(from, from + width, read[bin], true);
      if (shows[0]) add(from, from + width, written[bin], false);
    }
  };
}
