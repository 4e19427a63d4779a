package kernel

import (
	"testing"
	"time"
)

// TestNamer takes, from a list of occurrences, one out, and delays one: what comes in
// other spans of time, and what is of other kinds, keeps its name.
func TestNamer(t *testing.T) {
	type occurrence struct {
		kind uint64
		at   Time
	}
	var list []occurrence
	for i := range 400 {
		list = append(list, occurrence{uint64(i % 3), Time(i) * Time(time.Millisecond)})
	}
	names := func(list []occurrence) []uint64 {
		var n Namer
		var out []uint64
		for _, o := range list {
			out = append(out, n.Next(o.kind, o.at))
		}
		return out
	}
	whole := names(list)
	unique := map[uint64]bool{0: true}
	for i, name := range whole {
		if unique[name] {
			t.Fatalf("occurrence %d has the name %x of another, or none", i, name)
		}
		unique[name] = true
	}
	span := func(i int) Time { return list[i].at / Time(Soon) }
	moved := 0
	for gone := range list {
		less := names(append(append([]occurrence{}, list[:gone]...), list[gone+1:]...))
		for i, name := range less {
			was := i
			if i >= gone {
				was++
			}
			if name == whole[was] {
				continue
			}
			moved++
			if list[was].kind != list[gone].kind || span(was) != span(gone) || was < gone {
				t.Fatalf("without occurrence %d, %d has another name", gone, was)
			}
		}
	}
	if moved == 0 {
		t.Error("no name has moved: then they do not count")
	}
	for i := range list {
		later := append([]occurrence{}, list...)
		if later[i].at += Time(100 * time.Microsecond); later[i].at/Time(Soon) == span(i) && names(later)[i] != whole[i] {
			t.Fatalf("occurrence %d has another name 100µs later", i)
		}
	}
}

// TestNamerSharesItsTable lets more kinds come up at a time than the table has places:
// they count each other, and all names differ still.
func TestNamerSharesItsTable(t *testing.T) {
	var n Namer
	seen := map[uint64]bool{}
	for i := range 20_000 {
		name := n.Next(uint64(i%5000), Time(i)*1000)
		if seen[name] {
			t.Fatalf("name %x comes twice", name)
		}
		seen[name] = true
	}
}
