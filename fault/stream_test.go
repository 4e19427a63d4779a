package fault

import (
	"errors"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// talker dials n2 every 50 ms and writes, and n2 reads; each counts how that
// ended.
type talker struct {
	sim    *kernel.Sim
	errs   map[error]int
	short  int
	served int
}

func streamScript(t *testing.T, faults ...Fault) (*talker, *Injector) {
	t.Helper()
	s := kernel.New(kernel.Config{Seed: 1})
	net, err := simnet.New(s, simnet.Config{})
	if err != nil {
		t.Fatal(err)
	}
	streams, err := stream.New(net, stream.Config{Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	k := &talker{sim: s, errs: map[error]int{}}
	programs := map[string]func(p *kernel.Proc){
		"n1": func(p *kernel.Proc) { k.dial(p, streams.Host("n1")) },
		"n2": func(p *kernel.Proc) { k.serve(p, streams.Host("n2")) },
	}
	for _, name := range []string{"n1", "n2"} {
		port, err := net.Attach(s.AddNode(name, kernel.Main(programs[name])))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := streams.Attach(port); err != nil {
			t.Fatal(err)
		}
	}
	in := NewInjector(System{Sim: s, Net: net, Streams: streams})
	if err := in.Arm(faults, Options{}); err != nil {
		t.Fatal(err)
	}
	s.RunFor(2 * time.Second)
	s.Close()
	if s.Failure() != nil {
		t.Fatal(s.Failure())
	}
	return k, in
}

func (k *talker) dial(p *kernel.Proc, h *stream.Host) {
	for {
		p.Sleep(50 * time.Millisecond)
		c, err := h.DialWait(p, "n2", "x")
		for err == nil && k.sim.Now() < kernel.Time(1900*time.Millisecond) {
			var n int
			if n, err = c.Write(make([]byte, 100)); n < 100 && err == nil {
				k.short++
			}
			p.Sleep(20 * time.Millisecond)
		}
		k.errs[err]++
	}
}

func (k *talker) serve(p *kernel.Proc, h *stream.Host) {
	l, _ := h.Listen("x", nil)
	for {
		c, err := l.AcceptWait(p)
		if err != nil {
			return
		}
		for err == nil {
			_, err = c.ReadWait(p, make([]byte, 500))
		}
		k.served++
	}
}

func TestStreamFaults(t *testing.T) {
	reset := Fault{Kind: StreamReset, At: at(500), Target: n2} // so that it dials again
	for _, row := range []struct {
		faults []Fault
		effect func(k *talker) bool
	}{
		{[]Fault{{Kind: StreamReset, At: at(500), Target: n2}}, func(k *talker) bool { return k.errs[stream.Reset] == 1 }},
		{[]Fault{{Kind: StreamHalfOpen, At: at(500), Target: n2}}, func(k *talker) bool { return k.errs[stream.Reset] == 1 }},
		{[]Fault{{Kind: StreamRefuse, At: at(400), For: at(400), Target: n2}, reset}, func(k *talker) bool { return k.errs[stream.Refused] >= 3 }},
		{[]Fault{{Kind: StreamHang, At: at(400), For: at(700), Target: n2}, reset}, func(k *talker) bool { return k.errs[stream.Timeout] >= 1 }},
		{[]Fault{{Kind: StreamShort, At: at(400), For: at(700), Target: Target{Nodes: []string{"n1"}}}}, func(k *talker) bool { return k.short >= 20 }},
	} {
		f := row.faults[0]
		k, in := streamScript(t, row.faults...)
		if !row.effect(k) || in.Faults()[0].Outcome != Fired {
			t.Errorf("%s is %q, and the dialer saw %v", f.Kind, in.Faults()[0].Outcome, k.errs)
		}
		if k, _ := streamScript(t, row.faults[1:]...); row.effect(k) {
			t.Errorf("%s: the effect is there without it", f.Kind)
		}
		dead := Fault{Kind: Kill, Target: Target{Nodes: []string{"n1", "n2"}}, At: at(100)}
		if _, in := streamScript(t, append([]Fault{dead}, row.faults...)...); in.Faults()[1].Outcome != Inert {
			t.Errorf("%s without connections is %q", f.Kind, in.Faults()[1].Outcome)
		}
	}
	s := newSystem(t, kernel.Config{}, 3)
	if err := s.in.Arm([]Fault{reset}, Options{}); err == nil || errors.Is(err, stream.Reset) {
		t.Errorf("a stream fault without streams: %v", err)
	}
}
