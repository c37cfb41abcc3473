// The tip at the pointer: a name in bold, then lines.

let bubble;
/** Scroll position of the page when the tip was shown. */
let shownAt = 0;
/** Scrolling by more pixels than this hides the tip. */
const AWAY = 8;

export function useTip(element) { bubble = element; }

/** Shows lines near a place on the screen; hides them if there are none. */
export function tip(at, lines) {
  if (!lines?.length) {
    bubble.style.display = "none";
    return;
  }
  const name = document.createElement("b");
  name.textContent = lines[0];
  bubble.replaceChildren(name, lines.slice(1).map((line) => `\n${line}`).join(""));
  bubble.style.display = "block";
  shownAt = scrollY;
  const { width, height } = bubble.getBoundingClientRect();
  const below = at.clientY + height + 24 <= innerHeight;
  bubble.style.left = `${Math.max(4, Math.min(innerWidth - width - 8, at.clientX + 14))}px`;
  bubble.style.top = `${Math.max(4, below ? at.clientY + 16 : at.clientY - height - 10)}px`;
}

/** Shows a tip under the pointer, or under a finger that taps; `lines` gives its text for an event. */
export function tellOf(canvas, lines) {
  const isTouch = (event) => event.pointerType === "touch";
  canvas.addEventListener("pointermove", (event) => { if (!isTouch(event)) tip(event, lines(event)); });
  canvas.addEventListener("pointerup", (event) => { if (isTouch(event)) tip(event, lines(event)); });
  canvas.addEventListener("pointerleave", (event) => { if (!isTouch(event)) tip(event); });
  hideTipElsewhere(canvas);
}

/** Hides the tip of a tap when another place is touched or the page is scrolled. */
export function hideTipElsewhere(canvas) {
  document.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch" && event.target !== canvas) tip(); });
  addEventListener("scroll", () => { if (Math.abs(scrollY - shownAt) > AWAY) tip(); }, { passive: true });
}
