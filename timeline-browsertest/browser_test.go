package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium returns the browser, or skips the test.
func chromium(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow")
	}
	name := os.Getenv("FAULTLINE_CHROMIUM")
	if name == "" {
		name = "chromium"
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if required() {
		t.Fatalf("the browser is required: %v", err)
	}
	t.Skipf("no browser: %v; install chromium, or name one in FAULTLINE_CHROMIUM", err)
	return ""
}

// shared returns the one browser of all tests, which is started by the first.
func shared(t testing.TB) context.Context {
	t.Helper()
	start.Do(func() {
		path := chromium(t)
		for range tries {
			if startErr = launch(path); startErr == nil {
				return
			}
			stop()
		}
	})
	if startErr != nil {
		t.Fatal(startErr)
	}
	if running == nil {
		chromium(t)
	}
	return running
}

// tries is how often the browser is started: on a busy machine it sometimes
// ends before it listens.
const tries = 3

// launch starts the browser with a profile of its own.
func launch(path string) error {
	dir, err := os.MkdirTemp("", "faultline-browser-")
	if err != nil {
		return err
	}
	flags := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir), chromedp.WSURLReadTimeout(time.Minute)}
	for _, name := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		"disable-dev-shm-usage", "disable-extensions", "disable-default-apps", "hide-scrollbars"} {
		flags = append(flags, chromedp.Flag(name, true))
	}
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, stopTab := chromedp.NewContext(alloc)
	stop = func() {
		stopTab()
		stopAlloc()
		_ = os.RemoveAll(dir)
	}
	running = ctx
	return chromedp.Do(ctx)
}

// One browser serves all tests; each opens tabs of its own.
var (
	start    sync.Once
	stop     = func() {}
	running  context.Context
	startErr error
)

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

// required reports whether everything has to run, as in CI.
func required() bool { return os.Getenv("FAULTLINE_BROWSER") == "required" }

// tab is a page that is open. It notes what must not happen.
type tab struct {
	t    testing.TB
	ctx  context.Context
	file string

	mu       sync.Mutex
	problems []string // errors in the console, exceptions, refusals
	requests []string
}

// options say how a page is opened.
type options struct {
	dark          bool
	width, height int
	fragment      string
}

// open writes a page to a file and opens it there.
func open(t testing.TB, html []byte, o options) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "timeline.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	return openFile(t, file, o)
}

func openFile(t testing.TB, file string, o options) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(shared(t))
	t.Cleanup(end)
	b := &tab{t: t, ctx: ctx, file: file}
	if o.width == 0 {
		o.width, o.height = 1600, 1400
	}
	scheme := "light"
	if o.dark {
		scheme = "dark"
	}
	b.must(chromedp.Do(ctx, chromedp.EmulateViewport(int64(o.width), int64(o.height))))
	b.must(chromedp.Listen(ctx, b.event))
	for _, command := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		b.call(command)
	}
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	b.must(err)
	_, err = chromedp.Call(ctx, page.Enable, page.EnableParams{})
	b.must(err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.must(err)
	b.must(chromedp.Do(ctx, chromedp.Navigate("file://"+file+o.fragment)))
	b.wait("globalThis.faultline?.drawn || document.getElementById('loading').textContent.includes('cannot')")
	return b
}

func (b *tab) event(e any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.problems = append(b.problems, fmt.Sprintf("console: %s", e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "file://"+b.file) {
			b.requests = append(b.requests, url)
		}
	case *page.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "dialog: "+e.Message)
	}
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) call(command cdp.Command[cdp.Empty, cdp.Empty]) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, cdp.Empty{})
	b.must(err)
}

// run uses the page as a person does.
func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, actions...))
}

// eval returns what a JavaScript expression gives, as JSON would.
func (b *tab) eval(expression string, out any) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => JSON.stringify(await ("+expression+")) ?? 'null')()", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		b.t.Fatalf("%s gives %s: %v", expression, text, err)
	}
}

func (b *tab) text(expression string) string {
	b.t.Helper()
	var s string
	b.eval("String(await ("+expression+"))", &s)
	return s
}

func (b *tab) number(expression string) float64 {
	b.t.Helper()
	var v float64
	b.eval("Number(await ("+expression+"))", &v)
	return v
}

// wait waits until an expression holds.
func (b *tab) wait(expression string) {
	b.t.Helper()
	for range 600 {
		var ok bool
		if b.eval("!!("+expression+")", &ok); ok {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Fatalf("it never came true: %s", expression)
}

// settle waits until what was asked for is drawn.
func (b *tab) settle() {
	b.t.Helper()
	b.wait("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// clean demands that nothing went wrong and nothing was fetched.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the browser complains: %s", p)
	}
	for _, r := range b.requests {
		b.t.Errorf("the page asked for %.200s", r)
	}
}

// picture leaves a screenshot where they are wanted.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("FAULTLINE_SCREENSHOTS")
	if dir == "" {
		return
	}
	b.settle()
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
