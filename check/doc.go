// Package check judges the history of a run with small checkers, each for one
// promise: [UniqueIDs], [Set], [Queue], [Counter], [Sessions], [Lock],
// [Durability] and [Convergence]. Linearizability is in package linear,
// isolation of transactions in package isolation.
//
// A checker is a struct whose functions translate the operations of a history.
// Each has a method Check, which returns nil or an error that lists the first
// problems with the operations that show them. In a test of faultline it is
// given to World.Judge.
//
// An operation whose outcome is unknown, or that has not ended, may have taken
// effect or not: it is never a problem by itself, and it explains what its effect
// would. One that failed must have had no effect.
package check
