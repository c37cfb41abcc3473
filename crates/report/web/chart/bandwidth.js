// Bytes per second over time, of calls, of cells or of a heat map.

/** Bytes per second in so many columns of the view, written and read. */
export function bandwidth(source, time, columns) {
  const width = time.width / columns;
  const sums = { read: new Float64Array(columns + 1), written: new Float64Array(columns + 1) };
  const steps = { read: new Float64Array(columns + 1), written: new Float64Array(columns + 1) };
  source((from, to, amount, isRead) => {
    if (to < time.low || from > time.high || !(amount > 0)) return;
    const way = isRead ? "read" : "written";
    // What took no time is moved within a column.
    let a = (from - time.low) / width;
    let b = Math.max((to - time.low) / width, a + 1e-3);
    const each = amount / (b - a) / width;
    a = Math.max(0, a);
    b = Math.min(columns, b);
    if (b <= a) return;
    const [first, last] = [Math.floor(a), Math.floor(b)];
    if (first === last) {
      sums[way][first] += each * (b - a);
      return;
    }
    sums[way][first] += each * (first + 1 - a);
    sums[way][last] += each * (b - last);
    steps[way][first + 1] += each;
    steps[way][last] -= each;
  });
  let most = 0;
  for (const way of ["read", "written"]) {
    let level = 0;
    let largest = 0;
    for (let i = 0; i < columns; i++) {
      level += steps[way][i];
      sums[way][i] += level;
      largest = Math.max(largest, sums[way][i]);
    }
    // What adding and taking off again leaves is nothing.
    for (let i = 0; i < columns; i++) if (sums[way][i] < largest * 1e-9) sums[way][i] = 0;
    most = Math.max(most, largest);
  }
  return { read: sums.read.subarray(0, columns), written: sums.written.subarray(0, columns), most };
}

/** The bytes of single calls in view. */
export function ofCalls(calls, time) {
  return (add) => {
    for (let row = 0; row + 1 < calls.firstOf.length; row++) {
      const [first, end] = calls.within(row, time.low, time.high);
      for (let i = first; i < end; i++) add(calls.start[i], calls.end[i], calls.length[i], calls.isRead[i]);
    }
  };
}

/** Bytes in stretches of equal length, the first of which begins at `begin`. */
export function ofBins(width, read, written, begin = 0) {
  return (add) => {
    for (let bin = 0; bin < read.length; bin++) {
      const from = begin + bin * width;
      add(from, from + width, read[bin], true);
      add(from, from + width, written[bin], false);
    }
  };
}
