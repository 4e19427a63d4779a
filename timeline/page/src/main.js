import { App } from "./app.js";
import { startCopy } from "./clipboard.js";
import { readColors, startTheme } from "./colors.js";
import { $ } from "./dom.js";
import { readFragment } from "./fragment.js";
import { startKeys } from "./keys.js";
import { Minimap } from "./minimap.js";
import { EventsPanel } from "./panel-events.js";
import { nodesPanel } from "./panel-nodes.js";
import { chain, consequences, recordPanel } from "./panel-record.js";
import { unpack } from "./payload.js";
import { startPointer } from "./pointer.js";
import { drawSigns } from "./signs.js";
import { startTabs } from "./tabs.js";
import { Trace } from "./trace.js";

const openingSteps = 24; // events of the slice that are in view at first

startCopy($("copy"), $("command"));
let app = null;
startTheme($("theme"), () => {
  if (!app) return;
  app.colors = readColors();
  app.changed();
});
start().catch((error) => {
  $("loading").textContent = "The records cannot be shown: " + error.message + ". The story above and timeline.txt tell the same.";
  throw error;
});

async function start() {
  const { head, columns } = await unpack($("payload"));
  app = new App(new Trace(head, columns));
  app.canvas = $("canvas");
  app.minimap = new Minimap(app, $("minimap"));
  $("loading").hidden = true;
  $("work").hidden = false;
  const tabs = startTabs(app);
  const events = new EventsPanel(app, $("panel-events"));
  app.parts.push(() => {
    if (tabs.current === "record") recordPanel(app, $("panel-record"));
    if (tabs.current === "nodes") nodesPanel(app, $("panel-nodes"));
    if (tabs.current === "events") events.draw();
  });
  const actions = actionsOf(app);
  startKeys(app, actions);
  startButtons(app, actions);
  startPointer(app, app.canvas, $("tip"));
  startPictures(app);
  resize(app);
  new ResizeObserver(() => resize(app)).observe(document.body);
  startPrinting(app);
  open(app);
  app.firstDrawn = performance.now();
  globalThis.faultline = app; // for tests, and for the console
}

// open shows what the address asks for, or the failure with its causes.
function open(app) {
  const asked = readFragment();
  const { trace, view } = app;
  const row = (place) => (place !== undefined && place >= head(app) && place < head(app) + trace.rows ? place - head(app) : -1);
  app.selected = asked.any ? row(asked.record) : trace.failureRow;
  app.mark = row(asked.mark);
  if (asked.all) toggleAll(app);
  if (asked.query) {
    $("query").value = asked.query;
    find(app);
  }
  if (asked.from !== undefined && asked.to > asked.from) view.show(asked.from, asked.to);
  else if (app.about.size) app.showSlice();
  else app.showSlice(openingSteps);
  for (const part of app.parts) part();
  app.paint();
}

const head = (app) => app.trace.head.skipped;

function resize(app) {
  const height = Math.round(Math.min(Math.max(innerHeight * 0.72, 380), Math.max(app.layout.ideal, 430)));
  app.canvas.style.height = `${height}px`;
  $("side").style.height = innerWidth > 1080 ? `${height + 44 + 30}px` : "";
  app.changed();
}

function toggleAll(app) {
  app.showAll = !app.showAll;
  $("all").setAttribute("aria-pressed", String(app.showAll));
  $("all").textContent = app.showAll ? "Slice alone" : "Show everything";
  for (const part of app.parts) part();
  app.changed();
}

function measure(app) {
  app.mark = app.mark >= 0 ? -1 : app.selected;
  $("measure").setAttribute("aria-pressed", String(app.mark >= 0));
  for (const part of app.parts) part();
  app.changed();
}

function find(app) {
  app.search($("query").value.trim());
  const n = app.hits?.rows.length;
  $("hits").textContent = app.hits ? (n === 1 ? "1 match" : `${n.toLocaleString("en")} matches`) : "";
}

function actionsOf(app) {
  const { view } = app;
  const follow = (list) => { if (app.selected >= 0 && list(app, app.selected).length) app.select(list(app, app.selected)[0]); };
  return {
    ArrowRight: () => app.step(1), ArrowLeft: () => app.step(-1),
    "shift+ArrowRight": () => view.pan(view.width / 5), "shift+ArrowLeft": () => view.pan(-view.width / 5),
    ArrowDown: () => { app.layout.scrollBy(60); app.changed(); }, ArrowUp: () => { app.layout.scrollBy(-60); app.changed(); },
    j: () => app.stepOnNode(1), k: () => app.stepOnNode(-1),
    c: () => follow(chain), e: () => follow(consequences),
    f: () => app.toFailure(),
    g: () => app.stepFault(1), "shift+g": () => app.stepFault(-1),
    n: () => app.hits && app.stepIn(app.hits.rows, 1), "shift+n": () => app.hits && app.stepIn(app.hits.rows, -1),
    "+": () => view.zoom(0.5, focus(app)), "=": () => view.zoom(0.5, focus(app)), "-": () => view.zoom(2, focus(app)),
    0: () => view.show(view.min, view.max), s: () => app.showSlice(),
    a: () => toggleAll(app), m: () => measure(app),
    "/": () => { $("query").focus(); $("query").select(); },
    "?": () => help(app),
    Escape: () => app.letGo(),
    clear: () => { $("query").value = ""; find(app); app.canvas.focus(); },
  };
}

// focus is where keys zoom: at the selected record if it is in view.
function focus({ view, trace, selected }) {
  const x = selected >= 0 ? view.x(trace.time[selected]) : -1;
  return x >= view.left && x <= view.left + view.width ? x : undefined;
}

function help(app) {
  $("help-box").showModal();
  drawSigns($("signs"), app.colors);
}

function startButtons(app, actions) {
  const buttons = { "to-failure": "f", "prev-fault": "shift+g", "next-fault": "g", "prev-event": "ArrowLeft", "next-event": "ArrowRight", "next-own": "j", "zoom-in": "+", "zoom-out": "-", fit: "0", "fit-slice": "s", all: "a", measure: "m", "next-hit": "n", "prev-hit": "shift+n", help: "?" };
  for (const [id, key] of Object.entries(buttons)) $(id).addEventListener("click", () => actions[key]());
  if (app.trace.failureRow < 0) $("to-failure").disabled = true;
  let typing = 0;
  $("query").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => find(app), 120);
  });
  $("query").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    find(app);
    actions[event.shiftKey ? "shift+n" : "n"]();
  });
}

// startPictures makes the static pictures lead into the timeline.
function startPictures(app) {
  const scroll = $("causes-picture").parentElement;
  scroll.scrollTop = scroll.scrollHeight; // the failure is at the bottom
  $("causes-picture").addEventListener("click", (event) => {
    const group = event.target.closest("[data-event]");
    const row = group ? app.firstOf(Number(group.dataset.event)) : -1;
    if (row < 0) return;
    app.select(row);
    app.canvas.scrollIntoView({ block: "center" });
  });
}

// startPrinting draws the canvas with the colours of paper.
function startPrinting(app) {
  let before = "";
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme ?? "";
    document.documentElement.dataset.theme = "light";
    app.colors = readColors();
    app.paint();
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    app.colors = readColors();
    app.changed();
  });
}
