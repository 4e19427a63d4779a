package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

func pageOf(t testing.TB, a *artifact.Artifact) []byte {
	t.Helper()
	html, err := timeline.Page(a, timeline.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// look opens the incident.
func look(t testing.TB, o options) *tab {
	t.Helper()
	return open(t, pageOf(t, incident("")), o)
}

const (
	selected = "faultline.name(faultline.selected)"
	visible  = "(faultline.view.from <= faultline.trace.head.failure.time && faultline.view.to >= faultline.trace.head.failure.time)"
)

// key presses a key while the timeline has the focus.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.eval("document.getElementById('canvas').focus()", new(any))
	b.run(chromedp.KeyEvent(keys))
	b.settle()
}

func (b *tab) expect(expression, want string) {
	b.t.Helper()
	if got := b.text(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(selector))
	b.settle()
}

func (b *tab) query(s string) {
	b.t.Helper()
	b.eval(fmt.Sprintf("(document.getElementById('query').value = %q, document.getElementById('query').dispatchEvent(new Event('input')))", s), new(any))
	b.wait(fmt.Sprintf("(faultline.hits?.query ?? '') === %q", s))
	b.settle()
}

func TestOpensOnTheFailure(t *testing.T) {
	for _, dark := range []bool{false, true} {
		b := look(t, options{dark: dark})
		b.expect("document.querySelector('h1').textContent.trim()", "Failed invariant “acknowledged writes survive”")
		b.expect("document.querySelectorAll('.story li').length", "5")
		b.expect(visible, "true")
		b.expect(selected, "FAILED: invariant “acknowledged writes survive”: x=7 was acknowledged and is lost")
		b.expect("document.querySelector('#panel-record h3').textContent", "FAILED: invariant “acknowledged writes survive”")
		want := "rgb(252, 251, 249)"
		if dark {
			want = "rgb(22, 24, 28)"
		}
		b.expect("getComputedStyle(document.body).backgroundColor", want)
		b.expect("getComputedStyle(document.documentElement).getPropertyValue('color-scheme')", "light dark")
		b.picture(fmt.Sprintf("incident-dark-%v", dark))
		b.click("#theme")
		b.picture(fmt.Sprintf("incident-dark-%v-other", dark))
		b.clean()
	}
}

func TestJumpsAndSteps(t *testing.T) {
	b := look(t, options{})
	b.key("0")
	b.expect("Math.round(faultline.view.span / 1e6)", "79")
	b.key("+")
	b.key("+")
	b.key("+")
	b.key("f")
	b.expect(visible, "true")
	b.key("G")
	b.expect(selected, "FAULT power-loss on n1 for=20ms")
	b.key("G")
	b.expect(selected, "FAULT isolate on n2 for=30ms")
	b.key("f")
	b.key(kb.ArrowLeft)
	b.expect("faultline.trace.event[faultline.selected]", "21")
	b.key("c")
	b.expect("faultline.trace.event[faultline.selected]", "20")
	b.key("e")
	b.expect(selected, "← c1 get #2 after 3ms")
	b.key("k")
	b.expect(selected, "STARTED, boot 2")
	b.key("j")
	b.expect(selected, "← c1 get #2 after 3ms")
	b.clean()
}

func TestFollowsACause(t *testing.T) {
	b := look(t, options{})
	b.eval("faultline.select(faultline.trace.failureRow)", new(any))
	b.settle()
	titles := b.text("[...document.querySelectorAll('#panel-record h4')].map((e) => e.textContent).join('; ')")
	if !strings.Contains(titles, "Why: the events that scheduled it") {
		t.Errorf("the panel has %s", titles)
	}
	b.click("#panel-record .links button")
	b.expect("faultline.trace.event[faultline.selected]", "21")
	b.expect("faultline.trace.kind(faultline.selected)", "net/send")
	b.expect("[...document.querySelectorAll('#panel-record h4')].some((e) => e.textContent === 'What it caused')", "true")
	b.clean()
}

func TestFilters(t *testing.T) {
	b := look(t, options{})
	for query, want := range map[string]int{
		"node:n1":                17,
		"kind:net/drop":          1,
		"kind:power-loss":        1,
		"x=7":                    3,
		"op:1":                   2,
		"reason:cut":             1,
		"node:n1 kind:disk lost": 1,
		"absent":                 0,
		"\"was acknowledged\"":   1,
	} {
		b.query(query)
		if got := b.number("faultline.hits.rows.length"); got != float64(want) {
			t.Errorf("%s matches %v records, want %d: %s", query, got, want, b.text("[...faultline.hits.rows].map((r) => faultline.name(r)).join('; ')"))
		}
	}
	b.query("kind:net/deliver")
	b.picture("search")
	b.key("n")
	first := b.text(selected)
	b.key("n")
	if second := b.text(selected); first == second {
		t.Errorf("the next match is the same: %s", first)
	}
	b.click("#tab-events")
	b.expect("document.querySelectorAll('#panel-events li').length", "7")
	b.run(chromedp.Focus("#query"), chromedp.KeyEvent(kb.Escape))
	b.wait("faultline.hits === null")
	b.clean()
}

func TestZoomsAndMoves(t *testing.T) {
	b := look(t, options{})
	b.key("0")
	span, from := b.number("faultline.view.span"), b.number("faultline.view.from")
	box := "document.getElementById('canvas').getBoundingClientRect()"
	x, y := b.number(box+".left + 500"), b.number(box+".top + 200")
	b.wheel(x, y, 0, -300)
	if s := b.number("faultline.view.span"); s >= span {
		t.Errorf("the wheel leaves %v ns in view, of %v", s, span)
	}
	under := b.number("faultline.view.time(500)")
	b.wheel(x, y, 0, -300)
	if now := b.number("faultline.view.time(500)"); now < under-1e5 || now > under+1e5 {
		t.Errorf("the time under the pointer moved from %v to %v", under, now)
	}
	from = b.number("faultline.view.from")
	b.run(chromedp.DragAndDropXY(x, y, x-120, y, 6))
	b.settle()
	if now := b.number("faultline.view.from"); now <= from {
		t.Errorf("dragging to the left moved the view from %v to %v", from, now)
	}
	b.pinch(x, y)
	b.key("0")
	if s := b.number("faultline.view.span"); s != span {
		t.Errorf("the whole run spans %v, then %v", span, s)
	}
	b.clean()
}

func (b *tab) wheel(x, y, dx, dy float64) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: dx + 0.001, DeltaY: dy})
	b.must(err)
	b.settle()
}

