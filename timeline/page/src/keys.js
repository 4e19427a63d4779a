// startKeys maps keys to actions, while no field has the focus.
export function startKeys(app, actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.closest("input, dialog")) {
      if (event.key === "Escape" && target.id === "query") actions.clear();
      return;
    }
    const arrow = event.key.startsWith("Arrow");
    if (arrow && target.closest('[role="tablist"], pre, .scroll, [role="tabpanel"]')) return;
    const action = actions[(event.shiftKey && (arrow || /^[a-z]$/i.test(event.key)) ? "shift+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
