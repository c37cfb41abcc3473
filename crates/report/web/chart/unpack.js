// Data that a page carries: columns of whole numbers, each a row of variable-length integers, all of
// them deflated and written as base64.

/** Bytes of base64 text that was deflated. */
export async function inflate(base64) {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Columns by number; `sizes` has the numbers and bytes of each. */
export function columnsOf(data, sizes) {
  let at = 0;
  const places = sizes.map(([count, length]) => {
    const place = { at, count };
    at += length;
    return place;
  });
  return (number) => decode(data, places[number].at, places[number].count);
}

/** Reads seven bits per byte, the lowest first; the highest bit means that more follow. */
export function decode(data, at, count) {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let value = 0;
    let scale = 1;
    let byte;
    do {
      byte = data[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    values[i] = value;
  }
  return values;
}

/** A number that may be negative: the lowest bit is its sign. */
export function unzigzag(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

/** Turns differences back into numbers. */
export function summed(steps) {
  let sum = 0;
  return steps.map((step) => (sum += unzigzag(step)));
}
