// How much of each pixel's time was spent in calls: one way at every zoom, whether pixels hold
// thousands of calls or calls span thousands of pixels. A call costs the same however long it is.

/** Pixels of a plot while they are filled: how much is covered, and the mean of a value there. */
export class Raster {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    // One more column takes what ends at the right edge.
    this.stride = width + 1;
    this.cover = new Float32Array(this.stride * height);
    this.value = new Float32Array(this.stride * height);
    this.steps = new Float32Array(this.stride * height);
    this.valueSteps = new Float32Array(this.stride * height);
  }

  /** Covers a line from one place to another, in pixels, with this weight and value. */
  add(line, from, to, weight, value) {
    if (to <= 0 || from >= this.width) return;
    from = Math.max(0, from);
    to = Math.min(this.width, to);
    const base = line * this.stride;
    const first = Math.floor(from);
    const last = Math.floor(to);
    if (first === last) {
      this.at(base + first, (to - from) * weight, value);
      return;
    }
    this.at(base + first, (first + 1 - from) * weight, value);
    this.at(base + last, (to - last) * weight, value);
    if (last - first > 1) {
      this.steps[base + first + 1] += weight;
      this.steps[base + last] -= weight;
      this.valueSteps[base + first + 1] += weight * value;
      this.valueSteps[base + last] -= weight * value;
    }
  }

  at(place, weight, value) {
    this.cover[place] += weight;
    this.value[place] += weight * value;
  }

  /** Pixels; `colour` of a value, at a column and line, gives red, green and blue. */
  pixels(colour) {
    const data = new Uint8ClampedArray(this.width * this.height * 4);
    for (let line = 0; line < this.height; line++) {
      let [level, valueLevel] = [0, 0];
      for (let x = 0; x < this.width; x++) {
        const place = line * this.stride + x;
        level += this.steps[place];
        valueLevel += this.valueSteps[place];
        const cover = this.cover[place] + level;
        // What adding and taking off again leaves is nothing.
        if (cover < 1e-4) continue;
        const mean = Math.min(1, Math.max(0, (this.value[place] + valueLevel) / cover));
        const at = (line * this.width + x) * 4;
        const [r, g, b] = colour(mean, x, line);
        data[at] = r;
        data[at + 1] = g;
        data[at + 2] = b;
        // Little is seen as well.
        data[at + 3] = 255 * Math.min(1, cover ** 0.55);
      }
    }
    return data;
  }
}

const THRESHOLDS = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((step) => (step + 0.5) / 16);

/** Which of two colours a pixel has, so that an area shows both in their shares: blue and orange mixed would be grey. */
export function isSecond(share, x, line) {
  return share > THRESHOLDS[(line & 3) * 4 + (x & 3)];
}

/** Lines that rows of a view become, and how many rows share each. */
export function linesOf(rows, height) {
  const [low, high] = [Math.floor(rows.low), Math.ceil(rows.high)];
  const lines = Math.max(1, Math.min(Math.floor(height), high - low));
  const shared = new Uint32Array(lines);
  const line = (row) => Math.min(lines - 1, Math.floor(((row - low) * lines) / (high - low)));
  for (let row = low; row < high; row++) shared[line(row)]++;
  return { low, high, lines, shared, line };
}

/** Least width of a call, so that it is seen. */
const LEAST_WIDTH = 0.35;

/** Single calls; `valueOf` a call is what colours it. */
export function rasterCalls(calls, time, rows, width, height, valueOf) {
  const { low, high, lines, shared, line } = linesOf(rows, height);
  const raster = new Raster(width, lines);
  const scale = width / time.width;
  let count = 0;
  for (let row = low; row < high; row++) {
    const [first, end] = calls.within(row, time.low, time.high);
    const at = line(row);
    for (let i = first; i < end; i++) {
      if (calls.end[i] < time.low) continue;
      count++;
      const from = (calls.start[i] - time.low) * scale;
      const to = Math.max(from + LEAST_WIDTH, (calls.end[i] - time.low) * scale);
      raster.add(at, from, to, 1 / shared[at], valueOf(i));
    }
  }
  return { raster, count };
}

/** Cells; what they are coloured by is the share of writes. */
export function rasterCells(cells, time, rows, width, height) {
  const { low, high, lines, shared, line } = linesOf(rows, height);
  const raster = new Raster(width, lines);
  const scale = width / time.width;
  const level = cells.level(1 / scale);
  const first = Math.max(0, Math.floor((time.low - cells.begin) / level.width));
  const end = Math.min(level.bins, Math.ceil((time.high - cells.begin) / level.width));
  for (let row = low; row < high; row++) {
    const at = line(row);
    for (let bin = first; bin < end; bin++) {
      const place = row * level.bins + bin;
      const busy = level.read[place] + level.write[place];
      if (!(busy > 0)) continue;
      const from = (cells.begin + bin * level.width - time.low) * scale;
      const weight = busy / cells.full / shared[at];
      raster.add(at, from, from + level.width * scale, weight, level.write[place] / busy);
    }
  }
  return { raster, level };
}
