package raftcheck

// Forgotten returns the index up to which the checker has forgotten the log.
func (c *Checker) Forgotten() uint64 { return c.canon.base }
