const names = ["paper", "raised", "ink", "quiet", "faint", "rule", "wash", "accent", "failure", "ok", "fail", "unknown", "pending",
  "delivered", "lost", "copied", "delayed", "net", "disk", "process", "clock", "user"];

// readColors resolves the colours of the style sheet for the canvas.
export function readColors() {
  const probe = document.createElement("span");
  document.body.append(probe);
  const out = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    out[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return out;
}

// theme follows the system until the button says otherwise.
export function startTheme(button, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
    changed();
  });
  system.addEventListener("change", () => { label(); changed(); });
  label();
}
