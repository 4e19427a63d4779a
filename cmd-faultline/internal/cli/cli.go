// Package cli is the faultline command: its parsing, commands and help.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Exit codes of the command. They are part of its promises.
const (
	ExitOK    = 0 // done, or the answer is yes
	ExitNo    = 1 // the answer is no; for commands that ask a question, none so far
	ExitUsage = 2 // wrong usage, bad input, or the work could not be done
)

// Env is the world as the command sees it.
type Env struct {
	Out      io.Writer                        // standard output
	Err      io.Writer                        // standard error
	Lookup   func(name string) (string, bool) // reads an environment variable
	Terminal bool                             // Out is a terminal
	Build    *debug.BuildInfo                 // how the program was built; nil if not known
}

// Main runs the command in the process's own world and returns its exit code.
func Main() int {
	build, _ := debug.ReadBuildInfo()
	info, err := os.Stdout.Stat()
	return Run(os.Args[1:], Env{
		Out: os.Stdout, Err: os.Stderr, Lookup: os.LookupEnv, Build: build,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	})
}

// Run runs the command with arguments, without the program's name, and returns
// its exit code.
func Run(args []string, env Env) int {
	root := &cobra.Command{
		Use: "faultline", SilenceErrors: true, SilenceUsage: true, Args: noCommand,
		RunE: func(*cobra.Command, []string) error { return usageError{errors.New("no command given")} },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetArgs(args)
	root.SetHelpCommand(helpCommand(env))
	root.AddCommand(renderCommand(env), versionCommand(env))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { help(env.Out, c.Name()) })
	err := root.Execute()
	if err == nil {
		return ExitOK
	}
	fmt.Fprintf(env.Err, "faultline: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(env.Err, "Run 'faultline help' for what there is.")
	}
	return ExitUsage
}

// usageError is an error in how the command was called.
type usageError struct{ error }

func noCommand(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("there is no command %q", args[0])}
	}
	return nil
}

// exactly makes an argument check that says what is wanted.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s takes %s, not %d arguments", c.Name(), what, len(args))}
		}
		return nil
	}
}

// flagErrors makes the errors of a command's flags usage errors.
func flagErrors(c *cobra.Command) *cobra.Command {
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return c
}
