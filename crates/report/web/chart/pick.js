// Some of the ranks: `0, 16-31` as people write it, and the rows of a chart that hold them.

/** Stretches of ranks, each with its first and last; none if the words are of something else. */
export function readPick(words) {
  const found = [];
  for (const piece of words.split(/[\s,]+/).filter(Boolean)) {
    const [, low, high = low] = /^(\d{1,10})(?:[-–](\d{1,10}))?$/.exec(piece) ?? [];
    if (low === undefined) return null;
    found.push([Math.min(low, high), Math.max(low, high)]);
  }
  return found.length ? found : null;
}

/** The same in words that `readPick` understands. */
export function pickWords(pick, between = ",") {
  return pick.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(between);
}

/** Rows that hold any of these ranks; `first` has the first rank of each row, of which a row has `per`. */
export function rowsOfPick(pick, { first, per }) {
  const rows = [];
  for (let row = 0; row < first.length; row++) {
    // A row of several ranks goes on until the next one begins.
    const last = per > 1 ? (first[row + 1] ?? Infinity) - 1 : first[row];
    if (pick.some(([low, high]) => low <= last && high >= first[row])) rows.push(row);
  }
  return rows;
}
