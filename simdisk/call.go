package simdisk

import "github.com/hmdsefi/faultline/kernel"

// call is an operation on its way. Calls are pooled.
//
// What an operation does to the page cache it does when it is asked for; its
// latency passes before the caller is told. Only a sync has its effect at the
// end, on the device.
type call struct {
	d       *disk
	op      Op
	res     Result
	created bool // Open made the file
	failed  bool // decided, with an error
	dead    bool // a hook crashed the node before it
	covered int  // pending operations that a sync was about
	upto    uint64
	number  uint64 // of the sync
	dir     *inode // of a SyncDir
	epoch   uint64
	cycle   uint64
	done    func(Result)  // nil for a proc
	signal  kernel.Signal // for a proc
	told    bool          // the effect is done, only the caller has to be told
}

func (d *disk) get(op Op) *call {
	var c *call
	if n := len(d.free); n > 0 {
		c, d.free = d.free[n-1], d.free[:n-1]
	} else {
		c = new(call)
	}
	*c = call{d: d, op: op, epoch: d.epoch, cycle: d.cycle}
	if op.File != nil {
		c.op.Path = op.File.name
	}
	return c
}

func (d *disk) put(c *call) {
	*c = call{}
	d.free = append(d.free, c)
}

// Submit starts an operation. It takes the device's time, and then done is
// called on the simulator's stack, in the incarnation that asked: if that
// crashes first, done is never called and a record is left; while it is paused
// done waits, but the device works on. done is called exactly once otherwise,
// also for errors, and never before Submit returns. op.Data may be reused once
// Submit has returned, unless it is a Read.
func (v *Volume) Submit(op Op, done func(Result)) {
	d := v.d
	if !v.alive() {
		d.recordInert(&op)
		return
	}
	c := d.get(op)
	c.done = done
	d.start(v, c)
}

// do runs an operation on the front that v is: at once, or blocking its proc.
func (v *Volume) do(op Op) Result {
	d := v.d
	if !v.alive() {
		d.recordInert(&op)
		return Result{Err: wrap(&op, ErrStale)}
	}
	c := d.get(op)
	if v.proc == nil {
		d.begin(v, c)
		d.finish(c)
		if c.epoch != d.epoch && !c.dead {
			d.cut(c)
		}
	} else if d.start(v, c); !c.dead {
		v.proc.Wait(&c.signal)
		if !c.signal.IsSet() { // the proc is over
			return Result{Err: wrap(&op, ErrStale)}
		}
	}
	res := c.res
	d.put(c)
	return res
}

// start begins an operation and schedules its completion, unless a hook has
// crashed the node.
func (d *disk) start(v *Volume, c *call) {
	d.begin(v, c)
	if c.dead {
		return
	}
	at := d.sim.Now().Add(d.latency(&c.op))
	d.sim.ScheduleKeyed(at, d.node, kernel.Device, uint32(d.order.Next()>>32), c)
}

// begin does what happens when an operation is asked for.
func (d *disk) begin(v *Volume, c *call) {
	d.stats.Ops++
	for _, h := range d.hooks {
		h(c.op, Before)
		if d.epoch != c.epoch {
			d.cut(c)
			return
		}
	}
	err := d.perform(v, c)
	if err == nil && c.op.Kind.class() == syncClass {
		return // goes on in finish
	}
	d.decide(c, err)
}

// finish does what happens when an operation's time is over.
func (d *disk) finish(c *call) {
	if c.dead {
		return
	}
	if c.op.Kind.class() == syncClass && !c.failed {
		d.decide(c, d.settle(c))
	}
	epoch := d.epoch
	for _, h := range d.hooks {
		if h(c.op, After); d.epoch != epoch {
			return
		}
	}
}

// decide sets the outcome of an operation and records it.
func (d *disk) decide(c *call, err error) {
	c.res.Err = err
	if err == ErrStale {
		d.recordInert(&c.op)
	} else {
		c.record()
	}
	if err != nil && outcomes[outcome(err)].word != "eof" {
		d.stats.Failures++
	}
	c.failed = err != nil
	c.res.Err = wrap(&c.op, err)
}

// cut ends an operation when a hook has crashed its node.
func (d *disk) cut(c *call) {
	d.recordInert(&c.op)
	c.dead = true
	c.res = Result{Err: wrap(&c.op, ErrStale)}
}

// Fire completes the operation on the device.
func (c *call) Fire() {
	d := c.d
	if !c.told {
		if c.cycle != d.cycle { // the power was lost; the crash has decided
			d.drop(c)
			return
		}
		if len(d.effects) > 0 && d.stalled(c) {
			return
		}
		d.finish(c)
	}
	switch {
	case c.epoch != d.epoch:
		d.drop(c)
	case d.node.State() == kernel.Paused:
		c.told = true
		d.sim.Schedule(d.sim.Now(), d.node, kernel.ThisBoot, c)
	case c.done == nil:
		c.signal.Set()
	default:
		done, res := c.done, c.res
		d.put(c)
		done(res)
	}
}

// drop ends an operation whose caller is gone. A proc's call is left to the
// garbage collector, because the proc may still look at it.
func (d *disk) drop(c *call) {
	d.recordInert(&c.op)
	if c.done != nil {
		d.put(c)
	}
}

// OnOp calls f before and after every operation on the volume, in the order in
// which hooks were added. A hook may crash the node: before an operation, it
// then does not take place; after, it has taken effect and its caller never
// knows. For an operation that takes time, before is when it is asked for and
// after is when it completes; the Data of a write may be another's by then.
func (v *Volume) OnOp(f func(op Op, when When)) { v.d.hooks = append(v.d.hooks, f) }
