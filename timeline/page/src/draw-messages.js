import { lost } from "./messages.js";
import { font, label } from "./draw-frame.js";
import { gutter } from "./layout.js";

const mostMessages = 1800;

const styles = [["delivered", []], ["lost", []], ["copied", [5, 3]], ["delayed", [1.5, 3]]];

// drawMessages draws lines from senders to receivers: all of them if there are
// few enough, otherwise those of the causal slice.
export function drawMessages(scene) {
  const { messages, view, trace, dim, hits, app } = scene;
  const [first, end] = messages.between(view.from, view.to);
  app.hiddenMessages = scene.each ? 0 : end - first;
  const all = [];
  for (let i = first; i < end && scene.each; i++) {
    if (trace.time[messages.end[i]] < view.from || messages.special[i]) continue;
    if (hits && !hits.has[messages.start[i]] && !hits.has[messages.end[i]]) continue;
    all.push(i);
    if (all.length > mostMessages) {
      app.hiddenMessages = end - first;
      all.length = 0;
      break;
    }
  }
  const special = messages.specials.filter((i) => i >= first && i < end && trace.time[messages.end[i]] >= view.from &&
    (!hits || hits.has[messages.start[i]] || hits.has[messages.end[i]]));
  strokeAll(scene, all, dim, 1);
  if (all.length + special.length < 70) names(scene, all, dim);
  strokeAll(scene, special, 1, dim < 1 ? 1.7 : 1.2);
  if (special.length < 70) names(scene, special, 1);
  app.shownMessages = all.concat(special);
}

// ends returns where a message begins and ends on the canvas.
export function ends({ messages, view, trace, layout }, i) {
  const start = messages.start[i];
  const end = messages.end[i];
  const x1 = view.x(trace.time[start]);
  const y1 = layout.line(Math.max(0, trace.node[start] - 1));
  let x2 = view.x(trace.time[end]);
  let y2 = messages.to[i] ? layout.line(messages.to[i] - 1) : y1;
  if (messages.fate[i] === lost) {
    const share = Math.min(0.62, 26 / Math.max(1, Math.abs(y2 - y1)));
    if (x2 - x1 < 1) x2 = x1 + Math.min(9, Math.abs(y2 - y1) * share * 0.4);
    y2 = y1 + (y2 - y1) * share;
  }
  return [x1, y1, x2, y2];
}

function strokeAll(scene, list, alpha, weight) {
  const { ctx, messages, colors } = scene;
  ctx.globalAlpha = alpha;
  ctx.lineWidth = weight;
  const heads = list.length < 900;
  styles.forEach(([color, dash], fate) => {
    const chosen = list.filter((i) => messages.fate[i] === fate);
    if (!chosen.length) return;
    ctx.strokeStyle = ctx.fillStyle = colors[color];
    ctx.setLineDash(list.length < 1500 ? dash : []);
    // Short paths: one long path is slow to fill in software.
    for (let at = 0; at < chosen.length; at += 32) {
      ctx.beginPath();
      for (const i of chosen.slice(at, at + 32)) {
        const [x1, y1, x2, y2] = ends(scene, i);
        ctx.moveTo(x1, y1);
        ctx.lineTo(x2, y2);
      }
      ctx.stroke();
    }
    ctx.setLineDash([]);
    if (heads) for (const i of chosen) tip(scene, i, fate, weight);
  });
  ctx.globalAlpha = 1;
}

// tip ends a line: with a cross if the message is lost, with an arrow else.
function tip(scene, i, fate, weight) {
  const { ctx } = scene;
  const [x1, y1, x2, y2] = ends(scene, i);
  if (x2 < gutter) return;
  if (fate === lost) {
    const s = 2.6 + weight * 0.5;
    ctx.beginPath();
    ctx.moveTo(x2 - s, y2 - s);
    ctx.lineTo(x2 + s, y2 + s);
    ctx.moveTo(x2 + s, y2 - s);
    ctx.lineTo(x2 - s, y2 + s);
    ctx.stroke();
    return;
  }
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 8) return;
  const ux = (x2 - x1) / length;
  const uy = (y2 - y1) / length;
  const s = 5 + weight;
  ctx.beginPath();
  ctx.moveTo(x2, y2);
  ctx.lineTo(x2 - ux * s - uy * s * 0.45, y2 - uy * s + ux * s * 0.45);
  ctx.lineTo(x2 - ux * s + uy * s * 0.45, y2 - uy * s - ux * s * 0.45);
  ctx.fill();
}

// names writes what the messages are, where there is room.
function names(scene, list, alpha) {
  const { ctx, trace, messages, colors, layout } = scene;
  if (layout.laneHeight < 30) return;
  ctx.font = font(10.5);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.globalAlpha = Math.max(alpha, 0.5);
  for (const i of list) {
    const [x1, y1, x2, y2] = ends(scene, i);
    if (x2 - x1 < 34) continue;
    const row = messages.start[i];
    const text = String(trace.get(row, "kind") ?? trace.get(row, "type") ?? "");
    const share = 0.3;
    label(ctx, text, x1 + (x2 - x1) * share + 6, y1 + (y2 - y1) * share, Math.max(60, (x2 - x1) * 0.9), [colors.delivered, colors.lost, colors.copied, colors.delayed][messages.fate[i]]);
  }
  ctx.globalAlpha = 1;
}