// pinch spreads two fingers.
func (b *tab) pinch(x, y float64) {
	b.t.Helper()
	span := b.number("faultline.view.span")
	touch := func(kind input.DispatchTouchEventType, apart float64) {
		var points []*input.TouchPoint
		for i, side := range []float64{-apart, apart} {
			if id := float64(i + 1); kind != input.DispatchTouchEventTypeTouchEnd {
				points = append(points, &input.TouchPoint{X: x + side, Y: y, ID: &id})
			}
		}
		_, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		b.must(err)
	}
	touch(input.DispatchTouchEventTypeTouchStart, 40)
	for apart := 50.0; apart <= 120; apart += 10 {
		touch(input.DispatchTouchEventTypeTouchMove, apart)
	}
	touch(input.DispatchTouchEventTypeTouchEnd, 0)
	b.settle()
	if s := b.number("faultline.view.span"); s > span*0.7 {
		b.t.Errorf("a pinch leaves %v ns in view, of %v", s, span)
	}
}

func TestClicksAndMeasures(t *testing.T) {
	b := look(t, options{})
	b.key("0")
	row := b.number("[...Array(faultline.trace.rows).keys()].find((r) => faultline.trace.kind(r) === 'node/power-loss')")
	place := fmt.Sprintf("(() => { const c = document.getElementById('canvas').getBoundingClientRect(); const l = faultline.layout; return [c.left + faultline.view.x(faultline.trace.time[%v]), c.top + l.line(0)]; })()", row)
	var at [2]float64
	b.eval(place, &at)
	b.run(chromedp.MouseClickXY(at[0], at[1]))
	b.settle()
	b.expect(selected, "POWER LOST")
	b.key("m")
	b.key("f")
	b.expect("[...document.querySelectorAll('#panel-record tr')].find((e) => e.textContent.startsWith('measured')).textContent", "measured36ms after record 24")
	b.picture("measure")
	b.key(kb.Escape)
	b.expect("[faultline.selected, faultline.mark].join()", "-1,-1")
	b.clean()
}

