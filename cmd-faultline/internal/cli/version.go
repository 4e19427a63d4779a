package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCommand(env Env) *cobra.Command {
	return flagErrors(&cobra.Command{
		Use:  "version",
		Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(env.Out, versionText(env))
			return nil
		},
	})
}

// versionText says how the program was built: its module's version, the
// revision if it was built from a checkout, and Go.
func versionText(env Env) string {
	version, goVersion, revision := "unknown", runtime.Version(), ""
	if b := env.Build; b != nil {
		if b.Main.Version != "" {
			version = b.Main.Version
		}
		goVersion = b.GoVersion
		for _, s := range b.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value + revision
			case s.Key == "vcs.modified" && s.Value == "true":
				revision += " (modified)"
			}
		}
	}
	return fmt.Sprintf("faultline %s%s %s %s/%s", version, revision, goVersion, runtime.GOOS, runtime.GOARCH)
}
