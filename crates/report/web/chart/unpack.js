// Reads the data of a page: columns of whole numbers as variable-length integers, deflated together
// and written as base64.

/** Decodes base64 text and inflates it. */
export async function inflate(base64) {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns a function that decodes a column by its number. `sizes` has the count of values and of
 * bytes of each column. */
export function columnsOf(data, sizes) {
  let at = 0;
  const places = sizes.map(([count, length]) => {
    const place = { at, count };
    at += length;
    return place;
  });
  return (number) => decode(data, places[number].at, places[number].count);
}

/** Decodes `count` integers: seven bits per byte, the lowest first. The highest bit of a byte says
 * that more bytes follow. */
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

/** Decodes a number that may be negative: the lowest bit is its sign. */
export function unzigzag(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

/** Decodes a column of differences into its numbers. */
export function summed(steps) {
  let sum = 0;
  return steps.map((step) => (sum += unzigzag(step)));
}
