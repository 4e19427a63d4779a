import { area } from "./classes.js";
import { gutter } from "./layout.js";
import { tick, ticks } from "./time.js";

export const font = (size, weight = "") => `${weight} ${size}px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif`;

// drawAxis writes the virtual time at the top.
export function drawAxis({ ctx, view, layout, colors, width }) {
  ctx.fillStyle = colors.raised;
  ctx.fillRect(0, 0, width, layout.axis);
  ctx.fillStyle = colors.rule;
  ctx.fillRect(0, layout.axis - 0.5, width, 1);
  const { list, step } = ticks(view.from, view.to, view.width / 120);
  ctx.font = font(11);
  ctx.fillStyle = colors.quiet;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const t of list) {
    const x = view.x(t);
    if (x < gutter - 1 || x > width - 4) continue;
    ctx.fillText(tick(t, step), Math.min(Math.max(x, gutter + 16), width - 30), layout.axis / 2);
    ctx.fillRect(Math.round(x), layout.axis - 4, 1, 4);
  }
}

// drawGrid rules the time area.
export function drawGrid({ ctx, view, colors, width }, top, bottom) {
  ctx.fillStyle = colors.rule;
  ctx.globalAlpha = 0.55;
  for (const t of ticks(view.from, view.to, view.width / 120).list) {
    const x = Math.round(view.x(t));
    if (x >= gutter && x < width) ctx.fillRect(x, top, 1, bottom - top);
  }
  ctx.globalAlpha = 1;
}

// drawFaults draws a bar for each fault, at its own track.
export function drawFaults({ ctx, view, layout, trace, colors, width, app }) {
  ctx.fillStyle = colors.raised;
  ctx.fillRect(0, layout.axis, width, layout.lanesTop - layout.axis);
  ctx.fillStyle = colors.rule;
  ctx.fillRect(0, layout.lanesTop - 1, width, 1);
  ctx.font = font(10.5);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  app.faultBoxes = [];
  const lastX = [];
  trace.head.faults.forEach((f, i) => {
    if (f.until < view.from || f.from > view.to) return;
    const row = layout.rows.of[i];
    const y = layout.faultsTop + row * layout.faultRow;
    const x1 = Math.max(view.x(f.from), gutter - 2);
    const x2 = Math.min(view.x(f.until), width + 2);
    if (x2 - (lastX[row] ?? -9) < 0.6) return;
    lastX[row] = Math.max(x1 + 1, x2);
    const color = colors[area(f.kind)];
    ctx.fillStyle = color;
    if (f.moment || x2 - x1 < 4) {
      ctx.beginPath();
      ctx.moveTo(x1, y + 1);
      ctx.lineTo(x1 + 5, y + 6.5);
      ctx.lineTo(x1, y + 12);
      ctx.lineTo(x1 - 5, y + 6.5);
      ctx.fill();
      if (!layout.rows.crowded[i]) label(ctx, f.kind, x1 + 8, y + 7, app.faultRoom(i, x1), colors.quiet);
    } else {
      ctx.globalAlpha = 0.2;
      ctx.fillRect(x1, y + 1, x2 - x1, 12);
      ctx.globalAlpha = 1;
      ctx.fillRect(x1, y + 1, Math.min(3, x2 - x1), 12);
      ctx.fillRect(x1, y + 12, x2 - x1, 1);
      if (!layout.rows.crowded[i]) label(ctx, f.text, x1 + 7, y + 7, x2 - x1 - 9, colors.ink);
    }
    app.faultBoxes.push({ x1: x1 - 5, x2: Math.max(x2, x1 + 5), y1: y, y2: y + layout.faultRow, fault: f });
  });
}

// label writes as much of a text as fits, or nothing.
export function label(ctx, text, x, y, room, color) {
  if (room < 18) return;
  ctx.fillStyle = color;
  let s = text.slice(0, 160);
  if (ctx.measureText(s).width > room) {
    const per = ctx.measureText(s).width / s.length;
    const n = Math.floor(room / per) - 1;
    if (n < 5) return;
    s = s.slice(0, n) + "…";
  }
  ctx.fillText(s, x, y);
}

// drawGutter writes the names of the nodes.
export function drawGutter({ ctx, layout, trace, colors, height, app }) {
  ctx.fillStyle = colors.raised;
  ctx.fillRect(0, layout.axis, gutter - 6, height);
  ctx.fillStyle = colors.rule;
  ctx.fillRect(0, layout.lanesTop - 1, gutter, 1);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.font = font(11);
  ctx.fillStyle = colors.quiet;
  ctx.fillText("faults", 12, layout.faultsTop + 7);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, layout.lanesTop, gutter, height);
  ctx.clip();
  for (const g of layout.groups) {
    ctx.font = font(11);
    ctx.fillStyle = colors.quiet;
    ctx.fillText(g.name, 12, g.top - layout.scroll + 13);
  }
  const size = Math.min(13, layout.laneHeight - 3);
  const failed = trace.head.failure?.node;
  trace.nodes.forEach((n, i) => {
    const y = layout.line(i);
    if (y < layout.lanesTop - 20 || y > height + 20) return;
    ctx.font = font(size, n.name === failed ? "600" : "500");
    const chosen = app.selected >= 0 && trace.node[app.selected] === i + 1;
    label(ctx, n.name, 20, y, gutter - 32, n.name === failed ? colors.failure : chosen ? colors.accent : colors.ink);
  });
  ctx.restore();
}
