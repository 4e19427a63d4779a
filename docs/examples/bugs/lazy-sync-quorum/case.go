package lazysyncquorum

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. In the script n1 and n2 are cut off while n3,
// n4 and n5 store records; then n3 loses power, and it is n4 and n5 that are cut
// off.
func Case() bugs.Case {
	return bugs.Case{
		Name: "lazy-sync-quorum",
		Report: "[NATS 7564](https://github.com/nats-io/nats-server/issues/7564), " +
			"[Jepsen: NATS 2.12.1](https://jepsen.io/analyses/nats-2.12.1)",
		Needs:   "power loss; partitions of a minority",
		Check:   "reads see acknowledged writes",
		Options: faultline.Options{Duration: 5 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{
			{Kind: fault.Partition, Target: fault.Target{Nodes: []string{"n1", "n2"}}, For: 500 * time.Millisecond},
			{Kind: fault.PowerLoss, Target: fault.Target{Nodes: []string{"n3"}}, At: 480 * time.Millisecond, For: 20 * time.Millisecond, Profile: "lose-all"},
			{Kind: fault.Partition, Target: fault.Target{Nodes: []string{"n4", "n5"}}, At: 500 * time.Millisecond, For: 500 * time.Millisecond},
		},
		Story:  []string{"n3", "power-loss", "put(v1)"},
		Within: 50,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Servers(5, func(n *faultline.Node) kernel.Handler { return newReplica(n, mended) })
	w.Client("c1", write)
	w.Client("c2", read)
	w.Final("reads see acknowledged writes", func() error { return judge(w.History()) })
}

// judge reports a read that was called after a put had been acknowledged and
// that has not seen it.
func judge(h *history.History) error {
	for get := range h.All() {
		if get.Function != "get" || get.Status != history.OK {
			continue
		}
		seen := map[string]bool{}
		for _, v := range get.Output.(answers).values {
			seen[v] = true
		}
		for put := range h.All() {
			if put.Function == "put" && put.Status == history.OK && put.Return.Event < get.Invoke.Event && !seen[put.Input.(string)] {
				return fmt.Errorf("%v; and %v, which has not seen it", put, get)
			}
		}
	}
	return nil
}

// answers are those of a quorum.
type answers struct {
	from   []string
	values []string
}

func (a answers) String() string {
	return fmt.Sprintf("%d records at %s", len(a.values), strings.Join(a.from, ", "))
}

// write puts v1, v2, …
func write(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		value := fmt.Sprint("v", i)
		op := c.Invoke("put", value)
		if a, ok := ask(c, i, put{value}); ok {
			op.OK("at " + strings.Join(a.from, ", "))
		} else {
			op.Unknown("no quorum")
		}
	}
}

// read gets all records, time and again.
func read(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(100 * time.Millisecond)
		op := c.Invoke("get", "all")
		if a, ok := ask(c, i, get{}); ok {
			op.OK(a)
		} else {
			op.Unknown("no quorum")
		}
	}
}

// ask sends a request to all servers and waits for three answers.
func ask(c *faultline.Client, id int, body any) (a answers, ok bool) {
	for i := range 5 {
		c.Send(fmt.Sprint("n", i+1), bugs.Request{ID: id, Body: body})
	}
	ok = c.Await(100*time.Millisecond, func(from string, msg any) bool {
		if r := msg.(bugs.Reply); r.ID == id && !slices.Contains(a.from, from) {
			a.from = append(a.from, from)
			values, _ := r.Body.([]string)
			a.values = append(a.values, values...)
		}
		return len(a.from) == 3
	})
	return a, ok
}
