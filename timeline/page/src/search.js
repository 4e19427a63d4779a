// search returns the records that all words of a query match, or null for an
// empty query. A word is looked for in kinds, names of nodes and texts; a
// number also as a whole number. node:, kind: and op: name what they are looked
// for in; any other name before the colon is an attribute's.
export function search(trace, query) {
  const words = (query.toLowerCase().match(/[^\s"]*"[^"]*"|\S+/g) ?? []).map((w) => w.replaceAll('"', "")).filter(Boolean);
  if (!words.length) return null;
  const tests = words.map((w) => compile(trace, w));
  const has = new Uint8Array(trace.rows);
  const rows = [];
  for (let i = 0; i < trace.rows; i++) {
    let all = true;
    for (const test of tests) {
      if (!test(i)) {
        all = false;
        break;
      }
    }
    if (all) {
      has[i] = 1;
      rows.push(i);
    }
  }
  return { has, rows: Uint32Array.from(rows), query };
}

function compile(trace, word) {
  const colon = word.indexOf(":");
  const key = colon > 0 ? word.slice(0, colon) : "";
  const value = word.slice(colon + 1);
  if (key === "node") {
    const exact = trace.nodes.some((n) => n.name.toLowerCase() === value);
    const nodes = nodesLike(trace, (name) => (exact ? name === value : name.includes(value)));
    return (row) => nodes[Math.min(trace.node[row], nodes.length - 1)];
  }
  if (key === "kind") {
    const kinds = trace.shapes.map((s) => s.kind.toLowerCase().includes(value));
    return (row) => kinds[trace.shape[row]];
  }
  const named = key !== "" && trace.shapes.some((s) => s.keys.some((k) => k[0].toLowerCase() === key));
  return anywhere(trace, named ? value : word, named ? key : "");
}

function nodesLike(trace, test) {
  return [false, ...trace.nodes.map((n) => test(n.name.toLowerCase())), false];
}

// anywhere looks in all attributes, or in those of one name; without a name
// also in kinds and names of nodes.
function anywhere(trace, word, key) {
  const texts = new Uint8Array(trace.head.strings.length);
  trace.head.strings.forEach((s, i) => (texts[i] = s.toLowerCase().includes(word) ? 1 : 0));
  const number = /^-?\d+$/.test(word) ? Number(word) : NaN;
  const nodes = nodesLike(trace, (name) => !key && name.includes(word));
  const slots = trace.shapes.map((s) => {
    if (!key && s.kind.toLowerCase().includes(word)) return true;
    return s.keys.flatMap(([name, type], i) => {
      if (key && name.toLowerCase() !== key) return [];
      if (type === "text") return [[s, i, true]];
      return (type === "number" || type === "duration") && !Number.isNaN(number) ? [[s, i, false]] : [];
    });
  });
  return (row) => {
    if (nodes[Math.min(trace.node[row], nodes.length - 1)]) return true;
    const list = slots[trace.shape[row]];
    if (list === true) return true;
    for (const [shape, i, isText] of list) {
      const v = shape.column(i)[trace.place[row]];
      if (isText ? texts[v] : v === number) return true;
    }
    return false;
  };
}
