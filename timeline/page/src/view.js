const shortest = 20; // nanoseconds that a view shows at least

// View is the stretch of time that is on the screen.
export class View {
  constructor(start, end) {
    const margin = Math.max((end - start) * 0.02, 10);
    this.min = start - margin;
    this.max = Math.max(end, start + 1) + margin;
    this.from = this.min;
    this.to = this.max;
    this.left = 0; // pixels of the time area
    this.width = 1;
    this.changed = () => {};
  }

  x(time) { return this.left + ((time - this.from) / (this.to - this.from)) * this.width; }
  time(x) { return this.from + ((x - this.left) / this.width) * (this.to - this.from); }
  get span() { return this.to - this.from; }

  show(from, to) {
    let size = Math.min(Math.max(to - from, shortest), this.max - this.min);
    let start = (from + to) / 2 - size / 2;
    start = Math.min(Math.max(start, this.min), this.max - size);
    this.from = start;
    this.to = start + size;
    this.changed();
  }

  zoom(factor, x = this.left + this.width / 2) {
    const t = this.time(x);
    const size = Math.min(Math.max(this.span * factor, shortest), this.max - this.min);
    const share = (x - this.left) / this.width;
    this.show(t - size * share, t - size * share + size);
  }

  pan(pixels) {
    const d = (pixels / this.width) * this.span;
    this.show(this.from + d, this.to + d);
  }

  // reveal moves as little as needed to have a time well within the view.
  reveal(time) {
    const margin = this.span * 0.12;
    if (time < this.from + margin) this.show(time - margin * 2, time - margin * 2 + this.span);
    else if (time > this.to - margin) this.show(time + margin * 2 - this.span, time + margin * 2);
  }
}
