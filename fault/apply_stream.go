package fault

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet/stream"
)

func (p *planned) applyStream(n *kernel.Node) {
	h := p.in.sys.Streams.Host(n.Name())
	if h == nil {
		return
	}
	switch p.Kind {
	case StreamRefuse:
		p.follow(h.Begin(stream.Refusing))
	case StreamHang:
		p.follow(h.Begin(stream.Hanging))
	case StreamShort:
		p.follow(h.Begin(stream.Short))
	case StreamReset:
		p.changed = h.ResetAll() > 0 || p.changed
	case StreamHalfOpen:
		p.changed = h.Forget() > 0 || p.changed
	}
}

// Streams returns rules for systems whose nodes talk by connections of package
// stream. They are not among those of [Default]: add them to these.
func Streams() Rules {
	servers := Target{Group: "servers"}
	lasts := Span{100 * time.Millisecond, 3 * time.Second}
	return Rules{
		{Kind: StreamRefuse, Weight: 25, Every: 5 * sec, For: lasts, Target: servers},
		{Kind: StreamHang, Weight: 25, Every: 5 * sec, For: lasts, Target: servers},
		{Kind: StreamReset, Weight: 40, Every: 2 * sec, Target: servers},
		{Kind: StreamHalfOpen, Weight: 25, Every: 3 * sec, Target: servers},
		{Kind: StreamShort, Weight: 40, Every: 4 * sec, For: lasts, Target: servers},
	}
}

// SetStreams gives the system its connections, in place of [System.Streams]: for
// those that are made after the injector.
func (in *Injector) SetStreams(s *stream.Streams) { in.sys.Streams = s }
