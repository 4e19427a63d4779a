package bugs

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
)

// Request is what a client sends to a server.
type Request struct {
	ID   int // the client's number for it
	Body any // what it asks for
}

// Reply answers the request of that number.
type Reply struct {
	ID   int // the number of the request
	Body any // the answer; nil if there is nothing to say
}

// Call sends a request and waits for its answer, for as long as its patience
// lasts. Answers to earlier requests may come late; they are passed over.
func Call(c *faultline.Client, to string, id int, body any, patience time.Duration) (any, bool) {
	c.Send(to, Request{id, body})
	var answer Reply
	ok := c.Await(patience, func(_ string, msg any) bool {
		r, is := msg.(Reply)
		answer = r
		return is && r.ID == id
	})
	return answer.Body, ok
}

// PutEach is a client that puts records called after a prefix (r1, r2, …) at a
// server, one after another.
func PutEach(c *faultline.Client, server, prefix string) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		record := fmt.Sprint(prefix, i)
		op := c.Invoke("put", record)
		if _, ok := Call(c, server, i, record, 200*time.Millisecond); ok {
			op.OK(nil)
		} else {
			op.Unknown("no answer")
		}
	}
}

// Others returns the names without one of them.
func Others(names []string, without string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == without })
}

// Lost reports the first put in a history that was acknowledged and whose value
// a server, or whoever is meant by who, does not have.
func Lost(h *history.History, who string, has func(value string) bool) error {
	for op := range h.All() {
		if op.Function == "put" && op.Status == history.OK && !has(op.Input.(string)) {
			return fmt.Errorf("%s put %v, acknowledged at %v: %s does not have it any more", op.Process, op.Input, op.Return.Time, who)
		}
	}
	return nil
}