func TestNodesAndClocks(t *testing.T) {
	b := look(t, options{})
	b.click("#tab-nodes")
	b.expect("[...document.querySelectorAll('.node .doing')].map((e) => e.textContent).join('; ')", "up, boot 2; up, boot 1; up, boot 1; up, boot 1")
	row := "[...Array(faultline.trace.rows).keys()].find((r) => faultline.trace.kind(r) === 'node/power-loss')"
	b.eval("faultline.select("+row+")", new(any))
	b.settle()
	b.expect("document.querySelector('.node').textContent", "down, boot 1n10.014sstored value=x=7")
	b.expect("[...document.querySelectorAll('.node')][2].textContent", "up, boot 1n3clock −150ms")
	b.clean()
}

func TestKeyboardAndReader(t *testing.T) {
	b := look(t, options{})
	b.run(chromedp.Focus("#tab-record"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.settle()
	b.expect("document.activeElement.id", "tab-events")
	b.expect("document.querySelector('#panel-events h3').textContent.includes('in the causal slice')", "true")
	b.eval("document.querySelector('#panel-events .links button').focus()", new(any))
	b.run(chromedp.KeyEvent(kb.Enter))
	b.settle()
	b.expect("faultline.selected", b.text("faultline.trace.sliceRows[0]"))
	b.expect("document.querySelectorAll('#panel-events [aria-current=true]').length", "1")
	b.key("a")
	b.expect("document.querySelector('#panel-events h3').textContent", b.text("faultline.trace.rows")+" records in the trace")
	b.key("?")
	b.expect("document.getElementById('help-box').open", "true")
	b.picture("help")
	b.run(chromedp.KeyEvent(kb.Escape))
	b.wait("!document.getElementById('help-box').open")
	unnamed := "[...document.querySelectorAll('button, input, canvas, [role=tab], [role=group], aside, svg[role=img]')].filter((e) => e.getAttribute('aria-hidden') !== 'true' && !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80)).join('; ')"
	b.expect(unnamed, "")
	b.clean()
}

func TestCopies(t *testing.T) {
	b := look(t, options{})
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted})
		b.must(err)
	}
	b.click("#copy")
	b.wait("document.getElementById('copy').textContent === 'Copied'")
	b.expect("navigator.clipboard.readText()", "FAULTLINE_SEED=7 go test -run '^TestStore$' .")
	b.clean()
}

func TestAddressKeepsTheView(t *testing.T) {
	b := look(t, options{})
	b.key("0")
	b.key("+")
	b.query("node:n3")
	b.key("n")
	b.key("m")
	b.key("a")
	b.wait("location.hash.includes('search') && location.hash.includes('all') && location.hash.includes('mark')")
	hash, state := b.text("location.hash"), "[faultline.view.from, faultline.view.to].map(Math.round).join() + [faultline.selected, faultline.mark, faultline.hits.rows.length, faultline.showAll]"
	want := b.text(state)
	b.clean()
	again := look(t, options{fragment: hash})
	again.expect(state, want)
	again.clean()
	for _, bad := range []string{"#from=x&to=y&record=zzz", "#record=-5", "#record=999999", "#from=9e99&to=1e100", "#%", "#search=%00%ff&mark=1e9"} {
		c := look(t, options{fragment: bad})
		c.expect("faultline.drawn !== undefined", "true")
		c.clean()
	}
}

