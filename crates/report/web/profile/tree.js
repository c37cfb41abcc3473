// The table of regions as a tree: parts of it open and close, rows can be selected, and keys go
// through it.

import { choose, saveRows } from "../page/controls.js";
import { pathOf } from "./model.js";

/** Trees with more rows begin closed below this level. */
const MANY = 120;
const OPEN_LEVELS = 3;

export class Tree {
  /** Connects the table. `selected` is called with the region that the reader selects, `entered` with
   * the one that Enter is pressed on, `left` when Escape is. */
  constructor(profile, { selected, entered, left }) {
    Object.assign(this, { profile, selected, entered, left, isFlat: false, query: "" });
    this.table = document.getElementById("tree");
    this.body = this.table.tBodies[0];
    this.rows = [...this.body.rows].filter((row) => row.dataset.i !== undefined);
    this.last = [...this.body.rows].filter((row) => row.dataset.i === undefined);
    this.shut = new Set();
    if (profile.regions.length > MANY) this.closeBelow(OPEN_LEVELS);
    this.table.setAttribute("role", "treegrid");
    for (const row of this.rows) this.dress(row);
    this.listen();
    this.update();
    if (this.rows.length) this.rows[0].tabIndex = 0;
  }

  of(row) { return this.profile.regions[Number(row.dataset.i)]; }

  /** Gives a row its button and what screen readers need. */
  dress(row) {
    const region = this.of(row);
    row.setAttribute("role", "row");
    row.tabIndex = -1;
    for (const cell of row.cells) cell.setAttribute("role", "gridcell");
    if (!region.kids.length) return;
    const button = document.createElement("button");
    button.className = "tg";
    button.tabIndex = -1;
    button.setAttribute("aria-hidden", "true");
    row.querySelector(".nm").prepend(button);
  }

  closeBelow(level) {
    this.shut = new Set(this.profile.regions.filter((region) => region.kids.length && region.depth >= level - 1));
  }

  isHidden(region) {
    for (let above = region.parent; above; above = above.parent) if (this.shut.has(above)) return true;
    return false;
  }

  update() {
    const { isFlat } = this;
    this.table.classList.toggle("flat", isFlat);
    for (const row of this.rows) {
      const region = this.of(row);
      row.hidden = !isFlat && this.isHidden(region);
      row.setAttribute("aria-level", isFlat ? "1" : String(region.depth + 1));
      row.classList.toggle("dim", this.query !== "" && !this.isFound(region));
      if (!region.kids.length) continue;
      const isOpen = !this.shut.has(region);
      if (isFlat) row.removeAttribute("aria-expanded"); else row.setAttribute("aria-expanded", String(isOpen));
      row.querySelector(".tg").textContent = isOpen ? "▾" : "▸";
    }
  }

  isFound(region) { return region.name.toLowerCase().includes(this.query); }

  find(query) {
    this.query = query;
    for (const row of this.rows) {
      const region = this.of(row);
      const name = row.querySelector(".name");
      const at = query ? region.name.toLowerCase().indexOf(query) : -1;
      // Letters whose lower case is longer would shift the place.
      if (at < 0 || region.name.toLowerCase().length !== region.name.length) {
        name.textContent = region.name;
      } else {
        const mark = document.createElement("mark");
        mark.textContent = region.name.slice(at, at + query.length);
        name.replaceChildren(region.name.slice(0, at), mark, region.name.slice(at + query.length));
      }
      if (at >= 0) this.reveal(region);
    }
    this.update();
  }

  reveal(region) {
    for (let above = region.parent; above; above = above.parent) this.shut.delete(above);
  }

  toggle(region, isOpen = this.shut.has(region)) {
    if (!region.kids.length || this.isFlat) return;
    if (isOpen) this.shut.delete(region); else this.shut.add(region);
    this.update();
  }

