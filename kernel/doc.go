// Package kernel is a deterministic, single-threaded discrete-event simulator
// for distributed systems.
package kernel
