package docs

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// leaser is a server of a lease: n1 grants it, for term on its own monotonic clock,
// and the others hold it until a margin before term has passed on theirs since they
// asked.
type leaser struct {
	kernel.Idle
	n            *faultline.Node
	term, margin time.Duration
	taken        time.Duration // by the granter: until then nobody else gets it
	holder       string
	until        time.Duration // of the holder: until then it is its own
}

// ask is what a holder sends, and is sent back: when it was sent on the holder's clock.
type ask struct{ at time.Duration }

func (l *leaser) Start() {
	l.taken = l.n.Monotonic() + l.term // what it has granted before a crash is not known
	if l.n.Name() != "n1" {
		l.n.NewTimer().Reset(50 * time.Millisecond)
	}
}

func (l *leaser) Timer(t *kernel.Timer) {
	l.n.Send("n1", ask{l.n.Monotonic()})
	t.Reset(50 * time.Millisecond)
}

func (l *leaser) Receive(from string, msg any) {
	switch {
	case l.n.Name() != "n1":
		l.until = max(l.until, msg.(ask).at+l.term-l.margin)
	case l.holder == from || l.n.Monotonic() >= l.taken:
		l.holder, l.taken = from, l.n.Monotonic()+l.term
		l.n.Send(from, msg)
	}
}

// holds reports whether a node acts as the holder at this moment.
func holds(n *faultline.Node) bool {
	l, ok := faultline.Program[*leaser](n)
	return ok && n.State() == kernel.Up && n.Monotonic() < l.until
}

// broken returns the first seed in which two nodes hold the lease, 0 for none.
func broken(t *testing.T, rules fault.Rules, margin time.Duration, seeds uint64) uint64 {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		out, err := faultline.Once(faultline.Options{Duration: 20 * time.Second, Unrestricted: true}, seed, func(w *faultline.World) {
			nodes := w.Servers(3, func(n *faultline.Node) kernel.Handler {
				return &leaser{n: n, term: 2 * time.Second, margin: margin}
			})
			w.Invariant("one holder", func(*faultline.Node) error {
				if holds(nodes[1]) && holds(nodes[2]) {
					return fmt.Errorf("n2 and n3 hold the lease")
				}
				return nil
			})
			w.Faults(rules)
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Failure != nil {
			return seed
		}
	}
	return 0
}

// tried are the rules of the guide's table, and the margins of its columns.
var (
	tried   = []string{"pause", "clock-step", "clock-offset", "clock-step-down", "clock-strobe", "timer-error", "slow-node", "clock-drift", "clock-tick", "suspend", "clock-freeze"}
	margins = []time.Duration{0, 400 * time.Millisecond, 1500 * time.Millisecond}
)

// only returns the rule of fault.Default that has a name, on in every seed.
func only(t *testing.T, name string) fault.Rule {
	t.Helper()
	var others []string
	for _, r := range fault.Default() {
		if cmp.Or(r.Name, string(r.Kind)) != name {
			others = append(others, cmp.Or(r.Name, string(r.Kind)))
		}
	}
	rules := fault.Default().WithoutRules(others...)
	if len(rules) != 1 {
		t.Fatalf("there are %d rules called %q", len(rules), name)
	}
	rules[0].Weight = 100
	return rules[0]
}

// The table of the guide is what a lease does under each rule, while its holder is
// cut off now and then, so that another node gets it.
func TestLeasesTable(t *testing.T) {
	cut := fault.Rule{Name: "cut", Kind: fault.Isolate, Every: 3 * time.Second, Target: fault.Target{Nodes: []string{"n2"}},
		For: fault.Span{Min: 2500 * time.Millisecond, Max: 4 * time.Second}}
	page := read(t, "guides/leases.md")
	var want []string
	for _, name := range tried {
		row := "| `" + name + "` |"
		for _, m := range margins {
			switch seed := broken(t, fault.Rules{only(t, name), cut}, m, 60); seed {
			case 0:
				row += " holds |"
			default:
				row += fmt.Sprintf(" broken by seed %d |", seed)
			}
		}
		want = append(want, row)
	}
	for _, row := range want {
		if !strings.Contains(page, row) {
			t.Errorf("guides/leases.md lacks the rows\n%s", strings.Join(want, "\n"))
			return
		}
	}
}
