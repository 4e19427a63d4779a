package main

const (
	gograph   = "github.com/hmdsefi/gograph"
	porcupine = "github.com/anishathalye/porcupine"
)

// brings lists, for each module, every module that a user gets with it: folder
// names for those of this repository, paths for others. It is exact: a user
// who gets more, or less, fails the proof.
var brings = map[string][]string{
	"kernel":     {"kernel"},
	"strictjson": {"strictjson"},
	"history":    {"history", "strictjson"},
	"check":      {"check", "history", "strictjson", gograph, porcupine},
	"simnet":     {"simnet", "kernel", gograph},
	"simdisk":    {"simdisk", "kernel"},
	"fault":      {"fault", "simnet", "simdisk", "kernel", "strictjson", gograph},
	"artifact":   {"artifact", "fault", "simnet", "simdisk", "kernel", "history", "strictjson", gograph},
	"timeline":   {"timeline", "artifact", "fault", "simnet", "simdisk", "kernel", "history", "strictjson", gograph},
	"shrink":     {"shrink"},
	"faultline":  {"faultline", "shrink", "timeline", "artifact", "fault", "simnet", "simdisk", "kernel", "history", "strictjson", gograph},
	"harness-etcdraft": {"harness-etcdraft", "faultline", "shrink", "timeline", "artifact", "fault", "simnet", "simdisk", "kernel", "history", "strictjson", gograph,
		"go.etcd.io/raft/v3", "google.golang.org/protobuf",
		// What the tests of the harness and of raft need is in the module graph;
		// nothing of it is built.
		"check", porcupine,
		"github.com/cockroachdb/datadriven", "github.com/davecgh/go-spew", "github.com/golang/protobuf", "github.com/google/go-cmp",
		"github.com/pmezard/go-difflib", "github.com/stretchr/testify", "gopkg.in/yaml.v3"},
	"docs": {"docs", "check", "faultline", "shrink", "timeline", "artifact", "fault", "simnet", "simdisk", "kernel", "history", "strictjson", gograph, porcupine},
}

// commands maps each module that is got with go install to its main package,
// whose last element is the name of the program.
var commands = map[string]string{
	"cmd-faultline": "faultline",
}

// testsOnly lists the modules that nobody gets: they hold tests alone.
var testsOnly = map[string]bool{
	"timeline-browsertest": true,
}
