// The selected region rank by rank, and all regions by rank.

import { Bars } from "../chart/bars.js";
import { mapMargins, Matrix } from "../chart/matrix.js";
import { counted, duration, percent, thousands } from "../chart/numbers.js";
import { choose } from "../page/controls.js";
import { columnName, orderOf } from "./model.js";

/** Rows of the heat map. */
const MOST_ROWS = 40;
/** Share of the run from which the time between the parts of a region is shown. */
const LITTLE = 0.01;
const RANKS_TALL = 128;

const named = (id) => document.getElementById(id);

export class RanksPart {
  constructor(profile, { selected }) {
    Object.assign(this, { profile, isByMean: true, isByTime: false, region: profile.regions[0] });
    // Those with most time of their own, in the order of the tree. Regions that only hold others are
    // left out.
    const isWork = ({ kids, itself }) => itself > 0 && (!kids.length || itself >= LITTLE * profile.seconds);
    const kept = new Set(profile.regions.filter(isWork).sort((a, b) => b.itself - a.itself).slice(0, MOST_ROWS));
    this.listed = profile.regions.filter((region) => kept.has(region));
    const rest = profile.regions.length - this.listed.length;
    if (rest > 0) {
      named("matrix-rest").hidden = false;
      named("matrix-rest").textContent = `The ${counted(rest, "region")} with the least time of their own ${rest === 1 ? "is" : "are"} not in the map.`;
    }
    this.matrix = new Matrix(named("matrix"), {
      lines: (row, column) => this.cellLines(row.region, column === null ? null : this.order[column]),
      opened: (row) => selected(row.region),
    });
    this.bars = new Bars(named("ranks-bars"), { count: 1, parts: [{ colour: "h3", values: [0] }], label: () => "", lines: () => null });
    this.table = named("ranks-table");
    this.table.addEventListener("toggle", () => this.fillTable());
    for (const [id, set] of [["matrix-scale", (v) => { this.isByMean = v === "mean"; }], ["matrix-order", (v) => { this.isByTime = v === "time"; }]]) {
      const buttons = [...document.querySelectorAll(`#${id} button`)];
      for (const button of buttons) {
        button.addEventListener("click", () => {
          choose(buttons, "aria-pressed", button);
          set(button.dataset.v);
          this.draw();
        });
      }
    }
  }

  set colours(colours) { this.matrix.colours = this.bars.colours = colours; }

  choose(region) {
    this.region = region;
    this.draw();
  }

  who(column) {
    const { profile } = this;
    const name = `${profile.ranks.per > 1 ? profile.whose : profile.who} ${columnName(profile, column)}`;
    const node = profile.nodes?.names[profile.nodes.of[column] - 1];
    return node ? `${name}, ${node}` : name;
  }

  cellLines(region, column) {
    if (column === null) return [region.name, `itself ${duration(region.itself)} per ${this.profile.who}`];
    const { own, time, calls, files } = region.byRank;
    const head = `${region.name}, ${this.who(column)}`;
    if (!(time[column] >= 0)) return [head, "never there: no row, not zero"];
    const slowest = this.profile.ranks.per > 1 ? ", the slowest of them" : "";
    return [
      head,
      `itself ${duration(own[column])}, with children ${duration(time[column])}${slowest}`,
      `${counted(calls[column], "visit")}${files?.[column] > 0 ? `, ${duration(files[column])} in file calls` : ""}`,
    ];
  }

  draw() {
    if (!this.matrix.colours) return;
    const { profile, region } = this;
    const order = orderOf(profile, region, this.isByTime);
    this.order = order;
    this.drawBars(order);
    const arranged = (values) => Float64Array.from(order, (column) => values[column]);
    const largest = this.listed.reduce((most, one) => one.byRank.own.reduce((a, b) => (b > a ? b : a), most), 0);
    const rows = this.listed.map((one, at) => ({
      region: one,
      name: one.name,
      values: arranged(one.byRank.own),
      full: this.isByMean ? (2 * one.itself * profile.ranks.all) / Math.max(1, one.there) : largest,
      mean: one.itself,
      words: duration(one.itself),
      at,
    }));
    this.matrix.show({
      rows,
      columns: order.length,
      chosen: this.listed.indexOf(region),
      label: (column) => `${column ? "" : `${profile.who} `}${columnName(profile, column)}`,
      foot: this.isByTime ? `${profile.whose} by seconds in ${region.name}, the slowest at the left` : "",
    });
    named("ramp-end").textContent = this.isByMean ? "twice the region’s mean, or more" : duration(largest);
    this.fillTable();
  }

