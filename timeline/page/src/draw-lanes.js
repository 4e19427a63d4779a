import { drawGrid, font, label } from "./draw-frame.js";
import { gutter } from "./layout.js";
import { area } from "./classes.js";

// drawLanes rules the lanes and shades what holds for whole lanes.
export function drawLanes(scene) {
  const { ctx, layout, trace, colors, width, height, view } = scene;
  drawGrid(scene, layout.lanesTop, height);
  for (const g of layout.groups) {
    ctx.fillStyle = colors.wash;
    ctx.fillRect(0, g.top - layout.scroll, width, 22);
  }
  ctx.fillStyle = colors.rule;
  trace.nodes.forEach((n, i) => ctx.fillRect(0, layout.top(i) + layout.lanes[i].height - 0.5, width, 0.5));
  for (const f of trace.head.faults) {
    if (f.until < view.from || f.from > view.to || f.moment) continue;
    const kind = area(f.kind);
    if (kind === "process" || kind === "clock" || ["partition", "isolate", "one-way"].includes(f.kind)) continue;
    const x1 = Math.max(view.x(f.from), gutter);
    const w = Math.min(view.x(f.until), width) - x1;
    ctx.fillStyle = colors[kind];
    ctx.globalAlpha = kind === "disk" ? 0.15 : 0.06;
    const lanes = f.nodes.length ? f.nodes : kind === "net" ? trace.nodes.keys() : [];
    for (const i of lanes) {
      const h = layout.lanes[i].height;
      if (kind === "disk") ctx.fillRect(x1, layout.line(i), w, h * 0.44);
      else ctx.fillRect(x1, layout.top(i), w, h);
    }
  }
  ctx.globalAlpha = 1;
}

// drawCuts shades each lane by the share of its links that are cut, and draws
// a barrier between neighbours that cannot talk.
export function drawCuts({ ctx, layout, trace, colors, width, view }) {
  for (const e of trace.head.effects) {
    if (!e.cut || e.until < view.from || e.from > view.to) continue;
    e.lanes ??= cutLanes(e, trace.nodes.length);
    const x1 = Math.max(view.x(e.from), gutter);
    const x2 = Math.min(view.x(e.until), width);
    const w = Math.max(x2 - x1, 1);
    ctx.fillStyle = colors.net;
    for (const [i, share] of e.lanes.share) {
      ctx.globalAlpha = 0.02 + 0.07 * Math.min(1, share);
      ctx.fillRect(x1, layout.top(i) + 1, w, layout.lanes[i].height - 2);
    }
    ctx.globalAlpha = 0.85;
    for (const i of e.lanes.barriers) {
      const y = Math.round(layout.top(i) + layout.lanes[i].height) - 1;
      for (let x = x1; x < x2; x += 7) ctx.fillRect(x, y, Math.min(4, x2 - x), 1.5);
    }
    ctx.globalAlpha = 1;
  }
}

function cutLanes(e, lanes) {
  const share = new Map();
  const barriers = new Set();
  for (const [from, to] of e.pairs ?? []) {
    for (const i of [from, to]) share.set(i, (share.get(i) ?? 0) + 1 / (2 * Math.max(1, lanes - 1)));
    if (Math.abs(from - to) === 1) barriers.add(Math.min(from, to));
  }
  return { share, barriers };
}

// drawStates draws each node's line of life: whole while it is up, hatched
// while it is down, broken while it is paused.
export function drawStates({ ctx, layout, trace, colors, width, height, view }) {
  ctx.font = font(10.5);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const [node, doing, boot, from, until, lost] of trace.head.states) {
    if (until < view.from || from > view.to) continue;
    const y = layout.line(node);
    if (y < layout.lanesTop - 40 || y > height + 40) continue;
    const x1 = Math.max(view.x(from), gutter);
    const x2 = Math.min(view.x(until), width);
    const top = layout.top(node) + 2;
    const h = layout.lanes[node].height - 4;
    if (doing === 0) {
      ctx.fillStyle = colors.faint;
      ctx.fillRect(x1, Math.round(y), Math.max(x2 - x1, 1), 1);
      if (boot > 1 && from >= view.from && h > 24) label(ctx, `boot ${boot}`, x1 + 8, top + 7, x2 - x1 - 8, colors.quiet);
      continue;
    }
    ctx.globalAlpha = doing === 1 ? 0.16 : 0.1;
    ctx.fillStyle = colors.process;
    ctx.fillRect(x1, top, Math.max(x2 - x1, 1.5), h);
    ctx.globalAlpha = 1;
    hatch(ctx, x1, top, x2 - x1, h, colors.process, doing === 1 ? 7 : 13);
    if (h > 16 && x2 - x1 > 58) label(ctx, doing === 2 ? "paused" : lost ? "no power" : "down", x1 + 6, top + h - 8, x2 - x1 - 8, colors.ink);
  }
}

// hatch fills a box with slanted lines.
export function hatch(ctx, x, y, w, h, color, step) {
  if (w < 4) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.strokeStyle = color;
  ctx.globalAlpha = 0.3;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let i = Math.floor(-h / step) * step; i < w; i += step) {
    ctx.moveTo(x + i, y + h);
    ctx.lineTo(x + i + h, y);
  }
  ctx.stroke();
  ctx.restore();
}
