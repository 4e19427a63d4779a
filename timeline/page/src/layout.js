export const gutter = 104; // width of the column of names
const axisHeight = 26;
const faultRow = 15;
const maxFaultRows = 7;
const groupHeight = 22;
const roomiest = 80;
const tightest = 15;

// Layout places tracks and lanes from top to bottom.
export class Layout {
  constructor(trace) {
    this.trace = trace;
    this.rows = packFaults(trace);
    this.scroll = 0;
    this.lanes = trace.nodes.map(() => ({ top: 0, height: 0 }));
  }

  // ideal is the height at which all lanes are roomy.
  get ideal() {
    return axisHeight + 10 + Math.max(1, this.rows.count) * faultRow + groupsOf(this.trace.nodes).length * groupHeight + this.lanes.length * roomiest + 16;
  }

  // fit gives each lane its place in a canvas of some height.
  fit(height) {
    const { nodes } = this.trace;
    const groups = groupsOf(nodes);
    this.axis = axisHeight;
    this.faultsTop = axisHeight + 4;
    this.faultRow = faultRow;
    this.lanesTop = this.faultsTop + Math.max(1, this.rows.count) * faultRow + 6;
    const free = height - this.lanesTop - groups.length * groupHeight - 8;
    const size = Math.max(tightest, Math.min(roomiest, free / Math.max(1, nodes.length)));
    let y = this.lanesTop;
    this.groups = groups.map(([name, from, to]) => {
      const group = { name, top: y };
      y += groupHeight;
      for (let i = from; i < to; i++) {
        this.lanes[i] = { top: y, height: size };
        y += size;
      }
      return group;
    });
    this.laneHeight = size;
    this.height = height;
    this.total = y + 8;
    this.scrollBy(0);
  }

  scrollBy(pixels) {
    this.scroll = Math.min(Math.max(this.scroll + pixels, 0), Math.max(0, this.total - this.height));
  }

  get scrolls() { return this.total > this.height; }
  top(lane) { return this.lanes[lane].top - this.scroll; }
  // line is where a node's line of life is, and its messages begin and end.
  line(lane) { return this.lanes[lane].top - this.scroll + this.lanes[lane].height * 0.56; }
  laneAt(y) {
    if (y < this.lanesTop) return -1;
    return this.lanes.findIndex((l) => y >= l.top - this.scroll && y < l.top - this.scroll + l.height);
  }
}

// groupsOf returns the groups of nodes, which are in order: name, first node,
// node after the last.
function groupsOf(nodes) {
  const groups = [];
  nodes.forEach((n, i) => {
    const last = groups.at(-1);
    if (last && last[0] === n.group) last[2] = i + 1;
    else groups.push([n.group, i, i + 1]);
  });
  return groups;
}

// packFaults gives each fault the first row that is free; those that find none
// share the last row, without their names.
function packFaults(trace) {
  const ends = [];
  const crowded = new Uint8Array(trace.head.faults.length);
  const row = trace.head.faults.map((f, n) => {
    let i = ends.findIndex((end) => end < f.from);
    if (i < 0) i = ends.length < maxFaultRows ? ends.length : maxFaultRows - 1;
    crowded[n] = ends[i] >= f.from ? 1 : 0;
    ends[i] = Math.max(ends[i] ?? 0, f.until + trace.end / 400);
    return i;
  });
  return { of: row, count: ends.length, crowded };
}
