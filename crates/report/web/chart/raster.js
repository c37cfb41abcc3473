// A raster of calls: each pixel has the share of its time that was spent in calls. The same code
// serves every zoom, whether a pixel holds thousands of calls or a call spans thousands of pixels.
// The time for a call does not depend on its length.

/** Numbers of a pixel: its coverage and value, and the steps by which both change from here on. */
const FIELDS = 4;
const COVER = 0;
const VALUE = 1;
const COVER_STEP = 2;
const VALUE_STEP = 3;

/** Table of opacity by share of time. It rises steeply, so that small shares are visible. */
const SHARES = 1024;
const OPACITY = Uint8Array.from({ length: SHARES + 1 }, (_, i) => Math.round(255 * (i / SHARES) ** 0.55));

/** Adds up how much of each pixel is covered, and the mean of a value there. */
export class Raster {
  constructor(width, height) { this.clear(width, height); }

  /** Empties the raster. It keeps its memory, because allocating takes longer than filling. */
  clear(width, height) {
    this.width = width;
    this.height = height;
    // One column more, for calls that end at the right edge.
    this.stride = (width + 1) * FIELDS;
    const size = this.stride * height;
    if (!this.parts || this.parts.length < size) this.parts = new Float32Array(size); else this.parts.fill(0, 0, size);
    this.touched = new Uint8Array(height);
    return this;
  }

  /** Covers a line between two places, in pixels, with this weight and value. */
  add(line, from, to, weight, value) {
    if (to <= 0 || from >= this.width) return;
    if (from < 0) from = 0;
    if (to > this.width) to = this.width;
    this.touched[line] = 1;
    const { parts } = this;
    const first = Math.floor(from);
    const last = Math.floor(to);
    const a = line * this.stride + first * FIELDS;
    if (first === last) {
      const part = (to - from) * weight;
      parts[a + COVER] += part;
      parts[a + VALUE] += part * value;
      return;
    }
    const b = line * this.stride + last * FIELDS;
    const [left, right] = [(first + 1 - from) * weight, (to - last) * weight];
    parts[a + COVER] += left;
    parts[a + VALUE] += left * value;
    parts[b + COVER] += right;
    parts[b + VALUE] += right * value;
    if (last - first > 1) {
      parts[a + FIELDS + COVER_STEP] += weight;
      parts[a + FIELDS + VALUE_STEP] += weight * value;
      parts[b + COVER_STEP] -= weight;
      parts[b + VALUE_STEP] -= weight * value;
    }
  }

  /** Returns the pixels in the colours of a palette. `colours` stand for values from 0 to 1. If the
   * palette `isMixed`, each pixel has one of two colours, and an area has both in their shares. */
  pixels({ colours, isMixed = false }) {
    const { width, height, parts, stride } = this;
    const data = new Uint32Array(width * height);
    const steps = colours.length - 1;
    for (let line = 0; line < height; line++) {
      if (!this.touched[line]) continue;
      let level = 0;
      let valueLevel = 0;
      // The pixel that repeats until a call begins or ends. `isSame` is false if two colours take turns.
      let same = 0;
      let isSame = true;
      let place = line * stride;
      for (let x = 0, at = line * width; x < width; x++, at++, place += FIELDS) {
        const part = parts[place + COVER];
        const step = parts[place + COVER_STEP];
        if (part === 0 && step === 0 && isSame) {
          data[at] = same;
          continue;
        }
        level += step;
        valueLevel += parts[place + VALUE_STEP];
        const cover = part + level;
        // A tiny rest is a rounding error and counts as zero.
        if (cover < 1e-4) {
          isSame = part === 0;
          same = 0;
          continue;
        }
        const mean = (parts[place + VALUE] + valueLevel) / cover;
        const share = cover >= 1 ? SHARES : Math.max(1, (cover * SHARES + 0.5) | 0);
        const colour = isMixed ? colours[isSecond(mean, x, line) ? 1 : 0] : colours[(Math.min(1, Math.max(0, mean)) * steps + 0.5) | 0];
        const pixel = colour | (OPACITY[share] << 24);
        data[at] = pixel;
        isSame = part === 0 && (!isMixed || mean < THRESHOLDS[0] || mean > LAST_THRESHOLD);
        same = pixel;
      }
    }
    return new Uint8ClampedArray(data.buffer);
  }
}

