import { lowerBound } from "./trace.js";

// Operations finds the clients' operations of a stretch of time.
export class Operations {
  constructor(trace, about) {
    this.list = trace.ops;
    this.longest = 0;
    for (const op of this.list) this.longest = Math.max(this.longest, op.until - op.from);
    this.from = Float64Array.from(this.list, (op) => op.from);
    this.until = Float64Array.from(this.list, (op) => op.until);
    this.node = Int16Array.from(this.list, (op) => op.node);
    this.about = Uint8Array.from(this.list, (op) => about.has(op.id));
    this.good = Uint8Array.from(this.list, (op) => op.status === "ok");
  }

  // between returns the first, and the one after the last, that may be under
  // way between two times.
  between(from, to) { return [this.firstAt(from - this.longest), this.firstAt(to + 1)]; }

  firstAt(time) { return lowerBound(this.from, time); }
}
