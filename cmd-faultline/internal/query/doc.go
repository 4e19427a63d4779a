// Package query picks records of a trace: by node, kind, time, event and text,
// and by what caused what.
package query
