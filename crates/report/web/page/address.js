// Addresses within the page: `#t=6.35-11.65` is a part of the time, `#file=3` one of the files.

/** What an address asks for. */
export function readAddress(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const time = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(words.get("t") ?? "");
  const file = /^\d+$/.exec(words.get("file") ?? "");
  return { time: time && [Number(time[1]), Number(time[2])], file: file && Number(file[0]) };
}

/** Follows addresses, at first and whenever they change. */
export function followAddress({ timeline, space }) {
  const follow = () => {
    const { time, file } = readAddress(location.hash);
    if (time && timeline) {
      timeline.show(...time);
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
