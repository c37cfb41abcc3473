// Makes the charts of the page from its data, and connects the controls around them.

import { ofBins, ofCalls } from "../chart/bandwidth.js";
import { Bars } from "../chart/bars.js";
import { Calls, NANO } from "../chart/calls.js";
import { Cells } from "../chart/cells.js";
import { readColours } from "../chart/colours.js";
import { Extents, callsTo } from "../chart/extents.js";
import { CLOSER } from "../chart/gestures.js";
import { HeatMap } from "../chart/heatmap.js";
import { Lane } from "../chart/lane.js";
import { bytes, duration, exactly, moment, rate, thousands } from "../chart/numbers.js";
import { pickWords, readPick } from "../chart/pick.js";
import { Space } from "../chart/space.js";
import { Timeline } from "../chart/timeline.js";
import { columnsOf, inflate } from "../chart/unpack.js";
import { choose } from "./controls.js";

/** Largest number of rows of a table that is printed with its chart. */
const PRINTED_ROWS = 64;

const byId = (id) => document.getElementById(id);

/** Makes all charts and returns a function that redraws them. */
export async function makeCharts() {
  const data = JSON.parse(byId("data").textContent);
  const column = columnsOf(await inflate(byId("pack").textContent), data.columns);
  const names = namesOf(data, column);
  const lanes = data.lanes.map((lane) => readLane(lane, column, names, data));
  const charts = [];
  const timeline = makeTimeline(data, lanes, column);
  const open = (low, high) => {
    timeline?.show(low, high);
    byId("time")?.scrollIntoView();
  };
  charts.push(...makeHeat(data, column, names, timeline && open));
  charts.push(...makeRanks(data, column, names));
  const space = makeSpace(data, lanes, column, names);
  charts.push(...[timeline, space].filter(Boolean));
  const redraw = () => {
    const colours = readColours();
    for (const chart of charts) {
      chart.colours = colours;
      chart.draw();
    }
  };
  return { redraw, timeline, space };
}

/** Returns functions that name rows, and the nodes of ranks if the log has them. */
function namesOf({ whose, nodes }, column) {
  const nodeOf = new Map();
  if (nodes) {
    const [ranks, numbers] = [column(nodes.rank), column(nodes.node)];
    ranks.forEach((rank, i) => nodeOf.set(rank, nodes.names[numbers[i]]));
  }
  const label = (rows, row) => thousands(rows.first[row]);
  const who = (rows, row) => {
    const last = rows.per > 1 ? ` and the ${rows.per - 1} after it` : "";
    const node = rows.per > 1 ? null : nodeOf.get(rows.first[row]);
    return `${whose} ${label(rows, row)}${last}${node ? ` on ${node}` : ""}`;
  };
  return { label, who, nodeOf };
}

/** Returns rows grouped by node, in the order of their first ranks. Returns null if nodes are not
 * known or rows have several ranks. */
function nodesOf(rows, { nodeOf }) {
  if (!nodeOf.size || rows.per > 1) return null;
  const groups = new Map();
  rows.first.forEach((rank, row) => {
    const name = nodeOf.get(rank) ?? "?";
    if (!groups.has(name)) groups.set(name, { name, rows: [] });
    groups.get(name).rows.push(row);
  });
  return [...groups.values()];
}

/** Returns a line that names the storage targets of these bytes of a file. */
function targetsAt({ parts = [] }, offset, length) {
  const found = new Set();
  for (const [start, stop, unit, targets] of parts) {
    const [from, to] = [Math.max(offset, start), Math.min(offset + length, stop)];
    if (from >= to || !targets.length) continue;
    const first = Math.floor((from - start) / unit);
    const count = Math.min(targets.length, Math.floor((to - 1 - start) / unit) - first + 1);
    for (let i = 0; i < count; i++) found.add(targets[(first + i) % targets.length]);
  }
  if (!found.size) return [];
  const some = [...found].slice(0, 8).join(", ");
  return [`${found.size > 1 ? "OSTs" : "OST"} ${some}${found.size > 8 ? ` and ${found.size - 8} more` : ""}`];
}

function readRows(rows, column) {
  return { first: column(rows.first), per: rows.per, ranks: rows.ranks };
}

function ranksIn(rows, row) {
  return Math.max(1, Math.min(rows.per, rows.ranks - row * rows.per));
}

