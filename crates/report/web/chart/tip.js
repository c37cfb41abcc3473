// The tip at the pointer: a name in bold, followed by lines of text.

let bubble;
/** Scroll position of the page when the tip appeared. */
let shownAt = 0;
/** Distance in pixels; scrolling further hides the tip. */
const AWAY = 8;

export function useTip(element) { bubble = element; }

/** Shows these lines near a place on the screen. Without lines it hides the tip. */
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

/** Shows a tip at the pointer, or at a finger that taps. `lines` returns its text for an event. */
export function tellOf(canvas, lines) {
  const isTouch = (event) => event.pointerType === "touch";
  canvas.addEventListener("pointermove", (event) => { if (!isTouch(event)) tip(event, lines(event)); });
  canvas.addEventListener("pointerup", (event) => { if (isTouch(event)) tip(event, lines(event)); });
  canvas.addEventListener("pointerleave", (event) => { if (!isTouch(event)) tip(event); });
  hideTipElsewhere(canvas);
}

/** Hides the tip when another place is touched or the page is scrolled. */
export function hideTipElsewhere(canvas) {
  document.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch" && event.target !== canvas) tip(); });
  addEventListener("scroll", () => { if (Math.abs(scrollY - shownAt) > AWAY) tip(); }, { passive: true });
}
