import { lowerBound } from "./trace.js";

// What became of a message.
export const delivered = 0;
export const lost = 1;
export const copied = 2;
export const delayed = 3;

// Messages are the lines between nodes: one for each delivery or loss, in the
// order of sending.
export class Messages {
  constructor(trace) {
    this.trace = trace;
    const roles = trace.shapes.map((s) => ({ "net/deliver": 1, "net/drop": 2, "net/delay": 3 })[s.kind] ?? 0);
    const held = new Set();
    let n = 0;
    for (let i = 0; i < trace.rows; i++) {
      const role = roles[trace.shape[i]];
      if (role && trace.partner[i] >= 0) role === 3 ? held.add(trace.partner[i]) : n++;
    }
    this.collect(roles, held, n);
  }

  collect(roles, held, n) {
    const { trace } = this;
    const ends = new Uint32Array(n);
    let k = 0;
    for (let i = 0; i < trace.rows; i++) {
      const role = roles[trace.shape[i]];
      if ((role === 1 || role === 2) && trace.partner[i] >= 0) ends[k++] = i;
    }
    ends.sort((a, b) => trace.partner[a] - trace.partner[b]);
    this.count = n;
    this.end = ends;
    this.start = Uint32Array.from(ends, (row) => trace.partner[row]);
    this.fate = new Uint8Array(n);
    this.to = new Uint16Array(n);
    this.special = new Uint8Array(n); // both ends are in the causal slice
    this.specials = [];
    this.longest = 0;
    const targets = new Targets(trace);
    const hasCopy = trace.shapes.map((s) => s.slot("copy") >= 0);
    for (let i = 0; i < n; i++) {
      const end = ends[i];
      const isLost = roles[trace.shape[end]] === 2;
      this.fate[i] = isLost ? lost : hasCopy[trace.shape[end]] ? copied : held.has(this.start[i]) ? delayed : delivered;
      this.to[i] = isLost ? targets.of(this.start[i]) : trace.node[end];
      if (trace.inSlice[this.start[i]] && trace.inSlice[end]) {
        this.special[i] = 1;
        this.specials.push(i);
      }
      this.longest = Math.max(this.longest, trace.time[end] - trace.time[this.start[i]]);
    }
  }

  // between returns the first message, and the one after the last, that may
  // be under way between two times.
  between(from, to) {
    const { trace } = this;
    const first = trace.firstRowAt(from - this.longest);
    const last = trace.firstRowAt(to + 1);
    return [lowerBound(this.start, first), lowerBound(this.start, last)];
  }

  // of returns the messages that a record begins or ends.
  of(row) {
    const out = [];
    for (let i = lowerBound(this.start, row); i < this.count && this.start[i] === row; i++) out.push(i);
    const from = this.trace.partner[row];
    for (let i = lowerBound(this.start, from); from >= 0 && i < this.count && this.start[i] === from; i++) if (this.end[i] === row) out.push(i);
    return out;
  }
}

// Targets finds the node that a send is for.
class Targets {
  constructor(trace) {
    this.trace = trace;
    this.byName = new Map(trace.nodes.map((n, i) => [n.name, i + 1]));
  }

  of(row) { return this.byName.get(this.trace.get(row, "to")) ?? 0; }
}
