// startCopy copies a text when a button is pressed, also where the browser
// has no clipboard for files.
export function startCopy(button, source) {
  button.addEventListener("click", async () => {
    const text = source.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyBySelection(source);
    }
    button.textContent = done ? "Copied" : "Select and copy";
    setTimeout(() => (button.textContent = "Copy"), 1600);
  });
}

function copyBySelection(source) {
  const selection = getSelection();
  selection.selectAllChildren(source);
  const done = document.execCommand("copy");
  if (done) selection.removeAllRanges();
  return done;
}
