// Starts the page of a profile: connects its controls and draws its charts.

import { liveBar, liveCards, livePrint, liveTables, liveWidths } from "../page/controls.js";
import { watchTheme } from "../page/theme.js";
import { useTip } from "../chart/tip.js";
import { makeProfile } from "./page.js";

let redraw = () => {};
useTip(document.getElementById("tip"));
watchTheme(document.getElementById("theme"), () => redraw());
liveCards();
liveTables();
liveWidths();
liveBar();
if (document.getElementById("data")) {
  redraw = await makeProfile();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) redraw();
    width = innerWidth;
  });
  addEventListener("toggle", redraw, true);
}
livePrint();
document.body.dataset.ready = "1";
