// Virtual time is nanoseconds since the start of the run.

// at writes a moment in seconds, as the reports do.
export function at(ns) {
  const sign = ns < 0 ? "-" : "";
  const v = Math.abs(ns);
  const seconds = Math.floor(v / 1e9);
  const rest = String(Math.round(v - seconds * 1e9)).padStart(9, "0").replace(/0+$/, "");
  return `${sign}${seconds}${rest ? "." + rest : ""}s`;
}

// brief writes a moment to the microsecond, for lists.
export function brief(ns) { return at(Math.round(ns / 1e3) * 1e3); }

// span writes a duration in the unit that fits.
export function span(ns) {
  const v = Math.abs(ns);
  const sign = ns < 0 ? "−" : "";
  if (v === 0) return "0s";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (v >= size) return `${sign}${+(v / size).toFixed(v / size >= 100 ? 1 : 3)}${unit}`;
  }
  return `${sign}${v}ns`;
}

// ticks returns round times between two, about as many as asked for.
export function ticks(from, to, count) {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].find((m) => m * power >= rough) * power);
  const out = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) out.push(t);
  return { list: out, step };
}

// tick writes a tick with as many digits as its step needs.
export function tick(t, step) {
  const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))));
  return (t / 1e9).toFixed(digits) + "s";
}
