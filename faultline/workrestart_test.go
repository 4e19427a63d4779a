package faultline

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// An operation that a client waits for when it is killed is still to come for its
// next incarnation.
func TestListedOperationOutlivesClient(t *testing.T) {
	var began []int
	r := recipe{seed: 1, level: kernel.LevelFull, setup: func(w *World) {
		began = nil
		w.Client("c1", func(c *Client) {
			for n := range c.Operations() {
				began = append(began, n)
				c.Sleep(time.Millisecond)
			}
		})
	}}
	var err error
	if r.opt, err = (Options{Duration: 4 * time.Second}).complete(true); err != nil {
		t.Fatal(err)
	}
	r.replay = &fault.Schedule{Seed: 1, Duration: 4 * time.Second, Quiet: 3 * time.Second,
		Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill, At: time.Second, For: time.Millisecond, Nodes: []string{"c1"}, Outcome: fault.Fired}},
		Choices: []kernel.Choice{{Point: pointClients, Value: int64(loadClosed)},
			{Point: workPrefix + "c1" + opSuffix, N: 5, Value: int64(2 * time.Second)}}}
	if x := r.execute(time.Time{}); x.failure != nil || x.setup != nil {
		t.Fatal(x.failure, x.setup)
	}
	if len(began) != 1 || began[0] != 5 {
		t.Errorf("operations %v began, want number 5", began)
	}
}
