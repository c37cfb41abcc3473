// Starts the page of a search: connects its controls and draws its charts.

import { liveBar, liveCards, liveList, livePrint, liveTables, liveWidths } from "../page/controls.js";
import { watchTheme } from "../page/theme.js";
import { useTip } from "../chart/tip.js";
import { drawLayers, drawRatios, drawRounds } from "./proof.js";
import { drawEffects, drawSearch, effectEnds } from "./search.js";

const TRIALS = "trials";

useTip(document.getElementById("tip"));
// The charts take their colours from the style sheet, so a new theme needs no new drawing.
watchTheme(document.getElementById("theme"), () => {});
liveCards();
liveList(TRIALS, [1, 5, 6]);
liveTables();
liveWidths();
liveBar();
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
let chosen = null;

/** Picks a run out, in the chart and in the table. */
function pick(n) {
  chosen = n;
  drawSearch(at("search-chart"), data, chosen, pick);
  for (const row of at("trials-table").tBodies[0].rows) {
    const isIt = Number(row.dataset.n) === n;
    row.classList.toggle("sel", isIt);
    // Only the table is moved: the reader stays where they are.
    const box = row.closest(".tw");
    if (isIt) box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }
}

function redraw() {
  if (at("rounds-chart")) drawRounds(at("rounds-chart"), data);
  if (at("ratios-chart")) drawRatios(at("ratios-chart"), data);
  if (at("layers-chart")) drawLayers(at("layers-chart"), data);
  if (at("search-chart")) drawSearch(at("search-chart"), data, chosen, pick);
  const ends = effectEnds(data.parameters);
  data.parameters.forEach((parameter, i) => {
    if (at(`effect-${i}`)) drawEffects(at(`effect-${i}`), parameter.rows, ends, parameter.name);
  });
}

at("trials-table")?.tBodies[0].addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-n]");
  if (row) pick(Number(row.dataset.n));
});
redraw();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) redraw();
  width = innerWidth;
});
livePrint();
document.body.dataset.ready = "1";