function readLane(lane, column, names, data) {
  const rows = readRows(lane.rows, column);
  const about = {
    title: lane.name,
    words: lane.words,
    rows: rows.first.length,
    count: lane.calls,
    whose: data.all,
    groups: nodesOf(rows, names),
    label: (row) => names.label(rows, row),
    who: (row) => names.who(rows, row),
  };
  if (lane.cells) {
    const { bins, begin, width, full, read, write, bytesRead, bytesWritten } = lane.cells;
    const cells = new Cells({
      rows: about.rows, bins, begin: begin * NANO, width: width * NANO, full, read: column(read), write: column(write),
      bytesRead: column(bytesRead), bytesWritten: column(bytesWritten),
    });
    const { width: wide, read: isRead, written } = cells.bytes;
    return withSource(new Lane({ ...about, cells }), rows, (_, shows) => ofBins(wide, isRead, written, cells.begin, shows));
  }
  const columns = Object.entries(lane.single).map(([name, number]) => [name, column(number)]);
  const calls = new Calls(Object.fromEntries(columns));
  const tip = (i, who) => {
    const took = calls.end[i] - calls.start[i];
    const file = data.files[calls.file[i]];
    const place = calls.offset[i] >= 0 ? ` at ${exactly(calls.offset[i])}` : "";
    const speed = took > 0 && calls.length[i] > 0 ? `, ${rate(calls.length[i] / took)}` : "";
    return [
      `${lane.name} ${calls.isRead[i] ? "read" : "write"}, ${who}`,
      `${calls.start[i].toFixed(6)} s, took ${duration(took)}`,
      `${bytes(calls.length[i])}${place}${speed}`,
      ...(file && calls.offset[i] >= 0 ? targetsAt(file, calls.offset[i], calls.length[i]) : []),
      ...(file ? [file.name] : []),
    ];
  };
  return withSource(new Lane({ ...about, calls, tip }), rows, (time, shows) => ofCalls(calls, time, shows));
}

/** Adds the ranks of its rows and the source of its bandwidth to a lane. */
function withSource(lane, ranks, source) { return Object.assign(lane, { ranks, source }); }

function makeTimeline(data, lanes, column) {
  const canvas = byId("timeline");
  if (!canvas) return null;
  const marks = data.marks.map((row) => ({
    ...row,
    marks: row.marks.map((mark) => ({
      ...mark,
      tip: () => [mark.label, `${moment(mark.begin, 1)} to ${moment(mark.end, 1)}, ${duration(mark.end - mark.begin)}`, ...mark.lines],
    })),
  }));
  const timeline = new Timeline(canvas, {
    span: data.span, ends: data.ends, marks, flows: flowsOf(data, lanes, column), lanes,
  });
  const reset = byId("timeline-reset");
  reset.addEventListener("click", () => timeline.reset());
  zoomButtons("timeline", timeline);
  timeline.drawn = () => {
    reset.disabled = timeline.isWhole;
    timeline.picks?.();
    canvas.dataset.view = `${timeline.time.low}-${timeline.time.high}`;
    canvas.dataset.rows = timeline.lanes.map((lane) => lane.shown).join();
    byId("timeline-detail").textContent = timeline.detail();
  };
  press("data-drag", (value) => { timeline.drags = value; });
  press("data-colour", (value) => {
    timeline.colourBy = value;
    for (const key of document.querySelectorAll("[data-key]")) key.hidden = key.dataset.key !== value;
    timeline.redraw();
  });
  press("data-rows", (value) => timeline.group(value === "node"));
  pickRanks(timeline);
  toggle("data-shows", (wanted) => {
    timeline.shows = [wanted.has("write"), wanted.has("read")];
    timeline.redraw();
  });
  return timeline;
}

/** Connects the buttons and the field that choose ranks. */
function pickRanks(timeline) {
  const input = byId("timeline-ranks");
  if (!input) return;
  const buttons = [...document.querySelectorAll("[data-pick]")];
  for (const button of buttons) button.addEventListener("click", () => timeline.pick(readPick(button.dataset.pick)));
  input.addEventListener("input", () => {
    const ranks = readPick(input.value);
    input.setAttribute("aria-invalid", String(!ranks && input.value.trim() !== ""));
    if (ranks || !input.value.trim()) timeline.pick(ranks);
  });
  timeline.picks = () => {
    const words = timeline.picked ? pickWords(timeline.picked) : "";
    choose(buttons, "aria-pressed", buttons.find((button) => button.dataset.pick === words));
    // The text does not change while the reader types.
    if (document.activeElement !== input) input.value = words.replaceAll(",", ", ");
  };
}

