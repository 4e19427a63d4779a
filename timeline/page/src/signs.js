import { diamond } from "./draw-marks.js";
import { font } from "./draw-frame.js";
import { hatch } from "./draw-lanes.js";
import { bar } from "./draw-operations.js";

// drawSigns draws the legend of the help.
export function drawSigns(canvas, c) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = 300 * ratio;
  canvas.height = 330 * ratio;
  canvas.style.width = "300px";
  canvas.style.height = "330px";
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.font = font(13);
  ctx.textBaseline = "middle";
  const line = (color, dash) => (y) => {
    ctx.strokeStyle = color;
    ctx.setLineDash(dash);
    ctx.lineWidth = 1.6;
    ctx.beginPath();
    ctx.moveTo(6, y);
    ctx.lineTo(42, y);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  const box = (color, alpha = 1) => (y) => {
    ctx.globalAlpha = alpha;
    ctx.fillStyle = color;
    ctx.fillRect(6, y - 6, 36, 12);
    ctx.globalAlpha = 1;
  };
  const signs = [
    [line(c.delivered, []), "message, delivered"],
    [(y) => { line(c.lost, [])(y); ctx.strokeStyle = c.lost; ctx.beginPath(); ctx.moveTo(38, y - 4); ctx.lineTo(46, y + 4); ctx.moveTo(46, y - 4); ctx.lineTo(38, y + 4); ctx.stroke(); }, "message, dropped"],
    [line(c.copied, [5, 3]), "second copy of a message"],
    [line(c.delayed, [1.5, 3]), "message, delayed"],
    [(y) => { ctx.fillStyle = c.disk; ctx.fillRect(10, y - 3, 6, 6); ctx.strokeStyle = c.disk; ctx.strokeRect(28.5, y - 2.5, 5, 5); }, "disk: sync, write"],
    [(y) => diamond(ctx, 24, y, c.user, 4.5), "record or point of the program"],
    [(y) => { ctx.fillStyle = c.ink; ctx.beginPath(); ctx.moveTo(10, y - 5); ctx.lineTo(17, y); ctx.lineTo(10, y + 5); ctx.fill(); ctx.strokeStyle = c.failure; ctx.lineWidth = 2; ctx.beginPath(); ctx.moveTo(28, y - 5); ctx.lineTo(38, y + 5); ctx.moveTo(38, y - 5); ctx.lineTo(28, y + 5); ctx.stroke(); }, "node starts, crashes"],
    [box(c.ok), "operation: ok"],
    [box(c.fail), "operation: failed, had no effect"],
    [(y) => bar(ctx, "unknown", 6, y - 6, 36, 12, c), "operation: unknown if it had an effect"],
    [(y) => { box(c.process, 0.16)(y); hatch(ctx, 6, y - 6, 36, 12, c.process, 6); }, "node down or paused"],
    [box(c.net, 0.3), "links cut, by their share"],
    [box(c.disk, 0.3), "disk fault"],
  ];
  signs.forEach(([sign, text], i) => {
    const y = 14 + i * 25;
    sign(y);
    ctx.fillStyle = c.ink;
    ctx.fillText(text, 58, y);
  });
}
