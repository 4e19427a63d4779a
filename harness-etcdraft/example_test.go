package etcdraft_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"go.etcd.io/raft/v3"
)

// TestReady is the ready test.
func TestReady(t *testing.T) {
	etcdraft.Test(t, etcdraft.Config{Nodes: 3}, faultline.Options{Duration: 5 * time.Second, Seeds: 5})
}

// sum is a state machine of one's own: a number that commands add to.
type sum struct{ total uint64 }

func (s *sum) Apply(command []byte) []byte {
	s.total += binary.LittleEndian.Uint64(command)
	return s.Snapshot()
}

func (s *sum) Query([]byte) []byte { return s.Snapshot() }

func (s *sum) Snapshot() []byte { return binary.LittleEndian.AppendUint64(nil, s.total) }

func (s *sum) Restore(snapshot []byte) error {
	if len(snapshot) != 8 {
		s.total = 0
		return nil
	}
	s.total = binary.LittleEndian.Uint64(snapshot)
	return nil
}

// adder is the program of its clients: the total never falls.
func adder(s *etcdraft.Session) {
	for seen := uint64(0); ; s.Sleep(30 * time.Millisecond) {
		call := s.Invoke("add", 1)
		result, ok := s.Write(call, binary.LittleEndian.AppendUint64(nil, 1))
		if !ok {
			call.Unknown("no answer")
			continue
		}
		total := binary.LittleEndian.Uint64(result)
		if total <= seen {
			s.Cluster().World().Fail("the total grows", "%s saw %d after %d", s.Name(), total, seen)
		}
		seen = total
		call.OK(total)
	}
}

// oneLeader is a check of one's own that watches raft.
type oneLeader struct {
	cluster *etcdraft.Cluster
	leads   map[uint64]uint64 // by term
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

// TestOwnParts brings a state machine, clients, a check, faults and a mode.
func TestOwnParts(t *testing.T) {
	faultline.Run(t, faultline.Options{Duration: 6 * time.Second, QuietFor: 3 * time.Second, Seeds: 5}, func(w *faultline.World) {
		check := &oneLeader{leads: map[uint64]uint64{}}
		check.cluster = etcdraft.Setup(w, etcdraft.Config{
			Nodes:     3,
			Machine:   func() etcdraft.StateMachine { return &sum{} },
			Workload:  adder,
			Observers: []etcdraft.Observer{check},
			Tune:      func(m *etcdraft.Mode) { m.Async, m.PreVote = true, true },
		})
		w.Faults(fault.Default().Without(fault.SlowDisk))
		w.Script(fault.Fault{Kind: fault.PowerLoss, At: time.Second, For: 300 * time.Millisecond, Target: fault.Target{Nodes: check.cluster.Names()}})
	})
}

// The mode of a run is shown beside its seed.
func ExampleMode() {
	m := etcdraft.Mode{PreVote: true, TickEvery: 10 * time.Millisecond, ElectionTick: 10, HeartbeatTick: 1, MaxInflightMsgs: 16, MaxCommittedSizePerReady: 1 << 20, PieceSize: 256, SegmentSize: 8192}
	fmt.Println(&m)
	// Output: sync, pre-vote, tick 10ms, election 10, heartbeat 1, message 0 B, in flight 16 or 0 B, committed per Ready 1048576 B, uncommitted 0 B, snapshot every 0 keeping 0, busy 0%, pieces of 256 B, segments of 8192 B, checkpoint every 0, ReadIndex again after 0 ticks
}
