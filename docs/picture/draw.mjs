// Draws the pictures of the README: `draw.mjs COMMAND REPORT PAGE DIRECTORY` makes terminal.svg of a
// command and the coloured text that it printed, and page.png of the charts of a page.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [command, report, page, directory] = process.argv.slice(2);

// A cell of the terminal, and the space around all of them.
const [WIDE, HIGH, MARGIN] = [8.4, 19, 20];
// Colours are those of the page's dark theme, by the codes of a terminal.
const [PAPER, INK, GREY, ACCENT] = ["#15191c", "#e8ebed", "#929ba2", "#62c4ce"];
const COLOURS = { 2: GREY, 31: "#f28b80", 32: "#62cb9f", 33: "#e0b24a", 36: ACCENT, 90: GREY };
// Blocks are drawn, because fonts leave gaps between them.
const BLOCKS = { "█": 1, "▓": 0.65, "▒": 0.4, "░": 0.2 };

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** A line with codes for colours, as pieces that each have one style. */
function pieces(line) {
  const found = [];
  let [column, colour, bold] = [0, INK, false];
  line.split(/\x1b\[([\d;]*)m/).forEach((part, i) => {
    if (i % 2 === 0) {
      for (const text of part.match(/ +|[█▓▒░]+|[▲◆○✓†]|[^ █▓▒░▲◆○✓†]+/g) ?? []) {
        if (text.trim()) found.push({ text, column, colour, bold });
        column += text.length;
      }
      return;
    }
    for (const code of part.split(";").map(Number)) {
      if (code === 0) [colour, bold] = [INK, false];
      else if (code === 1) bold = true;
      else if (COLOURS[code]) colour = COLOURS[code];
      else throw new Error(`no style for code ${code}`);
    }
  });
  return found;
}

/** One piece at its place, as wide as its cells in any font. */
function draw({ text, column, colour, bold }, row) {
  const [x, y, width] = [MARGIN + column * WIDE, MARGIN + row * HIGH, text.length * WIDE];
  const opacity = BLOCKS[text[0]];
  if (opacity) {
    return `<rect x="${x.toFixed(1)}" y="${y + 2}" width="${width.toFixed(1)}" height="${HIGH - 4}" fill="${colour}" opacity="${opacity}"/>`;
  }
  const weight = bold ? ' font-weight="700"' : "";
  return `<text x="${x.toFixed(1)}" y="${y + 14}" textLength="${width.toFixed(1)}" fill="${colour}"${weight}>${escape(text)}</text>`;
}

const lines = [`\x1b[36m$\x1b[0m ${command}`, ...readFileSync(report, "utf8").trimEnd().split("\n")].map(pieces);
const columns = Math.max(...lines.flat().map(({ text, column }) => column + text.length));
const [width, height] = [columns * WIDE + 2 * MARGIN, lines.length * HIGH + 2 * MARGIN].map(Math.ceil);
writeFileSync(join(directory, "terminal.svg"), `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>What ioglass prints after a run</title>
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" lengthAdjust="spacingAndGlyphs">
${lines.flatMap((line, row) => line.map((piece) => draw(piece, row))).join("\n")}
</g>
</svg>
`);

// The page is as wide and high as the terminal looks beside it.
const steps = [
  { act: "open", url: `file://${resolve(page)}`, width: 1000, height: Math.round((1000 * height) / width), scale: 1.5 },
  { act: "evaluate", expression: "scrollTo(0, document.querySelector('#time').getBoundingClientRect().top - 60)" },
  { act: "shot", path: join(directory, "page.png") },
];
const browser = join(import.meta.dirname, "../../tests/pages/browser.mjs");
const run = spawnSync("node", [browser, "chromium"], { input: JSON.stringify(steps), encoding: "utf8" });
if (run.status !== 0) throw new Error(run.stderr);
