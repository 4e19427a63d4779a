package faultline

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// The choices of a run's workload. An operation of a client is a choice whose
// value is the virtual time at which it begins; its default, 0, is that it is
// left out. What it draws comes from its number, so that leaving others out
// changes nothing in it.
const (
	pointClients = "run/clients" // what clients do beside what is listed, see load
	workPrefix   = "work/"
	opSuffix     = "/op"    // work/<client>/op: when the operation begins
	plainSuffix  = "/plain" // work/<client>/plain: 1: it draws the least of everything
)

// load says which operations the clients carry out.
type load int64

const (
	loadFree   load = iota // what their programs do by themselves
	loadClosed             // those that are listed; liveness is not judged
	loadOpen               // those that are listed, and then what they do by themselves
	loadLater              // the same, but not before the quiet phase
)

// work is what one client does, over all its incarnations.
type work struct {
	world  *World
	point  *kernel.ChoicePoint
	plain  *kernel.ChoicePoint
	draws  kernel.Stream
	n      uint64          // of the operation that has begun
	listed []kernel.Choice // that are still to come, when they are given
}

// operation names one operation of a run.
type operation struct {
	client string
	n      uint64
}

// isOperation reports whether a choice is an operation of a client, and whose.
func isOperation(c kernel.Choice) (client string, is bool) {
	client, is = strings.CutPrefix(c.Point, workPrefix)
	if !is {
		return "", false
	}
	return strings.CutSuffix(client, opSuffix)
}

// isPlain reports whether a choice says that an operation draws the least of
// everything, and whose.
func isPlain(c kernel.Choice) (client string, is bool) {
	client, is = strings.CutPrefix(c.Point, workPrefix)
	if !is {
		return "", false
	}
	return strings.CutSuffix(client, plainSuffix)
}

// loadOf returns what a schedule says of the clients.
func loadOf(s *fault.Schedule) load {
	if s == nil {
		return loadFree
	}
	for _, c := range s.Choices {
		if c.Point == pointClients {
			return load(c.Value)
		}
	}
	return loadFree
}

// workOf returns the work of a client, made when it is first asked for.
func (w *World) workOf(client string) *work {
	if k := w.works[client]; k != nil {
		return k
	}
	if len(w.works) == 0 {
		w.settleLoad()
	}
	base := workPrefix + client
	k := &work{world: w, point: w.sim.ChoicePoint(base + opSuffix), plain: w.sim.ChoicePoint(base + plainSuffix),
		draws: w.sim.Stream(base + "/draws")}
	if w.load != loadFree {
		for _, c := range w.replay.Choices {
			if c.Point == base+opSuffix {
				k.listed = append(k.listed, c)
			}
		}
		slices.SortStableFunc(k.listed, func(a, b kernel.Choice) int { return cmp.Compare(a.N, b.N) })
	}
	w.works[client] = k
	return k
}

// settleLoad records what the clients do. A run that was given nothing is
// recorded as one whose operations are listed.
func (w *World) settleLoad() {
	p := w.sim.ChoicePoint(pointClients)
	if w.replay != nil && w.load == loadFree {
		w.unlisted(pointClients, 0, int64(loadOpen))
		return
	}
	p.SettleWithin(0, int64(loadOpen), int64(loadLater))
}

// unlisted records a choice of a replay that was not given.
func (w *World) unlisted(point string, n uint64, value int64) {
	if w.recording {
		w.own = append(w.own, kernel.Choice{Point: point, N: n, Value: value, Time: w.sim.Now()})
	}
}

// Operations is what the program of a client ranges over: the numbers of its
// operations, from 1. An operation is one round of the loop, with the pause
// before or after it:
//
//	for n := range c.Operations() {
//		c.Sleep(time.Duration(c.Rand().Int64N(int64(time.Second))))
//		put(c, fmt.Sprint("value ", n))
//	}
//
// In a failing run operations are left out, to see which of them matter. The
// others keep their numbers, the times at which they begin, and what
// [Client.Rand] draws in them, which comes from the client's name and the
// number. Make values from the number, not from a counter, and nothing that a
// round needs in the one before. Numbers go on when the client restarts. The
// loop ends when a schedule lists no more operations; clients that loop
// otherwise are not shrunk.
func (c *Client) Operations() iter.Seq[int] {
	return func(yield func(int) bool) {
		k := c.world.workOf(c.node.Name())
		for k.next(c) {
			c.draws.operation(c.world.sim.Again(k.draws), k.n, k.plain.Settle(k.n, 0) != 0)
			if !yield(int(k.n)) {
				return
			}
		}
	}
}

// next begins the next operation; false means that there is none.
func (k *work) next(c *Client) bool {
	w := k.world
	if w.redraw.Salt != 0 && w.replay != nil && (len(k.listed) == 0 || kernel.Time(k.listed[0].Value) >= w.redraw.At) {
		c.until(w.redraw.At) // from here on it does as it likes
		k.n++
		return true
	}
	switch {
	case w.replay == nil:
		k.n++
		k.point.Settle(k.n, k.now())
		return true
	case len(k.listed) > 0:
		g := k.listed[0]
		c.until(kernel.Time(g.Value)) // a client that is killed meanwhile has it still to come
		k.listed = k.listed[1:]
		k.n = g.N
		k.point.Settle(g.N, 0)
		return true
	case w.load == loadClosed, w.load == loadLater && w.quiet == 0:
		return false
	case w.load == loadLater: // by itself, so it need not be listed
		c.until(kernel.Time(w.quiet))
		k.n++
		return true
	}
	k.n++
	w.unlisted(workPrefix+c.node.Name()+opSuffix, k.n, k.now())
	return true
}

// now is the time as the value of a choice, which is not 0.
func (k *work) now() int64 { return max(int64(k.world.sim.Now()), 1) }

// until waits for a virtual time, if it is still to come. The first moment of
// a run is written as 1.
func (c *Client) until(at kernel.Time) {
	if at <= 1 {
		return
	}
	for now := c.Sim().Now(); now < at; {
		before := now
		c.Sleep(at.Sub(now))
		if now = c.Sim().Now(); now == before { // its time is over
			return
		}
	}
}

// draws is the source of a client's generator: that of its node before the
// first operation, and one for each operation from then on.
type draws struct {
	node  *rand.Rand
	pcg   rand.PCG
	began bool
	plain bool
	least uint64
}

// operation starts the draws of an operation.
func (d *draws) operation(s kernel.Stream, n uint64, plain bool) {
	d.began, d.plain, d.least = true, plain, 0
	d.pcg.Seed(s.At(2*n), s.At(2*n+1))
}

// Uint64 draws. The draws of a plain operation are small in what a generator
// makes of them: the first of a few, a short wait, a number near 0. They grow,
// so that a loop that waits for another draw comes to an end.
func (d *draws) Uint64() uint64 {
	switch {
	case !d.began:
		return d.node.Uint64()
	case d.plain:
		d.least += 1 << 44
		return d.least
	}
	return d.pcg.Uint64()
}
