// Time in calls by row and bin, at several levels. The first level is the finest.

export class Cells {
  constructor({ rows, bins, begin, width, read, write, bytesRead, bytesWritten, full }) {
    this.rows = rows;
    this.begin = begin;
    this.full = full;
    this.levels = [{ bins, width, read, write }];
    this.bytes = { width, read: bytesRead, written: bytesWritten };
    while (this.levels.at(-1).bins > 64) this.levels.push(halved(this.levels.at(-1), rows));
  }

  /** The width of the finest bins. */
  get finest() { return this.levels[0].width; }

  /** Returns the bin of a level at a moment, or null. */
  binAt(level, time) {
    const bin = Math.floor((time - this.begin) / level.width);
    return bin >= 0 && bin < level.bins ? bin : null;
  }

  /** Returns the coarsest level whose bins are no wider than this. */
  level(seconds) {
    return this.levels.findLast((level) => level.width <= seconds) ?? this.levels[0];
  }
}

/** Returns a level with half as many bins, each the mean of two. */
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
