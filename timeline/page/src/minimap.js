import { area } from "./classes.js";
import { gutter } from "./layout.js";

// Minimap shows the whole run and where the view is in it.
export class Minimap {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    let held = false;
    const move = (event) => {
      const { view } = app;
      const t = this.time(event.offsetX);
      view.show(t - view.span / 2, t + view.span / 2);
    };
    canvas.addEventListener("pointerdown", (event) => { held = true; canvas.setPointerCapture(event.pointerId); move(event); });
    canvas.addEventListener("pointermove", (event) => { if (held) move(event); });
    canvas.addEventListener("pointerup", () => (held = false));
    canvas.addEventListener("pointercancel", () => (held = false));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); app.view.zoom(Math.exp(event.deltaY * 0.0015)); }, { passive: false });
  }

  get width() { return Math.max(1, this.canvas.clientWidth - gutter - 12); }
  x(time) { const { view } = this.app; return gutter + ((time - view.min) / (view.max - view.min)) * this.width; }
  time(x) { const { view } = this.app; return view.min + ((x - gutter) / this.width) * (view.max - view.min); }

  draw() {
    const { canvas } = this;
    const { colors, view } = this.app;
    const ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth;
    const h = canvas.clientHeight;
    const key = [w, h, ratio, colors.raised, this.app.hits?.query].join();
    if (key !== this.key) {
      this.key = key;
      this.still = this.picture(w, h, ratio);
      canvas.width = w * ratio;
      canvas.height = h * ratio;
    }
    const ctx = canvas.getContext("2d", { alpha: false });
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(this.still, 0, 0);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x1 = this.x(view.from);
    const x2 = Math.max(this.x(view.to), x1 + 3);
    ctx.fillStyle = colors.wash;
    ctx.globalAlpha = 0.7;
    ctx.fillRect(gutter, 0, x1 - gutter, h);
    ctx.fillRect(x2, 0, w - x2, h);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 1;
    ctx.strokeRect(Math.round(x1) + 0.5, 1.5, Math.max(Math.round(x2 - x1) - 1, 2), h - 3);
  }

  picture(w, h, ratio) {
    const { trace, colors, density, hits, ops } = this.app;
    const canvas = document.createElement("canvas");
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    const ctx = canvas.getContext("2d", { alpha: false });
    ctx.scale(ratio, ratio);
    ctx.fillStyle = colors.raised;
    ctx.fillRect(0, 0, w, h);
    ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
    ctx.fillStyle = colors.quiet;
    ctx.textBaseline = "middle";
    ctx.fillText("whole run", 12, h / 2);
    const n = Math.floor(this.width / 2);
    const counts = new Float64Array(n);
    density.total.forEach((c, i) => (counts[Math.min(n - 1, Math.floor((i / density.bins) * n))] += c));
    const most = Math.max(1, ...counts);
    ctx.fillStyle = colors.faint;
    counts.forEach((c, i) => { if (c) ctx.fillRect(gutter + i * 2, h - 10 - (h - 16) * (Math.log1p(c) / Math.log1p(most)), 2, (h - 16) * (Math.log1p(c) / Math.log1p(most))); });
    trace.head.faults.forEach((f) => {
      ctx.fillStyle = colors[area(f.kind)];
      ctx.globalAlpha = 0.75;
      ctx.fillRect(this.x(f.from), h - 8, Math.max(2, this.x(f.until) - this.x(f.from)), 4);
    });
    ctx.globalAlpha = 1;
    ctx.fillStyle = colors.accent;
    for (let i = 0; hits && i < hits.rows.length; i += Math.ceil(hits.rows.length / 2000)) ctx.fillRect(this.x(trace.time[hits.rows[i]]), 3, 1, 6);
    ctx.fillStyle = colors.failure;
    for (const e of trace.head.slice) {
      const [row] = trace.rowsOf(e);
      if (row < trace.rows) ctx.fillRect(this.x(trace.time[row]) - 0.5, h - 3, 1.5, 3);
    }
    if (trace.head.failure) ctx.fillRect(this.x(trace.head.failure.time) - 1, 0, 2, h);
    return canvas;
  }
}
