package simnet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// golden compares got with a file of testdata/golden. The files may change
// when the records of a message, the names of streams or choice points, or
// the digest change: then every pinned seed and recorded schedule of users
// changes its meaning too, and the changelog must say so. To write them anew:
//
//	UPDATE_GOLDEN=1 go test -run Golden .
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(data), "\r\n", "\n"); got != want {
		t.Errorf("%s: %s", path, firstDifference(got, want))
	}
}

func TestGoldenHashes(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(24) {
		c := gossip(t, kernel.Config{Seed: seed})
		s := c.net.Stats()
		fmt.Fprintf(&b, "seed %2d  %x  sent %d delivered %d lost %d\n", seed, c.sim.Hash(), s.Sent, s.Delivered, s.Lost())
	}
	golden(t, "hashes.txt", b.String())
}

// Each scenario is a script and the trace that it must give: see the files
// named *.script in testdata.
func TestGoldenScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".script")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{cluster: newCluster(t, kernel.Config{Level: kernel.LevelFull}, Config{Link: fixed(5 * ms)}), effects: map[string]*Effect{}}
			for i, line := range strings.Split(string(data), "\n") {
				s.line(fmt.Sprintf("%s:%d", file, i+1), line)
			}
			s.run()
			golden(t, name+".trace", s.text())
		})
	}
}

// script runs lines of the form "<time> <command> <words>".
type script struct {
	*cluster
	effects map[string]*Effect
}

func (s *script) line(place, line string) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	if words[0] == "nodes" {
		for _, name := range words[1:] {
			s.add(name)
		}
		return
	}
	at, err := time.ParseDuration(words[0])
	if err != nil || len(words) < 2 {
		s.t.Fatalf("%s: want a time and a command", place)
	}
	s.sim.At(kernel.Time(at), func() { s.do(place, words[1], words[2:]) })
}

func (s *script) do(place, cmd string, w []string) {
	var err error
	switch cmd {
	case "send":
		err = s.ports[w[0]].Send(w[1], w[2])
	case "cut":
		s.effects[w[0]] = s.net.Cut(pairsOf(w[1:])...)
	case "partition":
		var groups [][]string
		for _, g := range w[1:] {
			groups = append(groups, strings.Split(g, ","))
		}
		s.effects[w[0]], err = s.net.Partition(groups...)
	case "isolate":
		s.effects[w[0]], err = s.net.Isolate(w[1])
	case "lose":
		s.effects[w[0]] = s.net.Degrade(pairsOf(w[1:]), Change{Loss: million})
	case "double":
		s.effects[w[0]] = s.net.Degrade(pairsOf(w[1:]), Change{Duplicate: million})
	case "slow":
		s.effects[w[0]] = s.net.Degrade(pairsOf(w[1:]), Change{Latency: 20 * ms})
	case "hold":
		s.effects[w[0]] = s.net.Degrade(pairsOf(w[1:]), Change{Delay: million, LongDelay: 100 * ms})
	case "fifo":
		err = s.net.SetLink(w[0], w[1], Link{Latency: 5 * ms, FIFO: true})
	case "undo":
		s.effects[w[0]].Undo()
	case "heal":
		s.net.Heal()
	case "kill":
		s.node(w[0]).Kill()
	case "start":
		s.node(w[0]).Start()
	case "pause":
		s.node(w[0]).Pause()
	case "resume":
		s.node(w[0]).Resume()
	default:
		err = fmt.Errorf("unknown command %q", cmd)
	}
	if err != nil {
		s.t.Errorf("%s: %v", place, err)
	}
}

func pairsOf(words []string) []Pair {
	var out []Pair
	for _, w := range words {
		from, to, _ := strings.Cut(w, ">")
		out = append(out, Pair{from, to})
	}
	return out
}
