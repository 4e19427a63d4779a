package raftcheck

// clients is P20: what the clients of the cluster have asked for, and what has
// become of it.
type clients struct {
	writes map[WriteID]*clientWrite
	floor  uint64 // highest index of an acknowledged write
}

// WriteID names a write of a client. Repetitions have the same.
type WriteID struct {
	Client uint64 // number of the client
	Seq    uint64 // number of the write among those of the client
}

type clientWrite struct {
	after uint64 // it was asked for after the write at this index was acknowledged
	index uint64 // where it was executed; 0 while it was not
}

// Invoked tells that a client asks for a write, before anything is sent.
func (c *Checker) Invoked(id WriteID) {
	if c.clients.writes == nil {
		c.clients.writes = map[WriteID]*clientWrite{}
	}
	if c.clients.writes[id] == nil {
		c.clients.writes[id] = &clientWrite{after: c.clients.floor}
	}
}

// Executed tells that the state machine of a node has carried out a write, at
// the entry of that index. Repetitions that it has recognised are not told of.
func (n *Node) Executed(id WriteID, index uint64) error {
	w := n.c.clients.writes[id]
	switch {
	case w == nil:
		return n.fail(ClientDurability, "carries out write %d of client %d at %d, which was never asked for", id.Seq, id.Client, index)
	case w.index != 0 && w.index != index:
		return n.fail(ClientDurability, "carries out write %d of client %d at %d; it was carried out at %d", id.Seq, id.Client, index, w.index)
	case index <= w.after:
		return n.fail(ClientDurability, "carries out write %d of client %d at %d; it was asked for when the write at %d had been acknowledged", id.Seq, id.Client, index, w.after)
	}
	w.index = index
	return nil
}

// Acknowledged tells that a client was told of the success of a write.
func (c *Checker) Acknowledged(id WriteID) error {
	w := c.clients.writes[id]
	switch {
	case w == nil || w.index == 0:
		return c.fail(ClientDurability, "write %d of client %d is acknowledged; no node has carried it out", id.Seq, id.Client)
	case w.index > c.canon.last():
		return c.fail(ClientDurability, "write %d of client %d is acknowledged; it is at %d, and entries up to %d are committed", id.Seq, id.Client, w.index, c.canon.last())
	}
	c.clients.floor = max(c.clients.floor, w.index)
	return nil
}
