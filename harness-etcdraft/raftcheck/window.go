package raftcheck

import (
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// window is what a leader has on the way to a follower, counted anew: messages
// with entries that were handed out and not acknowledged. Raft's own count
// begins when the follower gets to StateReplicate; this one at the end of the
// first Ready that finds it there, so that it is never higher.
type window struct {
	open  bool     // the follower has been in StateReplicate since a Ready
	ends  []uint64 // index of the last entry of each message, oldest first
	sizes []uint64 // bytes of data of each
	bytes uint64   // of all
	acked uint64   // the highest index that was acknowledged meanwhile
}

// shut stops counting: the follower may be in another state, or was.
func (w *window) shut() {
	w.open, w.ends, w.sizes, w.bytes, w.acked = false, w.ends[:0], w.sizes[:0], 0, 0
}

// answer takes in what a follower says to appends.
func (w *window) answer(m *raftpb.Message) {
	if m.GetReject() {
		w.shut()
		return
	}
	w.acked = max(w.acked, m.GetIndex())
	free := 0
	for free < len(w.ends) && w.ends[free] <= w.acked {
		w.bytes -= w.sizes[free]
		free++
	}
	w.ends = w.ends[:copy(w.ends, w.ends[free:])]
	w.sizes = w.sizes[:copy(w.sizes, w.sizes[free:])]
}

// add takes in a message with entries.
func (w *window) add(entries []*raftpb.Entry) {
	end := entries[len(entries)-1].GetIndex()
	if !w.open || end <= w.acked {
		return
	}
	size := uint64(0)
	for _, e := range entries {
		size += uint64(len(e.GetData()))
	}
	w.ends, w.sizes, w.bytes = append(w.ends, end), append(w.sizes, size), w.bytes+size
}

// fits is P16 on another message with entries for a follower.
func (n *Node) fits(f *flow) error {
	w := &f.window
	if !w.open || len(w.ends) < n.cfg.inflight && w.bytes < n.cfg.inflightBytes {
		return nil
	}
	return n.fail(Progress, "has %d messages with %d bytes of entries on the way to node %d, which has acknowledged entries up to %d, and sends another one; the limits are %d and %d",
		len(w.ends), w.bytes, f.id, w.acked, n.cfg.inflight, n.cfg.inflightBytes)
}

// openWindow begins to count for a follower that has come to StateReplicate.
func (n *Node) openWindow(f *flow) {
	if f.window.open {
		return
	}
	if p, ok := n.progress(f.id); ok && p.State == tracker.StateReplicate {
		f.window.open, f.window.acked = true, p.Match
	}
}
