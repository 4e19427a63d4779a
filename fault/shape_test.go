package fault

import (
	"fmt"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// shaped arms one fault on count servers and returns which of them are linked
// both ways, while it lasts.
func shaped(t *testing.T, seed uint64, count int, f Fault) [][]bool {
	t.Helper()
	s := newSystem(t, kernel.Config{Seed: seed}, count)
	f.At, f.For = at(100), at(800)
	if err := s.in.Arm([]Fault{f}, Options{}); err != nil {
		t.Fatal(err)
	}
	s.sim.RunFor(at(200))
	open := make([][]bool, count)
	for i, a := range s.nodes {
		open[i] = make([]bool, count)
		for j, b := range s.nodes {
			open[i][j] = i == j || s.net.CanReachQuorum(a.Name(), []string{a.Name(), b.Name(), "nobody"})
		}
	}
	s.sim.Close()
	return open
}

func count(row []bool) int {
	n := 0
	for _, yes := range row {
		if yes {
			n++
		}
	}
	return n
}

// In a ring each node sees a majority, and no two see the same.
func TestRingGivesEachItsOwnMajority(t *testing.T) {
	for size := 3; size <= 9; size++ {
		for seed := range uint64(5) {
			open := shaped(t, seed, size, Fault{Kind: Ring, Target: Target{Group: "servers", Pick: All}})
			seen := map[string]bool{}
			for _, row := range open {
				if n := count(row); n <= size/2 || n == size && size != 3 {
					t.Errorf("of %d nodes one sees %d", size, n)
				}
				seen[fmt.Sprint(row)] = true
			}
			if len(seen) != size {
				t.Errorf("of %d nodes only %d see something of their own: %v", size, len(seen), open)
			}
		}
	}
}

// A bridge leaves one node that sees all; the others see one half and it.
func TestBridgeJoinsTwoHalves(t *testing.T) {
	for size := 3; size <= 8; size++ {
		open := shaped(t, uint64(size), size, Fault{Kind: Bridge, Target: Target{Group: "servers", Pick: All}})
		bridges := 0
		for _, row := range open {
			switch n := count(row); n {
			case size:
				bridges++
			case 1 + (size-1)/2, 1 + size/2:
			default:
				t.Errorf("of %d nodes one sees %d", size, n)
			}
		}
		if bridges != 1 {
			t.Errorf("of %d nodes %d are bridges", size, bridges)
		}
	}
}

func TestPartialIsNotTransitive(t *testing.T) {
	broken := 0
	for seed := range uint64(20) {
		open := shaped(t, seed, 5, Fault{Kind: Partial, Target: Target{Group: "servers", Pick: All}})
		cut := 0
		for a := range open {
			for b := range open {
				if a < b && !open[a][b] {
					cut++
				}
				for c := range open {
					if open[a][b] && open[b][c] && !open[a][c] {
						broken++
					}
				}
			}
		}
		if cut == 0 {
			t.Errorf("seed %d: nothing is cut", seed)
		}
	}
	if broken == 0 {
		t.Error("all links are transitive")
	}
}

// A machine that joins late, leaves, and joins again.
func TestJoinAndLeave(t *testing.T) {
	s := newSystem(t, kernel.Config{Seed: 1}, 3)
	spare := s.sim.AddMachine("spare", func(*kernel.Node) kernel.Handler { return kernel.Idle{} })
	s.in.Group("spares", spare)
	join := func(ms int) Fault { return Fault{Kind: Join, At: at(ms), Target: Target{Group: "spares"}} }
	faults := []Fault{join(100), join(150), {Kind: Leave, At: at(200), Target: Target{Group: "spares"}}, join(300),
		{Kind: LoseNode, At: at(400), Target: Target{Group: "spares"}}, join(450),
		{Kind: Leave, At: at(460), Target: n2}}
	if err := s.in.Arm(faults, Options{Quiet: at(600)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ ms, boot int }{{90, 0}, {190, 1}, {290, -1}, {390, 2}, {490, -2}, {900, -2}} {
		s.sim.RunUntil(kernel.Time(at(want.ms)))
		boot := spare.Boot()
		if !spare.Alive() {
			boot = -boot
		}
		if boot != want.boot {
			t.Errorf("at %d ms the spare is at boot %d, want %d (negative: down)", want.ms, boot, want.boot)
		}
	}
	if s.nodes[1].Alive() {
		t.Error("n2 is back in the quiet phase, although it has left")
	}
	s.sim.Close()
	got := ""
	for i := range faults {
		got += string(s.outcome(i)) + " "
	}
	if got != "fired no-target fired fired fired no-target fired " {
		t.Errorf("outcomes %s", got)
	}
}

// A rolling upgrade, and the rollback at its end.
func TestUpgradeRollsOnAndBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		s := newSystem(t, kernel.Config{Seed: 1}, 3)
		type v2 struct{ kernel.Idle }
		for _, n := range s.nodes {
			s.in.Version("v2", n, func(*kernel.Node) kernel.Handler { return &v2{} })
		}
		f := Fault{Kind: Upgrade, At: at(100), Target: all3, Profile: "v2", Amount: at(50)}
		if back {
			f.For = at(200)
		}
		if err := s.in.Arm([]Fault{f}, Options{Quiet: at(500)}); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, ms := range []int{90, 120, 170, 220, 320, 800} {
			s.sim.RunUntil(kernel.Time(at(ms)))
			n := 0
			for _, node := range s.nodes {
				if _, ok := node.Handler().(*v2); ok {
					n++
				}
			}
			got = append(got, n)
		}
		s.sim.Close()
		want := "[0 1 2 3 3 3]"
		if back {
			want = "[0 1 2 3 0 0]"
		}
		if fmt.Sprint(got) != want || s.outcome(0) != Fired {
			t.Errorf("rollback %v: %v nodes of the new version, want %s", back, got, want)
		}
	}
	s := newSystem(t, kernel.Config{}, 3)
	if err := s.in.Arm([]Fault{{Kind: Upgrade, Target: all3, Profile: "v3"}}, Options{}); err == nil {
		t.Error("an unknown version was accepted")
	}
}
