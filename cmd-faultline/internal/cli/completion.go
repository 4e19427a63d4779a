package cli

import "github.com/spf13/cobra"

func completionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "print a script that completes commands in a shell",
		Args:                  exactly(1, "the name of a shell"),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(s.Out, true)
			case "zsh":
				return root.GenZshCompletion(s.Out)
			case "fish":
				return root.GenFishCompletion(s.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.Out)
			}
			return usagef("there is no completion for %q; use bash, zsh, fish or powershell", args[0])
		},
	}
}
