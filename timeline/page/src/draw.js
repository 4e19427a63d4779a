import { drawAxis, drawFaults, drawGutter } from "./draw-frame.js";
import { drawCuts, drawLanes, drawStates } from "./draw-lanes.js";
import { drawMessages } from "./draw-messages.js";
import { drawOperations } from "./draw-operations.js";
import { drawDensity, drawMarks, mostMarks } from "./draw-marks.js";
import { drawFailure, drawMeasure, drawSelection } from "./draw-selection.js";
import { gutter } from "./layout.js";

// draw paints the whole timeline.
export function draw(app) {
  const { canvas, view, layout, trace, colors } = app;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  view.left = gutter;
  view.width = Math.max(1, width - gutter - 12);
  if (layout.height !== height) layout.fit(height);
  const ctx = canvas.getContext("2d", { alpha: false });
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = colors.raised;
  ctx.fillRect(0, 0, width, height);
  const scene = { ...app, app, ctx, width, height, lo: trace.firstRowAt(view.from), hi: trace.firstRowAt(view.to) };
  scene.each = scene.hi - scene.lo <= mostMarks;
  scene.dim = app.showAll || !trace.slice.size ? 1 : 0.34;

  ctx.save();
  ctx.beginPath();
  ctx.rect(0, layout.lanesTop, width, height - layout.lanesTop);
  ctx.clip();
  drawLanes(scene);
  drawCuts(scene);
  drawStates(scene);
  if (!scene.each) drawDensity(scene);
  drawOperations(scene);
  drawMessages(scene);
  drawMarks(scene);
  ctx.restore();
  drawFaults(scene);
  drawFailure(scene);
  drawSelection(scene);
  drawMeasure(scene);
  drawGutter(scene);
  drawAxis(scene);
  app.drawn = scene;
}
