package simnet

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

type inner struct {
	A int32
	b []string
}

type tree struct {
	Name  string
	Left  *tree
	Right *tree
	Up    *tree
}

type everything struct {
	Bool   bool
	Int    int
	I8     int8
	U16    uint16
	Up     uintptr
	F32    float32
	F64    float64
	C      complex128
	Str    string
	Bytes  []byte
	Array  [11]byte
	Ints   [3]int
	Inner  inner
	Ptr    *inner
	Map    map[string]*inner
	Any    any
	List   []any
	When   time.Time
	Tree   *tree
	mu     sync.Mutex
	Cached int `simnet:"-"`
	F      func()
	Ch     chan int
}

func fill() *everything {
	root := &tree{Name: "root"}
	root.Left = &tree{Name: "l", Up: root}
	root.Right = &tree{Name: "r", Up: root, Left: &tree{Name: "rl"}}
	return &everything{
		Bool: true, Int: -5, I8: -128, U16: 65535, Up: 4, F32: 0.1, F64: math.Inf(-1), C: complex(1, -2),
		Str: "some text that is longer than 8", Bytes: []byte("0123456789"), Array: [11]byte{10: 1}, Ints: [3]int{1, 2, 3},
		Inner: inner{7, []string{"x", ""}}, Ptr: &inner{8, nil},
		Map: map[string]*inner{"a": {1, nil}, "b": {2, nil}, "c": nil}, Any: inner{9, nil},
		List: []any{1, "two", nil, 3.0, []byte{4}, map[int]bool{5: true}},
		When: time.Date(2000, 1, 1, 0, 0, 1, 5, time.UTC), Tree: root,
		F: func() {}, Ch: make(chan int),
	}
}

func digestOf(t *testing.T, msg any) uint64 {
	t.Helper()
	var p payloads
	p.init(kernel.New(kernel.Config{}), false)
	d := p.digest(p.of(msg), msg)
	if p.sim.Failure() != nil {
		t.Fatal(p.sim.Failure())
	}
	return d
}

