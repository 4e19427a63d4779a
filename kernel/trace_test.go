package kernel

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// emitAll writes an attribute of each type.
func emitAll(s *Sim, i int64) {
	s.Emit(s.Sym("all")).
		Int(s.Sym("int"), i).Uint(s.Sym("uint"), uint64(i)).Dur(s.Sym("dur"), time.Duration(i)).
		Bool(s.Sym("bool"), i&1 == 1).Str(s.Sym("str"), fmt.Sprint("text\x00é ", i)).
		Sym(s.Sym("sym"), s.Sym("word")).Hash(s.Sym("hash"), uint64(i)*golden).Done()
}

var edges = []int64{0, 1, -1, 127, 128, -128, 1 << 32, math.MaxInt64, math.MinInt64}

func TestTraceRoundTrip(t *testing.T) {
	s := New(Config{Level: LevelFull})
	n := s.AddNode("n", func(n *Node) Handler {
		return &script{start: func() { n.AfterFunc(time.Hour, func() { emitAll(s, 5) }) }}
	})
	for _, i := range edges {
		emitAll(s, i)
	}
	s.Run()
	var got []Record
	for r := range s.Records() {
		r.Attrs = append([]Attr(nil), r.Attrs...)
		got = append(got, r)
	}
	want(t, "records", len(got), int(s.RecordCount()))
	attrs := func(i int64) []Attr {
		odd := i & 1
		return []Attr{
			{"int", AttrInt, i, ""}, {"uint", AttrUint, i, ""}, {"dur", AttrDur, i, ""}, {"bool", AttrBool, odd, ""},
			{"str", AttrString, 0, fmt.Sprint("text\x00é ", i)}, {"sym", AttrString, 0, "word"},
			{"hash", AttrHash, int64(uint64(i) * golden), ""},
		}
	}
	for i, e := range edges {
		if wanted := (Record{Index: uint64(i), Kind: "all", Attrs: attrs(e)}); !reflect.DeepEqual(got[i], wanted) {
			t.Errorf("record %d is %+v\nwant %+v", i, got[i], wanted)
		}
	}
	last := got[len(got)-1]
	if wanted := (Record{uint64(len(got) - 1), Time(time.Hour), 2, 1, "n", 1, "all", attrs(5)}); !reflect.DeepEqual(last, wanted) {
		t.Errorf("the last record is %+v\nwant %+v", last, wanted)
	}
	want(t, "boot", n.Boot(), 1)
	a, ok := last.Get("dur")
	want(t, "Get", ok, true)
	want(t, "Value", a.Value(), "5ns")
	_, ok = last.Get("none")
	want(t, "Get of nothing", ok, false)
	for range s.Records() {
		break // an early end
	}
}

func TestAttrValue(t *testing.T) {
	for _, c := range []struct {
		a    Attr
		want string
	}{
		{Int("k", -5), "-5"}, {Str("k", "x y"), "x y"}, {Dur("k", 1500*time.Millisecond), "1.5s"},
		{Bool("k", true), "true"}, {Bool("k", false), "false"},
		{Attr{Type: AttrUint, Num: -1}, "18446744073709551615"}, {Attr{Type: AttrHash, Num: 255}, "00000000000000ff"},
	} {
		want(t, "value", c.a.Value(), c.want)
	}
}

func TestLogAllTypes(t *testing.T) {
	s := New(Config{Level: LevelFull})
	given := []Attr{Int("i", -1), Str("s", "x"), Dur("d", 5), Bool("b", true), {Key: "u", Type: AttrUint, Num: -1}, {Key: "h", Type: AttrHash, Num: 9}}
	s.Log("mine", given...)
	for r := range s.Records() {
		if !reflect.DeepEqual(r.Attrs, given) {
			t.Errorf("logged %v, want %v", r.Attrs, given)
		}
	}
	want(t, "records", s.RecordCount(), 1)
}

// readTrace decodes a trace with nothing but its bytes: each symbol must be
// defined before it is used.
func readTrace(b []byte) (records int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("after %d records: %v", records, v)
		}
	}()
	symbols := uint64(0)
	uvarint := func() uint64 { v, n := binary.Uvarint(b); b = b[n:]; return v }
	use := func(sym uint64) {
		if sym >= symbols {
			panic(fmt.Sprintf("symbol %d is used, %d are defined", sym, symbols))
		}
	}
	value := func(tag uint64) {
		switch tag % attrKinds {
		case attrStr:
			b = b[uvarint():]
		case attrSym:
			use(uvarint())
		case attrHash:
			b = b[8:]
		default:
			uvarint()
		}
	}
	var forms [][]uint64 // the tags of each
	for len(b) > 0 {
		entry := uvarint()
		switch entry {
		case entrySym:
			b = b[uvarint():]
			symbols++
			continue
		case entryForm:
			use(uvarint())
			tags := make([]uint64, uvarint())
			for i := range tags {
				tags[i] = uvarint()
				use(tags[i] / attrKinds)
			}
			forms = append(forms, tags)
			continue
		}
		head := entry - entryRecord
		if head&headSame == 0 {
			uvarint()
			uvarint()
			uvarint()
			if uvarint() > 0 {
				uvarint()
			}
		}
		if head&headForm != 0 {
			for _, tag := range forms[head>>2] {
				value(tag)
			}
		} else {
			use(head >> 2)
			for tag := uvarint(); tag != attrEnd; tag = uvarint() {
				use(tag / attrKinds)
				value(tag)
			}
		}
		records++
	}
	return records, nil
}