  /** Marks a region as selected and makes it visible in the table. */
  choose(region) {
    if (this.isHidden(region)) { this.reveal(region); this.update(); }
    for (const row of this.rows) {
      const isChosen = this.of(row) === region;
      row.classList.toggle("sel", isChosen);
      row.setAttribute("aria-selected", String(isChosen));
      row.tabIndex = isChosen ? 0 : -1;
      if (isChosen) this.scrollTo(row);
    }
  }

  /** Scrolls the table, never the page. */
  scrollTo(row) {
    const box = this.table.parentElement;
    const [above, below] = [row.offsetTop - this.table.tHead.offsetHeight, row.offsetTop + row.offsetHeight];
    if (above < box.scrollTop) box.scrollTop = above;
    else if (below > box.scrollTop + box.clientHeight) box.scrollTop = below - box.clientHeight;
  }

  shown() { return [...this.body.rows].filter((row) => row.dataset.i !== undefined && !row.hidden); }

  focus(row) {
    if (!row) return;
    this.selected(this.of(row));
    row.focus({ preventScroll: true });
    this.scrollTo(row);
    row.scrollIntoView({ block: "nearest" });
  }

  rowOf(region) { return this.rows.find((row) => this.of(row) === region); }

  key(event, row) {
    const region = this.of(row);
    const list = this.shown();
    const at = list.indexOf(row);
    const acts = {
      ArrowDown: () => this.focus(list[at + 1]),
      ArrowUp: () => this.focus(list[at - 1]),
      Home: () => this.focus(list[0]),
      End: () => this.focus(list.at(-1)),
      ArrowRight: () => {
        if (this.isFlat || !region.kids.length) return;
        if (this.shut.has(region)) this.toggle(region, true); else this.focus(this.rowOf(region.kids[0]));
      },
      ArrowLeft: () => {
        if (this.isFlat) return;
        if (region.kids.length && !this.shut.has(region)) this.toggle(region, false);
        else if (region.parent) this.focus(this.rowOf(region.parent));
      },
      Enter: () => this.entered(region),
      " ": () => this.entered(region),
      Escape: () => this.left(),
    };
    const act = acts[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  listen() {
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-i]");
      if (!row) return;
      if (event.target.closest(".tg")) this.toggle(this.of(row)); else this.selected(this.of(row));
      row.focus({ preventScroll: true });
    });
    this.body.addEventListener("keydown", (event) => {
      const row = event.target.closest("tr[data-i]");
      if (row) this.key(event, row);
    });
    const modes = [...document.querySelectorAll("#tree-mode button")];
    const [open, close] = ["tree-open", "tree-close"].map((id) => document.getElementById(id));
    for (const button of modes) {
      button.addEventListener("click", () => {
        choose(modes, "aria-pressed", button);
        this.isFlat = button.dataset.v === "flat";
        open.disabled = close.disabled = this.isFlat;
        const rows = this.isFlat ? [...this.rows].sort((a, b) => this.of(b).itself - this.of(a).itself) : this.rows;
        this.body.append(...rows, ...this.last);
        this.update();
      });
    }
    open.addEventListener("click", () => { this.shut.clear(); this.update(); });
    close.addEventListener("click", () => { this.closeBelow(2); this.update(); });
    document.getElementById("tree-csv").addEventListener("click", () => saveRows("regions", csvOf(this.profile)));
  }
}

/** All regions as rows of a table. */
export function csvOf({ regions }) {
  const escaped = (name) => name.replaceAll("\\", "\\\\").replaceAll("/", "\\/");
  const head = ["path", "visits", "seconds", "own_seconds", "ranks", "fastest", "mean", "slowest", "uneven", "file_seconds", "bytes_read", "bytes_written"];
  const rows = regions.map((region) => {
    const [fastest, mean, slowest] = region.over ?? [];
    const [files, read, written] = region.files ?? [0, 0, 0];
    const path = pathOf(region).map(escaped).join("/");
    return [path, region.visits, region.seconds, region.itself, region.there, fastest, mean, slowest, region.uneven, files, read, written];
  });
  return [head, ...rows].map((row) => row.map((cell) => String(cell ?? "")));
}
