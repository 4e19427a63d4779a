// Package shrinktable measures how small the failures of planted bugs become.
// It finds a failing seed of each bug, shrinks it, and holds what is left against
// the shortest script of faults that a person wrote for the bug. The rows of its
// [Table] stay in a Markdown page.
//
// It is for tests of systems that have bugs to be planted, and for whoever
// changes the shrinking.
package shrinktable
