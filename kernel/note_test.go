package kernel

import (
	"reflect"
	"testing"
)

// Annotated texts are shown with their records and change nothing else.
func TestAnnotations(t *testing.T) {
	run := func(level Level, annotate bool) *Sim {
		s := New(Config{Level: level})
		note := func(text string) {
			if annotate {
				s.Annotate("content", text)
			}
		}
		note("there is no record yet")
		s.Emit(s.Sym("a")).Int(s.Sym("n"), 1).Done()
		note("of a")
		s.Emit(s.Sym("b")).Done()
		s.Emit(s.Sym("c")).Done()
		note("of c")
		note("more of c")
		return s
	}
	full := run(LevelFull, true)
	for range 2 { // they can be read again
		var got [][]Attr
		for r := range full.Records() {
			got = append(got, append([]Attr(nil), r.Attrs...))
		}
		text := func(s string) Attr { return Attr{Key: "content", Type: AttrString, Text: s} }
		want := [][]Attr{{{Key: "n", Num: 1}, text("of a")}, nil, {text("of c"), text("more of c")}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if h := full.Hash(); h != run(LevelFull, false).Hash() || h != run(LevelHash, true).Hash() {
		t.Error("the hash depends on annotations")
	}
	if s := run(LevelHash, true); len(s.trace.notes) > 0 {
		t.Error("a run that keeps no records keeps texts of them")
	}
}

func TestAnnotationsAreBounded(t *testing.T) {
	s := New(Config{Level: LevelFull})
	s.Emit(s.Sym("a")).Done()
	half := string(make([]byte, maxNotes/2))
	for range 4 {
		s.Annotate("content", half)
	}
	if len(s.trace.notes) != 2 {
		t.Errorf("%d halves of the limit are kept, want 2", len(s.trace.notes))
	}
}
