package kv

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// script runs a program on a machine with a disk, to the end.
func script(t *testing.T, f func(p *kernel.Proc, disk *simdisk.Volume)) {
	t.Helper()
	s := kernel.New(kernel.Config{Seed: 1})
	defer s.Close()
	disks, err := simdisk.New(s, simdisk.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var disk *simdisk.Volume
	n := s.AddMachine("n1", kernel.Main(func(p *kernel.Proc) { f(p, disk) }))
	if disk, err = disks.Attach(n); err != nil {
		t.Fatal(err)
	}
	n.Start()
	s.Run()
	if s.Failure() != nil {
		t.Fatal(s.Failure())
	}
}

func entries(n int) []Entry {
	var list []Entry
	for i := range n {
		list = append(list, Entry{Term: 3, Client: "c1", Seq: i + 1, Op: Op{Kind: "put", Key: "x", Value: fmt.Sprintf("c1-%d", i+1)}, Time: 1})
	}
	return list
}

// A log that is cut anywhere recovers the records before the cut; one with a
// flipped bit those before that.
func TestLogTornOrCorrupt(t *testing.T) {
	var whole []byte
	ends := []int{0}
	for i, e := range entries(4) {
		whole = appendRecord(whole, entryRecord(i+1, e))
		ends = append(ends, len(whole))
	}
	check := func(what string, data []byte, good int) {
		l := &Log{}
		l.replay(data)
		want, _ := slices.BinarySearch(ends, good+1)
		if got := len(l.Entries); got != want-1 || !slices.Equal(l.Entries, entries(want-1)) {
			t.Errorf("%s: recovered %d entries, want %d", what, got, want-1)
		}
	}
	for i := range whole {
		check(fmt.Sprintf("cut after %d bytes", i), whole[:i], i)
		zeros := slices.Clone(whole)
		clear(zeros[i:])
		check(fmt.Sprintf("zeros from %d", i), zeros, i)
		flipped := slices.Clone(whole)
		flipped[i] ^= 0x10
		check(fmt.Sprintf("bit flipped in byte %d", i), flipped, i)
	}
}

func TestLogSurvivesReopening(t *testing.T) {
	other := Entry{Term: 4, Client: "c2", Seq: 1}
	want := append(entries(2), other)
	reopened := false
	script(t, func(p *kernel.Proc, disk *simdisk.Volume) {
		l, err := OpenLog(disk.In(p), Bugs{})
		if err != nil {
			t.Error(err)
			return
		}
		p.Node().Go("user", func(p *kernel.Proc) {
			l.SetTerm(3, "n2")
			l.Merge(0, entries(5))
			l.Merge(2, []Entry{other}) // contradicts, so it replaces the third to fifth
			l.SetTerm(4, "")
			var durable kernel.Signal
			l.Persist(durable.Set)
			p.Wait(&durable)
			again, err := OpenLog(disk.In(p), Bugs{})
			if err != nil {
				t.Error(err)
				return
			}
			if again.Term != 4 || again.Vote != "" || !slices.Equal(again.Entries, want) {
				t.Errorf("recovered term %d, vote %q, %v; want 4, none, %v", again.Term, again.Vote, again.Entries, want)
			}
			reopened = true
		})
		t.Error(l.Write(p))
	})
	if !reopened {
		t.Error("the log never became durable")
	}
}

func FuzzReplay(f *testing.F) {
	f.Add(appendRecord(nil, stateRecord(7, "n1")))
	f.Add(appendRecord(nil, entryRecord(1, entries(1)[0])))
	f.Fuzz(func(t *testing.T, data []byte) {
		(&Log{}).replay(data)
	})
}
