package browsertest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

// What a page must do, on a machine with two cores and no graphics card. A
// machine that is busy with other things gets so much more time; the figures are
// logged.
const (
	mostBytes  = 25 << 20 // of a page of a million records
	mostMemory = 1 << 30  // to make it

	leastFrames = 50                   // a second, at least, while it moves
	mostDrawing = 1000.0 / leastFrames // milliseconds
	quiet       = 1.2                  // busyness up to which frames are counted
)

// pan moves the view for two seconds; it gives the frames in each second, and
// how many there would be if each took as long as the median.
const pan = `new Promise((done) => {
	const gaps = [];
	let first, last;
	let way = 1;
	const step = (now) => {
		if (last) gaps.push(now - last);
		first ??= now;
		last = now;
		if (faultline.view.to >= faultline.view.max - 1 || faultline.view.from <= faultline.view.min + 1) way = -way;
		faultline.view.pan(6 * way);
		if (now - first < 2000) return requestAnimationFrame(step);
		gaps.sort((a, b) => a - b);
		done([(gaps.length * 1000) / (last - first), 1000 / gaps[gaps.length >> 1]]);
	};
	requestAnimationFrame(step);
})`

// work is how long the quickest of some drawings takes, in milliseconds,
// without what the browser adds. Others are slowed by what else runs.
const work = `(() => {
	let least = Infinity;
	for (let i = 0; i < 30; i++) {
		const start = performance.now();
		faultline.view.pan(i % 2 ? 5 : -5);
		faultline.paint();
		least = Math.min(least, performance.now() - start);
	}
	return least;
})()`

func TestMillionRecords(t *testing.T) {
	if !required() {
		t.Skip("takes half a minute; FAULTLINE_BROWSER=required runs it")
	}
	measure(t, 1_000_000, 3*time.Second)
}

func TestFiveThousandRecords(t *testing.T) { measure(t, 5_000, time.Second) }

func measure(t *testing.T, n int, patience time.Duration) {
	chromium(t)
	a := traffic(n)
	debug.FreeOSMemory()
	peak := watchMemory()
	start := time.Now()
	html, err := timeline.Page(a, timeline.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made, memory := time.Since(start), peak()
	t.Logf("%d records: %.1f MB, made in %v with at most %d MiB", n, float64(len(html))/1e6, made.Round(time.Millisecond), memory>>20)
	if len(html) > mostBytes {
		t.Errorf("the page has %d bytes, more than %d", len(html), mostBytes)
	}
	if memory > mostMemory {
		t.Errorf("making it took %d bytes of memory, more than %d", memory, mostMemory)
	}
	busy := busyness()
	b := open(t, html, options{})
	busy = max(busy, busyness())
	paint := b.number("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
	drawn := b.number("faultline.firstDrawn")
	t.Logf("%d records: text after %.0f ms (0: not noted), timeline after %.0f ms, on a machine that makes work take %.1f times as long", n, paint, drawn, busy)
	if drawn > float64(patience.Milliseconds())*busy {
		t.Errorf("the timeline came after %.0f ms, later than %v, on a machine that makes work take %.1f times as long", drawn, patience, busy)
	}
	for _, share := range []float64{1, 0.5, 0.1, 0.01, 0.001} {
		b.eval(fmt.Sprintf("faultline.view.show(faultline.trace.end / 2 - faultline.trace.end * %g / 2, faultline.trace.end / 2 + faultline.trace.end * %g / 2)", share, share), new(any))
		b.settle()
		var fps [2]float64
		b.eval(pan, &fps)
		ms := b.number(work)
		busy := busyness()
		records := b.number("faultline.drawn.hi - faultline.drawn.lo")
		t.Logf("%d records: %5.1f%% in view, %.0f records: %.0f frames/s, by the median %.0f, a drawing takes %.1f ms", n, share*100, records, fps[0], fps[1], ms)
		if ms > mostDrawing*busy {
			t.Errorf("a drawing of %v of the run takes %.1f ms", share, ms)
		}
		if busy < quiet && fps[1] < leastFrames {
			t.Errorf("%v of the run moves at %.0f frames a second, fewer than %d", share, fps[1], leastFrames)
		}
		b.picture(fmt.Sprintf("scale-%d-%g", n, share))
	}
	b.clean()
}

// Every view of a million records is made with bounded memory, and four times
// the records take about four times the memory at most.
func TestEveryViewOfAMillionRecords(t *testing.T) {
	if !required() {
		t.Skip("takes half a minute; FAULTLINE_BROWSER=required runs it")
	}
	few, many := traffic(250_000), traffic(1_000_000)
	for _, v := range []struct {
		name string
		make func(*artifact.Artifact) ([]byte, error)
	}{
		{"timeline.txt", func(a *artifact.Artifact) ([]byte, error) { return timeline.Text(a, timeline.Options{}) }},
		{"timeline.html", func(a *artifact.Artifact) ([]byte, error) { return timeline.Page(a, timeline.PageOptions{}) }},
		{"causes.mmd", func(a *artifact.Artifact) ([]byte, error) { return timeline.Mermaid(a, 0) }},
		{"spacetime.svg", func(a *artifact.Artifact) ([]byte, error) { return timeline.SpaceTime(a, 0) }},
		{"plots.svg", timeline.Plots},
		{"perfetto.json", timeline.Perfetto},
	} {
		made := func(a *artifact.Artifact) (time.Duration, uint64, int) {
			debug.FreeOSMemory()
			peak, start := watchMemory(), time.Now()
			b, err := v.make(a)
			if err != nil {
				t.Fatal(err)
			}
			return time.Since(start), peak(), len(b)
		}
		_, little, _ := made(few)
		took, memory, size := made(many)
		t.Logf("%-14s %5.1f MB in %v with %d MiB; a quarter of the records with %d MiB", v.name, float64(size)/1e6, took.Round(time.Millisecond), memory>>20, little>>20)
		if memory > mostMemory || memory > 5*little+128<<20 {
			t.Errorf("%s takes %d bytes of memory, a quarter of the records %d", v.name, memory, little)
		}
	}
}

// watchMemory notes how much memory is in use until the result is called.
func watchMemory() (peak func() uint64) {
	stop, out := make(chan bool), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				out <- most
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { stop <- true; return <-out }
}
