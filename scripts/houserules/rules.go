package main

// rule names one thing that the command refuses.
type rule struct {
	name  string
	about string
}

// rules lists every rule by the name that its findings and allow markers carry.
var rules = []rule{
	{"wall-clock", "no real time in the simulator or in what writes its artifacts"},
	{"global-rand", "no randomness that the seed does not decide"},
	{"goroutine", "no go statements in deterministic modules"},
	{"select", "no select in deterministic modules: it picks at random"},
	{"float", "no floating point in deterministic modules: it differs between machines"},
	{"map-range", "no map order in deterministic modules"},
	{"environment", "no files, sockets, processes or machine facts in deterministic modules"},
	{"address", "no unsafe and no printed addresses in deterministic modules"},
	{"global-state", "no package-level variable that can change in library modules"},
	{"direction", "modules import only what the module table allows"},
	{"internal", "no module imports the internal packages of another"},
	{"doc", "every exported name and every package has a doc comment"},
	{"example", "an example with an output shows each struct with three methods or more"},
	{"file-size", "no Go file above 500 lines, unless generated"},
	{"func-size", "no function above 90 lines"},
	{"text", "no paths of a machine and no registry hosts in committed text"},
	{"go-mod", "go.mod, go.sum and go.work are what a consumer can use"},
	{"marker", "allow markers name a rule, give a reason and are needed"},
}

func knownRule(name string) bool {
	for _, r := range rules {
		if r.name == name {
			return true
		}
	}
	return false
}
