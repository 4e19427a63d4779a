// Package check judges the history of a run. Its packages linear and isolation
// hold the large checkers.
package check