// The value is part of every trace hash: it must be the same on all machines
// and in all versions.
func TestDigestIsStable(t *testing.T) {
	const want = 0x50a9178cc3e92bc9
	if got := digestOf(t, fill()); got != want {
		t.Errorf("digest is %#x, want %#x", got, uint64(want))
	}
	for range 50 {
		if a, b := digestOf(t, fill()), digestOf(t, fill()); a != b {
			t.Fatalf("equal messages have digests %x and %x", a, b)
		}
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	seen := map[uint64]string{digestOf(t, fill()): "nothing"}
	for name, change := range map[string]func(e *everything){
		"bool": func(e *everything) { e.Bool = false }, "int": func(e *everything) { e.Int = -6 },
		"int8": func(e *everything) { e.I8++ }, "uint16": func(e *everything) { e.U16-- }, "uintptr": func(e *everything) { e.Up = 5 },
		"float32": func(e *everything) { e.F32 = 0.2 }, "float64": func(e *everything) { e.F64 = math.Inf(1) },
		"complex": func(e *everything) { e.C = complex(1, 2) }, "string": func(e *everything) { e.Str = "some text that is longer than 9" },
		"string length": func(e *everything) { e.Str += "\x00" },
		"bytes":         func(e *everything) { e.Bytes[9]++ }, "bytes cut": func(e *everything) { e.Bytes = e.Bytes[:9] },
		"array": func(e *everything) { e.Array[9] = 1 }, "ints": func(e *everything) { e.Ints[1]++ },
		"ints swapped": func(e *everything) { e.Ints[1], e.Ints[2] = 3, 2 },
		"inner":        func(e *everything) { e.Inner.A++ }, "inner list": func(e *everything) { e.Inner.b[1] = "y" },
		"pointer": func(e *everything) { e.Ptr.A++ }, "pointer gone": func(e *everything) { e.Ptr = nil },
		"map value": func(e *everything) { e.Map["b"].A++ }, "map key": func(e *everything) { e.Map["d"] = e.Map["c"]; delete(e.Map, "c") },
		"map values swapped": func(e *everything) { e.Map["a"], e.Map["b"] = e.Map["b"], e.Map["a"] },
		"any":                func(e *everything) { e.Any = inner{10, nil} }, "any type": func(e *everything) { e.Any = &inner{9, nil} },
		"list": func(e *everything) { e.List[1] = "too" }, "list int type": func(e *everything) { e.List[0] = int64(1) },
		"list bytes": func(e *everything) { e.List[4].([]byte)[0]++ }, "list map": func(e *everything) { e.List[5].(map[int]bool)[5] = false },
		"time": func(e *everything) { e.When = e.When.Add(1) }, "tree": func(e *everything) { e.Tree.Right.Left.Name = "x" },
		"tree cycle": func(e *everything) { e.Tree.Left.Up = e.Tree.Left },
	} {
		e := fill()
		change(e)
		d := digestOf(t, e)
		if other, ok := seen[d]; ok {
			t.Errorf("changing %s gives the same digest as changing %s", name, other)
		}
		seen[d] = name
	}
}

func TestDigestIgnoresWhatIsNotContent(t *testing.T) {
	want := digestOf(t, fill())
	for name, change := range map[string]func(e *everything){
		"lock": func(e *everything) { e.mu.Lock() }, "tagged": func(e *everything) { e.Cached = 5 },
		"function": func(e *everything) { e.F = nil }, "channel": func(e *everything) { e.Ch = nil },
		"location": func(e *everything) { e.When = e.When.In(time.FixedZone("X", 3600)) },
		"address":  func(e *everything) { p := *e.Ptr; e.Ptr = &p },
	} {
		e := fill()
		change(e)
		if digestOf(t, e) != want {
			t.Errorf("the digest depends on the %s", name)
		}
	}
}

func TestDigestByValueAndByPointer(t *testing.T) {
	type flat struct {
		N    uint32
		Body [64]byte
	}
	a, b := flat{N: 1}, flat{N: 1}
	b.Body[63] = 1
	if digestOf(t, a) == digestOf(t, b) || digestOf(t, &a) == digestOf(t, &b) {
		t.Error("the last byte of an array is not seen")
	}
	type holder struct{ M map[string][9]byte }
	if digestOf(t, holder{map[string][9]byte{"k": {8: 1}}}) == digestOf(t, holder{map[string][9]byte{"k": {8: 2}}}) {
		t.Error("the last byte of an array in a map is not seen")
	}
}

func TestChangedMessageIsCaught(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{Link: fixed(10 * ms)}, "a", "b")
	msg := &inner{A: 1, b: []string{"x"}}
	c.at(1, func() { c.send("a", "b", msg) })
	c.at(2, func() { msg.b[0] = "y" })
	c.run()
	f := c.sim.Failure()
	if f == nil {
		t.Fatal("a message that was changed in flight was delivered")
	}
	sent, now := digestOf(t, &inner{A: 1, b: []string{"x"}}), digestOf(t, msg)
	want := "message 1 from a to b (*simnet.inner), sent at 0.001s in event 3, was changed before it was delivered at 0.011s in event 5: " +
		"digest " + hex(sent) + " when sent, " + hex(now) + " now; a sent message is shared by sender and receivers: send a copy, or change a copy"
	if f.Kind != kernel.KindMisuse || f.Node != "b" || f.Message != want {
		t.Errorf("failure %s on %s:\n%s\nwant\n%s", f.Kind, f.Node, f.Message, want)
	}
	c.wantGot("b")
}

func hex(v uint64) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 16)
	for i := range b {
		b[i] = digits[v>>(60-4*i)&15]
	}
	return string(b)
}

// A receiver that changes what it got is caught at the next copy.
func TestReceiverThatChangesAMessageIsCaught(t *testing.T) {
	for _, off := range []bool{false, true} {
		c := newCluster(t, kernel.Config{}, Config{Link: Link{Duplicate: million}, NoDigest: off}, "a", "b")
		c.on = func(_, _ string, msg any) { msg.(*inner).A++ }
		c.at(1, func() { c.send("a", "b", &inner{}) })
		c.run()
		if failed := c.sim.Failure() != nil; failed == off {
			t.Errorf("NoDigest=%v: failure is %v", off, c.sim.Failure())
		}
	}
}

type own struct {
	Body  []byte
	cache int
}

func (o *own) Digest() uint64 { return uint64(len(o.Body)) }
func (o *own) Kind() string   { return "own-kind" }

