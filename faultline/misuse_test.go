package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// TestSetupWithoutFunctions: what is missing or cannot be named is a setup error,
// and nothing runs.
func TestSetupWithoutFunctions(t *testing.T) {
	echoes := func(n *Node) kernel.Handler { return &echo{n: n} }
	for want, add := range map[string]func(w *World, n *Node){
		`kernel: node "a" has no factory`:                                              func(w *World, _ *Node) { w.Node("a", nil) },
		`kernel: node "b" has no factory`:                                              func(w *World, _ *Node) { w.Server("b", nil) },
		`kernel: node "c" has no factory`:                                              func(w *World, _ *Node) { w.Client("c", nil) },
		`kernel: node "d" has no factory`:                                              func(w *World, _ *Node) { w.Spare("d", nil) },
		`kernel: a node cannot be called "a\xff": it is not valid UTF-8`:               func(w *World, _ *Node) { w.Node("a\xff", echoes) },
		`fault: the version "v2" needs a node and a factory`:                           func(w *World, n *Node) { w.Version("v2", nil, n) },
		`faultline: Version("v2") is given a node that this World has not made`:        func(w *World, _ *Node) { w.Version("v2", echoes, nil) },
		`faultline: Group("g") is given a node that this World has not made`:           func(w *World, _ *Node) { w.Group("g", &Node{}) },
		`fault: a group cannot be called "g\u2028"`:                                    func(w *World, n *Node) { w.Group("g\u2028", n) },
		`fault: the state "s" has no function that says when it holds`:                 func(w *World, _ *Node) { w.State("s", nil) },
		`faultline: Role("r") is given no function`:                                    func(w *World, _ *Node) { w.Role("r", nil) },
		`fault: a role cannot be called "r\xff": it is not valid UTF-8`:                func(w *World, _ *Node) { w.Role("r\xff", func(*Node) bool { return true }) },
		`faultline: Invariant("i") is given no function`:                               func(w *World, _ *Node) { w.Invariant("i", nil) },
		`faultline: Invariant("i") is given a node that this World has not made`:       func(w *World, _ *Node) { w.Invariant("i", func(*Node) error { return nil }, nil) },
		`faultline: Final("f") is given no function`:                                   func(w *World, _ *Node) { w.Final("f", nil) },
		`faultline: Eventually("e") is given no function`:                              func(w *World, _ *Node) { w.Eventually("e", time.Millisecond, nil) },
		`faultline: Sometimes("s") is given no function`:                               func(w *World, _ *Node) { w.Sometimes("s", nil) },
		`faultline: Judge("j") is given no check`:                                      func(w *World, _ *Node) { w.Judge("j", nil) },
		`faultline: a check cannot be called "f\xff": it is not valid UTF-8`:           func(w *World, _ *Node) { w.Final("f\xff", func() error { return nil }) },
		`kernel: a choice point cannot be called "setup/n\xff": it is not valid UTF-8`: func(w *World, _ *Node) { w.Draw("n\xff", 1, 2) },
	} {
		out, err := Once(Options{Duration: time.Second}, 1, func(w *World) { add(w, w.Server("n1", echoes)) })
		if err == nil || !strings.Contains(err.Error(), want) || out.Failure != nil {
			t.Errorf("got %v and the failure %v, want %s", err, out.Failure, want)
		}
	}
	if out, err := Once(Options{Duration: time.Second}, 1, nil); err == nil || !strings.Contains(err.Error(), "faultline: the setup is nil") || out.Failure != nil {
		t.Errorf("got %v and the failure %v", err, out.Failure)
	}
	if h, ok := Program[*echo](nil); h != nil || ok {
		t.Errorf("the program of no node is %v, %t", h, ok)
	}
}

// TestLateCalls: what a run is made of cannot be added while it goes on.
func TestLateCalls(t *testing.T) {
	echoes := func(n *Node) kernel.Handler { return &echo{n: n} }
	holds := func(*Node) error { return nil }
	for want, add := range map[string]func(w *World, n *Node){
		"Node":        func(w *World, _ *Node) { w.Node("a", echoes) },
		"Spare":       func(w *World, _ *Node) { w.Spare("a", echoes) },
		"Client":      func(w *World, _ *Node) { w.Client("a", func(*Client) {}) },
		"Version":     func(w *World, n *Node) { w.Version("v", echoes, n) },
		"Group":       func(w *World, n *Node) { w.Group("g", n) },
		"Role":        func(w *World, _ *Node) { w.Role("r", func(*Node) bool { return true }) },
		"State":       func(w *World, _ *Node) { w.State("s", func() bool { return true }) },
		"Invariant":   func(w *World, _ *Node) { w.Invariant("i", holds) },
		"Final":       func(w *World, _ *Node) { w.Final("f", func() error { return nil }) },
		"Eventually":  func(w *World, _ *Node) { w.Eventually("e", 1, func() error { return nil }) },
		"Sometimes":   func(w *World, _ *Node) { w.Sometimes("s", func() bool { return true }) },
		"Reachable":   func(w *World, _ *Node) { w.Reachable("r") },
		"Unreachable": func(w *World, _ *Node) { w.Unreachable("u") },
		"Always":      func(w *World, _ *Node) { w.Always("a") },
		"Watermark":   func(w *World, _ *Node) { w.Watermark("w") },
	} {
		out, err := Once(Options{Duration: time.Second}, 1, func(w *World) {
			n := w.Server("n1", echoes)
			w.Client("c1", func(*Client) { add(w, n) })
		})
		want = "World." + want + " was called after the run had begun"
		if err != nil || out.Failure == nil || out.Failure.Kind != kernel.KindMisuse || !strings.Contains(out.Failure.Message, want) {
			t.Errorf("got %v, %v, want %s", err, out.Failure, want)
		}
	}
}
