package kernel

// A proc is unwound by stopping its coroutine: its yield returns false and it
// leaves by runtime.Goexit, which runs its deferred calls and which no recover
// of the user can hold up. A Goexit inside a coroutine travels on to the
// goroutine that resumed it, so that has to be a helper; and a coroutine
// cannot stop itself, so procs are unwound after the event that doomed them.

// doom marks a proc whose time is over.
func (s *Sim) doom(p *Proc) {
	if !p.done {
		s.doomed = append(s.doomed, p)
	}
}

// unwind stops the doomed procs. It is called between events.
func (s *Sim) unwind() {
	for len(s.doomed) > 0 {
		list := s.doomed
		s.doomed = nil
		for _, p := range list {
			p.end()
		}
	}
}

// end runs the deferred calls of a parked proc. One that has never run has
// none.
func (p *Proc) end() {
	if p.done {
		return
	}
	p.doomed = true
	if p.stop != nil {
		ended := make(chan struct{})
		//faultline:allow goroutine a Goexit in the coroutine would end the goroutine that stops it
		go func() {
			defer close(ended)
			p.stop()
		}()
		<-ended
	}
	p.done = true
}

// Close ends every proc that still runs. The run's results stay readable;
// going on with it is inert, and so is everything that the procs' deferred
// calls ask. [Sim.Run] closes by itself. From inside the run it must not be
// called: use [Sim.Stop].
func (s *Sim) Close() {
	if !s.enter() {
		return
	}
	defer s.leave()
	s.trace.flush()
	s.closed, s.trace.off = true, true
	for _, n := range s.nodes {
		for _, p := range n.procs {
			s.doom(p)
		}
		n.procs = nil
	}
	for _, p := range s.procs {
		s.doom(p)
	}
	s.procs = nil
	s.unwind()
}

// Closed reports whether [Sim.Close] was called.
func (s *Sim) Closed() bool { return s.closed }
