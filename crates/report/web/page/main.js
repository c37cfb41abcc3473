// Starts the page: connects its controls and draws its charts.

import { followAddress } from "./address.js";
import { makeCharts } from "./charts.js";
import { liveBar, liveCards, liveChecks, liveFiles, livePrint, liveTables, liveWidths } from "./controls.js";
import { watchTheme } from "./theme.js";
import { useTip } from "../chart/tip.js";

let redraw = () => {};
useTip(document.getElementById("tip"));
watchTheme(document.getElementById("theme"), () => redraw());
liveCards();
liveChecks();
liveFiles();
liveTables();
liveWidths();
liveBar();
if (document.getElementById("data")) {
  const charts = await makeCharts();
  redraw = charts.redraw;
  redraw();
  followAddress(charts);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) redraw();
    width = innerWidth;
  });
  addEventListener("toggle", redraw, true);
}
// This comes last: tables of charts must be made before they are opened for printing.
livePrint();
document.body.dataset.ready = "1";
