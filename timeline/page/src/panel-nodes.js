import { el } from "./dom.js";
import { describe, short } from "./describe.js";
import { at, brief, span } from "./time.js";
import { lastReport, nodeClock, nodeState } from "./nodes.js";

const mostNodes = 200;

// nodesPanel shows every node as it is at the selected record: what it is
// doing, and the last thing that it said of itself.
export function nodesPanel(app, panel) {
  panel.replaceChildren();
  const { trace } = app;
  if (!trace.rows) return;
  const row = app.selected >= 0 ? app.selected : trace.rows - 1;
  panel.append(el("h3", {}, `At ${at(trace.time[row])}`), el("p", { class: "quiet" }, `after record ${trace.index(row)}; step with the arrow keys`));
  trace.nodes.slice(0, mostNodes).forEach((node, i) => {
    const s = nodeState(app, i, trace.time[row]);
    const said = lastReport(app, i, row);
    const clock = nodeClock(app, i + 1, row);
    const lines = [el("span", { class: "doing " + s.doing }, s.boot ? `${s.doing}, boot ${s.boot}` : s.doing), el("strong", {}, node.name)];
    if (clock) lines.push(el("div", { class: "quiet" }, `clock ${clock.off < 0 ? "" : "+"}${span(clock.off)}`));
    if (said >= 0) {
      lines.push(el("ul", { class: "links" }, el("li", {}, el("button", { type: "button", onclick: () => app.select(said) },
        el("span", { class: "at" }, brief(trace.time[said])), el("span", { class: "words" }, short(describe(trace, said), 200))))));
    }
    panel.append(el("div", { class: "node" }, ...lines));
  });
  if (trace.nodes.length > mostNodes) panel.append(el("p", { class: "quiet" }, `${trace.nodes.length - mostNodes} more nodes are not listed here.`));
}
