// What is under the pointer: a name in bold, then lines.

let bubble;

export function useTip(element) { bubble = element; }

/** Shows lines near a place on the screen; hides them if there are none. */
export function tip(at, lines) {
  if (!lines?.length) {
    bubble.style.display = "none";
    return;
  }
  const name = document.createElement("b");
  name.textContent = lines[0];
  bubble.replaceChildren(name, lines.slice(1).map((line) => `\n${line}`).join(""));
  bubble.style.display = "block";
  const { width, height } = bubble.getBoundingClientRect();
  const below = at.clientY + height + 24 <= innerHeight;
  bubble.style.left = `${Math.max(4, Math.min(innerWidth - width - 8, at.clientX + 14))}px`;
  bubble.style.top = `${Math.max(4, below ? at.clientY + 16 : at.clientY - height - 10)}px`;
}
