// Package scripts holds the maintenance commands of the repository. It is a
// module outside go.work, so that its dependencies reach no other module. Run
// each from the root:
//
//	GOWORK=off go run -C scripts ./houserules   the rules of the code, as a test
//	GOWORK=off go run -C scripts ./consumers    each module as its users get it
//	GOWORK=off go run -C scripts ./pairs        the performance gates
//	GOWORK=off go run -C scripts ./golden       regenerate, or -check, the goldens
//	GOWORK=off go run -C scripts ./bundle       the script and style of timeline.html
//	GOWORK=off go run -C scripts ./tidy         go.mod and go.sum of each module
package scripts
