// Package docs is the documentation of faultline, with the code that it shows:
// the guides, the reference, and the examples below examples. Its tests hold
// the pages against the code.
package docs
