// Addresses within the page: `#t=6.35-11.65` is a part of the time, `r=0,16-31` with it are the ranks
// to look at, `#file=3` is one of the files.

import { pickWords, readPick } from "../chart/pick.js";

/** What an address asks for. */
export function readAddress(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const time = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(words.get("t") ?? "");
  const file = /^\d+$/.exec(words.get("file") ?? "");
  return { time: time && [Number(time[1]), Number(time[2])], ranks: readPick(words.get("r") ?? ""), file: file && Number(file[0]) };
}

/** The address of what a timeline shows; empty if that is all. */
export function writeAddress({ time, picked }) {
  const { low, high, isWhole } = time;
  const digits = Math.min(9, Math.max(3, 3 - Math.floor(Math.log10(high - low))));
  const parts = isWhole ? [] : [`t=${low.toFixed(digits)}-${high.toFixed(digits)}`];
  if (picked) parts.push(`r=${pickWords(picked)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Follows addresses, at first and whenever they change. */
export function followAddress({ timeline, space }) {
  const follow = () => {
    const { time, ranks, file } = readAddress(location.hash);
    if ((time || ranks) && timeline) {
      timeline.reset();
      if (ranks) timeline.pick(ranks);
      if (time) timeline.show(...time);
      document.getElementById("time").scrollIntoView();
    }
    if (file !== null && space) {
      space.open(file);
      document.getElementById("space").scrollIntoView();
    }
  };
  addEventListener("hashchange", follow);
  // A link to where the page is already changes nothing; it is followed all the same.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) follow();
  });
  follow();
}
