package kernel

import (
	"fmt"
	"unicode/utf8"
)

// Choice is one random decision that did not take its default: a message
// dropped, a sync failed, a write torn. Together with the planned faults the
// choices of a run are its schedule; a run given the same choices does the
// same, whatever its probabilities say.
type Choice struct {
	Point string // who chose what, such as "net/n1>n2/drop"
	N     uint64 // which occurrence at that point
	Value int64  // what was chosen; never 0, which is the default
	Time  Time   // when it was made; not part of its identity

	// Of names what the choice is about, where a component does that: a message by
	// its link and sort and about when it is sent, see [Namer]. Then a given choice is
	// found by it alone, also when N is another by now. 0 means that it is found by N.
	Of uint64
}

// Identity returns what a choice is found by when it is given, to compare it with
// others: its Point, and Of or, when that is 0, N. All else is zero.
func (c Choice) Identity() Choice {
	if c.Of != 0 {
		return Choice{Point: c.Point, Of: c.Of}
	}
	return Choice{Point: c.Point, N: c.N}
}

// ChoicePoint is a place where choices with the default 0 are made. Components
// keep one for each thing they decide; see [Sim.ChoicePoint].
type ChoicePoint struct {
	sim    *Sim
	name   string
	stream Stream
	given  map[occurrence]*replayed // what to choose instead, when replaying
}

// occurrence is where a given choice is to be made: what it is about or, when that
// is 0, its number.
type occurrence struct{ n, of uint64 }

func (c *Choice) occurrence() occurrence {
	if c.Of != 0 {
		return occurrence{of: c.Of}
	}
	return occurrence{n: c.N}
}

// replayed is a given choice.
type replayed struct {
	value int64
	met   bool
}

// ChoicePoint returns the choice point with that name; equal names give
// points that decide alike. Keep it: making one is slow. A name that is not valid
// UTF-8 is a misuse, because a schedule could not say it.
func (s *Sim) ChoicePoint(name string) *ChoicePoint {
	if !utf8.ValidString(name) {
		s.Misuse(fmt.Errorf("kernel: a choice point cannot be called %q: it is not valid UTF-8", name))
	}
	p := &ChoicePoint{sim: s, name: name, stream: s.seed.Derive(name)}
	if s.replay != nil {
		p.given = s.replay[name]
	}
	return p
}

// Stream returns the stream of the same name, to draw from.
func (p *ChoicePoint) Stream() Stream { return p.sim.Again(p.stream) }

// Replaying reports whether choices are given. Then the drawn values do not
// count, and a component must ask at every occurrence, also where its
// probabilities say that nothing can happen.
func (p *ChoicePoint) Replaying() bool { return p.sim.replay != nil && !p.sim.Redrawn() }

// Settle decides occurrence n. drawn is what the seed says: it is the answer,
// unless choices were given to the run, which then decide alone. An answer
// other than the default 0 is recorded.
func (p *ChoicePoint) Settle(n uint64, drawn int64) int64 { return p.SettleOf(n, 0, drawn) }

// SettleOf is [ChoicePoint.Settle] for an occurrence that is about something with
// a name of its own, see [Choice.Of]. No two occurrences of a run may have the
// same name; 0 is none. A choice that is given by name goes before one by number.
func (p *ChoicePoint) SettleOf(n, of uint64, drawn int64) int64 {
	s := p.sim
	if s.replay != nil && !s.Redrawn() {
		var g *replayed
		if of != 0 {
			g = p.given[occurrence{of: of}]
		}
		if g == nil {
			g = p.given[occurrence{n: n}]
		}
		if g == nil {
			return 0
		}
		drawn, g.met = g.value, true
	}
	if drawn != 0 && s.trace.level == LevelFull && !s.closed {
		s.choices = append(s.choices, Choice{p.name, n, drawn, s.now, of})
	}
	return drawn
}

// SettleWithin is [ChoicePoint.Settle] for choices from 0 to most. A given
// choice outside of that is a misuse, which fails the run, and counts as 0.
func (p *ChoicePoint) SettleWithin(n uint64, drawn, most int64) int64 {
	v := p.Settle(n, drawn)
	if v < 0 || v > most {
		p.sim.Misuse(fmt.Errorf("kernel: the choice given for occurrence %d at %s is %d; it must be between 1 and %d", n, p.name, v, most))
		return 0
	}
	return v
}

// Choices returns the choices that were not the default, in the order in which
// they were made. They are kept only at [LevelFull].
func (s *Sim) Choices() []Choice { return s.choices }

// UnmetChoices returns the given choices whose occurrence never came up, in
// the order of [Config.Replay].
func (s *Sim) UnmetChoices() []Choice {
	var out []Choice
	for _, c := range s.cfg.Replay {
		if g := s.replay[c.Point][c.occurrence()]; g != nil && !g.met {
			out = append(out, c)
		}
	}
	return out
}

func (s *Sim) loadReplay(given []Choice) {
	if given == nil {
		return
	}
	s.replay = make(map[string]map[occurrence]*replayed)
	for _, c := range given {
		m := s.replay[c.Point]
		if m == nil {
			m = make(map[occurrence]*replayed)
			s.replay[c.Point] = m
		}
		switch {
		case c.Value == 0:
			s.Misuse(fmt.Errorf("kernel: Config.Replay: choice %d at %q is 0, the default; leave it out", c.N, c.Point))
		case m[c.occurrence()] != nil:
			s.Misuse(fmt.Errorf("kernel: Config.Replay: choice %d at %q is given twice", c.N, c.Point))
		default:
			m[c.occurrence()] = &replayed{value: c.Value}
		}
	}
}
