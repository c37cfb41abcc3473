// Addresses within the page: `#region=12` is a region, `ranks=12` shows its ranks, `steps=4` the
// iterations of a region, and `i=120-160` a part of them.

/** Returns what an address names. */
export function readPlace(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (key) => (/^\d{1,9}$/.test(words.get(key) ?? "") ? Number(words.get(key)) : null);
  const part = /^(\d{1,15})-(\d{1,15})$/.exec(words.get("i") ?? "");
  const ranks = number("ranks");
  return {
    region: number("region") ?? ranks,
    steps: number("steps"),
    iterations: part && [Number(part[1]), Number(part[2])],
    section: words.has("ranks") ? "ranks" : words.has("region") ? "flame" : words.has("steps") ? "iterations" : null,
  };
}

/** Returns the address of what is shown; it is empty if nothing was chosen. */
export function writePlace({ region, steps, iterations }) {
  const parts = [];
  if (region !== null) parts.push(`region=${region}`);
  if (steps !== null) parts.push(`steps=${steps}`);
  if (iterations) parts.push(`i=${iterations.join("-")}`);
  return parts.length ? `#${parts.join("&")}` : "";
}
