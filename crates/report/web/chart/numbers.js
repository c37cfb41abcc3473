// Numbers as text, by the rules of the whole report: three digits, binary units of bytes, a space
// before the unit.

const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

const GROUPED = new Intl.NumberFormat("en-US");

/** Writes a number with its digits in groups of three. */
export function thousands(number) {
  return GROUPED.format(Math.round(number));
}

/** Writes a number with its noun: `1 call`, `2,048 calls`. */
export function counted(number, singular, plural = `${singular}s`) {
  return `${thousands(number)} ${number === 1 ? singular : plural}`;
}

/** Writes a value with this many decimals, or with none if all are 0. */
function trimmed(value, decimals) {
  const text = value.toFixed(decimals);
  return Number(text) === Math.round(value) ? String(Math.round(value)) : text;
}

/** Writes bytes as `12.3 GiB`. */
export function bytes(amount) {
  if (amount < 1024) return `${thousands(amount)} B`;
  let value = amount / 1024;
  let unit = 0;
  // 1023.5 would be rounded to 1024, so it goes to the next unit.
  while (value >= 1023.5 && unit + 1 < UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  const isWhole = Math.abs(value - Math.round(value)) < 0.005;
  return `${isWhole || value >= 99.95 ? thousands(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Writes bytes per second. */
export function rate(amount) {
  return `${amount < 1024 ? `${trimmed(amount, 1)} B` : bytes(amount)}/s`;
}

/** Writes a duration, down to nanoseconds. */
export function duration(seconds) {
  if (seconds >= 9999.5) {
    const minutes = Math.round(seconds / 60);
    return `${thousands(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} m`;
  }
  if (seconds >= 0.9995) return `${threeDigits(seconds)} s`;
  if (seconds >= 0.9995e-3) return `${threeDigits(seconds * 1e3)} ms`;
  if (seconds >= 0.9995e-6) return `${threeDigits(seconds * 1e6)} µs`;
  return seconds > 0 ? `${Math.max(1, Math.round(seconds * 1e9))} ns` : "0 s";
}

function threeDigits(value) {
  if (value >= 99.95) return thousands(value);
  return trimmed(value, value >= 9.995 ? 1 : 2);
}

/** Writes a moment, with the decimals that a view of `width` seconds needs. */
export function moment(seconds, width) {
  const decimals = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(Math.max(width, 1e-9)))));
  return `${seconds.toFixed(decimals)} s`;
}

/** Writes a part of 1 as a percentage. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${value < 9.95 ? trimmed(value, 1) : thousands(value)} %`;
}

/** Returns about `count` round numbers from `low` to `high`, at steps of 1, 2 or 5 times a power of
 * 10. */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0)) return { values: [low], step: 1 };
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  const step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++) {
    values.push(Number((i * step).toPrecision(12)));
  }
  return { values, step };
}

/** Returns about `count` round numbers of bytes. The step is a power of 2. */
export function byteTicks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const step = Math.max(1, 2 ** Math.round(Math.log2(Math.max(1, raw))));
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) values.push(i * step);
  return { values, step };
}

/** Returns the number of decimals that labels at this step need. */
export function decimalsOf(step) {
  return Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** Largest number of decimals of an offset: half of a unit needs one, a quarter two, an eighth
 * three. */
const MOST_DECIMALS = 3;

/** Writes a multiple of a step exactly, in the largest unit that needs few decimals. The step is a
 * power of 2. */
export function offsetLabel(amount, step) {
  let unit = -1;
  let size = 1;
  while (unit + 1 < UNITS.length && amount >= size * 1024 && step * 2 ** MOST_DECIMALS >= size * 1024) {
    size *= 1024;
    unit += 1;
  }
  const value = amount / size;
  const decimals = Math.max(0, Math.ceil(Math.log2(size / step)));
  const words = decimals ? trimmed(value, decimals) : thousands(value);
  return `${words} ${unit < 0 ? "B" : UNITS[unit]}`;
}

/** Writes an offset rounded and to the byte: `1.5 KiB (1,536)`. */
export function exactly(amount) {
  const words = bytes(amount);
  return amount < 1024 ? words : `${words} (${thousands(amount)})`;
}
