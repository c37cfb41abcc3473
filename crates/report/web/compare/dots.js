// Places of dots on a line, and the marks of an axis of ratios.

/** Moves dots that would cover each other up and down. Returns the distance of each from the line. */
export function spread(places, size) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  const put = [];
  const away = new Array(places.length).fill(0);
  for (const i of order) {
    let level = 0;
    while (put.some(([x, other]) => other === level && Math.abs(x - places[i]) < size)) level++;
    put.push([places[i], level]);
    const side = level % 2 ? -1 : 1;
    // From the fifth on they lie on each other: a line has no more room.
    away[i] = level > 4 ? 0 : side * Math.ceil(level / 2) * (size - 2);
  }
  return away;
}

/** Returns the ends of an axis that shows these ratios, and always 10 % to both sides of no change. */
export function ends(low, high) {
  const room = Math.max(0.06, (high - low) / 10);
  return [Math.min(0.9, low - room), Math.max(1.1, high + room)];
}

/** Writes a ratio as a change: `-69 %`, `same`. */
export function changeOf(ratio, decimals = 0) {
  const percent = 100 * (ratio - 1);
  if (Math.abs(percent) < 10 ** -decimals / 2) return "same";
  return `${percent < 0 ? "-" : "+"}${Math.abs(percent).toFixed(decimals)} %`;
}
