// Package cli is the faultline command: its parsing, commands and help. What
// the commands do is in the packages beside it and in the library modules.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

// Exit codes of the command. They are part of its promises.
const (
	ExitOK    = 0 // done, or the answer is yes
	ExitNo    = 1 // the answer is no: traces differ, a schedule is not valid, a run failed
	ExitUsage = 2 // wrong usage, bad input, or the work could not be done
)

// Env is the world as the command sees it.
type Env struct {
	In       io.Reader                        // standard input, for what replay runs
	Out      io.Writer                        // standard output
	Err      io.Writer                        // standard error
	Lookup   func(name string) (string, bool) // reads an environment variable
	Terminal bool                             // Out is a terminal
	Build    *debug.BuildInfo                 // how the program was built; nil if not known
	Context  context.Context                  // ends what the command runs; nil: nothing does
}

// Main runs the command in the process's own world and returns its exit code.
func Main() int {
	build, _ := debug.ReadBuildInfo()
	info, err := os.Stdout.Stat()
	return Run(os.Args[1:], Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Lookup: os.LookupEnv, Build: build,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	})
}

// Run runs the command with arguments, without the program's name, and returns
// its exit code.
func Run(args []string, env Env) int {
	root := newRoot(&session{Env: env})
	root.SetArgs(args)
	command, err := root.ExecuteC()
	var code exit
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	}
	text := artifact.Visible(err.Error())
	var usage usageError
	if errors.As(err, &usage) {
		text += "; see '" + strings.Replace(command.CommandPath(), "faultline", "faultline help", 1) + "'"
	}
	fmt.Fprintf(env.Err, "faultline: %s\n", text)
	var no answerNo
	if errors.As(err, &no) {
		return ExitNo
	}
	return ExitUsage
}

// session is one run of the command.
type session struct {
	Env
	color string // when to color: auto, always or never
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use: "faultline", SilenceErrors: true, SilenceUsage: true,
		Args: noCommand,
		RunE: func(*cobra.Command, []string) error { return usageError{errors.New("no command given")} },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			switch s.color {
			case "auto", "always", "never":
				return nil
			}
			return usageError{fmt.Errorf("--color %q is unknown; use auto, always or never", s.color)}
		},
	}
	root.PersistentFlags().StringVar(&s.color, "color", "auto", "`WHEN`: color the output: auto, always or never; auto means on a terminal, unless NO_COLOR is set")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetHelpCommand(helpCommand(s))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(s.Out, page(c)) })
	root.AddCommand(
		showCommand(s), explainCommand(s), traceCommand(s), diffCommand(s), renderCommand(s), openCommand(s),
		replayCommand(s), shrinkCommand(s), scheduleCommand(s), pinCommand(s), reproCommand(s), listCommand(s), cleanCommand(s),
		mcpCommand(s), versionCommand(s), completionCommand(s),
	)
	return root
}
