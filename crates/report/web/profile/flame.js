// The flame graph and the controls around it.

import { Flame, isWithin } from "../chart/flame.js";
import { bytes, counted, duration, percent, thousands } from "../chart/numbers.js";
import { choose } from "../page/controls.js";
import { columnName, pathOf } from "./model.js";

const byId = (id) => document.getElementById(id);

const WORK = [
  ["computing", "accent", "computing"],
  ["waiting", "ink3", "waiting and messages"],
  ["files", "write", "reading and writing files"],
  ["inner", "line2", "has regions below it"],
];
const TOKEN = Object.fromEntries(WORK.map(([work, token]) => [work, token]));

export class FlamePart {
  constructor(profile, { selected, searched }) {
    Object.assign(this, { profile, searched, colour: "work", rank: -1, query: "" });
    this.chart = new Flame(byId("icicle"), {
      roots: profile.roots,
      levels: profile.levels,
      value: (region) => this.value(region),
      shade: (region) => this.shade(region),
      lines: (region) => this.lines(region),
      isHit: (region) => this.isHit(region),
      selected,
      focused: () => this.update(),
    });
    this.listen();
    this.update();
  }

  value(region) {
    if (this.rank < 0) return region.seconds;
    const time = region.byRank.time[this.rank];
    return time >= 0 ? time : 0;
  }

  own(region) {
    if (this.rank < 0) return region.itself;
    const own = region.byRank.own[this.rank];
    return own >= 0 ? own : 0;
  }

  shade(region) {
    if (this.colour === "files") {
      const files = this.rank < 0 ? region.files?.[0] ?? 0 : region.byRank.files?.[this.rank] ?? 0;
      return this.value(region) > 0 ? Math.min(1, files / this.value(region)) : 0;
    }
    if (this.colour === "uneven") return Math.min(1, region.uneven ?? 0);
    return TOKEN[region.work];
  }

  isHit(region) { return !this.query || region.name.toLowerCase().includes(this.query); }

  whole() { return this.profile.roots.reduce((sum, region) => sum + this.value(region), 0); }

  /** Of what shares are told. */
  ofWhat() {
    return this.rank < 0 ? "the run" : `${this.profile.who} ${columnName(this.profile, this.rank)}`;
  }

  /** The tip of a region. */
  lines(region) {
    const { profile } = this;
    const whole = this.rank < 0 ? profile.seconds : this.whole();
    const value = this.value(region);
    const share = whole > 0 ? `, ${percent(value / whole)} of ${this.ofWhat()}` : "";
    const lines = [region.name];
    const above = pathOf(region).slice(0, -1).slice(-6).join(" › ");
    if (above || region.place) lines.push([above && `in ${above}`, region.place].filter(Boolean).join(", "));
    lines.push(`${duration(value)}${share}; itself ${duration(this.own(region))}`);
    const ranks = profile.ranks.all > 1 ? ` on ${thousands(region.there)} of ${counted(profile.ranks.all, profile.who, profile.whose)}` : "";
    lines.push(`${counted(region.visits, "visit")}${ranks}`);
    if (region.over && region.there > 1) {
      const [fastest, , slowest, who] = region.over;
      lines.push(`${duration(fastest)} to ${duration(slowest)} (${profile.who} ${who})${region.uneven === null ? "" : `, uneven ${percent(region.uneven)}`}`);
    }
    if (region.files) {
      const [seconds, read, written] = region.files;
      const moved = [written && `${bytes(written)} written`, read && `${bytes(read)} read`].filter(Boolean);
      lines.push([`in file calls ${duration(seconds)}`, ...moved].join(", "));
    }
    return lines;
  }

  choose(region) { this.chart.choose(region); }

  /** Fills the width with a region, or with what is around it. */
  show(region) { this.chart.show(region.kids.length ? region : region.parent); }

  back() { this.chart.show(this.chart.focus?.parent ?? null); }

