package isolation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
)

// example is a history from the literature.
type example struct {
	name, source, text string
	want               []string          // all that it shows
	strongest          []isolation.Level // that it does not refute
}

const (
	ru     = isolation.ReadUncommitted
	rc     = isolation.ReadCommitted
	view   = isolation.ConsistentView
	si     = isolation.SnapshotIsolation
	ser    = isolation.Serializable
	sessSI = isolation.StrongSessionSnapshot
	strSI  = isolation.StrongSnapshot
	sess   = isolation.StrongSessionSerializable
	strict = isolation.StrictSerializable
)

// dirty are histories that are serializable, and ones that show what is not committed.
func dirty() []example {
	return []example{
		{"serial", "", `
			a 1-2: append x 1, append y 1
			b 3-4: read x [1], append y 2
			c 5-6: read y [1 2]`, nil, []isolation.Level{strict}},
		{"concurrent, in one order", "", `
			a 1-9: append x 1, read y []
			b 2-8: append y 2, read x [1]`, nil, []isolation.Level{strict}},
		{"G0", "Adya, Weak Consistency, 1999, history H_wcycle: w1(x1) w2(x2) w2(y2) w1(y1), x1 << x2, y2 << y1", `
			a 1-4: append x 1, append y 1
			b 2-3: append x 2, append y 2
			c 5-6: read x [1 2], read y [2 1]`, []string{"G0"}, nil},
		{"G1a", "Adya, definition of aborted reads: w1(x1) r2(x1) a1 c2", `
			a 1-4 failed: append x 1
			b 2-3: read x [1]`, []string{"G1a"}, []isolation.Level{ru}},
		{"G1a of a register", "the same", `
			a 1-4 failed: write x 1
			b 2-3: read x 1`, []string{"G1a"}, []isolation.Level{ru}},
		{"G1a within a list", "Kingsbury, Alvaro: Elle, VLDB 2020: versions trace back to all that was appended", `
			a 1-4 failed: append x 1
			b 2-3: append x 2
			c 5-6: read x [1 2]`, []string{"G1a"}, []isolation.Level{ru}},
		{"G1b", "Adya, definition of intermediate reads: w1(x1.1) r2(x1.1) w1(x1.2) c1 c2", `
			a 1-4: append x 1, append x 2
			b 2-3: read x [1]
			c 5-6: read x [1 2]`, []string{"G1b"}, []isolation.Level{ru}},
		{"G1b of a register", "the same", `
			a 1-4: write x 1, write x 2
			b 2-3: read x 1`, []string{"G1b"}, []isolation.Level{ru}},
		{"G1c", "Adya, history H_1c: w1(x1) w2(y2) r1(y2) r2(x1)", `
			a 1-4: append x 1, read y [2]
			b 2-3: append y 2, read x [1]`, []string{"G1c"}, []isolation.Level{ru}},
		{"G1c of a register", "the same", `
			a 1-4: write x 1, read y 2
			b 2-3: write y 2, read x 1`, []string{"G1c"}, []isolation.Level{ru}},
		{"G1c of one register", "each read what the other one wrote: that does not tell the order of the writes", `
			a 1-4: read x 2, write x 1
			b 2-3: read x 1, write x 2`, []string{"G1c"}, []isolation.Level{ru}},
		{"dirty update", "Elle: what was aborted is below what was committed", `
			a 1-9 failed: append x 1
			b 2-3: append x 2
			c 10-11: read x [1 2]`, []string{"G1a"}, []isolation.Level{ru}},
		{"G0 by intermediate writes", "Adya, PL-1: the writes of two transactions are mixed on one object", `
			a 1-9: append x 1, append x 2
			b 2-8: append x 3
			c 10-11: read x [1 3 2]`, []string{"G0"}, nil},
	}
}

