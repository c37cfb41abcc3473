// The part of an axis that is in view.

export class Range {
  /** Makes an axis from `low` to `high`. `least` is the smallest part that can be shown. */
  constructor(low, high, least = (high - low) * 1e-9) {
    this.whole = [low, high];
    this.least = least;
    [this.low, this.high] = this.whole;
  }

  get width() { return this.high - this.low; }
  get isWhole() { return this.low <= this.whole[0] && this.high >= this.whole[1]; }

  /** Shows this part, within the limits of the axis. */
  show(low, high) {
    const [from, to] = this.whole;
    if (!(Number.isFinite(low) && Number.isFinite(high))) return;
    let width = Math.min(to - from, Math.max(this.least, high - low));
    // A part below the least width grows around its middle.
    let start = high - low < width ? (low + high - width) / 2 : low;
    start = Math.min(to - width, Math.max(from, start));
    [this.low, this.high] = [start, start + width];
  }

  /** Moves by a share of the view. */
  pan(share) {
    const by = Math.min(this.whole[1] - this.high, Math.max(this.whole[0] - this.low, share * this.width));
    [this.low, this.high] = [this.low + by, this.high + by];
  }

  /** Shows `factor` times as much. The point at this share of the view stays where it is. */
  scale(factor, share = 0.5) {
    const at = this.low + share * this.width;
    const width = this.width * factor;
    this.show(at - share * width, at + (1 - share) * width);
  }

  reset() { [this.low, this.high] = this.whole; }
}
