import { span } from "./time.js";

// describe tells a record in words, as timeline.txt does.
export function describe(trace, row) {
  const kind = trace.kind(row);
  const get = (key) => text(trace, row, key);
  const after = (key, before) => (get(key) ? before + get(key) : "");
  const slash = kind.indexOf("/");
  const [module, what] = slash < 0 ? ["", kind] : [kind.slice(0, slash), kind.slice(slash + 1)];
  switch (module) {
    case "net": return network(trace, row, what, get, after) ?? plain(trace, row, kind);
    case "node": return { boot: `STARTED, boot ${trace.boot[row]}`, kill: "KILLED", "power-loss": "POWER LOST", pause: "PAUSED", resume: "RESUMED" }[what] ?? plain(trace, row, kind);
    case "stream": return connection(what, get, after) ?? plain(trace, row, kind);
    case "disk": return "disk " + what + rest(trace, row, ["digest"]);
    case "fault": return fault(trace, row, what, get, after) ?? plain(trace, row, kind);
    case "op": return operation(what, get, after) ?? plain(trace, row, kind);
    case "clock": return what === "step" ? `clock steps by ${get("by")}` : `clock drifts by ${get("ppm")} ppm`;
  }
  switch (kind) {
    case "fail": return `FAILED: ${get("kind")} “${get("check")}”: ${get("message")}`;
    case "inert": return "no effect: " + get("what") + rest(trace, row, ["what"]);
    case "point": return "point " + get("name");
    case "proc": return "proc " + get("name");
  }
  return plain(trace, row, kind);
}

function network(trace, row, what, get, after) {
  const message = [get("kind") || get("type"), get("id") && "#" + get("id")].filter(Boolean).join(" ");
  switch (what) {
    case "send": return `→ ${get("to")} ${message}${after("content", ": ")}`;
    case "deliver": return `← ${get("from")} ${get("copy") && "a copy of "}${message}${after("took", " after ")}${after("content", ": ")}`;
    case "drop": return `✗ ${get("from") || trace.nodeName(row)}→${get("to") || trace.nodeName(row)} ${message} dropped${after("reason", ": ")}`;
    case "dup": return `→ ${get("to")} ${message} a second time`;
    case "delay": return `→ ${get("to")} ${message} delayed${after("by", " by ")}`;
    case "corrupt": return `→ ${get("to")} ${message} corrupted${after("bits", "; bits: ")}`;
    case "cut": case "degrade": case "clog": case "aim": return `network: ${get("what")}`;
    case "heal": return `network: effect ${get("effect")} is over${after("met", "; messages met: ")}`;
  }
}

function connection(what, get, after) {
  if (what === "trouble") return `connections: ${get("what")}`;
  const name = `connection ${get("from")}→${get("to")} ${get("service")} #${get("id")}`;
  const took = after("took", " after ");
  const bytes = (key, state) => (+get(key) ? `, ${get(key)} byte${get(key) === "1" ? "" : "s"} ${state}` : "");
  const end = after("by", " by ") + bytes("unread", "unread") + bytes("unacked", "not acknowledged");
  const said = { open: `OPEN${took}`, accept: "accepted", refuse: `REFUSED${took}`, "close-write": "has no more to write", close: `CLOSED${end}`, reset: `RESET${end}`, timeout: `TIMED OUT${end}`, lost: `LOST${end}`, short: `${get("what")} cut short: ${get("moved")} of ${get("of")} bytes`, deadline: `deadline passed: ${get("what")}` }[what];
  return said && `${name} ${said}`;
}

function fault(trace, row, what, get, after) {
  const name = get("kind") + after("nodes", " on ");
  switch (what) {
    case "fire": return "FAULT " + name + rest(trace, row, ["fault", "kind", "nodes"]);
    case "end": return "end of " + name;
    case "skip": return `fault ${name} skipped${after("why", ": ")}`;
    case "quiet": return "QUIET: no more faults, everything is healed and started";
  }
}

function operation(what, get, after) {
  switch (what) {
    case "invoke": return `op ${get("op")}: ${get("function")}(${get("input")})`;
    case "attempt": return `op ${get("op")}: tries ${get("target")}`;
    case "return": return `op ${get("op")}: ${get("status")}${after("output", ", ")}`;
  }
}

function plain(trace, row, kind) { return kind + rest(trace, row, []); }

function rest(trace, row, but) {
  return trace.attributes(row).filter(([key]) => !but.includes(key)).map(([key, type, v]) => ` ${key}=${short(shown(type, v))}`).join("");
}

function text(trace, row, key) {
  const shape = trace.shapes[trace.shape[row]];
  const i = shape.slot(key);
  return i < 0 ? "" : short(shown(shape.keys[i][1], shape.value(i, trace.place[row], trace.head.strings)));
}

// count is like "1 record" or "3,000 records".
export const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

// shown writes a value as text, in full.
export function shown(type, value) {
  return type === "duration" ? span(value) : String(value);
}

export function short(s, limit = 200) {
  return s.length > limit ? s.slice(0, limit - 1) + "…" : s;
}
