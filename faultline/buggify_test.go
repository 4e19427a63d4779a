package faultline

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// lazy answers, and forgets to when it is told to be lazy.
type lazy struct {
	kernel.Idle
	n    *Node
	lazy *[]kernel.Time
}

func (l *lazy) Receive(from string, msg any) {
	if l.n.Buggify("forget to answer", 200_000) {
		*l.lazy = append(*l.lazy, l.n.Sim().Now())
	}
}

func lazySetup(times *[]kernel.Time) func(w *World) {
	return func(w *World) {
		*times = nil
		w.Server("s", func(n *Node) kernel.Handler { return &lazy{n: n, lazy: times} })
		w.Client("c", func(c *Client) {
			for {
				c.Send("s", 1)
				c.Sleep(50 * time.Millisecond)
			}
		})
	}
}

// In a quarter of the runs, at the rate that was asked for, and not in the quiet
// phase.
func TestBuggify(t *testing.T) {
	active, hits, asked := 0, 0, 0
	opt := Options{Duration: 8 * time.Second, QuietFor: 4 * time.Second}
	for seed := range uint64(200) {
		var times []kernel.Time
		if _, err := Once(opt, seed, lazySetup(&times)); err != nil {
			t.Fatal(err)
		}
		if len(times) == 0 {
			continue
		}
		active++
		hits, asked = hits+len(times), asked+80
		if last := times[len(times)-1]; last >= kernel.Time(4*time.Second) {
			t.Fatalf("seed %d: in the quiet phase, at %v", seed, last)
		}
	}
	if active < 35 || active > 65 {
		t.Errorf("active in %d of 200 runs, want about 50", active)
	}
	if share := 1000 * hits / asked; share < 160 || share > 240 {
		t.Errorf("%d of %d calls, want about a fifth", hits, asked)
	}
}

// It is part of the schedule: a replay does it again, and without it it is not done.
func TestBuggifyIsReplayed(t *testing.T) {
	opt := Options{Duration: 8 * time.Second, QuietFor: 4 * time.Second}
	for seed := range uint64(40) {
		var times, again []kernel.Time
		out, err := Record(opt, seed, lazySetup(&times))
		if err != nil {
			t.Fatal(err)
		}
		if len(times) < 2 {
			continue
		}
		s := *out.Schedule
		if len(s.Choices) != len(times) {
			t.Fatalf("%d choices, want %d", len(s.Choices), len(times))
		}
		if got := inWords(s.Choices[0]); got != fmt.Sprintf(`s takes "forget to answer" at call %d`, s.Choices[0].N) {
			t.Errorf("in words it is %q", got)
		}
		if _, err := Replay(opt, &s, lazySetup(&again)); err != nil || len(again) != len(times) {
			t.Fatalf("the replay was lazy at %v, the run at %v (%v)", again, times, err)
		}
		s.Choices = s.Choices[1:]
		if _, err := Replay(opt, &s, lazySetup(&again)); err != nil || len(again) != len(times)-1 || again[0] != times[1] {
			t.Fatalf("without the first it was lazy at %v, the run at %v (%v)", again, times, err)
		}
		return
	}
	t.Error("in none of 40 runs")
}

func TestBuggifyMisuse(t *testing.T) {
	for name, ppm := range map[string]uint32{"": 1, "too often": 1_000_001} {
		out, err := Once(Options{Duration: time.Second}, 1, func(w *World) {
			w.Server("s", func(n *Node) kernel.Handler {
				n.AfterFunc(1, func() { n.Buggify(name, ppm) })
				return kernel.Idle{}
			})
		})
		if err != nil || out.Failure == nil || out.Failure.Kind != kernel.KindMisuse {
			t.Errorf("%q, %d: %v, %v", name, ppm, out.Failure, err)
		}
	}
}
