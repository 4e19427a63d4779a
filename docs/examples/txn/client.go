package txn

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/faultline"
)

// answerTimeout is how long a client waits for an answer.
const answerTimeout = 80 * time.Millisecond

// Workload is what the clients do together: transactions of a few reads and
// appends. Every value is appended once, so that a list tells who appended what.
type Workload struct {
	Replicas []string // that answer transactions that only read
	value    int
}

// access is a planned step of a transaction.
type access struct {
	append bool
	key    string
	value  int
}

func (a access) String() string {
	if a.append {
		return fmt.Sprintf("append %d to %s", a.value, a.key)
	}
	return "read " + a.key
}

// plan draws a transaction.
func (l *Workload) plan(c *faultline.Client) []access {
	onlyReads := c.Rand().IntN(3) == 0
	plan := make([]access, 1+c.Rand().IntN(4))
	for i := range plan {
		plan[i].key = string("xyz"[c.Rand().IntN(3)])
		if !onlyReads && c.Rand().IntN(2) == 0 {
			l.value++
			plan[i].append, plan[i].value = true, l.value
		}
	}
	return plan
}

// Client is the program of a client.
func (l *Workload) Client(c *faultline.Client) {
	for n := 1; ; n++ {
		c.Sleep(time.Duration(c.Rand().Int64N(int64(40 * time.Millisecond))))
		s := session{c, fmt.Sprintf("%s-%d", c.Node().Name(), n), 0}
		plan := l.plan(c)
		if len(l.Replicas) > 0 && !writes(plan) {
			s.look(l.Replicas[c.Rand().IntN(len(l.Replicas))], plan)
			continue
		}
		s.run(plan)
	}
}

func writes(plan []access) bool {
	for _, a := range plan {
		if a.append {
			return true
		}
	}
	return false
}

// session is a transaction of a client.
type session struct {
	*faultline.Client
	txn string
	seq int
}

// run makes a transaction. As long as its commit was not asked for it has
// certainly no effect; without an answer to that, nobody knows.
func (s *session) run(plan []access) {
	op := s.Invoke("txn", describe(plan))
	for _, a := range plan {
		m := request{Do: "read", Key: a.key}
		if a.append {
			m.Do, m.Value = "append", a.value
			op.Append(a.key, a.value)
		}
		answer, ok := s.ask(m)
		if !ok || !answer.OK {
			op.Fail("no answer, or refused")
			return
		}
		if !a.append {
			op.Read(a.key, answer.List)
		}
	}
	answer, ok := s.ask(request{Do: "commit"})
	switch {
	case !ok:
		op.Unknown("no answer to the commit")
	case !answer.OK:
		op.Fail("conflict")
	default:
		op.OK(nil)
	}
}

// look makes a transaction that only reads, at a replica.
func (s *session) look(replica string, plan []access) {
	op := s.Invoke("txn", describe(plan))
	m := snapshot{Txn: s.txn}
	for _, a := range plan {
		m.Keys = append(m.Keys, a.key)
	}
	s.seq++
	s.Send(replica, m)
	answer, ok := s.await()
	if !ok {
		op.Fail("no answer")
		return
	}
	for i, a := range plan {
		op.Read(a.key, answer.Lists[i])
	}
	op.OK(nil)
}

func describe(plan []access) string {
	text := make([]string, len(plan))
	for i, a := range plan {
		text[i] = a.String()
	}
	return strings.Join(text, ", ")
}

// ask sends a request and waits for its answer.
func (s *session) ask(m request) (reply, bool) {
	s.seq++
	m.Txn, m.Seq = s.txn, s.seq
	s.Send("db", m)
	return s.await()
}

// await waits for the answer to the last request.
func (s *session) await() (answer reply, ok bool) {
	ok = s.Await(answerTimeout, func(_ string, msg any) bool {
		answer = msg.(reply)
		return answer.Txn == s.txn && answer.Seq == s.seq
	})
	return answer, ok
}