// TestTraceDefinesFirst checks that the encoding stands alone, and that its
// SHA-256 is the hash.
func TestTraceDefinesFirst(t *testing.T) {
	s := New(Config{Level: LevelFull})
	n := s.AddNode("n", func(n *Node) Handler { return Idle{} })
	for i := range int64(3) {
		s.After(1, func() {
			s.Emit(s.Sym(fmt.Sprint("kind", i))).On(n).Str(s.Sym(fmt.Sprint("key", i)), "v").Sym(s.Sym(fmt.Sprint("k", i)), s.Sym(fmt.Sprint("sym", i))).Done()
			n.Log("x", Int(fmt.Sprint("new key ", i), i))
			n.Point(fmt.Sprint("point ", i))
		})
	}
	n.Kill() // an inert record with a new symbol
	s.Run()
	records, err := readTrace(s.trace.kept)
	if err != nil {
		t.Error(err)
	}
	want(t, "records", records, int(s.RecordCount()))
	want(t, "hash", s.Hash(), sha256.Sum256(s.trace.kept))
}

// TestHashSeesLastSymbol: a word that is first used in the last record counts.
func TestHashSeesLastSymbol(t *testing.T) {
	run := func(point string) [32]byte {
		s := New(Config{})
		n := s.AddNode("n", func(n *Node) Handler { return &script{start: func() { n.Point(point) }} })
		r := s.Run()
		want(t, "boot", n.Boot(), 1)
		return r.Hash
	}
	if run("here") == run("hear") {
		t.Error("two different traces have one hash")
	}
}

// busyRun is a run with some of everything, that writes about n records.
func busyRun(cfg Config, n int) *Sim {
	s := New(cfg)
	r := s.Stream("test").Rand()
	for i := range 3 {
		node := s.AddNode(fmt.Sprint("n", i), func(n *Node) Handler {
			tm := n.NewTimer()
			return &script{
				start: func() { tm.Reset(1) },
				timer: func(t *Timer) {
					n.Log("tick", Int("draw", n.Rand().Int64()))
					t.Reset(time.Duration(n.Rand().Int64N(1e6)))
				},
			}
		})
		s.Go("chaos", func(p *Proc) {
			for {
				p.Sleep(time.Duration(r.Int64N(1e8)))
				switch r.IntN(5) {
				case 0:
					node.Kill()
					node.Start()
				case 1:
					node.Pause()
					p.Sleep(1e6)
					node.Resume()
				case 2:
					_ = node.SetDrift(r.Int64N(1e6) - 500_000)
				case 3:
					node.StepClock(time.Duration(r.Int64N(1e9)))
				}
			}
		})
	}
	for s.RecordCount() < uint64(n) && s.Step() {
	}
	return s
}

func TestHashIsTheSameAtAllLevels(t *testing.T) {
	a, b := busyRun(Config{Seed: 4}, 30_000), busyRun(Config{Seed: 4, Level: LevelFull}, 30_000)
	defer a.Close()
	defer b.Close()
	want(t, "hash", a.Hash(), b.Hash())
	want(t, "hash of what is kept", b.Hash(), sha256.Sum256(b.trace.kept))
	if !reflect.DeepEqual(a.Checkpoints(), b.Checkpoints()) || len(a.Checkpoints()) == 0 {
		t.Errorf("checkpoints are %v and %v", a.Checkpoints(), b.Checkpoints())
	}
	want(t, "kept at LevelHash", len(a.trace.kept), 0)
	off := New(Config{Level: LevelOff})
	off.Log("x", Str("key", "v"))
	off.Emit(off.Sym("x")).Int(1, 1).Uint(1, 1).Dur(1, 1).Bool(1, true).Str(1, "").Sym(1, 1).Hash(1, 1).On(nil).Done()
	want(t, "hash at LevelOff", off.Hash(), sha256.Sum256(nil))
	want(t, "records at LevelOff", off.RecordCount(), 0)
}

