package kv

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/faultline"
)

const (
	answerTimeout = 120 * time.Millisecond // of one try
	maxTries      = 5
)

// Workload is what the clients do together: they put and get a few keys. Every
// value is put once, so that a value tells where it comes from.
type Workload struct {
	Servers []string      // whom the clients ask
	lastPut time.Duration // when the last put that succeeded was called
	unsure  bool
}

// Unsure reports whether some put has timed out.
func (l *Workload) Unsure() bool { return l.unsure }

// Client is the program of a client.
func (l *Workload) Client(c *faultline.Client) {
	s := session{Client: c, load: l, server: l.Servers[c.Rand().IntN(len(l.Servers))]}
	for n := range c.Operations() {
		c.Sleep(time.Duration(c.Rand().Int64N(int64(100 * time.Millisecond))))
		op := Op{Kind: "get", Key: string("xy"[c.Rand().IntN(2)])}
		if c.Rand().IntN(2) == 0 {
			op.Kind, op.Value = "put", fmt.Sprintf("%s-%d", c.Node().Name(), n)
		}
		s.do(n, op)
	}
}

// session is a client's conversation with the servers.
type session struct {
	*faultline.Client
	load   *Workload
	server string // whom to ask first
	seq    int    // number of the operation
}

// do makes one operation, and repeats its request until there is an answer or
// it has tried often enough. Then the outcome is unknown: even if every server
// has said that it does not lead, a copy of the request may still be on its
// way to one that will.
func (s *session) do(n int, op Op) {
	s.seq = n
	called := s.Sim().Now()
	call := s.Invoke(op.Kind, op)
	for range maxTries {
		call.Attempt(s.server)
		s.Send(s.server, request{Seq: s.seq, Op: op})
		answer, ok := s.await()
		switch {
		case ok && !answer.NotLeader:
			call.OK(answer.Value)
			if op.Kind == "put" {
				s.load.lastPut = time.Duration(called)
			}
			return
		case ok && answer.Leader != "":
			s.server = answer.Leader
		default: // nobody leads, or not this one
			s.Sleep(20 * time.Millisecond)
			s.server = s.load.Servers[s.Rand().IntN(len(s.load.Servers))]
		}
	}
	s.load.unsure = s.load.unsure || op.Kind == "put"
	call.Unknown("no answer")
}

// await waits for an answer to the current request. Answers to earlier ones
// may come late.
func (s *session) await() (answer reply, ok bool) {
	ok = s.Await(answerTimeout, func(_ string, msg any) bool {
		answer = msg.(reply)
		return answer.Seq == s.seq
	})
	return answer, ok
}