/** Returns the sources of bytes over time: the trace if there is one, otherwise the heat maps. */
function flowsOf(data, lanes, column) {
  const posix = lanes.find((lane) => lane.title === "POSIX");
  const asked = lanes.find((lane) => lane.title === "MPI-IO");
  if (posix || asked) {
    const below = posix ?? asked;
    const words = posix && asked ? "POSIX, reads stacked on writes; line: requested through MPI-IO" : `${below.title}, reads stacked on writes`;
    return [{ title: "Bandwidth", words, source: below.source, above: posix && asked?.source }];
  }
  const maps = data.heat.filter((map) => map.measure === "bytes");
  return maps.map((map) => {
    const sums = (cells) => {
      const all = new Float64Array(map.bins);
      cells.forEach((value, i) => { all[i % map.bins] += value; });
      return all;
    };
    const [read, written] = [sums(column(map.read)), sums(column(map.written))];
    return { title: `${map.name} bandwidth`, words: "reads stacked on writes", source: (_, shows) => ofBins(map.bin, read, written, 0, shows) };
  });
}

function makeHeat(data, column, names, open) {
  const charts = data.heat.map((map, i) => {
    const canvas = byId(`heat-${i}`);
    const rows = readRows(map.rows, column);
    const chart = new HeatMap(canvas, {
      rows: rows.first.length, bins: map.bins, bin: map.bin, read: column(map.read), written: column(map.written),
      isTime: map.measure === "time", ranksIn: (row) => ranksIn(rows, row),
      label: (row) => names.label(rows, row), who: (row) => names.who(rows, row), ends: map.traced ? data.ends : null, opened: open ?? (() => {}),
    });
    table(`heat-${i}-table`, () => [
      ["From", "Read", "Written"],
      ...Array.from(chart.byTime, (_, at) => {
        const sum = (cells) => rows.first.reduce((all, _unused, row) => all + cells[row * map.bins + at], 0);
        const show = (value) => (chart.isTime ? duration(value * NANO) : bytes(value));
        return [moment(at * map.bin, map.bin * 20), show(sum(chart.parts.read)), show(sum(chart.parts.written))];
      }),
    ]);
    return chart;
  });
  press("data-heat", (value) => {
    for (const panel of document.querySelectorAll("[data-measure]")) panel.hidden = panel.dataset.measure !== value;
    for (const chart of charts) chart.redraw();
  });
  return charts;
}

function makeRanks(data, column, names) {
  return data.ranks.map((costs, i) => {
    const rank = column(costs.rank);
    const [spent, meta] = [column(costs.data), column(costs.meta)].map((values) => values.map((value) => value * NANO));
    const rows = { first: rank, per: costs.per };
    const lines = (bar) => [
      costs.per > 1 ? `${names.who(rows, bar)}: the slowest` : names.who(rows, bar),
      `${duration(spent[bar])} in reads and writes`,
      ...(costs.traced ? [] : [`${duration(meta[bar])} in metadata calls`]),
    ];
    table(`ranks-${i}-table`, () => [
      [`${data.whose[0].toUpperCase()}${data.whose.slice(1)}`, "Reads and writes", "Metadata"],
      ...Array.from(rank, (number, bar) => [thousands(number), duration(spent[bar]), duration(meta[bar])]),
    ]);
    return new Bars(byId(`ranks-${i}`), {
      count: rank.length, label: (bar) => names.label(rows, bar), lines,
      parts: [{ colour: "accent", values: spent }, { colour: "ink3", values: meta }],
    });
  });
}

