// Colours of charts: the tokens of the style sheet as numbers.

const TOKENS = [
  "bg", "surface", "sunken", "line", "line2", "ink", "ink2", "ink3", "accent", "cost", "read", "write", "ext",
  "h0", "h1", "h2", "h3", "h4", "h5",
];

const SHADES = 256;
const FAINTEST_MARK = 0.3;

/** Returns the current values of the tokens: `css` for strokes and fills, `rgb` for mixing,
 * `palettes` for pixels. */
export function readColours(host = document.body) {
  const probe = document.createElement("i");
  probe.style.display = "none";
  host.append(probe);
  const css = {};
  const rgb = {};
  for (const token of TOKENS) {
    probe.style.color = `var(--${token})`;
    css[token] = getComputedStyle(probe).color;
    rgb[token] = parseColour(css[token]);
  }
  probe.remove();
  const steps = [rgb.h0, rgb.h1, rgb.h2, rgb.h3, rgb.h4, rgb.h5];
  const table = (low) => Uint32Array.from({ length: SHADES }, (_, i) => packed(along(steps, low + ((1 - low) * i) / (SHADES - 1))));
  const palettes = {
    operation: { colours: Uint32Array.of(packed(rgb.read), packed(rgb.write)), isMixed: true },
    scale: { colours: table(0) },
    // Marks on an empty background: the smallest value is visible too.
    marks: { colours: table(FAINTEST_MARK) },
  };
  return { css, rgb, palettes };
}

/** Returns a colour as a pixel's number, without opacity. */
export function packed([r, g, b]) {
  return Math.round(r) | (Math.round(g) << 8) | (Math.round(b) << 16);
}

export function parseColour(text) {
  return (text.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
}

/** Returns the colour at a value from 0 to 1 of a scale. */
export function along(steps, value) {
  const at = Math.min(0.99999, Math.max(0, value)) * (steps.length - 1);
  const index = Math.floor(at);
  return mix(steps[index], steps[index + 1], at - index);
}

export function mix(a, b, share) {
  return [0, 1, 2].map((i) => a[i] + (b[i] - a[i]) * share);
}
