import { ends } from "./draw-messages.js";
import { spot } from "./draw-marks.js";

const reach = 9; // pixels

// pick finds what is under a place of the canvas: a record, an operation, a
// fault, or nothing.
export function pick(app, x, y) {
  const scene = app.drawn;
  if (!scene) return null;
  for (const b of app.faultBoxes) if (inside(b, x, y)) return { fault: b.fault, row: b.fault.record };
  const best = nearestMark(scene, app, x, y) ?? nearestMessage(scene, app, x, y);
  if (best) return best;
  for (const b of app.opBoxes) if (inside(b, x, y)) return { op: b.op, row: rowOfOp(app, b.op) };
  if (!scene.each) return nearestInLane(app, x, y);
  return null;
}

function inside(b, x, y) { return x >= b.x1 - 1 && x <= b.x2 + 1 && y >= b.y1 && y <= b.y2; }

function nearestMark(scene, app, x, y) {
  let best = null;
  let least = reach * reach;
  for (const row of app.marks) {
    const [mx, my] = spot(scene, row);
    const d = (mx - x) ** 2 + (my - y) ** 2 - scene.trace.inSlice[row];
    if (d < least) {
      least = d;
      best = { row };
    }
  }
  return best;
}

function nearestMessage(scene, app, x, y) {
  let best = null;
  let least = 5;
  for (const i of app.shownMessages) {
    const d = distance(x, y, ends(scene, i));
    if (d < least) {
      least = d;
      best = { row: app.messages.end[i], message: i };
    }
  }
  return best;
}

function distance(x, y, [x1, y1, x2, y2]) {
  const dx = x2 - x1;
  const dy = y2 - y1;
  const share = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}

function rowOfOp(app, op) {
  const [from, to] = app.trace.rowsOf(op.start);
  for (let row = from; row < to; row++) if (app.trace.get(row, "op") === op.id) return row;
  return from < to ? from : -1;
}

// nearestInLane finds a record where only counts are drawn.
function nearestInLane(app, x, y) {
  const { trace, view, layout } = app;
  const lane = layout.laneAt(y);
  if (lane < 0) return null;
  const at = trace.firstRowAt(view.time(x));
  const slack = (view.span / view.width) * 3;
  let best = -1;
  for (let row = Math.max(0, at - 4000); row < Math.min(trace.rows, at + 4000); row++) {
    if (trace.node[row] !== lane + 1 || Math.abs(trace.time[row] - view.time(x)) > slack) continue;
    if (best < 0 || trace.classes[trace.shape[row]] > trace.classes[trace.shape[best]]) best = row;
  }
  return best < 0 ? null : { row: best };
}
