package etcdraft

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

const (
	answerTimeout = 300 * time.Millisecond // of one try, at most
	maxTries      = 10
)

// Session is a client's conversation with the cluster. Its requests are
// numbered, and repeated until there is an answer; the state machines carry
// each out once.
type Session struct {
	*faultline.Client
	c   *Cluster
	id  uint64
	seq uint64
	at  string  // whom to ask first
	was Request // the last command, for what repeats it late
}

// NewSession opens a session for a client.
func (c *Cluster) NewSession(cl *faultline.Client) *Session {
	c.sessions++
	s := &Session{Client: cl, c: c, id: c.sessions}
	s.at = s.anyone()
	return s
}

// Cluster returns the cluster that the session is with.
func (s *Session) Cluster() *Cluster { return s.c }

// Write has a command carried out and returns the result. call is the
// operation in the history; it is not ended here. ok is false when the outcome
// is unknown: the command may have been carried out, or may be later.
func (s *Session) Write(call *faultline.Op, command []byte) (result []byte, ok bool) {
	s.seq++
	id := requestID{s.id, s.seq}
	s.c.ledger.issued(s.Node().Name(), id, command)
	s.c.raft.checker.Invoked(raftcheck.WriteID{Client: s.id, Seq: s.seq})
	s.echo()
	s.was = Request{Client: s.id, Seq: s.seq, Data: string(command)}
	result, ok = s.try(call, s.was)
	if ok {
		s.c.ledger.acknowledged(id)
		s.c.raft.report(nil, s.c.raft.checker.Acknowledged(raftcheck.WriteID{Client: s.id, Seq: s.seq}))
	}
	return result, ok
}

// Read has a query answered, see [Session.Write].
func (s *Session) Read(call *faultline.Op, query []byte, by Path) (result []byte, ok bool) {
	s.seq++
	return s.try(call, Request{Client: s.id, Seq: s.seq, Read: true, Path: by, Data: string(query)})
}

// echo sends the command before once more now and then, to any server, as an
// impatient proxy does or a network that holds a message up. It must not take
// effect again, also on a server that has restarted meanwhile.
func (s *Session) echo() {
	if s.was.Seq > 0 && s.Rand().IntN(10) == 0 {
		at := s.anyone()
		s.c.ledger.tried(requestID{s.id, s.was.Seq}, at)
		s.Send(at, s.was)
	}
}

// try sends a request until there is an answer or it was tried often enough.
func (s *Session) try(call *faultline.Op, q Request) ([]byte, bool) {
	for range maxTries {
		attempt := call.Attempt(s.at)
		s.c.ledger.tried(requestID{s.id, q.Seq}, s.at)
		s.Send(s.at, q)
		answer, ok := s.await()
		switch {
		case ok && answer.Done:
			return []byte(answer.Result), true
		case ok && answer.Leader != "" && answer.Leader != s.at:
			attempt.End("sent on")
			s.at = answer.Leader
			s.Sleep(time.Duration(s.Rand().Int64N(int64(10 * time.Millisecond))))
		case ok:
			attempt.End("turned away")
			s.at = s.anyone()
			s.Sleep(time.Duration(s.Rand().Int64N(int64(50 * time.Millisecond))))
		default:
			attempt.End("timeout")
			s.at = s.anyone()
		}
	}
	return nil, false
}

// anyone returns a server at random.
func (s *Session) anyone() string { return s.c.names[s.Rand().IntN(len(s.c.names))] }

// await waits for an answer to the current request. Answers to earlier ones
// may come late.
func (s *Session) await() (answer Answer, ok bool) {
	wait := answerTimeout/3 + time.Duration(s.Rand().Int64N(int64(answerTimeout*2/3)))
	ok = s.Await(wait, func(_ string, msg any) bool {
		a, is := msg.(Answer)
		answer = a
		return is && a.Seq == s.seq
	})
	return answer, ok
}

// kvWorkload is the program of the built-in clients.
func kvWorkload(s *Session) {
	r := s.Rand()
	seen := map[string]string{} // the last value that the client knows of
	for n := range s.Operations() {
		if s.c.resting() {
			return
		}
		s.Sleep(time.Duration(r.Int64N(int64(60 * time.Millisecond))))
		op := KVOp{Kind: "put", Key: string("abcd"[r.IntN(4)])}
		switch k := r.IntN(20); {
		case k < 10:
			op.Kind = "get"
		case k < 13:
			op.Kind, op.Old = "cas", seen[op.Key]
		case k < 14:
			op.Kind = "delete"
		}
		if op.Kind == "put" || op.Kind == "cas" {
			op.Value = fmt.Sprintf("%s-%d", s.Node().Name(), n) + s.c.mode.padding(n)
		}
		s.kv(op, seen)
	}
}

// kv makes one operation.
func (s *Session) kv(op KVOp, seen map[string]string) {
	call := s.Invoke(op.Kind, op)
	var result []byte
	var ok bool
	if op.Kind == "get" {
		result, ok = s.Read(call, op.Encode(), pick(s.Rand(), ByLog, ByReadIndex, ByReadIndex))
	} else {
		result, ok = s.Write(call, op.Encode())
	}
	if !ok {
		call.Unknown("no answer")
		return
	}
	call.OK(string(result))
	if op.Kind == "cas" {
		seen[op.Key] = string(result[len("ok "):])
	} else {
		seen[op.Key] = string(result)
	}
}