func TestOwnDigestAndKind(t *testing.T) {
	c := newCluster(t, kernel.Config{Level: kernel.LevelFull}, Config{}, "a", "b")
	msg := &own{Body: make([]byte, 3)}
	c.at(1, func() { c.send("a", "b", msg); msg.cache++ })
	c.run()
	if c.sim.Failure() != nil || len(c.got["b"]) != 1 {
		t.Errorf("failure %v, received %v", c.sim.Failure(), c.got["b"])
	}
	if text := c.text(); !strings.Contains(text, "net/send @a/1 to=b id=1 type=*simnet.own kind=own-kind digest=0000000000000003") {
		t.Error(text)
	}
}

func TestTooLargeToDigest(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b")
	c.at(1, func() { c.send("a", "b", make([]int, maxValues+1)) })
	c.run()
	want := "a message of type []int has more than 1000000 values to digest; give it a method Digest() uint64, or switch digests off by Config.NoDigest"
	if f := c.sim.Failure(); f == nil || f.Message != want {
		t.Errorf("failure is %v, want %s", f, want)
	}
}

// A list that is linked both ways is walked once, not once for each way.
func TestDigestOfCycles(t *testing.T) {
	var list []*tree
	for i := range 2000 {
		list = append(list, &tree{Name: "n"})
		if i > 0 {
			list[i].Left, list[i-1].Right = list[i-1], list[i]
		}
	}
	before := digestOf(t, list[0])
	list[1999].Name = "m"
	if digestOf(t, list[0]) == before {
		t.Error("the end of a long list is not seen")
	}
	var loop []any
	loop = append(loop, 1, nil)
	loop[1] = loop
	digestOf(t, loop)
	m := map[string]any{}
	m["self"] = m
	digestOf(t, m)
}

// Types that contain themselves in every way that Go allows.
type (
	list  []list
	table map[string]table
	chain *link
	link  struct {
		next chain
		more []link
		down map[int8]link
		any  any
		N    uint16
	}
)

func TestDigestOfRecursiveTypes(t *testing.T) {
	l := &link{N: 1}
	for name, pair := range map[string][2]any{
		"slice":   {list{nil, list{}}, list{nil, list{nil}}},
		"map":     {table{"a": table{}}, table{"a": table{"b": nil}}},
		"pointer": {&link{next: &link{N: 1}}, &link{next: &link{N: 2}}},
		"inner":   {link{more: []link{{N: 1}}}, link{more: []link{{N: 2}}}},
		"values":  {link{down: map[int8]link{1: {N: 1}}}, link{down: map[int8]link{1: {N: 2}}}},
		"any":     {link{any: link{N: 1}}, link{any: link{N: 2}}},
		"deep":    {link{any: []any{map[string]any{"x": l}}}, link{any: []any{map[string]any{"x": &link{N: 2}}}}},
		"array":   {[2]chain{l, nil}, [2]chain{nil, l}},
		"nil":     {[2]chain{nil, &link{}}, [2]chain{&link{}, nil}},
	} {
		a, b := digestOf(t, pair[0]), digestOf(t, pair[1])
		if a == b {
			t.Errorf("%s: two messages have one digest", name)
		}
		if again := digestOf(t, pair[0]); again != a {
			t.Errorf("%s: one message has two digests", name)
		}
	}
}

// Padding between fields is not content, whatever is in it.
func TestDigestSkipsPadding(t *testing.T) {
	type padded struct {
		A uint8
		B uint64
		C uint16
	}
	dirty := [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
	p := (*padded)(place(&dirty))
	p.A, p.B, p.C = 1, 2, 3
	if digestOf(t, p) != digestOf(t, &padded{1, 2, 3}) {
		t.Error("the digest depends on the padding")
	}
}

// A digest takes messages of any sort without allocating, once it knows them.
func TestDigestAllocatesNothing(t *testing.T) {
	var p payloads
	p.init(kernel.New(kernel.Config{}), false)
	for _, msg := range []any{&inner{1, []string{"x"}}, inner{1, []string{"x"}}, []any{1, "two", inner{9, nil}, &inner{}}, [3]uint8{1, 2, 3}, 7, "text"} {
		info := p.of(msg)
		p.digest(info, msg)
		if n := testing.AllocsPerRun(100, func() { p.digest(info, msg) }); n > 0 {
			t.Errorf("a digest of a %T makes %v allocations", msg, n)
		}
	}
}
