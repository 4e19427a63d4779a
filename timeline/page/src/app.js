import { classOf, report, routine, world } from "./classes.js";
import { readColors } from "./colors.js";
import { Density } from "./density.js";
import { count, describe, short } from "./describe.js";
import { draw } from "./draw.js";
import { writeFragment } from "./fragment.js";
import { Layout } from "./layout.js";
import { Messages } from "./messages.js";
import { Operations } from "./operations.js";
import { search } from "./search.js";
import { at, span } from "./time.js";
import { lowerBound } from "./trace.js";
import { View } from "./view.js";

// App is what the parts of the page share: the trace, the view, what is
// selected, what is searched.
export class App {
  constructor(trace) {
    this.trace = trace;
    trace.classes = trace.shapes.map((s) => classOf(s.kind));
    trace.ops = trace.head.ops;
    this.view = new View(trace.start, trace.end);
    this.messages = new Messages(trace);
    this.about = new Set(trace.head.about ?? []);
    this.ops = new Operations(trace, this.about);
    this.layout = new Layout(trace);
    this.selected = -1;
    this.mark = -1;
    this.hits = null;
    this.showAll = false;
    this.marks = [];
    this.opBoxes = [];
    this.faultBoxes = [];
    this.shownMessages = [];
    this.colors = readColors();
    this.density = new Density(this);
    this.parts = []; // what follows the selection
    this.view.changed = () => this.changed();
  }

  // changed asks for one drawing before the next frame.
  changed() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.pending = false;
    draw(this);
    this.minimap.draw();
    this.tell();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => writeFragment(this), 250);
  }

  // tell says in words what is on the screen.
  tell() {
    const { view, drawn } = this;
    let text = `${at(Math.max(0, Math.round(view.from)))} to ${at(Math.min(this.trace.end, Math.round(view.to)))}, ${span(view.span)} in view; ${count(drawn.hi - drawn.lo, "record")}`;
    if (!drawn.each) text += " as counts";
    if (this.hiddenMessages) text += `; ${count(this.hiddenMessages, "more message")}, zoom in for them`;
    if (drawn.dim < 1) text += "; outside the causal slice all is pale (A shows it)";
    const status = document.getElementById("status");
    if (status.textContent !== text + ".") status.textContent = text + ".";
  }

  select(row, { still = false } = {}) {
    this.selected = row;
    if (!still) this.view.reveal(this.trace.time[row]);
    this.revealLane(this.trace.node[row] - 1);
    for (const part of this.parts) part();
    this.changed();
  }

  letGo() {
    this.selected = -1;
    this.mark = -1;
    for (const part of this.parts) part();
    this.changed();
  }

  revealLane(lane) {
    const { layout } = this;
    if (lane < 0 || !layout.scrolls || lane >= this.trace.nodes.length) return;
    const top = layout.top(lane);
    if (top < layout.lanesTop) layout.scrollBy(top - layout.lanesTop);
    else if (top + layout.laneHeight > layout.height) layout.scrollBy(top + layout.laneHeight - layout.height + 8);
  }

  // firstOf returns the record that stands for an event: the one that says
  // most, or, on the way to another event, the one that a record there ends.
  firstOf(event, towards = -1) {
    const { trace } = this;
    const [from, to] = trace.rowsOf(event);
    if (from >= to) return -1;
    const [begin, end] = towards >= 0 ? trace.rowsOf(trace.event[towards]) : [0, 0];
    for (let i = begin - 1; i < end; i++) {
      const partner = towards < 0 ? -1 : trace.partner[i < begin ? towards : i];
      if (partner >= from && partner < to) return partner;
    }
    let best = from;
    for (let i = from; i < to; i++) if (this.weight(i) > this.weight(best)) best = i;
    return best;
  }

  weight(row) {
    const c = this.trace.classes[this.trace.shape[row]];
    return c === routine ? 0 : c === report ? 2 : c > report ? 3 : 1;
  }

  // step goes to the first telling record of the next or previous event: of
  // the matches, of the slice, or of all.
  step(by) {
    const { trace } = this;
    if (this.hits) return this.stepIn(this.hits.rows, by);
    let row = this.selected < 0 ? (by > 0 ? trace.firstRowAt(this.view.from) - 1 : trace.firstRowAt(this.view.to)) : this.selected;
    const event = row >= 0 && row < trace.rows ? trace.event[row] : -1;
    const wanted = (i) => trace.event[i] !== event && (this.showAll || !trace.slice.size || trace.inSlice[i]);
    for (row += by; row >= 0 && row < trace.rows; row += by) {
      if (wanted(row)) return this.select(this.firstOf(trace.event[row]));
    }
  }

  stepIn(rows, by) {
    if (!rows.length) return;
    const i = by > 0 ? lowerBound(rows, this.selected + 1) : lowerBound(rows, this.selected < 0 ? Infinity : this.selected) - 1;
    this.select(rows[(i + rows.length) % rows.length]);
  }

  // stepOnNode goes to the next or previous record of the selected node.
  stepOnNode(by) {
    const { trace } = this;
    const node = this.selected >= 0 ? trace.node[this.selected] : 1;
    for (let row = this.selected + by; row >= 0 && row < trace.rows; row += by) {
      if (trace.node[row] === node && trace.classes[trace.shape[row]] !== routine) return this.select(row);
    }
  }

  stepFault(by) {
    const rows = this.trace.head.faults.map((f) => f.record).filter((r) => r >= 0 && r < this.trace.rows);
    rows.sort((a, b) => a - b);
    this.stepIn(rows, by);
  }

  // faultRoom is how far the name of a fault may reach.
  faultRoom(i, x) {
    const { trace, view, layout } = this;
    for (let j = i + 1; j < trace.head.faults.length && j < i + 40; j++) {
      if (layout.rows.of[j] === layout.rows.of[i]) return view.x(trace.head.faults[j].from) - x - 16;
    }
    return 140;
  }

  search(query) {
    this.hits = search(this.trace, query);
    this.density.refresh();
    for (const part of this.parts) part();
    this.changed();
  }

  toFailure() {
    const { trace, view } = this;
    if (trace.failureRow < 0) return;
    this.select(trace.failureRow, { still: true });
    view.reveal(trace.time[trace.failureRow]);
  }

  // showSlice has the end of the causal slice in view, as much of it as can
  // still be told apart.
  showSlice(most = Infinity) {
    const { trace, view } = this;
    const steps = trace.head.slice.slice(-most);
    const rows = steps.map((e) => trace.rowsOf(e)[0]).filter((r) => r < trace.rows);
    if (!rows.length) return view.show(view.min, view.max);
    const from = trace.time[rows[0]];
    const to = Math.max(trace.time[rows.at(-1)], Math.min(trace.head.failure?.time ?? 0, trace.end));
    const margin = Math.max((to - from) * 0.06, 1000);
    view.show(from - margin, to + margin);
  }

  name(row) { return short(describe(this.trace, row), 120); }
}

export { world };
