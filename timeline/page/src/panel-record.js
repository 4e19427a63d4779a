import { el } from "./dom.js";
import { describe, short, shown } from "./describe.js";
import { at, brief, span } from "./time.js";
import { nodeClock } from "./nodes.js";

const mostLinks = 10;

// recordPanel shows the selected record: what it says, when by both clocks,
// why it happened, and what came of it.
export function recordPanel(app, panel) {
  panel.replaceChildren();
  const { trace } = app;
  const row = app.selected;
  if (row < 0) {
    panel.append(el("p", { class: "quiet" }, trace.rows ? "Select a record in the timeline, or step with the arrow keys." : "There are no records: the run left no trace."));
    return;
  }
  const title = trace.kind(row) === "fail" ? `FAILED: ${trace.get(row, "kind")} “${trace.get(row, "check")}”` : describe(trace, row);
  panel.append(el("h3", {}, short(title, 600)));
  panel.append(facts(app, row));
  const values = trace.attributes(row);
  if (values.length) {
    panel.append(el("h4", {}, trace.kind(row)));
    const rows = values.map(([key, type, v]) => el("tr", {}, el("th", { scope: "row", title: key }, key), el("td", { class: "value" }, el("div", {}, shown(type, v)))));
    panel.append(el("table", {}, el("tbody", {}, ...rows)));
  }
  section(app, panel, "Why: the events that scheduled it", chain(app, row));
  section(app, panel, "Before it in the causal slice", sliceParents(app, row));
  section(app, panel, "In the same event", siblings(app, row));
  section(app, panel, "What it caused", consequences(app, row));
}

function facts(app, row) {
  const { trace } = app;
  const name = trace.nodeName(row);
  const list = [["virtual time", at(trace.time[row])]];
  if (name) {
    const clock = nodeClock(app, trace.node[row], row);
    list.push([`clock of ${short(name, 20)}`, clock ? `${at(clock.value)} (${clock.off < 0 ? "" : "+"}${span(clock.off)})` : "the same: it was not disturbed"]);
    list.push(["node", name], ["incarnation", trace.boot[row] ? `boot ${trace.boot[row]}` : "not started"]);
  }
  list.push(["event", String(trace.event[row])], ["record", String(trace.index(row))]);
  if (app.mark >= 0 && app.mark !== row) {
    const d = trace.time[row] - trace.time[app.mark];
    list.push(["measured", `${span(Math.abs(d))} ${d < 0 ? "before" : "after"} record ${trace.index(app.mark)}`]);
  }
  return el("table", {}, el("tbody", {}, ...list.map(([k, v]) => el("tr", {}, el("th", { scope: "row" }, k), el("td", {}, v)))));
}

function section(app, panel, title, rows) {
  if (rows.length) panel.append(el("h4", {}, title), links(app, rows));
}

// links lists records to go to.
export function links(app, rows) {
  const { trace } = app;
  return el("ul", { class: "links" }, ...rows.map((row) => {
    const name = trace.nodeName(row);
    return el("li", {}, el("button", { type: "button", class: trace.inSlice[row] ? "in-slice" : "", "aria-current": row === app.selected ? "true" : undefined, onclick: () => app.select(row) },
      el("span", { class: "at" }, brief(trace.time[row])), el("span", { class: "words" }, (name ? name + " " : "") + short(describe(trace, row), 160))));
  }));
}

export function chain(app, row) {
  const out = [];
  while (out.length < mostLinks && app.trace.cause[row]) {
    row = app.firstOf(app.trace.cause[row], row);
    if (row < 0) break;
    out.push(row);
  }
  return out;
}

function sliceParents(app, row) {
  const event = app.trace.event[row];
  return app.trace.head.edges.filter((e) => e[1] === event && e[2]).map((e) => app.firstOf(e[0])).filter((r) => r >= 0);
}

function siblings(app, row) {
  const [from, to] = app.trace.rowsOf(app.trace.event[row]);
  const out = [];
  for (let i = from; i < to && out.length < 2 * mostLinks; i++) if (i !== row) out.push(i);
  return out;
}

// consequences are the ends of its messages, and the events that it scheduled.
export function consequences(app, row) {
  const { trace, messages } = app;
  const out = messages.of(row).map((i) => messages.end[i]).filter((r) => r !== row);
  for (const first of trace.effects(trace.event[row], mostLinks)) {
    const r = app.firstOf(trace.event[first]);
    if (out.every((o) => trace.event[o] !== trace.event[r])) out.push(r);
  }
  return out.slice(0, mostLinks);
}
