import { mishap, loss, failure } from "./classes.js";

const mostCells = 1 << 22;

// Density counts records by lane and time, for views that hold too many to
// draw each. Wide views read counts that were made once; narrow ones count
// the records that they hold.
export class Density {
  constructor(app) {
    this.app = app;
    this.lanes = app.trace.nodes.length + 1; // the first is the world
    this.bins = Math.max(512, Math.min(16384, Math.floor(mostCells / this.lanes)));
    this.refresh();
  }

  // refresh counts anew, after the filter has changed.
  refresh() {
    const { trace, view } = this.app;
    this.binWidth = (view.max - view.min) / this.bins;
    this.all = new Uint32Array(this.lanes * this.bins);
    this.bad = new Uint32Array(this.lanes * this.bins);
    this.count(0, trace.rows, view.min, this.binWidth, this.bins, this.all, this.bad);
    this.total = new Uint32Array(this.bins);
    for (let i = 0; i < this.all.length; i++) this.total[i % this.bins] += this.all[i];
  }

  count(lo, hi, start, width, n, all, bad) {
    const { trace, hits } = this.app;
    const isBad = trace.classes.map((c) => (c === mishap || c === loss || c === failure ? 1 : 0));
    const { time, node, shape } = trace;
    const per = 1 / width;
    const last = this.lanes - 1;
    for (let i = lo; i < hi; i++) {
      if (hits && !hits.has[i]) continue;
      const bin = ((time[i] - start) * per) | 0;
      if (bin < 0 || bin >= n) continue;
      const cell = Math.min(node[i], last) * n + bin;
      all[cell]++;
      bad[cell] += isBad[shape[i]];
    }
  }

  // columns returns the counts for n columns of the view.
  columns(n) {
    const { trace, view } = this.app;
    const width = view.span / n;
    const size = this.lanes * n;
    if (this.sums?.length !== size) {
      this.sums = new Uint32Array(size);
      this.bads = new Uint32Array(size);
    }
    this.sums.fill(0);
    this.bads.fill(0);
    if (this.binWidth * 4 > width) {
      this.count(trace.firstRowAt(view.from), trace.firstRowAt(view.to), view.from, width, n, this.sums, this.bads);
    } else {
      this.gather(n, width);
    }
    return { all: this.sums, bad: this.bads };
  }

  gather(n, width) {
    const { view } = this.app;
    const first = Math.max(0, Math.floor((view.from - view.min) / this.binWidth));
    const end = Math.min(this.bins, Math.ceil((view.to - view.min) / this.binWidth));
    for (let bin = first; bin < end; bin++) {
      const column = Math.floor((view.min + (bin + 0.5) * this.binWidth - view.from) / width);
      if (column < 0 || column >= n) continue;
      for (let lane = 0; lane < this.lanes; lane++) {
        this.sums[lane * n + column] += this.all[lane * this.bins + bin];
        this.bads[lane * n + column] += this.bad[lane * this.bins + bin];
      }
    }
  }
}
