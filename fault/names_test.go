package fault

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
)

// TestNames: a name that no file can hold, and a missing function, are setup errors.
func TestNames(t *testing.T) {
	idle := func(*kernel.Node) kernel.Handler { return kernel.Idle{} }
	for want, add := range map[string]func(in *Injector, n *kernel.Node){
		`fault: a group cannot be called "g\xff": it is not valid UTF-8`:                 func(in *Injector, n *kernel.Node) { in.Group("g\xff", n) },
		`fault: a group cannot be called "": it is empty`:                                func(in *Injector, n *kernel.Node) { in.Group("", n) },
		`fault: a role cannot be called "r\u2028": U+2028 in it is a control character`:  func(in *Injector, n *kernel.Node) { in.Role("r\u2028", func(*kernel.Node) bool { return true }) },
		`fault: a version cannot be called "v\n": U+000A in it is a control character`:   func(in *Injector, n *kernel.Node) { in.Version("v\n", n, idle) },
		`fault: a state cannot be called "s\u202e": U+202E in it is a control character`: func(in *Injector, n *kernel.Node) { in.State("s\u202e", func() bool { return true }) },
		`fault: a point cannot be called "p\xff": it is not valid UTF-8`:                 func(in *Injector, n *kernel.Node) { in.Points("p\xff") },
		`fault: the role "r" has no function that says who has it`:                       func(in *Injector, n *kernel.Node) { in.Role("r", nil) },
		`fault: the state "s" has no function that says when it holds`:                   func(in *Injector, n *kernel.Node) { in.State("s", nil) },
		`fault: the version "v" needs a node and a factory`:                              func(in *Injector, n *kernel.Node) { in.Version("v", n, nil) },
	} {
		s := kernel.New(kernel.Config{})
		net, err := simnet.New(s, simnet.Config{})
		if err != nil {
			t.Fatal(err)
		}
		disks, err := simdisk.New(s, simdisk.Config{})
		if err != nil {
			t.Fatal(err)
		}
		add(NewInjector(System{Sim: s, Net: net, Disks: disks}), s.AddNode("n", idle))
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
