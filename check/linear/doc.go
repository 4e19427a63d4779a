// Package linear checks that the operations of a history are linearizable: that
// each can have taken effect at one moment between its call and its return, so
// that a sequential [Model] explains what the clients saw.
//
// [Checker.Run] judges each key alone, in this order:
//
//   - A proposed order ([Checker.Order]), such as the commit order that a
//     simulation knows, is followed in near-linear time.
//   - Reads and writes of a register to which each value is written once are
//     decided exactly in n log n time, without a search.
//   - Everything else is searched for, within [Checker.Steps] steps of the model
//     and [Checker.Memory] bytes. A search that is ended by its limits is
//     [Unknown], with the longest part of the run that can be put in an order,
//     and the operation that no place was found for.
//
// The limits count steps and not seconds, so that the same history has the same
// verdict on every machine.
//
// An operation whose outcome is unknown may take effect at any time after its
// call, or never. One that failed had no effect. Two ends of operations in the
// same event count as concurrent, unless all in that event are of one process.
//
// # Models
//
// [Register] (with compare-and-swap), [Map], [Counter], [Set], [Queue], [Lock]
// and [Log] are ready; a function translates the user's operations into calls
// such as [Read]. A [Model] of one's own needs three functions. Models of
// porcupine can be used, see [FromPorcupine].
//
// # What is not held against the system
//
// [Checker.Excuse] and [Checker.Retries] name operations that the system is not
// to blame for: one that read what a fault has corrupted, one that a client
// library has sent twice. They are judged as all others first. Only if that
// fails, and leaving them out of account helps, they are excused, and
// [Result.Excused] says why.
//
// # Limits
//
// The memory of the search keeps 128-bit hashes of sets of operations; two that
// collide, with a probability below 1e-20 for a check that fills 256 MiB, could
// hide an order. Memory is estimated from the number of entries; states of a
// model of one's own that are large are not counted. porcupine draws the page of
// a violation ([Result.Picture]) and takes at most two seconds for it.
package linear