  update() {
    const { chart } = this;
    byId("flame-reset").disabled = !chart.focus && !this.query && this.rank < 0;
    const crumb = byId("crumb");
    const steps = [];
    for (let at = chart.focus; at; at = at.parent) steps.unshift(at);
    const link = (words, target) => {
      const button = document.createElement("button");
      button.textContent = words;
      button.addEventListener("click", () => chart.show(target));
      return button;
    };
    const parts = [];
    if (steps.length) parts.push(link("all", null), "›");
    // Of a very deep path the outermost and the innermost are told.
    const told = steps.length > 8 ? [...steps.slice(0, 2), null, ...steps.slice(-5)] : steps;
    for (const [i, region] of told.entries()) {
      if (!region) parts.push("…", "›");
      else if (i < told.length - 1) parts.push(link(region.name, region), "›");
      else parts.push(Object.assign(document.createElement("b"), { textContent: region.name }));
    }
    if (!steps.length) parts.push(Object.assign(document.createElement("b"), { textContent: "all regions" }));
    const value = chart.focus ? this.value(chart.focus) : this.whole();
    const whole = this.rank < 0 ? this.profile.seconds : this.whole();
    const words = document.createElement("span");
    words.textContent = `${duration(value)}${whole > 0 ? `, ${percent(value / whole)} of ${this.ofWhat()}` : ""}`;
    crumb.replaceChildren(...parts, words);
    this.key();
  }

  key() {
    const item = (...parts) => {
      const span = document.createElement("span");
      span.append(...parts);
      return span;
    };
    const swatch = (name) => Object.assign(document.createElement("i"), { className: name });
    if (this.colour === "work") {
      const used = WORK.filter(([work]) => this.profile.regions.some((region) => region.work === work));
      byId("flame-key").replaceChildren(...used.map(([work, , words]) => item(swatch(`k-${work}`), words)));
      return;
    }
    const [low, high] = this.colour === "files" ? ["0 %", "100 % of its time in file calls"] : ["even", `the slowest ${this.profile.who} takes twice the mean, or more`];
    byId("flame-key").replaceChildren(item(low, swatch("ramp"), high));
  }

  search(words) {
    this.query = words.trim().toLowerCase();
    const found = this.query ? this.profile.regions.filter((region) => this.isHit(region)) : [];
    const isOutermost = (region) => !found.some((other) => other !== region && isWithin(region, other));
    const seconds = found.length <= 200 ? found.filter(isOutermost).reduce((sum, region) => sum + region.seconds, 0) : null;
    const share = seconds !== null && this.profile.seconds > 0 ? `, ${duration(seconds)}, ${percent(seconds / this.profile.seconds)}` : "";
    byId("found").textContent = !this.query ? "" : found.length ? `${counted(found.length, "region")}${share}` : "no region has that name";
    this.chart.focus = null;
    this.searched(this.query, found[0] ?? null);
    this.update();
    this.chart.redraw();
  }

  listen() {
    const { profile, chart } = this;
    const colours = [...document.querySelectorAll("#flame-colour button")];
    for (const button of colours) {
      button.addEventListener("click", () => {
        choose(colours, "aria-pressed", button);
        this.colour = button.dataset.v;
        this.update();
        chart.redraw();
      });
    }
    const rank = byId("flame-rank");
    if (rank) {
      for (let i = 0; i < profile.ranks.count; i++) rank.append(new Option(`${profile.who} ${columnName(profile, i)}`, i));
      rank.addEventListener("change", () => {
        this.rank = Number(rank.value);
        this.update();
        chart.redraw();
      });
    }
    const find = byId("find");
    find.addEventListener("input", () => this.search(find.value));
    find.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      find.value = "";
      this.search("");
      byId("icicle").focus();
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      event.preventDefault();
      find.focus();
    });
    byId("flame-reset").addEventListener("click", () => {
      this.rank = -1;
      if (rank) rank.value = "-1";
      find.value = "";
      chart.focus = null;
      this.search("");
    });
  }
}
