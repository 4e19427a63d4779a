package faultline

import (
	"fmt"
	"math/rand/v2"

	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Client is what the program of a client sees: the calls of a proc, sending,
// and the history that checks are made on.
type Client struct {
	*kernel.Proc
	world   *World
	node    *Node
	process string
	draws   draws
	rng     *rand.Rand // of draws
}

func newClient(w *World, n *Node, p *kernel.Proc) *Client {
	c := &Client{Proc: p, world: w, node: n, process: n.Name()}
	c.draws.node = n.Rand()
	c.rng = rand.New(&c.draws)
	if boot := n.Boot(); boot > 1 { // a restarted client is another process
		c.process = fmt.Sprintf("%s#%d", c.process, boot)
	}
	return c
}

// Send sends a message to a node by name, see [Node.Send].
func (c *Client) Send(to string, msg any) { c.node.Send(to, msg) }

// Rand returns the client's generator. Inside of [Client.Operations] what it
// draws belongs to the operation.
func (c *Client) Rand() *rand.Rand { return c.rng }

// Log adds a record of the user's own kind to the trace, see
// [kernel.Node.Log].
func (c *Client) Log(kind string, attrs ...kernel.Attr) { c.node.Log(kind, attrs...) }

// Invoke begins an operation: its entry in the history, and a record. Finish
// it with one of the methods of [Op]; one that is not finished stays pending,
// which checks treat like unknown.
func (c *Client) Invoke(function string, input any) *Op {
	op := &Op{client: c, op: c.world.history.Invoke(c.process, function, input)}
	c.world.tell(c.node.Name(), function, input)
	y := &c.world.syms
	c.world.sim.Emit(y.invoke).On(c.node.Node).Int(y.op, int64(op.op.Record().ID)).Str(y.function, function).Str(y.input, fmt.Sprint(input)).Done()
	return op
}

// Op is an operation of a client that is running.
type Op struct {
	client *Client
	op     *history.Op
}

// Attempt notes that the operation is tried, once more, at a server. Retries
// inside a client are attempts of one operation, not operations. End the try
// when its outcome is known; the last one ends with the operation.
func (o *Op) Attempt(target string) history.Try {
	w := o.client.world
	w.sim.Emit(w.syms.attempt).On(o.client.node.Node).Int(w.syms.op, int64(o.op.Record().ID)).Str(w.syms.target, target).Done()
	return o.op.Attempt(target)
}

// Read notes, for checks of isolation, that the operation is a transaction that
// saw a value (nil for none) or a list under a key. Note accesses before the
// operation ends, also of one that fails.
func (o *Op) Read(key string, value any) { o.op.Read(key, value) }

// Write notes that the transaction set a key to a value.
func (o *Op) Write(key string, value any) { o.op.Write(key, value) }

// Append notes that the transaction added a value to the list under a key.
func (o *Op) Append(key string, value any) { o.op.Append(key, value) }

// OK ends the operation: it took effect, and this is what the client saw.
func (o *Op) OK(output any) { o.op.OK(output); o.returned("ok", output) }

// Fail ends the operation: it did not take effect, for certain.
func (o *Op) Fail(reason string) { o.op.Fail(reason); o.returned("fail", reason) }

// Unknown ends the operation: it may have taken effect, or may still. A
// timeout is always unknown.
func (o *Op) Unknown(reason string) { o.op.Unknown(reason); o.returned("unknown", reason) }

func (o *Op) returned(status string, output any) {
	w := o.client.world
	w.sim.Emit(w.syms.ret).On(o.client.node.Node).Int(w.syms.op, int64(o.op.Record().ID)).Str(w.syms.status, status).Str(w.syms.output, fmt.Sprint(output)).Done()
}

// tell remembers what an operation was about, for people.
func (w *World) tell(client, function string, input any) {
	if k := w.works[client]; k != nil && w.recording {
		if o := (operation{client, k.n}); w.texts[o] == "" {
			w.texts[o] = function + " " + fmt.Sprint(input)
		}
	}
}
