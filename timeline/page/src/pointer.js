import { describe, short } from "./describe.js";
import { pick } from "./pick.js";
import { at, span } from "./time.js";

// startPointer lets the canvas be moved, zoomed and clicked, with mouse, pen
// or fingers.
export function startPointer(app, canvas, tip) {
  const held = new Map();
  let moved = 0;
  let pinch = 0;

  canvas.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved = 0;
    pinch = spread(held);
    canvas.setPointerCapture(event.pointerId);
    tip.hidden = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return hover(app, canvas, tip, event);
    const dx = event.offsetX - last.x;
    const dy = event.offsetY - last.y;
    held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved += Math.abs(dx) + Math.abs(dy);
    if (held.size === 2) {
      const now = spread(held);
      if (pinch > 0 && now > 0) app.view.zoom(pinch / now, middle(held));
      pinch = now;
    } else if (moved > 3) {
      canvas.style.cursor = "grabbing";
      app.layout.scrollBy(-dy);
      app.view.pan(-dx);
    }
  });
  const release = (event) => {
    const was = held.delete(event.pointerId);
    canvas.style.cursor = "";
    if (was && event.type === "pointerup" && moved <= 3) click(app, event);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("dblclick", (event) => app.view.zoom(0.25, event.offsetX));
  canvas.addEventListener("wheel", (event) => wheel(app, event), { passive: false });
}

// wheel zooms; sideways it moves, and with Shift too. Where the lanes do not
// fit, Alt moves them up and down.
function wheel(app, event) {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : 1;
  const dx = event.deltaX * unit;
  const dy = event.deltaY * unit;
  if (event.altKey && app.layout.scrolls) {
    app.layout.scrollBy(dy);
    app.view.changed();
  } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) app.view.pan(dx || dy);
  else app.view.zoom(Math.exp(dy * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX);
}

function click(app, event) {
  const found = pick(app, event.offsetX, event.offsetY);
  if (!found || found.row < 0 || found.row >= app.trace.rows) return app.letGo();
  if (event.shiftKey && app.selected >= 0 && app.mark < 0) app.mark = app.selected;
  app.select(found.row, { still: true });
}

function hover(app, canvas, tip, event) {
  const found = event.pointerType === "touch" ? null : pick(app, event.offsetX, event.offsetY);
  canvas.style.cursor = found ? "pointer" : "";
  tip.hidden = !found;
  if (!found) return;
  tip.textContent = words(app, found);
  const x = Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 8);
  const below = event.offsetY + 18 + tip.offsetHeight < canvas.clientHeight;
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${canvas.offsetTop + (below ? event.offsetY + 18 : event.offsetY - tip.offsetHeight - 10)}px`;
}

function words(app, { row, op, fault }) {
  const { trace } = app;
  if (fault) return `${short(fault.text)}: ${at(fault.from)}${fault.moment ? "" : ` for ${span(fault.until - fault.from)}`}`;
  if (op) return `op ${op.id} ${short(op.text, 120)}: ${op.status}${op.result ? ", " + short(op.result, 120) : ""}; ${span(op.until - op.from)}`;
  const name = trace.nodeName(row);
  return `${at(trace.time[row])} ${name ? name + " " : ""}${short(describe(trace, row))}`;
}

function spread(held) {
  if (held.size !== 2) return 0;
  const [a, b] = [...held.values()];
  return Math.max(8, Math.abs(a.x - b.x));
}

function middle(held) {
  const [a, b] = [...held.values()];
  return (a.x + b.x) / 2;
}
