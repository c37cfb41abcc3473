// Brings the page to life.

import { watchTheme } from "./theme.js";
import { liveBar, liveCards, liveChecks, liveFiles } from "./controls.js";

watchTheme(document.querySelector("#theme"), () => {});
liveCards();
liveChecks();
liveFiles();
liveBar();
document.body.dataset.ready = "1";
