package onewaytakeover

import "github.com/hmdsefi/faultline/docs/examples/bugs"

func (s *node) receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		s.onRequest(from, m)
	case beat:
		s.onBeat(from, m)
	case beatAck:
		s.onBeatAck(m)
	case ask:
		missed := !s.primary && s.node.Monotonic()-s.heard > s.silence
		s.node.Send(from, askAck{m.Epoch, s.stored.Epoch, missed && m.Epoch > s.stored.Epoch})
	case askAck:
		s.onAskAck(m)
	case vote:
		if m.Epoch > s.stored.Epoch {
			s.follow(m.Epoch)
			s.heard = s.node.Monotonic()
			s.node.Send(from, voteAck{m.Epoch, s.stored.Cell})
		}
	case voteAck:
		if s.standing && m.Epoch == s.stored.Epoch {
			if s.stored.Cell.Version.less(m.Cell.Version) {
				s.stored.Cell = m.Cell
			}
			s.lead() // with its own vote it has two of three
		}
	}
}

func (s *node) onRequest(from string, r bugs.Request) {
	p, isPut := r.Body.(put)
	switch {
	case !s.primary || !s.ready || isPut && s.write != nil:
		s.node.Send(from, bugs.Reply{ID: r.ID, Body: answer{}})
	case isPut && r.ID <= s.stored.Cell.Put: // it was done, or a later one was
	case isPut:
		s.propose(p.Value, r.ID, &write{client: from, id: r.ID})
	case s.mended:
		s.beat()
		s.reads = append(s.reads, read{from, r.ID, s.round})
	default:
		s.node.Send(from, bugs.Reply{ID: r.ID, Body: answer{OK: true, Value: s.stored.Cell.Value}})
	}
}

func (s *node) onBeat(from string, m beat) {
	if m.Epoch < s.stored.Epoch {
		s.node.Send(from, beatAck{Epoch: s.stored.Epoch})
		return
	}
	if m.Epoch > s.stored.Epoch || s.standing {
		s.follow(m.Epoch)
	}
	s.heard = s.node.Monotonic()
	if s.stored.Cell.Version.less(m.Cell.Version) {
		s.stored.Cell = m.Cell
		s.save()
	}
	s.node.Send(from, beatAck{m.Epoch, m.Round, m.Cell.Version})
}

func (s *node) onBeatAck(m beatAck) {
	if m.Epoch > s.stored.Epoch {
		s.follow(m.Epoch)
		return
	}
	if !s.primary || m.Epoch < s.stored.Epoch {
		return
	}
	if s.write != nil && m.Version == s.stored.Cell.Version {
		s.finish()
	}
	var wait []read
	for _, r := range s.reads {
		if s.ready && m.Round >= r.round {
			s.node.Send(r.client, bugs.Reply{ID: r.id, Body: answer{OK: true, Value: s.done}})
		} else {
			wait = append(wait, r)
		}
	}
	s.reads = wait
}

func (s *node) onAskAck(m askAck) {
	switch {
	case s.primary:
	case m.Newest > s.stored.Epoch: // it is behind: it stands in a newer epoch next time
		s.follow(m.Newest)
	case m.OK && m.Epoch == s.stored.Epoch+1 && s.node.Monotonic()-s.heard > s.silence:
		s.follow(m.Epoch)
		s.standing = true
		s.send(vote{m.Epoch})
	}
}
