import { font } from "./draw-frame.js";
import { gutter } from "./layout.js";
import { spot } from "./draw-marks.js";
import { span } from "./time.js";

const chainLength = 40;

// drawFailure draws a line where the run failed.
export function drawFailure({ ctx, view, layout, trace, colors, height, width }) {
  const f = trace.head.failure;
  if (!f) return;
  const x = view.x(f.time);
  if (x < gutter || x > width) return;
  ctx.fillStyle = colors.failure;
  ctx.fillRect(x - 0.75, layout.axis, 1.5, height);
  flag(ctx, "failure", x, layout.lanesTop + 11, colors.failure, colors.raised, width);
}

function flag(ctx, text, x, y, color, ink, width) {
  ctx.font = font(11, "600");
  const w = ctx.measureText(text).width + 12;
  const left = x + w > width ? x - w : x;
  ctx.fillStyle = color;
  ctx.fillRect(left, y - 9, w, 18);
  ctx.fillStyle = ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + 6, y + 0.5);
}

// drawSelection rings the selected record and draws the chain of its causes.
export function drawSelection(scene) {
  const { ctx, trace, colors, app, view, layout, height, width } = scene;
  if (app.selected < 0) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(gutter - 6, layout.axis, width, height);
  ctx.clip();
  ctx.strokeStyle = colors.accent;
  ctx.lineWidth = 1.6;
  ctx.globalAlpha = 0.9;
  let row = app.selected;
  let [x, y] = spot(scene, row);
  ctx.beginPath();
  ctx.moveTo(x, y);
  for (let i = 0; i < chainLength && trace.cause[row]; i++) {
    row = app.firstOf(trace.cause[row], row);
    if (row < 0) break;
    ctx.lineTo(...spot(scene, row));
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  x = view.x(trace.time[app.selected]);
  ctx.fillStyle = colors.accent;
  ctx.globalAlpha = 0.5;
  ctx.fillRect(x - 0.5, layout.axis, 1, height);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(x, y, 8, 0, 7);
  ctx.stroke();
  ctx.restore();
}

// drawMeasure spans the time from the marked record to the selected one.
export function drawMeasure({ ctx, trace, colors, app, view, layout, width }) {
  if (app.mark < 0) return;
  const a = trace.time[app.mark];
  const b = app.selected >= 0 ? trace.time[app.selected] : a;
  const x1 = Math.max(view.x(Math.min(a, b)), gutter);
  const x2 = Math.min(view.x(Math.max(a, b)), width);
  if (x2 < gutter || x1 > width) return;
  const y = layout.lanesTop + 34;
  ctx.globalAlpha = 0.1;
  ctx.fillStyle = colors.accent;
  ctx.fillRect(x1, layout.lanesTop, x2 - x1, layout.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(x1, y, x2 - x1, 1.5);
  ctx.fillRect(x1 - 0.75, y - 5, 1.5, 11);
  ctx.fillRect(x2 - 0.75, y - 5, 1.5, 11);
  flag(ctx, span(b - a), (x1 + x2) / 2, y, colors.accent, colors.raised, width);
}
