// Controls of cards, tables and the bar at the top.

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Marks one of several buttons as pressed. */
export function choose(buttons, attribute, chosen) {
  for (const button of buttons) button.setAttribute(attribute, String(button === chosen));
}

/** Connects the tabs of advice and the button that copies it. */
export function liveCards() {
  for (const box of all(".do")) {
    const tabs = all("[role=tab]", box);
    const panels = all("[role=tabpanel], .panel-alone", box);
    const show = (index) => {
      choose(tabs, "aria-selected", tabs[index]);
      panels.forEach((panel, i) => { panel.hidden = i !== index; });
    };
    tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => show(i));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        const next = (i + step + tabs.length) % tabs.length;
        show(next);
        tabs[next].focus();
      });
    });
    one(".cp", box)?.addEventListener("click", (event) => {
      const button = event.currentTarget;
      // What explains a command is not copied with it.
      const shown = panels.find((panel) => !panel.hidden);
      copy(all("pre", shown).map((code) => code.textContent).join("\n")).then((done) => {
        button.textContent = done ? "Copied" : "Select and copy";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
    });
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Connects the buttons that show only checks of one state. */
export function liveChecks() {
  const group = one("[data-filter]");
  if (!group) return;
  const rows = all(`#${group.dataset.filter} tbody tr`);
  for (const button of all("button", group)) {
    button.addEventListener("click", () => {
      choose(all("button", group), "aria-pressed", button);
      const { state } = button.dataset;
      for (const row of rows) row.hidden = state !== "" && row.dataset.state !== state;
    });
  }
}

/** Connects search, sorting and saving of the table of files. */
export function liveFiles() {
  liveList("files", [0, 6, 7, 8]);
}

/** Connects search, sorting and saving of a long table. A search looks into these columns. */
export function liveList(name, columns) {
  const table = one(`#${name}-table`);
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const search = one(`#${name}-search`);
  const none = one(`#${name}-none`);
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = columns.map((i) => whole(row.cells[i])).join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    one(`#${name}-count`).textContent = `${shown.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")}`;
    none.hidden = shown > 0;
  };
  search.addEventListener("input", filter);
  one("button", none).addEventListener("click", () => { search.value = ""; filter(); search.focus(); });
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    one("button", head).addEventListener("click", () => {
      const isNumber = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : isNumber;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => (isNumber ? Number(row.cells[column].dataset.v) : whole(row.cells[column]));
      const sign = down ? -1 : 1;
      rows.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        return x < y ? -sign : x > y ? sign : 0;
      });
      body.append(...rows);
    });
  });
  one(`#${name}-csv`).addEventListener("click", () => saveTable(table));
}

/** Returns the exact value of a cell: a number or a name. */
function whole(cell) { return cell.dataset.v ?? cell.textContent; }

/** Saves the rows that are shown as CSV. A quote before a name keeps spreadsheets from reading it
 * as a formula. */
function saveTable(table) {
  saveRows(table.id, [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map(whole)));
}

/** Saves rows of texts as CSV. */
export function saveRows(name, rows) {
  const cell = (words) => `"${words.replace(/^[=+@\t\r-](?!\d)/, "'$&").replaceAll('"', '""')}"`;
  save(`${name || "table"}.csv`, "text/csv", rows.map((row) => row.map(cell).join(",")).join("\r\n"));
}

/** Adds a button to each table that can be opened; it saves the table. */
export function liveTables() {
  for (const box of all(".panel details")) {
    const button = document.createElement("button");
    button.textContent = "Save as CSV";
    button.className = "save";
    button.addEventListener("click", () => saveTable(one("table", box)));
    box.append(button);
  }
}

/** Opens all parts of the page for printing, except long tables. */
export function livePrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details").filter((box) => !box.open && box.dataset.long !== "true");
    for (const box of opened) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of opened) box.open = false;
    opened = [];
  });
}

/** Marks tables that are wider than the page. */
export function liveWidths() {
  for (const box of all(".tw")) {
    const look = () => box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
    box.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(box);
  }
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Marks the section that is in view. */
export function liveBar() {
  const links = all(".top nav a");
  const mark = (id) => links.forEach((link) => link.classList.toggle("on", link.hash === `#${id}`));
  const watch = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => mark(entry.target.id)),
    { rootMargin: "-20% 0px -70% 0px" },
  );
  all("main > section").forEach((section) => watch.observe(section));
}