func TestHostileTexts(t *testing.T) {
	for i, s := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</script><script>alert(1)</script>`, "`${alert(1)}`", "javascript:alert(1)",
		"\u202etfel\u2066", "\x00\x1b[2J\n\r\t", "__proto__", "&lt;b&gt;", strings.Repeat("long ", 200_000),
	} {
		b := open(t, pageOf(t, incident(s)), options{})
		b.expect("faultline.trace.nodes.length", "4")
		b.expect("document.querySelectorAll('img, iframe, object, embed, link, script').length", "2")
		b.expect("document.querySelectorAll('script')[0].id", "payload")
		for _, tab := range []string{"#tab-nodes", "#tab-events", "#tab-record"} {
			b.click(tab)
		}
		b.key("a")
		b.query("kind:disk")
		b.expect("faultline.hits.rows.length > 0", "true")
		moves := `/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)`
		b.expect(moves, "false")
		b.picture(fmt.Sprintf("hostile-%d", i))
		b.clean()
	}
}

func TestEmptyRuns(t *testing.T) {
	for _, a := range []*artifact.Artifact{
		artifact.InMemory(&artifact.Report{Result: artifact.Passed, Test: "T"}, nil, nil, nil),
		artifact.InMemory(incident("").Report, nil, nil, nil),
	} {
		b := open(t, pageOf(t, a), options{})
		for _, key := range []string{"f", "g", "n", "j", "c", "e", "s", "0", "a", kb.ArrowRight, kb.ArrowLeft} {
			b.key(key)
		}
		b.query("x")
		b.clean()
	}
}

func TestSmallScreenAndPaper(t *testing.T) {
	b := look(t, options{width: 420, height: 900})
	b.expect("document.documentElement.scrollWidth <= innerWidth", "true")
	b.picture("phone")
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	b.must(err)
	if !strings.HasPrefix(string(pdf), "%PDF") || len(pdf) < 10_000 {
		t.Errorf("the page prints as %d bytes", len(pdf))
	}
	if dir := os.Getenv("FAULTLINE_SCREENSHOTS"); dir != "" {
		b.must(os.WriteFile(filepath.Join(dir, "paper.pdf"), pdf, 0o644))
	}
	b.clean()
}

// The artifacts that are recorded with module timeline, of the key-value example
// and of a raft cluster, open, and so do those below the directory that
// FAULTLINE_BROWSER_ARTIFACTS names. Their pictures are for the eye.
func TestRealArtifacts(t *testing.T) {
	found, err := filepath.Glob(filepath.Join("..", "timeline", "testdata", "artifacts", "*", artifact.ReportFile))
	if err != nil || len(found) < 2 {
		t.Skipf("the recorded artifacts are part of the repository: %d are here, %v", len(found), err)
	}
	if root := os.Getenv("FAULTLINE_BROWSER_ARTIFACTS"); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "*", "*", "*", artifact.ReportFile))
		if err != nil || len(more) == 0 {
			t.Fatalf("no artifact below %s: %v", root, err)
		}
		found = append(found, more...)
	}
	for i, file := range found {
		a, err := artifact.Read(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		b := open(t, pageOf(t, a), options{dark: i%2 == 1})
		b.expect("faultline.trace.failureRow >= 0", "true")
		b.expect("faultline.layout.groups.map((g) => g.name).join()", "servers,clients")
		b.picture("real-" + a.Report.Seed.String())
		b.key("0")
		b.key("a")
		b.picture("real-" + a.Report.Seed.String() + "-whole")
		b.clean()
	}
}
