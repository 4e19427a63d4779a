package kernel

// Redraw is a moment from which on a run draws anew. Up to it the run is the
// one of its seed and its given choices; from it on the choice points are as if
// nothing were given, and they and [Sim.Stream] draw something else for each
// salt. It is for asking how the run could have gone on. Generators that were
// made before go on as they were.
type Redraw struct {
	At   Time   // the moment
	Salt uint64 // tells continuations apart; 0 means that there is none
}

// Redrawn reports whether the moment of [Config.Redraw] has come.
func (s *Sim) Redrawn() bool { return s.cfg.Redraw.Salt != 0 && s.now >= s.cfg.Redraw.At }

// Again returns the stream to draw from in place of st: st itself, unless the
// run draws anew.
func (s *Sim) Again(st Stream) Stream {
	if s.cfg.Redraw.Salt != 0 && s.now >= s.cfg.Redraw.At {
		return Stream{mix64(st.key ^ mix64(s.cfg.Redraw.Salt+golden))}
	}
	return st
}
