package fault

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func plan(t *testing.T, seed uint64, rules Rules) ([]Fault, []Intensity) {
	t.Helper()
	faults, drawn, err := Plan(kernel.NewStream(seed, "plan"), rules, 20*time.Second, Known{Roles: []string{"leader"}})
	if err != nil {
		t.Fatal(err)
	}
	return faults, drawn
}

func TestTakingARuleAwayLeavesTheOthers(t *testing.T) {
	for seed := range uint64(50) {
		all, _ := plan(t, seed, Default())
		for _, gone := range Kinds() {
			var want []Fault
			for _, f := range all {
				if f.Kind != gone {
					want = append(want, f)
				}
			}
			if got, _ := plan(t, seed, Default().Without(gone)); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: without %s the other faults have changed", seed, gone)
			}
		}
	}
}

func TestPlanIsASwarm(t *testing.T) {
	on := map[string]int{}
	const seeds = 2000
	lengths := 0
	for seed := range uint64(seeds) {
		faults, drawn, err := Plan(kernel.NewStream(seed, "plan"), Default(), 20*time.Second, Known{Points: []string{"done"}})
		if err != nil {
			t.Fatal(err)
		}
		lengths += len(faults)
		for _, d := range drawn {
			if d.Percent > 0 {
				on[d.Rule]++
			}
		}
		for i, f := range faults {
			if f.At < 0 || f.At >= 20*time.Second || f.For < 0 || f.At+f.For > 20*time.Second {
				t.Fatalf("seed %d: %s is at %v for %v", seed, f.ID, f.At, f.For)
			}
			if i > 0 && f.At < faults[i-1].At {
				t.Fatalf("seed %d: faults are out of order", seed)
			}
		}
	}
	for _, r := range Default() {
		share := float64(on[nameOf(r)]) / seeds * 100
		if math.Abs(share-float64(r.Weight)) > 5 {
			t.Errorf("%s is on in %.1f %% of the seeds, its weight is %d", nameOf(r), share, r.Weight)
		}
	}
	if lengths == 0 {
		t.Error("no faults at all")
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{Rule{Kind: "fire", Every: 1}, `rule 0 ("fire"): unknown kind "fire"`},
		{Rule{Kind: Kill}, `rule 0 ("kill"): Every is 0s; it must be positive`},
		{Rule{Kind: Kill, Every: 1, Weight: 101}, `Weight is 101; it must be within [0, 100]`},
		{Rule{Kind: Kill, Every: 1, For: Span{2, 1}}, `For is 2ns to 1ns; it must be an ascending range`},
		{Rule{Kind: Kill, Every: 1, Rate: Range{2, 1}}, `Rate is 2 to 1; it must be an ascending range`},
		{Rule{Kind: Kill, Every: 1, Amount: Span{2, 1}}, `Amount is 2ns to 1ns; it must be an ascending range`},
	} {
		_, _, err := Plan(kernel.Stream{}, Rules{c.rule}, time.Second, Known{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.rule, err, c.want)
		}
	}
	_, _, err := Plan(kernel.Stream{}, Rules{{Kind: Kill, Every: 1}, {Kind: Kill, Every: 2}}, time.Millisecond, Known{})
	if err == nil || !strings.Contains(err.Error(), `two rules are called "kill"; set Rule.Name`) {
		t.Errorf("two rules of one name: error %v", err)
	}
}

func TestOnlyAndWithout(t *testing.T) {
	if got := Default().Only(Kill, Pause); len(got) != 3 || got[0].Kind != Kill || got[1].Kind != Pause || got[2].Name != "suspend" {
		t.Errorf("Only: %v", got)
	}
	if got := len(Default().Without(Kill, Pause)); got != len(Default())-3 {
		t.Errorf("Without leaves %d rules", got)
	}
	if len(None()) != 0 {
		t.Error("None has rules")
	}
}

// A rule that is left out by its name leaves the others of its kind, and their
// faults where they were. A name that no rule has is refused, whatever the set is
// made into afterwards.
func TestWithoutRules(t *testing.T) {
	got := Default().WithoutRules("suspend", "kill")
	if len(got) != len(Default())-2 || len(got.Only(Pause)) != 1 || len(got.Only(Kill)) != 0 {
		t.Errorf("it leaves %d of %d rules", len(got), len(Default()))
	}
	for seed := range uint64(20) {
		all, _ := plan(t, seed, Default())
		left, _ := plan(t, seed, got)
		all = slices.DeleteFunc(all, func(f Fault) bool { return f.Kind == Kill || strings.HasPrefix(f.ID, "suspend#") })
		if !reflect.DeepEqual(left, all) {
			t.Fatalf("seed %d: the other faults have changed", seed)
		}
	}
	wrong := Default().Only(Pause, Kill).WithoutRules("pause", "suspned")
	const want = `fault: rule 2 ("suspned"): WithoutRules: there is no rule of that name; the rules are kill, pause, suspend`
	for _, rules := range []Rules{wrong, wrong.WithoutRules("kill"), wrong.Without(Kill), wrong.Only(Kill), wrong.Rarer(2)} {
		_, _, err := Plan(kernel.Stream{}, rules, time.Second, Known{})
		if err == nil || !strings.HasSuffix(err.Error(), want[len("fault: rule 2 "):]) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, _, err := Plan(kernel.Stream{}, wrong, time.Second, Known{}); err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func nameOf(r Rule) string { return r.name() }