  drawBars(order) {
    const { profile, region } = this;
    const { time, files } = region.byRank;
    const value = (column) => (time[column] >= 0 ? time[column] : 0);
    const inFiles = (column) => (files ? Math.min(files[column], value(column)) : 0);
    const parts = [
      ...(files ? [{ colour: "write", values: order.map(inFiles) }] : []),
      { colour: "h3", values: order.map((column) => value(column) - inFiles(column)) },
    ];
    const [, mean] = region.over ?? [0, 0];
    this.bars.show({
      count: order.length,
      parts,
      mean,
      height: RANKS_TALL,
      margins: mapMargins,
      widest: Infinity,
      label: (bar) => (this.isByTime && bar ? "" : `${bar ? "" : `${profile.who} `}${columnName(profile, order[bar])}`),
      lines: (bar) => this.barLines(order[bar]),
    });
    const title = named("ranks-title");
    const small = document.createElement("small");
    const words = [`seconds on each ${profile.who}, children included`, "dashed: the mean"];
    if (files) words.push("orange: in file calls");
    small.textContent = words.join("; ");
    title.replaceChildren(`${region.name} `, small);
  }

  barLines(column) {
    const { time } = this.region.byRank;
    const lines = this.cellLines(this.region, column);
    const [, mean] = this.region.over ?? [0, 0];
    if (time[column] >= 0 && mean > 0) lines.push(`${signed(time[column] / mean - 1)} against the mean of ${duration(mean)}`);
    return lines;
  }

  /** Fills the table, if it is open. */
  fillTable() {
    if (!this.table.open) return;
    const { profile, region } = this;
    const { time, own, calls, files } = region.byRank;
    const [, mean] = region.over ?? [0, 0];
    const hasNodes = Boolean(profile.nodes);
    const heads = [profile.who === "rank" ? "Rank" : "Process", ...(hasNodes ? ["Node"] : []), "Visits", "Seconds", "Itself", "Against the mean", ...(files ? ["In file calls"] : []), ""];
    const isWords = (i) => heads[i] === "Node" || heads[i] === "";
    const cell = (tag, words, i, value) => {
      const element = document.createElement(tag);
      element.textContent = words;
      if (!isWords(i)) element.className = "n";
      if (value !== undefined) element.dataset.v = String(value);
      return element;
    };
    const head = document.createElement("tr");
    head.append(...heads.map((words, i) => cell("th", words, i)));
    const rows = this.order.map((column) => {
      const row = document.createElement("tr");
      const isThere = time[column] >= 0;
      const node = profile.nodes?.names[profile.nodes.of[column] - 1] ?? "";
      const words = [columnName(profile, column), ...(hasNodes ? [node] : [])];
      if (isThere) {
        words.push(thousands(calls[column]), duration(time[column]), duration(own[column]), mean > 0 ? signed(time[column] / mean - 1) : "");
        if (files) words.push(files[column] > 0 ? duration(files[column]) : "");
      } else {
        words.push("never there");
        row.className = "z";
      }
      row.append(...words.map((one, i) => cell("td", one, i)));
      if (isThere) row.append(document.createElement("td"));
      return row;
    });
    const table = this.table.querySelector("table");
    const [thead, tbody] = ["thead", "tbody"].map((tag) => document.createElement(tag));
    thead.append(head);
    tbody.append(...rows);
    table.replaceChildren(thead, tbody);
  }
}

/** Writes a share with its sign. */
export function signed(share) {
  return `${share < 0 ? "−" : "+"}${percent(Math.abs(share))}`;
}
