package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A scenario is a file of testdata/scenarios: a script, a line "----", and the
// trace that it gives. The commands are
//
//	seed N
//	node NAME PROGRAM [ARG]   see programs below
//	invariant NODE MAXIMUM    at most that many ticks of a node
//	at TIME VERB NODE [ARG]   see verbs below, several at one time are allowed
//	run TIME                  at the end; the last command
//
// UPDATE_GOLDEN=1 go test -run Golden rewrites the traces. They may change only
// when what the kernel promises changes: the words of its records, what it
// records, or the order of events of one instant. Read the difference.
const divider = "----\n"

// programs are what a scenario's nodes can run.
var programs = map[string]func(n *Node, arg time.Duration) Handler{
	"idle": func(*Node, time.Duration) Handler { return Idle{} },
	"ticker": func(n *Node, every time.Duration) Handler {
		ticks := 0
		tm := n.NewTimer()
		return &script{
			start: func() { tm.Reset(every) },
			timer: func(*Timer) {
				ticks++
				n.Log("tick", Int("n", int64(ticks)), Dur("clock", n.Monotonic()))
				tm.Reset(every)
			},
			receive: func(from string, m any) {
				n.Log("got", Str("message", fmt.Sprint(m)), Str("from", from))
			},
		}
	},
	"reader": func(n *Node, patience time.Duration) Handler {
		return Main(func(p *Proc) {
			defer n.Log("never seen")
			for {
				_, m, ok := p.RecvTimeout(patience)
				n.Log("read", Str("message", fmt.Sprint(m)), Bool("ok", ok))
			}
		})(n)
	},
	"suicide": func(n *Node, after time.Duration) Handler {
		return Main(func(p *Proc) {
			p.Sleep(after)
			n.Point("before the end")
			n.Kill()
			n.Point("after the end")
		})(n)
	},
	"bug": func(n *Node, after time.Duration) Handler {
		return Main(func(p *Proc) { p.Sleep(after); panic("index out of luck") })(n)
	},
}

// verbs are what can be done to a scenario's nodes.
var verbs = map[string]func(n *Node, arg string) error{
	"kill":       func(n *Node, _ string) error { n.Kill(); return nil },
	"power-loss": func(n *Node, _ string) error { n.PowerLoss(); return nil },
	"start":      func(n *Node, _ string) error { n.Start(); return nil },
	"pause":      func(n *Node, _ string) error { n.Pause(); return nil },
	"resume":     func(n *Node, _ string) error { n.Resume(); return nil },
	"send": func(n *Node, arg string) error {
		s := n.Sim()
		s.Schedule(s.Now(), n, AnyBoot, Func(func() {
			if !n.Deliver("script", arg) {
				s.Log("lost", Str("message", arg))
			}
		}))
		return nil
	},
	"step": func(n *Node, arg string) error {
		d, err := time.ParseDuration(arg)
		n.StepClock(d)
		return err
	},
	"drift": func(n *Node, arg string) error {
		ppm, err := strconv.ParseInt(arg, 10, 64)
		return errors.Join(err, n.SetDrift(ppm))
	},
}

// play runs a scenario and returns its trace.
func play(text string) (string, error) {
	s := New(Config{Level: LevelFull})
	defer func() { s.Close() }()
	for i, l := range strings.Split(text, "\n") {
		f := strings.Fields(l)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		fail := func(err error) (string, error) { return "", fmt.Errorf("line %d: %q: %v", i+1, l, err) }
		f = append(f, "", "", "")
		switch f[0] {
		case "seed":
			seed, err := strconv.ParseUint(f[1], 0, 64)
			if err != nil {
				return fail(err)
			}
			s = New(Config{Level: LevelFull, Seed: seed})
		case "node":
			program := programs[f[2]]
			if program == nil {
				return fail(errors.New("no such program"))
			}
			arg, err := time.ParseDuration(f[3] + "0s")
			if err != nil {
				return fail(err)
			}
			s.AddNode(f[1], func(n *Node) Handler { return program(n, arg) })
		case "at":
			at, err := time.ParseDuration(f[1])
			n, verb := s.Node(f[3]), verbs[f[2]]
			if err != nil || n == nil || verb == nil {
				return fail(errors.Join(err, errors.New("no such node or verb, or a bad time")))
			}
			s.ScheduleKeyed(Time(at), nil, Device, uint32(i), Func(func() {
				if err := verb(n, f[4]); err != nil {
					s.Misuse(err)
				}
			}))
		case "invariant":
			most, err := strconv.Atoi(f[2])
			if err != nil {
				return fail(err)
			}
			events := 0
			s.Invariant("events of "+f[1], func(*Node) error {
				if events++; events > most {
					return fmt.Errorf("event %d of at most %d", events, most)
				}
				return nil
			}, s.Node(f[1]))
		case "run":
			end, err := time.ParseDuration(f[1])
			if err != nil {
				return fail(err)
			}
			r := s.RunFor(end)
			out := strings.Join(lines(s), "\n") + fmt.Sprintf("\n= %v at %v after %d events, %x\n", r.Reason, r.Time, r.Events, r.Hash[:4])
			return out, nil
		default:
			return fail(errors.New("no such command"))
		}
	}
	return "", errors.New("no run command")
}

func TestGoldenScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(b), "\r\n", "\n")
			in, wanted, _ := strings.Cut(text, divider)
			got, err := play(in)
			if err != nil {
				t.Fatal(err)
			}
			if os.Getenv("UPDATE_GOLDEN") == "1" {
				if err := os.WriteFile(file, []byte(in+divider+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != wanted {
				t.Errorf("UPDATE_GOLDEN=1 rewrites the trace. It was:\n%s\nand is:\n%s", wanted, got)
			}
		})
	}
}

func TestScenarioMistakes(t *testing.T) {
	for _, bad := range []string{"", "jump", "node a rocket", "at 1s kill nobody", "run soon", "node a idle\nat 1s hug a"} {
		if _, err := play(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
