import { numbers, sums } from "./payload.js";

// The columns that every record has, before those of the shapes.
const common = 8;

// Trace gives access to the records by their row, from 0.
export class Trace {
  constructor(head, columns) {
    const n = head.rows;
    this.head = head;
    this.rows = n;
    this.end = head.end;
    this.nodes = head.nodes;
    this.time = sums(numbers(columns[1], n, Float64Array, true));
    this.event = sums(numbers(columns[2], n, Float64Array, true));
    this.cause = numbers(columns[3], n, Float64Array);
    for (let i = 0; i < n; i++) if (this.cause[i]) this.cause[i] = this.event[i] - this.cause[i];
    this.node = numbers(columns[4], n, Uint16Array); // 0 for the world, else its place + 1
    this.boot = numbers(columns[5], n, Uint32Array);
    this.shape = numbers(columns[6], n, Uint16Array);
    this.partner = numbers(columns[7], n, Int32Array);
    for (let i = 0; i < n; i++) this.partner[i] = this.partner[i] ? i - this.partner[i] : -1;
    this.skips = columns[0];
    this.shapes = shapes(head.shapes, columns);
    this.place = places(this.shape, this.shapes);
    this.start = head.skipped && n ? this.time[0] : 0;
    this.slice = new Set(head.slice);
    this.inSlice = new Uint8Array(n);
    this.sliceRows = [];
    for (const e of head.slice) {
      const [from, to] = this.rowsOf(e);
      for (let row = from; row < to; row++) this.sliceRows.push(row);
      this.inSlice.fill(1, from, to);
    }
    this.failureRow = this.findFailure();
  }

  // index is the record's number in the trace.
  index(row) {
    this.indices ??= sums(numbers(this.skips, this.rows, Float64Array, true));
    return this.head.first + row + this.indices[row];
  }

  kind(row) { return this.shapes[this.shape[row]].kind; }

  nodeName(row) {
    const p = this.node[row];
    return p ? (this.nodes[p - 1]?.name ?? "(another node)") : "";
  }

  // attributes lists [key, type, value]; texts are texts, all else numbers.
  attributes(row) {
    const shape = this.shapes[this.shape[row]];
    return shape.keys.map((k, i) => [k[0], k[1], shape.value(i, this.place[row], this.head.strings)]);
  }

  // get returns an attribute's value, undefined if it has none.
  get(row, key) {
    const shape = this.shapes[this.shape[row]];
    const i = shape.slot(key);
    return i < 0 ? undefined : shape.value(i, this.place[row], this.head.strings);
  }

  // rowsOf returns the rows of an event: from, and the one after the last.
  rowsOf(event) {
    const from = lowerBound(this.event, event);
    let to = from;
    while (to < this.rows && this.event[to] === event) to++;
    return [from, to];
  }

  // firstRowAt returns the first row at or after a time.
  firstRowAt(time) { return lowerBound(this.time, time); }

  // effects returns the events that an event scheduled.
  effects(event, limit) {
    this.byCause ??= this.sortByCause();
    const { order, causes } = this.byCause;
    const out = [];
    for (let i = lowerBound(causes, event); i < causes.length && causes[i] === event && out.length < limit; i++) {
      out.push(order[i]);
    }
    return out;
  }

  // sortByCause lists the first row of each event that has a cause, in the
  // order of causes.
  sortByCause() {
    const first = [];
    for (let i = 0; i < this.rows; i++) {
      if (this.cause[i] && (i === 0 || this.event[i] !== this.event[i - 1])) first.push(i);
    }
    const order = Uint32Array.from(first);
    order.sort((a, b) => this.cause[a] - this.cause[b] || a - b);
    return { order, causes: Float64Array.from(order, (row) => this.cause[row]) };
  }

  findFailure() {
    const f = this.head.failure;
    if (!f) return -1;
    const [from, to] = this.rowsOf(f.event);
    for (let i = to - 1; i >= from; i--) if (this.kind(i) === "fail") return i;
    return to > from ? to - 1 : this.rows - 1;
  }
}

export function lowerBound(list, value) {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const mid = (from + to) >>> 1;
    if (list[mid] < value) from = mid + 1;
    else to = mid;
  }
  return from;
}

function shapes(list, columns) {
  let at = common;
  return list.map((s) => {
    const keys = s.keys ?? [];
    const shape = new Shape(s.kind, keys, columns.slice(at, at + keys.length));
    at += keys.length;
    return shape;
  });
}

// places counts each record within its shape.
function places(shape, list) {
  const out = new Uint32Array(shape.length);
  const counts = new Uint32Array(list.length);
  for (let i = 0; i < shape.length; i++) out[i] = counts[shape[i]]++;
  list.forEach((s, i) => (s.count = counts[i]));
  return out;
}

// Shape is a kind of record with its attributes. Columns are read when asked.
class Shape {
  constructor(kind, keys, columns) {
    this.kind = kind;
    this.keys = keys;
    this.columns = columns;
    this.read = [];
    this.count = 0;
  }

  slot(key) { return this.keys.findIndex((k) => k[0] === key); }

  column(i) {
    const type = this.keys[i][1];
    if (type === "hash") return this.columns[i];
    return (this.read[i] ??= numbers(this.columns[i], this.count, type === "text" ? Uint32Array : Float64Array, type !== "text" && type !== "bool"));
  }

  value(i, place, strings) {
    const column = this.column(i);
    switch (this.keys[i][1]) {
      case "text": return strings[column[place]];
      case "hash": return Array.from(column.subarray(place * 8, place * 8 + 8), (b) => b.toString(16).padStart(2, "0")).join("");
      case "bool": return column[place] === 1;
      default: return column[place];
    }
  }
}
