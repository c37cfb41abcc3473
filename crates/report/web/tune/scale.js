// Scales of gains, and places of words on them.

/** Ratios that are worth a tick, those first that stay where there is little room. */
const RATIOS = [1, 2, 0.5, 10, 0.1, 100, 0.01, 1000, 5, 0.2, 20, 50, 200, 500, 1.5, 0.8, 3, 4, 1.2, 0.9, 1.1, 1.25, 8, 30, 0.95, 1.05, 0.05, 0.02];

/** Writes a gain: `2.96×`, `12.3×`. */
export function times(ratio) {
  if (ratio >= 999.95) return `${Math.round(ratio).toLocaleString("en-US")}×`;
  return `${ratio >= 9.995 ? ratio.toFixed(1) : ratio.toFixed(2)}×`;
}

/** Returns the place of a ratio on a logarithmic axis between two places. */
export function logScale(low, high, left, right) {
  const span = Math.log(high / low);
  return (ratio) => left + (Math.log(Math.min(high, Math.max(low, ratio)) / low) / span) * (right - left);
}

/** Returns the ends of an axis that shows these gains and always some of both sides of no change. */
export function gainEnds(gains) {
  const known = gains.filter((gain) => gain > 0 && Number.isFinite(gain));
  return [Math.min(0.8, ...known) * 0.97, Math.max(1.25, ...known) * 1.04];
}

/** Returns ticks between two ratios, none closer to another than `gap` pixels. */
export function ratioTicks(low, high, x, gap) {
  const shown = [];
  for (const ratio of RATIOS) {
    if (ratio <= low || ratio >= high) continue;
    if (shown.every((other) => Math.abs(x(other) - x(ratio)) >= gap)) shown.push(ratio);
  }
  return shown.sort((a, b) => a - b);
}

/** Returns the best gain after each of `count` asks, from the asks at which it changed. */
export function bestAfter(changes, count) {
  const best = [];
  let at = 0;
  for (let n = 1; n <= count; n++) {
    while (at + 1 < changes.length && changes[at + 1][0] <= n) at++;
    best.push(changes[at]?.[1] ?? 1);
  }
  return best;
}

/** Moves two labels apart that would cover each other, around their middle. Returns their places. */
export function apart(one, other, gap) {
  if (Math.abs(one - other) >= gap) return [one, other];
  const middle = (one + other) / 2;
  const sign = one <= other ? 1 : -1;
  return [middle - (sign * gap) / 2, middle + (sign * gap) / 2];
}

/** Returns the place of the trial whose number is nearest to this. Trials are in the order of numbers. */
export function nearestTo(trials, n) {
  let [low, high] = [0, trials.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trials[middle].n < n) low = middle + 1; else high = middle;
  }
  return low > 0 && n - trials[low - 1].n < trials[low].n - n ? low - 1 : low;
}
