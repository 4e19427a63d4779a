package main

import "strings"

// moduleRule says what a module may depend on beside the standard library.
type moduleRule struct {
	siblings []string // folder names of other modules
	external []string // module paths; a package below one is allowed too
	tests    []string // module paths that only test files may import

	deterministic bool // a seed decides everything that happens in it
	timeless      bool // its output is a function of its input
	library       bool // users import it, so it keeps no state of its own
}

const gograph = "github.com/hmdsefi/gograph"

// pinned lists outside modules that the whole workspace holds at one version.
var pinned = map[string]string{gograph: "v0.7.0"}

// table is the module table: arrows point down only.
var table = map[string]moduleRule{
	"kernel": {
		deterministic: true, timeless: true, library: true,
	},
	"strictjson": {
		timeless: true, library: true,
	},
	"simnet": {
		siblings: []string{"kernel"}, external: []string{gograph},
		deterministic: true, timeless: true, library: true,
	},
	"simdisk": {
		siblings:      []string{"kernel"},
		deterministic: true, timeless: true, library: true,
	},
	"fault": {
		siblings:      []string{"kernel", "simnet", "simdisk", "strictjson"},
		deterministic: true, timeless: true, library: true,
	},
	"history": {
		siblings: []string{"strictjson"},
		timeless: true, library: true,
	},
	"check": {
		siblings: []string{"history"}, external: []string{gograph, "github.com/anishathalye/porcupine"},
		timeless: true, library: true,
	},
	"artifact": {
		siblings: []string{"kernel", "fault", "history", "strictjson"},
		timeless: true, library: true,
	},
	"timeline": {
		siblings: []string{"artifact", "kernel", "fault", "history"}, external: []string{gograph},
		timeless: true, library: true,
	},
	"shrink": {
		timeless: true, library: true,
	},
	"timeline-browsertest": {
		siblings: []string{"kernel", "history", "artifact", "timeline"},
		external: []string{"github.com/chromedp/cdproto", "github.com/chromedp/chromedp"},
	},
	"faultline": {
		siblings: []string{"kernel", "shrink", "simnet", "simdisk", "fault", "history", "artifact", "timeline"},
		library:  true,
	},
	"cmd-faultline": {
		siblings: []string{"artifact", "timeline", "fault", "kernel"},
		external: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/tools"},
		tests:    []string{"github.com/rogpeppe/go-internal"},
	},
	"harness-etcdraft": {
		siblings: []string{"kernel", "simnet", "simdisk", "fault", "history", "check", "faultline"},
		external: []string{"go.etcd.io/raft/v3", "google.golang.org/protobuf"},
		library:  true,
	},
	"docs": {
		siblings: []string{"kernel", "simnet", "simdisk", "fault", "history", "check", "artifact", "timeline", "faultline"},
	},
	"scripts": {
		external: []string{"golang.org/x/mod", "golang.org/x/tools", "github.com/evanw/esbuild"},
	},
}

// below reports whether path is the module or package root or lies below it.
func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