// TestCheckpoints: their number is bounded, each is the digest of the records
// before it, and a longer run has the checkpoints of a shorter one, thinned.
func TestCheckpoints(t *testing.T) {
	s := New(Config{Level: LevelFull})
	s.trace.interval, s.trace.due = 4, 4 // as 4,096, but quick
	ends := map[uint64]int{}             // bytes of trace after that many records
	for i := range 20_000 {
		s.Log("x", Int("i", int64(i)))
		s.trace.flush()
		ends[s.RecordCount()] = len(s.trace.kept)
		if n := len(s.Checkpoints()); n >= maxMarks {
			t.Fatalf("%d checkpoints after %d records", n, i)
		}
	}
	marks := s.Checkpoints()
	if len(marks) < maxMarks/2-1 {
		t.Errorf("only %d checkpoints are left", len(marks))
	}
	step := marks[1].Records - marks[0].Records
	for i, m := range marks {
		want(t, "records", m.Records, uint64(i+1)*step)
		sum := sha256.Sum256(s.trace.kept[:ends[m.Records]])
		want(t, "digest", m.Digest, binary.BigEndian.Uint64(sum[:]))
	}
}

func TestAbandonedRecord(t *testing.T) {
	crash := map[string]func(s *Sim){
		"panic":  func(s *Sim) { s.Emit(s.Sym("torn")).Str(s.Sym("x"), fmt.Sprint(1/zero())).Done() },
		"goexit": func(s *Sim) { s.Emit(s.Sym("torn")).Str(s.Sym("x"), exit()).Done() },
		"proc": func(s *Sim) {
			s.Go("p", func(p *Proc) {
				s.Emit(s.Sym("torn")).Int(s.Sym("fresh"), 5).Str(s.Sym("x"), fmt.Sprint(1/zero())).Done()
			})
		},
	}
	for name, f := range crash {
		s := New(Config{Level: LevelFull})
		s.After(1, func() { f(s) })
		goexit(func() { s.Run() })
		if _, err := readTrace(s.trace.kept); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := strings.Join(lines(s), "\n")
		if strings.Contains(text, "torn") {
			t.Errorf("%s: a torn record is in the trace:\n%s", name, text)
		}
		mustContain(t, text, "fail kind=")
		want(t, "records", len(lines(s)), int(s.RecordCount()))
	}
}

func zero() int { return 0 }

func exit() string { runtime.Goexit(); return "" }

// TestTraceCut makes the limit small: what is kept ends with a whole record,
// the hash goes on.
func TestTraceCut(t *testing.T) {
	cut, whole := New(Config{Level: LevelFull}), New(Config{Level: LevelFull})
	cut.trace.limit = 3 * hashBatch
	for _, s := range []*Sim{cut, whole} {
		for i := range 5000 {
			s.Log("x", Int("i", int64(i)))
		}
	}
	kept := len(lines(cut))
	want(t, "cut", cut.TraceCut(), true)
	want(t, "whole is cut", whole.TraceCut(), false)
	if kept == 0 || kept == 5000 || len(cut.trace.kept) > cut.trace.limit {
		t.Errorf("%d records in %d bytes were kept", kept, len(cut.trace.kept))
	}
	want(t, "hash", cut.Hash(), whole.Hash())
	want(t, "records", cut.RecordCount(), 5000)
	want(t, "whole", len(lines(whole)), 5000)
	if !bytes.HasPrefix(whole.trace.kept, cut.trace.kept) {
		t.Error("what was kept is not the beginning of the trace")
	}
}

// TestPassingRunDoesNotGrow compares the memory of a run at LevelHash after
// 100,000 and after a million records.
func TestPassingRunDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("a million events")
	}
	size := func(n int) uint64 {
		before := heapInUse()
		s := busyRun(Config{Seed: 8}, n)
		after := heapInUse()
		s.Close()
		return max(after, before) - before
	}
	size(1000)
	small, large := size(100_000), size(1_000_000)
	if large > small+256<<10 {
		t.Errorf("%d bytes after 100,000 records, %d after a million", small, large)
	}
}

func TestDecoderRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	s := New(Config{Level: LevelFull})
	var wanted [][]Attr
	for range 500 {
		var attrs []Attr
		for range r.IntN(6) {
			a := Attr{Key: fmt.Sprint("k", r.IntN(40)), Type: AttrType(r.IntN(6)), Num: int64(r.Uint64() >> r.IntN(64))}
			switch a.Type {
			case AttrBool:
				a.Num &= 1
			case AttrString:
				a.Num, a.Text = 0, strings.Repeat("x", r.IntN(300))
			}
			attrs = append(attrs, a)
		}
		wanted = append(wanted, attrs)
		s.Log(fmt.Sprint("kind", r.IntN(20)), attrs...)
	}
	i := 0
	for rec := range s.Records() {
		if len(rec.Attrs)+len(wanted[i]) > 0 && !reflect.DeepEqual(rec.Attrs, wanted[i]) {
			t.Fatalf("record %d has %v, want %v", i, rec.Attrs, wanted[i])
		}
		i++
	}
	want(t, "records", i, 500)
}
