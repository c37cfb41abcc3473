// A choice of ranks: as text such as `0, 16-31`, as ranges, and as rows of a chart.

/** Reads ranges of ranks, each with its first and last rank. Returns null for other text. */
export function readPick(words) {
  const found = [];
  for (const piece of words.split(/[\s,]+/).filter(Boolean)) {
    const [, low, high = low] = /^(\d{1,10})(?:[-–](\d{1,10}))?$/.exec(piece) ?? [];
    if (low === undefined) return null;
    found.push([Math.min(low, high), Math.max(low, high)]);
  }
  return found.length ? found : null;
}

/** Writes ranges as text that `readPick` reads. */
export function pickWords(pick, between = ",") {
  return pick.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(between);
}

/** Returns the rows that hold any of these ranks. `first` has the first rank of each row, and a row
 * has `per` ranks. */
export function rowsOfPick(pick, { first, per }) {
  const rows = [];
  for (let row = 0; row < first.length; row++) {
    // A row of several ranks ends where the next row begins.
    const last = per > 1 ? (first[row + 1] ?? Infinity) - 1 : first[row];
    if (pick.some(([low, high]) => low <= last && high >= first[row])) rows.push(row);
  }
  return rows;
}
