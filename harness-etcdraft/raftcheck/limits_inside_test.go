package raftcheck

import (
	"testing"

	"go.etcd.io/raft/v3/raftpb"
)

// What the append worker acknowledges counts only as long as the entry is there. A leader
// that was cut off writes entries of its term; the next leader replaces them before
// the disk is done. The acknowledgement has the new term, and the log's term of the old
// entry: raft ignores it, and a sweep that did not found a limit broken that was not.
func TestAcknowledgedEntriesAreStillThere(t *testing.T) {
	for _, c := range []struct {
		what                 string
		index, logTerm, term uint64
		want                 uint64
	}{
		{"the entry of the old leader", 8, 3, 6, 5},
		{"the entry that is there", 8, 6, 6, 8},
		{"from an earlier term", 8, 6, 5, 5},
		{"behind the end", 9, 6, 6, 5},
	} {
		n := &Node{}
		n.log.begin(5, ident{term: 3})
		n.log.list = append(n.log.list, ident{term: 6}, ident{term: 6}, ident{term: 6})
		n.quota.stable = 5
		n.quota.saves(n, &raftpb.Message{Term: &c.term, Index: &c.index, LogTerm: &c.logTerm}, &Status{Term: 6})
		if n.quota.stable != c.want {
			t.Errorf("%s: durable up to %d, want %d", c.what, n.quota.stable, c.want)
		}
	}
}
