// Starts the page of a comparison: connects its controls and draws its charts.

import { liveBar, livePrint, liveTables, liveWidths } from "../page/controls.js";
import { watchTheme } from "../page/theme.js";
import { useTip } from "../chart/tip.js";
import { drawRatio, drawRuns } from "./draw.js";

useTip(document.getElementById("tip"));
// The charts take their colours from the style sheet, so a new theme needs no new drawing.
watchTheme(document.getElementById("theme"), () => {});
liveTables();
liveWidths();
liveBar();
const source = document.getElementById("data");
if (source) {
  const data = JSON.parse(source.textContent);
  const redraw = () => {
    drawRuns(document.getElementById("dots"), data.sides);
    drawRatio(document.getElementById("interval"), data.ratio);
  };
  redraw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) redraw();
    width = innerWidth;
  });
}
livePrint();
document.body.dataset.ready = "1";
