import { font, label } from "./draw-frame.js";
import { gutter } from "./layout.js";
import { hatch } from "./draw-lanes.js";

// drawOperations draws the clients' operations as bars. Of those that fall on
// one pixel, one is drawn, and one that was not ok.
export function drawOperations(scene) {
  const { view, trace, width, app } = scene;
  const { from, until, node, good, list } = app.ops;
  app.opBoxes = [];
  const [first, end] = app.ops.between(view.from, view.to);
  const ends = new Float64Array(trace.nodes.length);
  const bads = new Float64Array(trace.nodes.length);
  const scale = view.width / view.span;
  const about = [];
  for (let i = first; i < end; i++) {
    const lane = node[i];
    if (lane < 0 || until[i] < view.from) continue;
    const x2 = Math.min(view.left + (until[i] - view.from) * scale, width);
    if (x2 < ends[lane] + 0.7 && (good[i] || x2 < bads[lane] + 0.7)) {
      if (app.ops.about[i]) about.push(list[i]);
      continue;
    }
    ends[lane] = Math.max(ends[lane], x2);
    if (!good[i]) bads[lane] = x2;
    if (app.ops.about[i]) about.push(list[i]);
    else operation(scene, list[i]);
  }
  scene.named = new Map(); // how far names of operations reach on each lane
  for (const op of about) operation(scene, op);
}

function operation(scene, op) {
  const { ctx, layout, trace, colors, width, height, view, dim, app } = scene;
  const y = layout.line(op.node);
  if (y < layout.lanesTop - 40 || y > height + 40) return;
  const x1 = Math.max(view.x(op.from), gutter);
  const x2 = Math.min(view.x(op.until), width);
  const h = Math.min(layout.lanes[op.node].height * 0.36, 17);
  const top = y - h - 3;
  const w = Math.max(x2 - x1 - 0.6, 1);
  const about = app.about.has(op.id);
  const faded = !about && dim < 1 && !trace.slice.has(op.start) && !trace.slice.has(op.stop);
  ctx.globalAlpha = faded ? Math.max(dim, 0.4) : 1;
  bar(ctx, op.status, x1, top, w, h, colors);
  if (about) point(scene, op, x1, x1 + w, top, h);
  if (h > 10 && w > 34) {
    ctx.font = font(11);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    label(ctx, op.text + (op.result ? " → " + op.result : ""), x1 + 4, top + h / 2 + 0.5, w - 6, faded ? colors.ink : op.status === "ok" ? colors.raised : op.status === "fail" ? "#16181c" : colors.ink);
  }
  ctx.globalAlpha = 1;
  if (app.opBoxes.length < 4000) app.opBoxes.push({ x1, x2: x1 + w, y1: top, y2: top + h, op });
}

// point shows an operation that the failure seems to speak of.
function point({ ctx, colors, named }, op, x1, x2, top, h) {
  ctx.strokeStyle = ctx.fillStyle = colors.failure;
  ctx.lineWidth = 2;
  ctx.strokeRect(x1 - 1, top - 1, Math.max(x2 - x1, 3) + 2, h + 2);
  ctx.beginPath();
  ctx.moveTo((x1 + x2) / 2, top - 3);
  ctx.lineTo((x1 + x2) / 2 - 4, top - 9);
  ctx.lineTo((x1 + x2) / 2 + 4, top - 9);
  ctx.fill();
  if (x1 < (named.get(op.node) ?? -1)) return; // no room for another name
  named.set(op.node, (x1 + x2) / 2 + 60);
  ctx.font = font(11, "600");
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  label(ctx, `op ${op.id}`, (x1 + x2) / 2 + 7, top - 8, 80, colors.failure);
}

// bar draws one operation: filled if it is known how it ended, hatched if it
// is unknown whether it took effect, pale while it is pending.
export function bar(ctx, status, x, y, w, h, colors) {
  ctx.fillStyle = colors[status] ?? colors.unknown;
  if (status !== "unknown") return ctx.fillRect(x, y, w, h);
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * (w > 5 ? 0.3 : 1);
  ctx.fillRect(x, y, w, h);
  ctx.globalAlpha = alpha;
  hatch(ctx, x, y, w, h, colors.unknown, 6);
  ctx.strokeStyle = colors.unknown;
  ctx.lineWidth = 1;
  if (w > 5) ctx.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
}
