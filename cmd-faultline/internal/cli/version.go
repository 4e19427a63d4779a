package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// versionJSON is what version --json prints.
type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func versionCommand(s *session) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "version", Short: "print how this program was built",
		Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := version(s.Env)
			if asJSON {
				return printJSON(s.Out, v)
			}
			fmt.Fprintln(s.Out, v)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// version says how the program was built: its module's version, the revision
// if it was built from a checkout, and Go.
func version(env Env) versionJSON {
	v := versionJSON{Version: "unknown", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	b := env.Build
	if b == nil {
		return v
	}
	if b.Main.Version != "" {
		v.Version = b.Main.Version
	}
	v.Go = b.GoVersion
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String returns the version in one line.
func (v versionJSON) String() string {
	text := "faultline " + v.Version
	if v.Revision != "" {
		text += " " + v.Revision
	}
	if v.Modified {
		text += " (modified)"
	}
	return text + " " + v.Go + " " + v.System
}
