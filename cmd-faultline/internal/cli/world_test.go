package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestColorIsForTerminalsThatWantIt(t *testing.T) {
	for _, c := range []struct {
		choice   string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": ""}, true},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", true, nil, false},
	} {
		env := Env{Terminal: c.terminal, Lookup: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}
		if got := wantsColor(env, c.choice); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestVersionText(t *testing.T) {
	system := " " + runtime.GOOS + "/" + runtime.GOARCH
	build := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}}
	checkout := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		build *debug.BuildInfo
		want  string
	}{
		{build, "faultline v0.1.0 go1.26.0" + system},
		{checkout, "faultline (devel) abc (modified) go1.26.0" + system},
		{nil, "faultline unknown " + runtime.Version() + system},
	} {
		if got := version(Env{Build: c.build}).String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