// skewed are read skew and lost updates.
func skewed() []example {
	return []example{
		{"inconsistent analysis", "Berenson et al., A Critique of ANSI SQL Isolation Levels, SIGMOD 1995, H1 (P1, dirty read)", `
			z 1-2: write x 50, write y 51
			a 3-8: read x 50, write x 10, read y 51, write y 90
			b 4-5: read x 10, read y 51`, []string{"G-single"}, []isolation.Level{rc}},
		{"fuzzy read", "Berenson et al., H2 (P2)", `
			z 1-2: write x 50, write y 51
			a 3-8: read x 50, read y 90
			b 4-5: read x 50, write x 10, read y 51, write y 90`, []string{"G-single"}, []isolation.Level{rc}},
		{"read skew", "Berenson et al., A5A", `
			z 1-2: append x 1, append y 1
			a 3-8: read x [1], read y [1 2]
			b 4-5: append x 2, append y 2
			c 9-10: read x [1 2]`, []string{"G-single"}, []isolation.Level{rc}},
		{"read twice", "Adya, PL-2.99: the second read of x sees another version", `
			a 1-8: read x [], read x [1]
			b 2-3: append x 1`, []string{"G-single"}, []isolation.Level{rc}},
		{"read twice, of a register", "the same: which version came first need not be known", `
			a 1-8: read x 1, read x 2
			b 2-3: write x 1
			c 4-5: write x 2`, []string{"G-single"}, []isolation.Level{rc}},
		{"observed transaction vanishes", "Bailis et al.: Highly Available Transactions, VLDB 2013 (OTV)", `
			a 1-2: write x 1, write y 1
			b 1-3: write x 2, write y 2
			c 2-8: read x 2, read y 1, read x 2, read y 2`, []string{"G-single"}, []isolation.Level{rc}},
		{"lost update", "Berenson et al., H4 (P4): r1(x=100) r2(x=100) w2(x=120) c2 w1(x=130) c1", `
			z 1-2: write x 100
			a 3-8: read x 100, write x 130
			b 4-5: read x 100, write x 120`, []string{"lost update"}, []isolation.Level{rc}},
		{"lost update of a list", "the same", `
			a 1-8: read x [], append x 1
			b 2-7: read x [], append x 2
			c 9-10: read x [1 2]`, []string{"lost update"}, []isolation.Level{rc}},
		{"an update over a blind write", "one that did not read has no update to lose", `
			z 1-2: append x 1
			a 3-9: read x [1], append x 2
			b 3-9: append x 3
			c 10-11: read x [1 3 2]`, []string{"G-single"}, []isolation.Level{rc}},
		{"an append that was not seen", "the shape of Elle's first case of TiDB: what was read misses what was appended before", `
			z 1-2: append x 2, append x 1
			a 3-8: read x [2 1], append y 5, append x 4
			b 4-5: append x 5
			c 9-10: read x [2 1 5 4]`, []string{"G-single"}, []isolation.Level{rc}},
	}
}

// forked are anomalies that snapshots are for, and those that they allow.
func forked() []example {
	return []example{
		{"long fork", "Sovran et al.: Transactional Storage for Geo-Replicated Systems, SOSP 2011", `
			a 1-9: append x 1
			b 1-9: append y 1
			c 2-8: read x [1], read y []
			d 2-8: read x [], read y [1]`, []string{"long fork"}, []isolation.Level{view}},
		{"long fork of registers", "the same", `
			a 1-9: write x 1
			b 1-9: write y 1
			c 2-8: read x 1, read y -
			d 2-8: read x -, read y 1`, []string{"long fork"}, []isolation.Level{view}},
		{"G-nonadjacent", "Cerone, Gotsman: Analysing Snapshot Isolation, PODC 2016: rw edges that are not in a row", `
			a 1-9: append x 1, append p 1
			b 1-9: read x [], read q [1], append s 1
			c 2-8: read p [1], read z [], append t 1
			d 2-8: append z 1, append q 1`, []string{"G-nonadjacent"}, []isolation.Level{view}},
		{"write skew", "Berenson et al., H5 (A5B): r1(x=50) r1(y=50) r2(x=50) r2(y=50) w1(y=-40) w2(x=-40)", `
			z 1-2: write x 50, write y 51
			a 3-8: read x 50, read y 51, write y -40
			b 4-7: read x 50, read y 51, write x -41`, []string{"write skew"}, []isolation.Level{strSI}},
		{"write skew of lists", "the same", `
			a 3-8: read x [], append y 1
			b 4-7: read y [], append x 1`, []string{"write skew"}, []isolation.Level{strSI}},
		{"read-only anomaly", "Fekete, O'Neil, O'Neil: A Read-Only Transaction Anomaly Under Snapshot Isolation, SIGMOD Record 2004", `
			z 1-2: write x 0, write y 1
			b 3-20: read x 0, read y 1, write x -11
			a 4-5: read y 1, write y 20
			c 6-7: read x 0, read y 20`, []string{"G2-item"}, []isolation.Level{strSI}},
		{"G2-item of three", "Adya, definition of G2-item", `
			a 1-9: read x [], append y 1
			b 2-8: read y [], append z 1
			c 3-7: read z [], append x 1`, []string{"G2-item"}, []isolation.Level{strSI}},
	}
}

