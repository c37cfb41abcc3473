// Addresses within the page. An address names the view of both charts: `#t=6.35-11.65` is a part of
// the time, `r=0,16-31` are the ranks, `file=3` is one of the files, `way=read` is the direction,
// `lane=POSIX` is the interface, `down=time` is the vertical axis, `o=0-4096` is a range of
// offsets.

import { pickWords, readPick } from "../chart/pick.js";

/** Returns the view that an address names. `first` is the chart that it names first, or null. */
export function readAddress(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const get = (key, pattern) => pattern.exec(words.get(key) ?? "");
  const time = get("t", /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/);
  const bytes = get("o", /^(\d+)-(\d+)$/);
  const ranks = readPick(words.get("r") ?? "");
  const file = get("file", /^\d+$/);
  const space = file && {
    file: Number(file[0]),
    way: get("way", /^(read|write)$/)?.[0] ?? null,
    lane: words.get("lane"),
    down: words.get("down") === "time" ? "time" : "rank",
    bytes: bytes && [Number(bytes[1]), Number(bytes[2])],
  };
  const isTime = time || ranks;
  const isSpaceFirst = space && (!isTime || words.keys().next().value === "file");
  return { time: time && [Number(time[1]), Number(time[2])], ranks, space, first: isSpaceFirst ? "space" : isTime ? "time" : null };
}

/** Returns the address of the view of both charts. It is empty if they show everything. */
export function writeAddress({ timeline, space }, isSpaceFirst = false) {
  const of = [timeline ? timeParts(timeline) : [], space ? spaceParts(space) : []];
  if (isSpaceFirst) of.reverse();
  const parts = of.flat();
  return parts.length ? `#${parts.join("&")}` : "";
}

function timeParts({ time, picked }) {
  const { low, high, isWhole } = time;
  const digits = Math.min(9, Math.max(3, 3 - Math.floor(Math.log10(high - low))));
  const parts = isWhole ? [] : [`t=${low.toFixed(digits)}-${high.toFixed(digits)}`];
  if (picked) parts.push(`r=${pickWords(picked)}`);
  return parts;
}

function spaceParts({ offsets, place }) {
  if (place.isFirst && offsets.isWhole) return [];
  const parts = [`file=${place.file}`, `way=${place.way}`, `lane=${encodeURIComponent(place.lane)}`];
  if (place.down === "time") parts.push("down=time");
  if (!offsets.isWhole) parts.push(`o=${Math.floor(offsets.low)}-${Math.ceil(offsets.high)}`);
  return parts;
}

/** Shows the view that an address names, and keeps the address up to date. */
export function followAddress({ timeline, space }) {
  let isFollowing = false;
  let isSpaceFirst = false;
  const follow = () => {
    const wanted = readAddress(location.hash);
    // The address of a section does not change the charts. An empty address resets them.
    if (!wanted.first && location.hash.length > 1) return;
    isFollowing = true;
    timeline?.reset();
    if (wanted.ranks) timeline?.pick(wanted.ranks);
    if (wanted.time) timeline?.show(...wanted.time);
    space?.open(wanted.space);
    isFollowing = false;
    isSpaceFirst = wanted.first === "space";
    if (wanted.first) document.getElementById(wanted.first)?.scrollIntoView();
  };
  let pending;
  const remember = (isSpace) => {
    if (isFollowing) return;
    isSpaceFirst = isSpace;
    clearTimeout(pending);
    pending = setTimeout(() => {
      const words = writeAddress({ timeline, space }, isSpaceFirst);
      // Charts that show everything have no address, so the address of a section stays.
      if (words === location.hash || (!words && !readAddress(location.hash).first)) return;
      try {
        history.replaceState(null, "", words || location.pathname + location.search);
      } catch {
        // Some browsers forbid this for local files. The address then stays as it is.
      }
    }, 250);
  };
  if (timeline) timeline.changed = () => remember(false);
  if (space) space.changed = () => remember(true);
  addEventListener("hashchange", () => { clearTimeout(pending); follow(); });
  // A link to the current address fires no event, so it is followed here.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) follow();
  });
  if (location.hash) follow();
}
