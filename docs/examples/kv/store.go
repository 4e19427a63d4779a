package kv

// store is the state that the log describes: values, and the last answer to
// each client, so that a repeated request gets it again and changes nothing.
type store struct {
	bugs   Bugs
	values map[string]string
	last   map[string]reply
	times  map[string]int64 // only for Bugs.ClockOrder
}

func newStore(bugs Bugs) *store {
	return &store{bugs: bugs, values: map[string]string{}, last: map[string]reply{}, times: map[string]int64{}}
}

// apply lets an entry take effect and returns the answer to its client. There
// is none for a request that the client has given up since.
func (s *store) apply(e Entry) (reply, bool) {
	if e.Client == "" {
		return reply{}, false
	}
	if last := s.last[e.Client]; e.Seq <= last.Seq && !s.bugs.ApplyTwice {
		return last, e.Seq == last.Seq
	}
	answer := reply{Seq: e.Seq}
	switch e.Op.Kind {
	case "get":
		answer.Value = s.values[e.Op.Key]
	case "put":
		s.put(e)
	}
	s.last[e.Client] = answer
	return answer, true
}

func (s *store) put(e Entry) {
	if s.bugs.ClockOrder {
		if e.Time < s.times[e.Op.Key] {
			return
		}
		s.times[e.Op.Key] = e.Time
	}
	s.values[e.Op.Key] = e.Op.Value
}
