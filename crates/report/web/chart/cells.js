// Busy time of rows in cells: the finest level first, then ever coarser ones.

export class Cells {
  constructor({ rows, bins, begin, width, read, write, bytesRead, bytesWritten, full }) {
    this.rows = rows;
    this.begin = begin;
    this.full = full;
    this.levels = [{ bins, width, read, write }];
    this.bytes = { width, read: bytesRead, written: bytesWritten };
    while (this.levels.at(-1).bins > 64) this.levels.push(halved(this.levels.at(-1), rows));
  }

  /** The finest there is. */
  get finest() { return this.levels[0].width; }

  /** The bin of a level at a moment, or none. */
  binAt(level, time) {
    const bin = Math.floor((time - this.begin) / level.width);
    return bin >= 0 && bin < level.bins ? bin : null;
  }

  /** The coarsest level that has at least one cell for so many seconds. */
  level(seconds) {
    return this.levels.findLast((level) => level.width <= seconds) ?? this.levels[0];
  }
}

/** Half as many bins, each the mean of two. */
function halved({ bins, width, read, write }, rows) {
  const less = Math.ceil(bins / 2);
  const half = (cells) => {
    const means = new Float32Array(rows * less);
    for (let row = 0; row < rows; row++) {
      for (let bin = 0; bin < less; bin++) {
        const at = row * bins + 2 * bin;
        means[row * less + bin] = (cells[at] + (2 * bin + 1 < bins ? cells[at + 1] : 0)) / 2;
      }
    }
    return means;
  };
  return { bins: less, width: 2 * width, read: half(read), write: half(write) };
}
