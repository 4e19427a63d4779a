package cli

import (
	"embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

//go:embed help/*.txt
var helpFiles embed.FS

// helpText returns the page of a command or topic.
func helpText(name string) (string, bool) {
	data, err := helpFiles.ReadFile("help/" + name + ".txt")
	return string(data), err == nil
}

// help prints the page of a command; the one of the program if it has none.
func help(w io.Writer, name string) {
	text, ok := helpText(name)
	if !ok {
		text, _ = helpText("faultline")
	}
	fmt.Fprint(w, text)
}

func helpCommand(env Env) *cobra.Command {
	return flagErrors(&cobra.Command{
		Use: "help [command]",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("help takes one command or none, not %d", len(args))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := "faultline"
			if len(args) == 1 {
				name = args[0]
			}
			if _, ok := helpText(name); !ok {
				return usageError{fmt.Errorf("there is no help for %q", name)}
			}
			help(env.Out, name)
			return nil
		},
	})
}
