// Pointer, wheel and keys. They work the same in every chart.
//
// A chart has `zoneAt`, which returns the zone of a point, and `hit`, which returns the tip of a
// point. Its actions are `select` (a box), `pan` (by a share of the view), `zoom` (by a factor,
// around a share of the view) and `reset`. One finger pans, two fingers zoom, and a tap shows the
// tip.

import { hideTipElsewhere, tip } from "./tip.js";

/** Length in pixels from which a movement is a drag. */
const MEANT = 4;
const STEP = 0.15;
/** Share of the view that remains after zooming in by one step. */
export const CLOSER = 0.7;

export function useGestures(canvas, chart) {
  let drag = null;
  const fingers = new Map();
  let pinch = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  /** Returns the distance of two fingers, and their middle. */
  const spanned = () => {
    const [[x1, y1], [x2, y2]] = [...fingers.values()];
    return { wide: Math.max(1, Math.hypot(x2 - x1, y2 - y1)), x: (x1 + x2) / 2 };
  };
  hideTipElsewhere(canvas);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const [x, y] = place(event);
    if (event.pointerType === "touch") {
      fingers.set(event.pointerId, [x, y]);
      if (fingers.size === 2) {
        canvas.setPointerCapture(event.pointerId);
        pinch = spanned();
        drag = null;
        tip(event);
        return;
      }
    }
    const zone = chart.zoneAt(x, y);
    if (!zone) return;
    const moves = zone === "overview" || chart.drags === "pan" || event.shiftKey || event.pointerType === "touch";
    drag = { x, y, last: x, kind: zone === "overview" ? "overview" : moves ? "pan" : "select" };
    canvas.setPointerCapture(event.pointerId);
    tip(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
    if (pinch && fingers.size === 2) {
      const now = spanned();
      chart.zoom(pinch.wide / now.wide, chart.shareAt(now.x));
      chart.move(pinch.x - now.x, false);
      pinch = now;
      return;
    }
    if (!drag) {
      if (event.pointerType === "touch") return;
      tip(event, chart.hit(x, y));
      const zone = chart.zoneAt(x, y);
      canvas.style.cursor = zone === "overview" || (zone && chart.drags === "pan") ? "grab" : zone ? "crosshair" : "default";
      return;
    }
    if (drag.kind === "select") {
      chart.selecting?.(drag.x, drag.y, x, y);
    } else {
      chart.move(drag.last - x, drag.kind === "overview");
      drag.last = x;
    }
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size < 2) pinch = null;
  };
  const stop = (event) => {
    lift(event);
    if (!drag) return;
    const [x, y] = place(event);
    const { kind, x: from, y: above } = drag;
    drag = null;
    const isTap = event.pointerType === "touch" && Math.hypot(x - from, y - above) <= 2 * MEANT;
    if (isTap) tip(event, chart.hit(x, y));
    if (kind === "select") chart.select(from, above, x, y, Math.abs(x - from) > MEANT || Math.abs(y - above) > 4 * MEANT);
  };
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", (event) => { lift(event); drag = null; chart.select(0, 0, 0, 0, false); });
  // The tip of a tap stays when the finger is lifted.
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") tip(event); });
  canvas.addEventListener("dblclick", () => chart.reset());
  canvas.addEventListener("wheel", (event) => {
    const [x] = place(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      chart.zoom(Math.exp(event.deltaY * 0.004), chart.shareAt(x));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      chart.move(event.deltaX, false);
    }
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const acts = {
      ArrowLeft: () => chart.pan(-STEP),
      ArrowRight: () => chart.pan(STEP),
      ArrowUp: () => chart.panRows?.(-STEP),
      ArrowDown: () => chart.panRows?.(STEP),
      "+": () => chart.zoom(CLOSER, 0.5),
      "=": () => chart.zoom(CLOSER, 0.5),
      "-": () => chart.zoom(1 / CLOSER, 0.5),
      0: () => chart.reset(),
      Escape: () => chart.reset(),
    };
    const act = acts[event.key];
    const isRows = event.key === "ArrowUp" || event.key === "ArrowDown";
    if (!act || event.altKey || event.ctrlKey || event.metaKey || (isRows && !chart.panRows)) return;
    event.preventDefault();
    act();
  });
}
