// The regions of a profile, as the charts need them.

import { columnsOf, inflate, summed } from "../chart/unpack.js";

/** Reads the data of the page. */
export async function readProfile() {
  const data = JSON.parse(document.getElementById("data").textContent);
  return profileOf(data, columnsOf(await inflate(document.getElementById("pack").textContent), data.columns));
}

/** Makes a forest of the regions: each knows the region above it and those below it. */
export function profileOf(data, column) {
  const { count } = data.ranks;
  const regions = data.regions.map((given, id) => ({ ...given, id, kids: [], parent: null, depth: 0 }));
  const roots = [];
  for (const [id, region] of regions.entries()) {
    const parent = regions[data.regions[id].parent] ?? null;
    region.parent = parent;
    region.depth = parent ? parent.depth + 1 : 0;
    (parent ? parent.kids : roots).push(region);
    let kept;
    Object.defineProperty(region, "byRank", { get: () => (kept ??= tableOf(data.regions[id], column, count)) });
  }
  const steps = data.steps.map((given) => stepsOf(given, column, regions));
  const nodes = data.nodes && { names: data.nodes.names, of: column(data.nodes.of) };
  const levels = regions.reduce((most, region) => Math.max(most, region.depth + 1), 1);
  return { ...data, regions, roots, steps, nodes, levels };
}

/** The figures of a region in each column of ranks, in seconds; NaN where no rank was there. */
function tableOf(given, column, count) {
  const nobody = () => new Float64Array(count);
  if (given.time === undefined) return { time: nobody(), own: nobody(), calls: nobody(), files: null };
  const unit = given.unit * 1e-9;
  const time = column(given.time).map((value) => (value > 0 ? (value - 1) * unit : NaN));
  const below = given.below === undefined ? null : column(given.below);
  const own = time.map((value, i) => value - (below ? below[i] * unit : 0));
  const files = given.fileTime === undefined ? null : column(given.fileTime).map((value) => value * unit);
  return { time, own, calls: summed(column(given.calls)), files };
}

function stepsOf(given, column, regions) {
  const seconds = (number) => (number === null ? null : column(number).map((value) => value * given.unit));
  return {
    ...given,
    region: regions[given.region],
    mean: seconds(given.mean),
    most: seconds(given.most),
    files: seconds(given.files),
    rank: given.rank === null ? null : column(given.rank),
  };
}

/** The names from the outermost region to this one. */
export function pathOf(region) {
  const names = [];
  for (let at = region; at; at = at.parent) names.unshift(at.name);
  return names;
}

/** Names a column of ranks. */
export function columnName({ ranks }, column) {
  const first = ranks.first + column * ranks.per;
  const last = Math.min(ranks.first + ranks.all, first + ranks.per) - 1;
  return first === last ? String(first) : `${first}–${last}`;
}

/** The columns in an order: by rank, or those with most time in a region first. */
export function orderOf({ ranks }, region, isByTime) {
  const order = Array.from({ length: ranks.count }, (_, i) => i);
  if (!isByTime) return order;
  const { time } = region.byRank;
  const value = (column) => (time[column] >= 0 ? time[column] : -1);
  return order.sort((a, b) => value(b) - value(a) || a - b);
}