const THRESHOLDS = Float64Array.from([0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5], (step) => (step + 0.5) / 16);

const LAST_THRESHOLD = Math.max(...THRESHOLDS);

/** Picks one of two colours for a pixel, so that an area shows both in their shares. A mixture of
 * blue and orange would be grey. */
export function isSecond(share, x, line) {
  return share > THRESHOLDS[(line & 3) * 4 + (x & 3)];
}

/** Returns the rows of each line of a view. With `groups`, the view is one of groups of rows. */
export function linesOf(view, height, groups = null) {
  const [low, high] = [Math.floor(view.low), Math.ceil(view.high)];
  const count = Math.max(1, Math.min(Math.floor(height), high - low));
  const lines = Array.from({ length: count }, () => []);
  for (let at = low; at < high; at++) {
    const line = lines[Math.min(count - 1, Math.floor(((at - low) * count) / (high - low)))];
    if (groups) line.push(...groups[at]); else line.push(at);
  }
  return lines;
}

/** Least width in pixels of a call among many, so that it is visible. */
const LEAST_WIDTH = 0.35;
/** Pixels per call of a line above which a short call is a mark of its own. */
const APART = 8;
/** Width of such a mark in pixels. */
const SHORT = 2;

/** Adds single calls to lines of rows and returns their number. `values` colour the calls. `shows`
 * has a flag for writes and one for reads. */
export function rasterCalls(raster, calls, time, lines, width, values, shows = [true, true]) {
  raster.clear(width, lines.length);
  const scale = width / time.width;
  const { start, end, isRead } = calls;
  let count = 0;
  lines.forEach((rows, line) => {
    const weight = 1 / rows.length;
    const places = rows.map((row) => calls.within(row, time.low, time.high));
    const isSparse = places.reduce((sum, [first, end]) => sum + end - first, 0) * APART < width;
    for (const [first, stop] of places) {
      for (let i = first; i < stop; i++) {
        if (end[i] < time.low || !shows[isRead[i]]) continue;
        count++;
        const from = (start[i] - time.low) * scale;
        const to = (end[i] - time.low) * scale;
        if (isSparse && to - from < SHORT) {
          // The mark covers one whole pixel, not parts of two, so that all marks are equally strong.
          const pixel = Math.floor(Math.max(0, Math.min(width - 1, from)));
          raster.add(line, pixel, Math.max(pixel + 1, Math.round(to)), 1, values[i]);
        } else {
          raster.add(line, from, to - from < LEAST_WIDTH ? from + LEAST_WIDTH : to, weight, values[i]);
        }
      }
    }
  });
  return count;
}

/** Adds cells to lines of rows, coloured by the share of writes. Returns the level that it used. */
export function rasterCells(raster, cells, time, lines, width, shows = [true, true]) {
  raster.clear(width, lines.length);
  const scale = width / time.width;
  const level = cells.level(1 / scale);
  const first = Math.max(0, Math.floor((time.low - cells.begin) / level.width));
  const end = Math.min(level.bins, Math.ceil((time.high - cells.begin) / level.width));
  const wide = level.width * scale;
  const { read, write } = level;
  lines.forEach((rows, line) => {
    const weight = 1 / cells.full / rows.length;
    for (const row of rows) {
      for (let bin = first; bin < end; bin++) {
        const place = row * level.bins + bin;
        const written = shows[0] ? write[place] : 0;
        const busy = shows[1] ? read[place] + written : written;
        if (!(busy > 0)) continue;
        const from = (cells.begin + bin * level.width - time.low) * scale;
        raster.add(line, from, from + wide, busy * weight, written / busy);
      }
    }
  });
  return level;
}
