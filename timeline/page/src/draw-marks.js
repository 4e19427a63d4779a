import * as is from "./classes.js";
import { font, label } from "./draw-frame.js";
import { gutter } from "./layout.js";
import { describe } from "./describe.js";
import { lowerBound } from "./trace.js";

export const mostMarks = 4000; // records that are drawn one by one

const columnWidth = 2;

// drawDensity draws how much happened on each lane: the heights are
// logarithmic; what went wrong hangs below the line.
export function drawDensity({ ctx, view, layout, colors, app, trace, height, dim }) {
  const n = Math.floor(view.width / columnWidth);
  const { all, bad } = app.density.columns(n);
  let most = 1;
  for (let i = n; i < all.length; i++) if (all[i] > most) most = all[i];
  const per = 1 / Math.log2(1 + most);
  for (let lane = 0; lane < trace.nodes.length; lane++) {
    const y = Math.round(layout.line(lane));
    if (y < layout.lanesTop - 60 || y > height + 60) continue;
    const up = layout.lanes[lane].height * (trace.nodes[lane].client ? 0.14 : 0.44);
    const down = layout.lanes[lane].height * 0.3;
    const at = (lane + 1) * n;
    ctx.globalAlpha = 0.35 + 0.4 * dim;
    ctx.fillStyle = colors.delivered;
    bars(ctx, all, at, n, view.left, y, (c) => -up * Math.log2(1 + c) * per);
    ctx.globalAlpha = 0.9;
    ctx.fillStyle = colors.lost;
    bars(ctx, bad, at, n, view.left, y + 1, (c) => down * Math.log2(1 + c) * per);
  }
  ctx.globalAlpha = 1;
}

// bars draws neighbours of one height as one box.
function bars(ctx, counts, at, n, left, y, size) {
  let start = 0;
  let height = 0;
  for (let i = 0; i <= n; i++) {
    const c = i < n ? counts[at + i] : 0;
    const h = c ? Math.round(size(c)) || Math.sign(size(c)) : 0;
    if (h === height) continue;
    if (height) ctx.fillRect(left + start * columnWidth, y, (i - start) * columnWidth, height);
    start = i;
    height = h;
  }
}

// drawMarks draws records one by one: all in view, or, when those are too
// many, those that the search found, or else those of the slice.
export function drawMarks(scene) {
  const { trace, lo, hi, each, dim, hits, app } = scene;
  const labels = new Float64Array(trace.nodes.length).fill(-1e9);
  app.marks = [];
  if (each) {
    for (let row = lo; row < hi; row++) {
      const chosen = hits ? hits.has[row] : trace.inSlice[row];
      mark(scene, row, chosen ? 1 : hits ? 0.12 : dim, labels);
    }
  } else {
    const rows = hits ? hits.rows : trace.sliceRows;
    const first = lowerBound(rows, lo);
    const end = lowerBound(rows, hi);
    if (end - first <= mostMarks) for (let i = first; i < end; i++) mark(scene, rows[i], 1, labels);
  }
  scene.ctx.globalAlpha = 1;
}

// spot returns where a record is on the canvas.
export function spot({ view, layout, trace }, row) {
  const x = view.x(trace.time[row]);
  const lane = trace.node[row] - 1;
  if (lane < 0 || lane >= trace.nodes.length) return [x, layout.lanesTop - 4];
  const y = layout.line(lane);
  const h = layout.lanes[lane].height;
  switch (trace.classes[trace.shape[row]]) {
    case is.disk: case is.loss: return [x, y + Math.min(h * 0.24, 13)];
    case is.report: return [x, y - Math.min(h * 0.3, 19)];
    case is.clock: return [x, y - Math.min(h * 0.36, 24)];
  }
  return [x, y];
}

