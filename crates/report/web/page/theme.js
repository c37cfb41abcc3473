// The light or dark theme: that of the system until the reader chooses one.

const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

const KEY = "ioglass-theme";

/** Returns the earlier choice of the reader. If the browser forbids storage, the system decides. */
function readTheme() {
  try {
    const known = localStorage.getItem(KEY);
    return known === "light" || known === "dark" ? known : null;
  } catch {
    return null;
  }
}

function keepTheme(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice lasts only while the page is open.
  }
}

/** Connects the button and calls `changed` whenever the colours change. */
export function watchTheme(button, changed) {
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  const kept = readTheme();
  if (kept) root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keepTheme(root.dataset.theme);
    name();
    changed();
  });
  prefersDark.addEventListener("change", () => { name(); changed(); });
  // Charts are redrawn in light colours for printing, because paper is white.
  let before;
  addEventListener("beforeprint", () => { before = root.dataset.theme ?? ""; root.dataset.theme = "light"; changed(); });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before; else delete root.dataset.theme;
    changed();
  });
  name();
}
