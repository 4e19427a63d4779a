package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed help/*.txt
var helpFiles embed.FS

// page returns the help of a command. In its text, the line {options} stands
// for the command's own flags, and {commands} for the commands below it.
func page(c *cobra.Command) string {
	path := strings.Fields(c.CommandPath())
	name := "faultline"
	if len(path) > 1 {
		name = strings.Join(path[1:], "-")
	}
	data, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		return fmt.Sprintf("There is no help for %s.\n", c.CommandPath())
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text = strings.Replace(text, "{options}\n", options(c)+"\n", 1)
	text = strings.Replace(text, "{commands}\n", commands(c)+"\n", 1)
	return strings.TrimRight(text, "\n") + "\n"
}

const (
	flagColumn = 24 // where the texts of flags begin
	flagWidth  = 80 // where they end
)

// options lists the flags of a command, without those that every one has.
func options(c *cobra.Command) string {
	var b strings.Builder
	for _, f := range ownFlags(c) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, text := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
			text = strings.TrimPrefix(text, value+": ")
		}
		switch f.DefValue {
		case "", "0", "0s", "-1ns", "[]", "false":
		default:
			text += ", " + f.DefValue + " if not given"
		}
		indent := strings.Repeat(" ", flagColumn)
		line := fmt.Sprintf("    %-*s", flagColumn-4, name+" ")
		for _, word := range strings.Fields(text) {
			if len(line)+len(word) > flagWidth {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = indent
			}
			line += word + " "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// ownFlags returns the flags of a command, without those that every one has,
// in the order of their definition.
func ownFlags(c *cobra.Command) []*pflag.Flag {
	var own []*pflag.Flag
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && c.Root().PersistentFlags().Lookup(f.Name) == nil {
			own = append(own, f)
		}
	})
	return own
}

func commands(c *cobra.Command) string {
	var b strings.Builder
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			fmt.Fprintf(&b, "    %-20s %s\n", sub.Use, sub.Short)
		}
	}
	return b.String()
}

func helpCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "print this page, or that of a command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no help for %q", strings.Join(args, " "))
			}
			fmt.Fprint(s.Out, page(found))
			return nil
		},
	}
}
