// Package history records what the clients of a system did and saw, so that a
// checker can judge it afterwards.
//
// A [History] is a list of operations in the order in which they were invoked.
// An operation belongs to a process (the name of a sequential client), calls a
// function with an input, and ends in one of four ways:
//
//   - [OK]: it took effect, and Output is what the client saw.
//   - [Fail]: it certainly took no effect.
//   - [Unknown]: the client does not know. A request that timed out is unknown,
//     never failed: it may take effect at any time after its invocation.
//   - [Pending]: the run ended before the operation did. For a checker that is
//     the same as unknown.
//
// Each end of an operation is a [Point]: a time since the start of the run and
// the number of the event in which it happened. Both come from the [Clock]
// that was given to [New]; times may be equal, events tell the order then.
//
// The tries that a client library makes on behalf of one operation are its
// attempts; they are kept apart, because a retry is not a new operation. The
// reads, writes and appends of a transaction are kept with their keys, for
// checkers of isolation.
//
// Using the recorder wrongly (ending an operation twice, for example) never
// panics: it leaves the history as it was and is reported by [History.Err] and
// to the function given to [History.OnMisuse].
//
// # Values
//
// Inputs, outputs and the values of accesses are kept as they are given, not
// copied: do not change them afterwards. A checker that runs in the same
// program gets them back with their types. In a file they are JSON; see
// [Value] for what a reader makes of them.
//
// # Files
//
// [Write] writes JSON Lines, format "faultline/history", version [Version]: a
// header line, then one operation a line, in the order of invocation. Times
// are integer nanoseconds. [Read] is strict: an unknown or repeated field, a
// wrong type or another version is an error that names the file, the line, the
// field and what to do.
//
// # Limits
//
// A History is for one caller at a time and is not safe for concurrent use. It
// grows with the number of operations: about 250 bytes each, beside the values.
// A line is at most [MaxLine] bytes and a file at most [MaxBytes]; values that
// would make a line longer are cut in the file, not in memory.
package history