function makeSpace(data, lanes, column, names) {
  const canvas = byId("space-chart");
  if (!canvas) return null;
  const rowsOf = (space) => (space.extents ? space.rowSource : space.grid.ranks);
  const rowAt = (space, line) => (space.extents ? space.extents.rows[line] : line);
  const space = new Space(canvas, {
    whose: data.all,
    label: (chart, line) => names.label(rowsOf(chart), rowAt(chart, line)),
    who: (chart, line) => names.who(rowsOf(chart), rowAt(chart, line)),
  });
  const file = byId("space-file");
  const files = new Set([...file.options].map((option) => Number(option.value)));
  const first = { lane: lanes.at(-1)?.title, file: Number(file.value), way: null, down: "rank" };
  const state = { ...first };
  let firstWay = null;
  const apply = () => {
    const about = data.files[state.file];
    const lane = lanes.find((one) => one.title === state.lane) ?? lanes[0];
    const gridOf = (isRead) => readGrid(data, state, isRead, column);
    const has = (isRead) => (lane.calls ? callsTo(lane.calls, state.file, isRead, 1).length > 0 : Boolean(gridOf(isRead)));
    const ways = { written: has(false), read: has(true) };
    const usual = ways.written || !ways.read ? "written" : "read";
    firstWay ??= usual;
    if (!ways[state.way]) state.way = usual;
    const isRead = state.way === "read";
    for (const button of document.querySelectorAll("[data-way]")) button.disabled = !ways[button.dataset.way];
    for (const key of ["way", "lane", "down"]) {
      for (const button of document.querySelectorAll(`button[data-${key}]`)) button.setAttribute("aria-pressed", String(button.dataset[key] === state[key]));
    }
    file.value = String(state.file);
    const isFirst = state.file === first.file && state.lane === first.lane && state.down === first.down && state.way === firstWay;
    space.place = { ...state, way: isRead ? "read" : "write", isFirst };
    const extents = lane.calls ? new Extents(lane.calls, state.file, isRead) : null;
    space.rowSource = lane.ranks;
    const grid = lane.calls ? null : gridOf(isRead);
    const span = state.down === "time" ? extents?.span ?? grid?.span : null;
    space.set({ extents, grid, span, extent: Math.max(about.extent, extents?.end ?? 0), unit: about.unit, verb: state.way });
    space.unitName = about.striped ? "stripes" : "blocks";
  };
  const reset = byId("space-reset");
  reset.addEventListener("click", () => space.reset());
  zoomButtons("space", space);
  space.drawn = () => {
    reset.disabled = space.isWhole;
    canvas.dataset.view = `${space.offsets.low}-${space.offsets.high}`;
    canvas.dataset.file = String(state.file);
    byId("space-detail").textContent = space.detail(space.unitName);
  };
  file.addEventListener("change", () => { state.file = Number(file.value); apply(); });
  press("data-lane", (value) => { state.lane = value; apply(); });
  press("data-way", (value) => { state.way = value; apply(); });
  press("data-down", (value) => { state.down = value; apply(); });
  /** Shows the view that an address names. Without one it shows the whole first file. */
  space.open = (wanted) => {
    const known = wanted && files.has(wanted.file) ? wanted : null;
    Object.assign(state, first);
    if (known) {
      const lane = lanes.find((one) => one.title === known.lane)?.title ?? first.lane;
      Object.assign(state, { file: known.file, lane, down: known.down, way: { read: "read", write: "written" }[known.way] ?? null });
    }
    apply();
    if (known?.bytes) space.show(...known.bytes);
  };
  apply();
  return space;
}

function readGrid(data, { lane, file, down }, isRead, column) {
  const found = data.spaces.find((one) => one.lane === lane && one.file === file);
  if (!found) return null;
  const { moments } = found;
  const source = down === "time" ? moments : found;
  const cells = column(isRead ? source.read : source.written);
  if (!cells.some((value) => value > 0)) return null;
  const ranks = readRows(found.rows, column);
  const rows = down === "time" ? moments.rows : ranks.first.length;
  const span = [moments.begin * NANO, (moments.begin + moments.rows * moments.width) * NANO];
  return { rows, ranks, span, bins: found.bins, width: found.width, full: found.full, cells };
}

/** Connects the zoom buttons, for readers without wheel or keyboard. */
function zoomButtons(name, chart) {
  for (const button of document.querySelectorAll(`[data-zoom="${name}"]`)) {
    button.addEventListener("click", () => chart.zoom(button.dataset.by === "closer" ? CLOSER : 1 / CLOSER, 0.5));
  }
}

/** Connects buttons that toggle. At least one stays pressed. */
function toggle(attribute, act) {
  const buttons = [...document.querySelectorAll(`button[${attribute}]`)];
  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
  for (const button of buttons) {
    button.addEventListener("click", () => {
      if (isPressed(button) && buttons.filter(isPressed).length === 1) return;
      button.setAttribute("aria-pressed", String(!isPressed(button)));
      act(new Set(buttons.filter(isPressed).map((one) => one.getAttribute(attribute))));
    });
  }
}

/** Connects buttons of which exactly one is pressed. */
function press(attribute, act) {
  const buttons = [...document.querySelectorAll(`button[${attribute}]`)];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      choose(buttons, "aria-pressed", button);
      act(button.getAttribute(attribute));
    });
  }
}

/** Makes the table with the numbers of a chart when it is opened. */
function table(id, rowsOf) {
  const box = byId(id);
  if (!box) return;
  box.addEventListener("toggle", () => make());
  // Nothing can be opened on paper, so tables that are not too long are made before printing.
  addEventListener("beforeprint", () => { box.dataset.long = String(make() > PRINTED_ROWS); });
  const make = () => {
    if (box.dataset.made) return Number(box.dataset.made);
    const [head, ...rows] = rowsOf();
    box.dataset.made = String(rows.length);
    const made = document.createElement("table");
    made.id = `${id}-rows`;
    const add = (parent, cells, kind) => {
      const row = parent.insertRow();
      cells.forEach((words, i) => {
        const cell = document.createElement(kind);
        cell.textContent = words;
        if (i) cell.className = "n";
        row.append(cell);
      });
    };
    add(made.createTHead(), head, "th");
    const body = made.createTBody();
    for (const row of rows) add(body, row, "td");
    box.querySelector(".tw").append(made);
    return rows.length;
  };
}
