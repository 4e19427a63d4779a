import { $ } from "./dom.js";

const names = ["record", "nodes", "events"];

// startTabs lets one panel be seen at a time.
export function startTabs(app) {
  const tabs = { current: "record" };
  const show = (name) => {
    tabs.current = name;
    for (const n of names) {
      const chosen = n === name;
      $("tab-" + n).setAttribute("aria-selected", String(chosen));
      $("tab-" + n).tabIndex = chosen ? 0 : -1;
      $("panel-" + n).hidden = !chosen;
    }
    for (const part of app.parts) part();
  };
  for (const n of names) {
    $("tab-" + n).addEventListener("click", () => show(n));
    $("tab-" + n).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = names[(names.indexOf(n) + by + names.length) % names.length];
      $("tab-" + next).focus();
      show(next);
    });
  }
  return tabs;
}
