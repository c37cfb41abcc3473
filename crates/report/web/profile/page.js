// Connects the parts of the page: what is selected in one is selected in all, and the address says
// so.

import { readColours } from "../chart/colours.js";
import { readPlace, writePlace } from "./address.js";
import { FlamePart } from "./flame.js";
import { readProfile } from "./model.js";
import { RanksPart } from "./ranks.js";
import { StepsPart } from "./steps.js";
import { Tree } from "./tree.js";

/** Makes all parts. Returns a function that redraws them. */
export async function makeProfile() {
  const profile = await readProfile();
  let selection = null;
  let isFollowing = true;
  const remember = () => {
    if (isFollowing) return;
    const words = writePlace({
      region: selection?.id ?? null,
      steps: steps?.isChosen || steps?.view ? steps.steps.region.id : null,
      iterations: steps?.view ?? null,
    });
    try {
      history.replaceState(null, "", words || location.pathname + location.search);
    } catch {
      // Some browsers forbid this for local files. The address then stays as it is.
    }
  };
  const select = (region) => {
    selection = region;
    flame.choose(region);
    tree.choose(region);
    ranks?.choose(region);
    remember();
  };
  const flame = new FlamePart(profile, {
    selected: select,
    searched: (query, first) => {
      tree.find(query);
      if (first) select(first);
    },
  });
  const tree = new Tree(profile, {
    selected: select,
    entered: (region) => { select(region); flame.show(region); },
    left: () => flame.back(),
  });
  const ranks = document.getElementById("matrix") && new RanksPart(profile, { selected: select });
  const steps = profile.steps.length ? new StepsPart(profile, { changed: () => remember() }) : null;
  const redraw = () => {
    const colours = readColours();
    flame.chart.colours = colours;
    flame.chart.draw();
    for (const part of [ranks, steps].filter(Boolean)) {
      part.colours = colours;
      part.draw();
    }
  };
  const follow = () => {
    const place = readPlace(location.hash);
    if (!place.section) return;
    isFollowing = true;
    const region = profile.regions[place.region];
    if (region) select(region);
    if (steps && place.steps !== null) steps.open(profile.regions[place.steps], place.iterations);
    isFollowing = false;
    document.getElementById(place.section)?.scrollIntoView();
  };
  // At first the region with most time of its own is selected; the address does not say so.
  const first = profile.regions.reduce((most, region) => (region.itself > most.itself ? region : most), profile.regions[0]);
  redraw();
  flame.choose(first);
  tree.choose(first);
  ranks?.choose(first);
  isFollowing = false;
  addEventListener("hashchange", follow);
  // A link to the current address fires no event, so it is followed here.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) follow();
  });
  if (location.hash) follow();
  return redraw;
}
