// The pixels that overlapping boxes cover. Only the corners of a box are stored, and they are added
// up at the end. So the time for a box does not depend on its size.

import { packed } from "./colours.js";

export class Boxes {
  constructor(width, height) {
    Object.assign(this, { width, height });
    this.stride = width + 1;
    this.corners = new Int32Array(this.stride * (height + 1));
  }

  /** Adds a box. It covers whole pixels, at least one, and is cut off at the borders. */
  add(x1, y1, x2, y2) {
    if (x2 < 0 || y2 < 0 || x1 >= this.width || y1 >= this.height) return;
    const [left, top] = [Math.max(0, Math.floor(x1)), Math.max(0, Math.floor(y1))];
    const right = Math.min(this.width, Math.max(left + 1, Math.round(x2)));
    const below = Math.min(this.height, Math.max(top + 1, Math.round(y2)));
    const { corners, stride } = this;
    corners[top * stride + left] += 1;
    corners[top * stride + right] -= 1;
    corners[below * stride + left] -= 1;
    corners[below * stride + right] += 1;
  }

  /** Gives each covered pixel this colour. */
  paint(data, colour) {
    const { width, height, stride, corners } = this;
    const above = new Int32Array(width);
    for (let y = 0; y < height; y++) {
      let level = 0;
      for (let x = 0; x < width; x++) {
        level += corners[y * stride + x];
        above[x] += level;
        if (above[x] > 0) data[y * width + x] = colour;
      }
    }
  }
}

/** Returns the pixels of several layers of boxes, each with its colour, the last on top. */
export function layered(layers) {
  const [{ width, height }] = layers[0];
  const data = new Uint32Array(width * height);
  for (const [boxes, colour] of layers) boxes.paint(data, packed(colour) | (255 << 24));
  return new Uint8ClampedArray(data.buffer);
}
