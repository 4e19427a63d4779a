package retrytwice

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	tries    = 3
	patience = 50 * time.Millisecond // with each try
)

// Case returns the bug as a test. The script loses the first reply of the server.
func Case() bugs.Case {
	return bugs.Case{
		Name: "retry-twice",
		Report: "[CockroachDB 10023](https://github.com/cockroachdb/cockroach/issues/10023), " +
			"[etcd 18424](https://github.com/etcd-io/etcd/issues/18424)",
		Needs:   "a reply that is lost after the request was done",
		Check:   "each addition counts once",
		Options: faultline.Options{Duration: 3 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.LoseReply, Target: fault.Target{Nodes: []string{"n1"}}, For: time.Second,
		}},
		Story:  []string{"n1", "lose-reply", "add("},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	n1 := w.Server("n1", func(n *faultline.Node) kernel.Handler { return newServer(n, mended) })
	for _, name := range []string{"c1", "c2"} {
		w.Client(name, func(c *faultline.Client) { add(c, mended) })
	}
	w.Final("each addition counts once", func() error {
		s, ok := faultline.Program[*server](n1)
		if !ok {
			return fmt.Errorf("n1 is down at the end")
		}
		return judge(s.state.Count, w.History())
	})
}

// add adds to the counter, time and again. Each try is the same request.
func add(c *faultline.Client, mended bool) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		op := c.Invoke("add", fmt.Sprint(c.Node().Name(), "-", i))
		ok, count := false, any(nil)
		for try := 0; try < tries && !ok; try++ {
			op.Attempt("n1")
			count, ok = bugs.Call(c, "n1", i, nil, patience)
		}
		switch {
		case ok:
			op.OK(count)
		case mended:
			op.Unknown("no answer")
		default:
			op.Fail("no answer")
		}
	}
}

// judge compares the count with what the clients were told.
func judge(count int, h *history.History) error {
	least, most, repeated := 0, 0, ""
	for op := range h.All() {
		switch op.Status {
		case history.OK:
			least++
			most++
		case history.Unknown, history.Pending:
			most++
		}
		if repeated == "" && len(op.Attempts) > 1 {
			repeated = fmt.Sprintf("; the first with more than one attempt is %v", op)
		}
	}
	if count < least || count > most {
		return fmt.Errorf("n1 has counted %d additions; of those that were called %d to %d can have taken effect%s", count, least, most, repeated)
	}
	return nil
}
