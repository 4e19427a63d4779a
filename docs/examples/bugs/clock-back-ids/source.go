// Package clockbackids gives out identifiers that are made from the time.
//
// A snowflake identifier is a time in milliseconds and a count within it. While
// the process runs, a monotonic reading protects it from a clock that is set
// back. A restart reads the wall clock anew, and if that was set back while the
// process was down, the same identifiers are given out a second time. Reported
// for one of the libraries in https://github.com/bwmarrin/snowflake/issues/20
// and https://github.com/bwmarrin/snowflake/pull/69.
//
// Here a client asks one server for one identifier after another. The mended
// server keeps on disk a time up to which identifiers may have been given out,
// and begins after it. What to look at in the story: the step of the clock came
// before the server started again, and the two operations that got the same
// identifier are on both sides of that start.
package clockbackids

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// ahead is for how many milliseconds the mended server allows identifiers in
// advance, so that it need not write for each.
const ahead = 1000

// source is the program of the server. Times are in milliseconds.
type source struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // begin after what may have been given out

	last    int64 // time of the last identifier
	count   int   // of those in that time
	allowed int64 // if mended: identifiers of this time and earlier may be given out
}

func newSource(n *faultline.Node, mended bool) *source {
	s := &source{node: n, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *source) run(p *kernel.Proc) {
	began, started := s.node.Now().UnixMilli(), s.node.Monotonic()
	if s.mended {
		allowed := began
		bugs.Load(p, s.node.Disk(), "allowed", &allowed)
		began = max(began, allowed+1)
	}
	for {
		from, msg := p.Recv()
		now := began + (s.node.Monotonic() - started).Milliseconds()
		if s.mended && now > s.allowed {
			s.allowed = now + ahead
			bugs.Save(p, s.node.Disk(), "allowed", s.allowed)
		}
		if now == s.last {
			s.count++
		} else {
			s.last, s.count = now, 0
		}
		s.node.Send(from, bugs.Reply{ID: msg.(bugs.Request).ID, Body: fmt.Sprintf("%s/%d", stamp(now), s.count)})
		s.node.Point("given")
	}
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("15:04:05.000") }
