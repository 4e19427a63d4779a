package etcdraft

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// replicated is a state machine with the sessions of its clients: a request
// that comes a second time gets its first answer again and changes nothing. The
// sessions are part of the snapshots.
type replicated struct {
	machine StateMachine
	bugs    *Bugs
	last    map[uint64]answered // by client
	index   uint64              // of the last entry that went in
}

// answered is the last request of a session and its answer.
type answered struct {
	seq    uint64
	result []byte
}

func newReplicated(m StateMachine, b *Bugs) *replicated {
	return &replicated{machine: m, bugs: b, last: map[uint64]answered{}}
}

// apply carries out a command. current is false when the client has made a
// newer request since; executed is false when nothing was changed.
func (r *replicated) apply(index uint64, c *Command) (result []byte, current, executed bool) {
	r.index = index
	if c.Read {
		return r.machine.Query(c.Data), true, false
	}
	if was := r.last[c.Client]; c.Seq <= was.seq && !r.bugs.NoSessions {
		return was.result, c.Seq == was.seq, false
	}
	result = r.machine.Apply(c.Data)
	r.last[c.Client] = answered{c.Seq, result}
	return result, true, true
}

// snapshot encodes everything.
func (r *replicated) snapshot() []byte {
	b := binary.AppendUvarint(nil, r.index)
	clients := slices.Sorted(maps.Keys(r.last))
	if r.bugs.ForgetSessions {
		clients = nil
	}
	b = binary.AppendUvarint(b, uint64(len(clients)))
	for _, client := range clients {
		a := r.last[client]
		b = binary.AppendUvarint(b, client)
		b = binary.AppendUvarint(b, a.seq)
		b = binary.AppendUvarint(b, uint64(len(a.result)))
		b = append(b, a.result...)
	}
	return append(b, r.machine.Snapshot()...)
}

var errShort = errors.New("etcdraft: the data of a snapshot is cut short")

// restore replaces everything by a snapshot. No data is the state that the
// cluster begins with.
func (r *replicated) restore(b []byte) error {
	clear(r.last)
	if len(b) == 0 {
		return nil
	}
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return 0
		}
		b = b[n:]
		return v
	}
	r.index = number()
	for range number() {
		client := number()
		a := answered{seq: number()}
		size := number()
		if size > uint64(len(b)) {
			return errShort
		}
		a.result, b = b[:size:size], b[size:]
		r.last[client] = a
	}
	return r.machine.Restore(b)
}
