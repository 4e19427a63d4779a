package etcdraft_test

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"go.etcd.io/raft/v3"
)

// oneLeader is a check of one's own that watches raft.
type oneLeader struct {
	cluster *etcdraft.Cluster
	leads   map[uint64]uint64 // raft ID by term
}

// Observe looks at every call into raft.
func (o *oneLeader) Observe(e *etcdraft.Event) {
	if e.Status.Role != raft.StateLeader {
		return
	}
	id, term := e.Replica.ID(), e.Status.Term
	if first := o.leads[term]; first != 0 && first != id {
		o.cluster.Violated("one leader per term", e.Replica, "%d leads in term %d, and so did %d", id, term, first)
	}
	o.leads[term] = id
}

// TestOwnCheck adds a check that is told of every event on the nodes, and one of
// what must have happened in the end.
func TestOwnCheck(t *testing.T) {
	opt := faultline.Options{Duration: 5 * time.Second, Seeds: 5}
	faultline.Run(t, opt, func(w *faultline.World) {
		check := &oneLeader{leads: map[uint64]uint64{}}
		check.cluster = etcdraft.Setup(w, etcdraft.Config{Observers: []etcdraft.Observer{check}, Liveness: time.Second})
		w.Faults(etcdraft.Faults())
		w.Sometimes("a term has a leader", func() bool { return len(check.leads) > 0 })
	})
}
