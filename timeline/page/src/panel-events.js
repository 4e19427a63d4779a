import { count } from "./describe.js";
import { el } from "./dom.js";
import { links } from "./panel-record.js";
import { lowerBound } from "./trace.js";

const perPage = 100;

// EventsPanel lists records as text: what the search found, or the causal
// slice, or everything.
export class EventsPanel {
  constructor(app, panel) {
    this.app = app;
    this.panel = panel;
    this.page = -1;
  }

  rows() {
    const { app } = this;
    if (app.hits) return [app.hits.rows, `match “${app.hits.query}”`];
    if (app.showAll || !app.trace.slice.size) {
      this.every ??= Uint32Array.from({ length: app.trace.rows }, (_, i) => i);
      return [this.every, "in the trace"];
    }
    return [app.trace.sliceRows, "in the causal slice"];
  }

  // draw shows the page that holds the selected record, or another one.
  draw(page) {
    const [rows, what] = this.rows();
    const pages = Math.max(1, Math.ceil(rows.length / perPage));
    const own = Math.max(0, lowerBound(rows, this.app.selected));
    this.page = Math.min(pages - 1, Math.max(0, page ?? Math.floor(own / perPage)));
    const from = this.page * perPage;
    const shown = Array.from(rows.slice(from, from + perPage));
    const turn = (by, name, label) => el("button", { type: "button", disabled: this.page + by < 0 || this.page + by >= pages, "aria-label": label, onclick: () => { this.draw(this.page + by); this.panel.focus(); } }, name);
    this.panel.replaceChildren(
      el("h3", {}, `${count(rows.length, "record")} ${what}`),
      el("div", { class: "pages" }, turn(-1, "‹", "Page before"), `page ${this.page + 1} of ${pages}`, turn(1, "›", "Next page")),
      links(this.app, shown));
    this.panel.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
}
