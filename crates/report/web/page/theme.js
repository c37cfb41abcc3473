// Light or dark: what the system says, until the reader says otherwise.

const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

/** Calls `changed` whenever colours are others than before. */
export function watchTheme(button, changed) {
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
    changed();
  });
  prefersDark.addEventListener("change", () => { name(); changed(); });
  // Paper is white: charts are drawn again for it, and back.
  let before;
  addEventListener("beforeprint", () => { before = root.dataset.theme ?? ""; root.dataset.theme = "light"; changed(); });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before; else delete root.dataset.theme;
    changed();
  });
  name();
}
