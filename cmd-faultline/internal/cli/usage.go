package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageError is an error in how the command was called.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// answerNo is the answer no to a question, with its reason.
type answerNo struct{ error }

// exit ends the command with a code and says nothing.
type exit int

// Error is not printed.
func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", near[0])
	}
	path := ""
	if c.HasParent() {
		path = c.Name() + " "
	}
	return usagef("there is no command %q%s", path+args[0], hint)
}

// exactly makes an argument check that says what is wanted.
func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// between makes an argument check for a number of arguments; most < 0 means
// any number.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < least || most >= 0 && n > most {
			return usagef("%s takes %s, not %d arguments", c.Name(), what, n)
		}
		return nil
	}
}
