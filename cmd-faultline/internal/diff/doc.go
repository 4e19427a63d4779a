// Package diff finds where two traces part, and says how.
//
// Runs of one seed are equal record by record until something differs. What
// comes after the first difference is lined up by node, kind and attributes,
// not by numbers of events or by times: one event more or less moves all of
// them.
package diff