// ordered are anomalies against the order of sessions and of real time.
func ordered() []example {
	return []example{
		{"own write not seen later", "Daudjee, Salem: Lazy Database Replication with Snapshot Isolation, VLDB 2006", `
			a 1-2: append x 1
			a 3-4: read x []
			b 5-6: read x [1]`, []string{"G-single-session"}, []isolation.Level{ser}},
		{"stale read", "Papadimitriou, J. ACM 26, 1979: serializable, but not strictly", `
			a 1-2: append x 1
			b 3-4: read x []
			c 5-6: read x [1]`, []string{"G-single-realtime"}, []isolation.Level{sess}},
		{"causal reverse", "serializable, but a later write is seen without the earlier one", `
			a 1-2: append x 1
			b 3-4: append y 1
			c 1-9: read x [], read y [1]
			d 10-11: read x [1]`, []string{"G-single-realtime"}, []isolation.Level{sess}},
		{"read of the future", "", `
			a 1-2: read x [1]
			b 3-4: append x 1`, []string{"G1c-realtime"}, []isolation.Level{sess}},
		{"overwritten by the past", "", `
			a 1-2: append x 1
			b 3-4: append x 2
			c 5-6: read x [2 1]`, []string{"G0-realtime"}, []isolation.Level{sess}},
		{"writes of a session swapped", "Terry et al.: Session Guarantees, PDIS 1994 (monotonic writes)", `
			a 1-2: append x 1
			a 3-4: append x 2
			b 5-6: read x [2 1]`, []string{"G0-session"}, []isolation.Level{ser}},
		{"write before what was read", "Terry et al. (writes follow reads)", `
			a 1-2: read x [1]
			a 3-4: append x 1`, []string{"G1c-session"}, []isolation.Level{ser}},
		{"back to before", "Terry et al. (monotonic reads)", `
			a 1-9: append x 1
			b 2-3: read x [1]
			b 4-5: read x []`, []string{"G-single-session"}, []isolation.Level{ser}},
		{"long fork over time", "snapshots that are taken after their time", `
			a 1-9: append x 1
			b 1-9: append y 1
			c 2-3: read x [1]
			d 4-5: read y []
			e 2-6: read x [], read y [1]`, []string{"G-nonadjacent-realtime"}, []isolation.Level{sess}},
		{"strong snapshots, not strict", "q overlaps both, and must come between them, the wrong way round", `
			p 1-2: append y 1
			q 1-9: read y [], append x 1
			r 3-4: read x []
			s 10-11: read x [1], read y [1]`, []string{"G2-item-realtime"}, []isolation.Level{strSI, sess}},
		{"strong snapshots, not in the session's order", "the same in one session", `
			p 1-2: append y 1
			q 1-9: read y [], append x 1
			p 3-4: read x []
			s 10-11: read x [1], read y [1]`, []string{"G2-item-session"}, []isolation.Level{strSI, ser}},
		{"write skew in sequence", "serializable, but only against the order in which it happened", `
			a 1-2: read x [], append y 1
			c 3-4: read z []
			b 4-7: read y [], append x 1, append z 1
			d 8-9: read y [1], read x [1]`, []string{"write skew", "G-single-realtime"}, []isolation.Level{sessSI}},
	}
}

