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
//
// # Values
//
// The elements, items and identifiers that the functions return are compared with
// ==, and those that it cannot be used on part by part: the elements of slices and
// maps, the fields of structs, unexported ones too. Values of two types are never
// equal, nor nil and an empty slice, and pointers are equal if they point to the
// same variable. A value with a function in it cannot be compared; it ends the
// check with an error. [Convergence] follows pointers, see there.
package check
