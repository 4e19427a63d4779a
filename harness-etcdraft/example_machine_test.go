package etcdraft_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
)

// sum is a state machine of one's own: a number that commands add to.
type sum struct{ total uint64 }

func (s *sum) Apply(command []byte) []byte {
	s.total += binary.LittleEndian.Uint64(command)
	return s.Snapshot()
}

func (s *sum) Query([]byte) []byte { return s.Snapshot() }

func (s *sum) Snapshot() []byte { return binary.LittleEndian.AppendUint64(nil, s.total) }

func (s *sum) Restore(snapshot []byte) error {
	s.total = 0
	if len(snapshot) == 8 {
		s.total = binary.LittleEndian.Uint64(snapshot)
	}
	return nil
}

// adder is the program of its clients: what a client sees never falls.
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

// TestOwnMachine brings a state machine and its clients.
func TestOwnMachine(t *testing.T) {
	etcdraft.Test(t, etcdraft.Config{
		Machine:  func() etcdraft.StateMachine { return &sum{} },
		Workload: adder,
	}, faultline.Options{Duration: 6 * time.Second, Seeds: 5})
}