function mark(scene, row, alpha, labels) {
  const { ctx, trace, colors, layout, app, height } = scene;
  const lane = trace.node[row] - 1;
  const kind = trace.classes[trace.shape[row]];
  const [x, y] = spot(scene, row);
  if (lane < 0 || lane >= trace.nodes.length || x < gutter - 4 || y < layout.lanesTop - 20 || y > height + 20) return false;
  ctx.globalAlpha = alpha;
  const small = layout.laneHeight < 30;
  switch (kind) {
    case is.routine:
      ctx.fillStyle = colors.faint;
      ctx.fillRect(x - 0.5, y - 2, 1, 5);
      break;
    case is.sending: case is.arriving: case is.mishap:
      ctx.fillStyle = kind === is.mishap ? colors.lost : colors.delivered;
      ctx.fillRect(x - 1, y - 1, 3, 3);
      break;
    case is.disk: disk(ctx, trace, row, x, y, colors, small); break;
    case is.loss:
      ctx.fillStyle = colors.lost;
      if (trace.kind(row) === "disk/crash") ctx.fillRect(x - 1, y - 5, 2, 10);
      else ctx.fillRect(x - 0.5, y - 3, 1, 6);
      break;
    case is.life: life(ctx, trace, row, x, y, colors, small); break;
    case is.clock: dial(ctx, x, y, colors); break;
    case is.report: diamond(ctx, x, y, colors.user, small ? 3 : 4.2); break;
    case is.operation: break;
    default:
      ctx.fillStyle = colors.failure;
      ctx.fillRect(x - 2, y - 2, 4, 4);
  }
  app.marks.push(row);
  if (!small && (kind === is.report || kind === is.loss && trace.get(row, "lost") > 0) && x > labels[lane]) {
    ctx.font = font(10.5);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    const text = kind === is.loss ? `lost ${trace.get(row, "lost") ?? "?"}, kept ${trace.get(row, "kept") ?? "?"}` : describe(trace, row).replace(/^point /, "");
    label(ctx, text, x + 7, y, Math.min(170, scene.width - x - 10), kind === is.loss ? colors.lost : colors.user);
    labels[lane] = x + Math.min(170, text.length * 5.4) + 14;
  }
  return true;
}

// disk draws a filled box for what makes data durable and a hollow one for
// the rest; one that failed is crossed.
function disk(ctx, trace, row, x, y, colors, small) {
  const s = small ? 2 : 3;
  const kind = trace.kind(row);
  const outcome = trace.get(row, "outcome");
  ctx.lineWidth = 1;
  ctx.strokeStyle = ctx.fillStyle = outcome && outcome !== "not-exist" ? colors.lost : colors.disk;
  if (kind === "disk/sync" || kind === "disk/sync-dir") ctx.fillRect(x - s, y - s, 2 * s, 2 * s);
  else if (kind === "disk/write" || kind === "disk/append" || kind === "disk/rename") ctx.strokeRect(x - s + 0.5, y - s + 0.5, 2 * s - 1, 2 * s - 1);
  else ctx.fillRect(x - 0.5, y - s, 1, 2 * s);
  if (outcome && outcome !== "not-exist") {
    ctx.beginPath();
    ctx.moveTo(x - 5, y - 5);
    ctx.lineTo(x + 5, y + 5);
    ctx.stroke();
  }
}

// life marks a start, an end, a pause.
function life(ctx, trace, row, x, y, colors, small) {
  const s = small ? 3.5 : 5.5;
  ctx.beginPath();
  switch (trace.kind(row)) {
    case "node/boot": case "node/resume":
      ctx.fillStyle = colors.ink;
      ctx.moveTo(x, y - s);
      ctx.lineTo(x + s * 1.3, y);
      ctx.lineTo(x, y + s);
      ctx.fill();
      return;
    case "node/pause":
      ctx.fillStyle = colors.ink;
      ctx.fillRect(x - 3.5, y - s, 2.5, 2 * s);
      ctx.fillRect(x + 1, y - s, 2.5, 2 * s);
      return;
  }
  ctx.strokeStyle = colors.failure;
  ctx.lineWidth = 2.2;
  ctx.moveTo(x - s, y - s);
  ctx.lineTo(x + s, y + s);
  ctx.moveTo(x + s, y - s);
  ctx.lineTo(x - s, y + s);
  ctx.stroke();
}

function dial(ctx, x, y, colors) {
  ctx.strokeStyle = colors.clock;
  ctx.lineWidth = 1.2;
  ctx.beginPath();
  ctx.arc(x, y, 4.5, 0, 7);
  ctx.moveTo(x, y - 3);
  ctx.lineTo(x, y);
  ctx.lineTo(x + 2.4, y);
  ctx.stroke();
}

export function diamond(ctx, x, y, color, s) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x, y - s);
  ctx.lineTo(x + s, y);
  ctx.lineTo(x, y + s);
  ctx.lineTo(x - s, y);
  ctx.fill();
}
