// The part of the address after '#' holds the view, so that it can be shared:
// from and to in nanoseconds, the selected record, the search, all.

export function readFragment() {
  const p = new URLSearchParams(location.hash.slice(1));
  const number = (key) => (p.has(key) && Number.isFinite(Number(p.get(key))) ? Number(p.get(key)) : undefined);
  return { from: number("from"), to: number("to"), record: number("record"), mark: number("mark"), query: p.get("search") ?? "", all: p.has("all"), any: location.hash.length > 1 };
}

export function writeFragment(app) {
  const p = new URLSearchParams();
  p.set("from", Math.round(app.view.from));
  p.set("to", Math.round(app.view.to));
  if (app.selected >= 0) p.set("record", app.selected + app.trace.head.skipped);
  if (app.mark >= 0) p.set("mark", app.mark + app.trace.head.skipped);
  if (app.hits) p.set("search", app.hits.query);
  if (app.showAll) p.set("all", "");
  try {
    history.replaceState(null, "", "#" + p);
  } catch {
    // Browsers refuse too many changes in a second; the next one will do.
  }
}
