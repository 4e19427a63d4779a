import { clock, report } from "./classes.js";
import { lowerBound } from "./trace.js";

const doings = ["up", "down", "paused"];

// nodeState tells what a node is doing at a time.
export function nodeState(app, node, time) {
  let out = null;
  for (const s of app.trace.head.states) {
    if (s[0] === node && s[3] <= time) out = s;
    if (s[3] > time) break;
  }
  return out ? { doing: doings[out[1]], boot: out[2] } : { doing: "not started", boot: 0 };
}

// lastReport returns the last record at or before a row in which the program
// on a node said something of its own; -1 if there is none.
export function lastReport(app, node, row) {
  app.reports ??= rowsOfClass(app.trace, report);
  const rows = app.reports.get(node + 1) ?? [];
  const i = lowerBound(rows, row + 1) - 1;
  return i < 0 ? -1 : rows[i];
}

function rowsOfClass(trace, wanted) {
  const out = new Map();
  for (let i = 0; i < trace.rows; i++) {
    if (trace.classes[trace.shape[i]] !== wanted) continue;
    const list = out.get(trace.node[i]);
    if (list) list.push(i);
    else out.set(trace.node[i], [i]);
  }
  return out;
}

// nodeClock returns what the steps and the drift in the trace have made of a
// node's wall clock, counted from a clock that was right; null if none has
// touched it.
export function nodeClock(app, place, row) {
  const { trace } = app;
  app.clocks ??= rowsOfClass(trace, clock);
  let value = 0;
  let base = 0;
  let ppm = 0;
  let touched = false;
  for (const i of app.clocks.get(place) ?? []) {
    if (i > row) break;
    touched = true;
    value += (trace.time[i] - base) * (1 + ppm / 1e6);
    base = trace.time[i];
    if (trace.kind(i) === "clock/step") value += trace.get(i, "by") ?? 0;
    else ppm = trace.get(i, "ppm") ?? 0;
  }
  if (!touched) return null;
  value = Math.round(value + (trace.time[row] - base) * (1 + ppm / 1e6));
  return { value, off: value - trace.time[row] };
}
