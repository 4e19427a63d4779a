package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

func openCommand(s *session) *cobra.Command {
	printOnly := false
	c := &cobra.Command{
		Use: "open DIR", Short: "show the page of an artifact in the browser",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.open(args[0], printOnly) },
	}
	c.Flags().BoolVar(&printOnly, "print", false, "print the path of the page, and open nothing")
	return c
}

func (s *session) open(dir string, printOnly bool) error {
	if _, err := artifact.Read(dir); err != nil {
		return err
	}
	file, err := filepath.Abs(filepath.Join(dir, artifact.PageFile))
	if err != nil {
		return err
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s has no %s yet; make it with: faultline render %s", dir, artifact.PageFile, shellWord(dir))
	}
	if printOnly {
		fmt.Fprintln(s.Out, file)
		return nil
	}
	command := s.browser(file)
	if err := start(command); err != nil {
		return fmt.Errorf("%s could not show it (%w); open it yourself: %s", command[0], err, file)
	}
	return nil
}

// patience is how long a program that shows a page is waited for: one that
// fails does so at once, and a browser may stay.
const patience = 2 * time.Second

// start runs a command and returns its error, if it fails soon.
func start(command []string) error {
	run := exec.Command(command[0], command[1:]...)
	if err := run.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return nil
	}
}

// browser returns the command that shows a file: what BROWSER names, or what
// the system has for it.
func (s *session) browser(file string) []string {
	if browser, _ := s.Lookup("BROWSER"); browser != "" {
		first, _, _ := strings.Cut(browser, string(os.PathListSeparator))
		words := strings.Fields(first)
		for i, w := range words {
			if strings.Contains(w, "%s") {
				words[i] = strings.ReplaceAll(w, "%s", file)
				return words
			}
		}
		if len(words) > 0 {
			return append(words, file)
		}
	}
	switch runtime.GOOS {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", file}
	case "darwin":
		return []string{"open", file}
	}
	return []string{"xdg-open", file}
}
