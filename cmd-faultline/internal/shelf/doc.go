// Package shelf finds the artifacts below a directory, and removes them.
//
// Only what is certainly an artifact of faultline is removed: a directory with
// a report.json that reads, and nothing in it that the report does not list
// and faultline does not make. Symbolic links are not followed.
package shelf
