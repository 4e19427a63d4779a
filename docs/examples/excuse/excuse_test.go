package excuse

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// client puts records one after another.
func client(c *faultline.Client) {
	for i := 0; ; i++ {
		op := c.Invoke("put", i)
		c.Send("db", put{i})
		for {
			_, msg, ok := c.RecvTimeout(50 * time.Millisecond)
			if !ok {
				op.Unknown("no answer")
				break
			}
			if msg == (done{i}) {
				op.OK(nil)
				break
			}
		}
	}
}

// run runs the log under some faults, and returns the failure and what was
// excused.
func run(t *testing.T, early, excuse bool, faults ...fault.Fault) (failure *kernel.Failure, excused []string) {
	t.Helper()
	opt := faultline.Options{Duration: 4 * time.Second}
	opt.Disk.Latency.Sync = simdisk.Delay{Min: 20 * time.Millisecond, Max: 40 * time.Millisecond}
	out, err := faultline.Once(opt, 1, func(w *faultline.World) {
		db := w.Server("db", func(n *faultline.Node) kernel.Handler { return &Log{node: n, early: early} })
		w.Client("c1", client)
		w.Script(faults...)
		c := check.Durability{
			Wrote: func(op *history.Operation) (any, bool) { return op.Input, true },
			Kept:  func(record any) bool { return Kept(db.Disk(), record.(int)) },
		}
		if excuse {
			c.Excuse = func(record any, _ *history.Operation) string { return Excuse(db.Disk(), record.(int)) }
			c.Report = func(_ any, reason string) { excused = append(excused, reason) }
		}
		w.Judge("acknowledged records survive", c)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Failure, excused
}

// TestExcuses: what the device has lost is excused, with the reason, and what the
// server has lost is not, even beside it.
func TestExcuses(t *testing.T) {
	power := fault.Fault{Kind: fault.PowerLoss, At: 1500 * time.Millisecond, For: 10 * time.Millisecond, Target: fault.Target{Nodes: []string{"db"}}, Profile: "lose-all"}
	lie := fault.Fault{Kind: fault.SyncFail, At: 1400 * time.Millisecond, For: 200 * time.Millisecond, Target: fault.Target{Nodes: []string{"db"}}, Profile: "lie"}
	rot := fault.Fault{Kind: fault.Corrupt, At: 2900 * time.Millisecond, Target: fault.Target{Nodes: []string{"db"}}}
	for _, c := range []struct {
		name   string
		faults []fault.Fault
		reason string
	}{
		{"power loss alone", []fault.Fault{power}, ""},
		{"a sync lied", []fault.Fault{lie, power}, "a sync of its range failed, or lied: bytes "},
		{"damage at rest", []fault.Fault{rot}, "a fault damaged it on the device: bytes "},
	} {
		plain, _ := run(t, false, false, c.faults...)
		if (plain != nil) != (c.reason != "") {
			t.Errorf("%s, nothing is excused: %v", c.name, plain)
		}
		failure, excused := run(t, false, true, c.faults...)
		if failure != nil || (len(excused) > 0) != (c.reason != "") {
			t.Errorf("%s: %v, excused %q", c.name, failure, excused)
		}
		for _, reason := range excused {
			if !strings.HasPrefix(reason, c.reason) {
				t.Errorf("%s: excused because of %q", c.name, reason)
			}
		}
		if bug, _ := run(t, true, true, append(c.faults, power)...); bug == nil || !strings.Contains(bug.Message, "is lost, and had been acknowledged") {
			t.Errorf("%s, and it acknowledges too early: %v", c.name, bug)
		}
	}
}