// odd are observations that no order explains, and ones that are none.
func odd() []example {
	return []example{
		{"internal", "Elle: a transaction sees its own writes", `
			a 1-2: append x 1, read x []`, []string{"internal"}, nil},
		{"internal of a register", "the same", `
			a 1-2: write x 1, read x -`, []string{"internal"}, nil},
		{"own future", "Adya: an event of a history comes after those that it depends on", `
			a 1-2: read x [1], append x 1`, []string{"internal"}, nil},
		{"own future of a register", "the same", `
			a 1-2: read x 1, write x 1`, []string{"internal"}, nil},
		{"own append twice", "Elle: duplicate elements", `
			a 1-2: append x 1, read x [1 1]`, []string{"duplicate"}, nil},
		{"garbage", "Elle: garbage reads", `a 1-2: read x [7] 
			b 3-4: append x 1`, []string{"garbage read"}, nil},
		{"duplicate", "Elle: duplicate elements", `
			a 1-2: append x 1
			b 3-4: read x [1 1]`, []string{"duplicate"}, nil},
		{"incompatible order", "Elle: inconsistent observations", `
			a 1-9: append x 1
			b 1-9: append x 2
			c 2-8: read x [1]
			d 2-8: read x [2]`, []string{"incompatible order"}, nil},
		{"two at once", "", `
			a 1-9: read x [], append y 1
			b 2-8: read y [], append x 1
			c 1-9: append p 1, read q [1]
			d 1-9: append q 1, read p [1]`, []string{"G1c", "write skew"}, []isolation.Level{ru}},
		{"unknown and seen", "a transaction that timed out and took effect later is no anomaly", `
			a 1-: append x 1
			b 5-6: read x []
			c 7-8: read x [1]`, nil, []isolation.Level{strict}},
		{"unknown and never seen", "", `
			a 1-: append x 1, append y 1
			b 5-6: read x []`, nil, []isolation.Level{strict}},
		{"unknown, seen and gone", "an aborted read, even if nobody was told of the abort", `
			a 1-: append x 1
			b 2-3: read x [1]
			c 4-5: append x 2
			d 6-7: read x [2]
			e 8-9: read x [2]`, []string{"G1a"}, []isolation.Level{isolation.ReadUncommitted}},
		{"unknown and half seen", "", `
			a 1-: append x 1, append y 1
			b 5-6: read x [1], read y []
			c 7-8: read y [1]`, []string{"G-single"}, []isolation.Level{rc}},
		{"never seen though acknowledged", "", `
			a 1-2: append x 1
			b 5-6: read x []`, []string{"G-single-realtime"}, []isolation.Level{sess}},
		{"session snapshot", "", `
			a 1-9: append x 1
			b 1-9: append y 1
			c 2-3: read x [1]
			c 4-5: read y []
			d 2-3: read y [1]
			d 4-5: read x []`, []string{"G-nonadjacent-session"}, []isolation.Level{ser}},
	}
}

// TestPublished are the anomalies as the literature defines them: each history
// is named exactly, and the levels that it refutes are those that forbid it.
func TestPublished(t *testing.T) {
	for _, c := range slices.Concat(dirty(), skewed(), forked(), ordered(), odd()) {
		t.Run(c.name, func(t *testing.T) {
			r, err := isolation.Checker{}.Run(scene(t, c.text).All())
			if err != nil {
				t.Fatal(err)
			}
			if got := names(r); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
				t.Errorf("found %q, want %q", got, c.want)
				for _, f := range r.Found {
					t.Log(f.String())
				}
			}
			holds(t, r, c.strongest...)
		})
	}
}

// TestWords pins down how an anomaly is told.
func TestWords(t *testing.T) {
	err := isolation.Serializable.Check(scene(t, `
		a 3-8: read x [], append y 1
		b 4-7: read y [], append x 1
		c 9-10: read x [1]`).All())
	want := `not serializable: write skew
  T1: op 0, a txn ok [3ns, 8ns]: read x [], append y 1
  T2: op 1, b txn ok [4ns, 7ns]: read y [], append x 1
  - T1 is before T2: T1 saw no value in x, which T2's 1 replaced, for c saw them in that order
  - T2 is before T1: T2 saw no value in y, which T1's 1 replaced, for it is in no list that was seen
nothing was found against: read uncommitted, read committed, consistent view, snapshot isolation, strong session snapshot, strong snapshot`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	err = isolation.StrictSerializable.Check(scene(t, `
		z 1-2: write x 50
		a 3-8: read x 50, write x 51
		b 4-5: read x 50, write x 52`).All())
	if err == nil || !strings.Contains(err.Error(), "T2 saw 50 in x and wrote 52 there, although T1 had seen the same and wrote 51") {
		t.Errorf("got %v", err)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a 1-2: write x 1 \n b 3-4: write x 1", `1 was written to key "x" twice`},
		{"a 1-2: write x 1 \n b 3-4: append x 2", `key "x" is both written and appended to`},
		{"a 1-2: append x 1 \n b 3-4: read x 1", "give a read the whole list"},
	} {
		if err := isolation.Serializable.Check(scene(t, c.text).All()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if err := isolation.Level("serialisable").Check(scene(t, "").All()); err == nil || !strings.Contains(err.Error(), "Checker.Level") {
		t.Errorf("got %v", err)
	}
}
