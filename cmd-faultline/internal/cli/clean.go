package cli

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/shelf"
)

func cleanCommand(s *session) *cobra.Command {
	var o cleanOptions
	c := &cobra.Command{
		Use: "clean [ROOT]", Short: "remove artifacts by age, or all",
		Args: between(0, 1, "one directory or none"),
		RunE: func(_ *cobra.Command, args []string) error { return s.clean(args, o) },
	}
	c.Flags().StringVar(&o.older, "older", "", "`AGE`: remove what is older than that, such as 12h or 7d")
	c.Flags().BoolVar(&o.all, "all", false, "remove all")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be removed, and remove nothing")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object a line")
	return c
}

type cleanOptions struct {
	older  string
	all    bool
	dryRun bool
	json   bool
}

// cleanJSON is a line of what clean --json prints.
type cleanJSON struct {
	Path    string `json:"path"`
	Removed bool   `json:"removed"`
	Reason  string `json:"reason,omitempty"`
}

func (s *session) clean(args []string, o cleanOptions) error {
	if o.all == (o.older != "") {
		return usagef("say what to remove: --older AGE or --all")
	}
	before := time.Now().Add(time.Hour) // all, also what a slightly wrong clock has written
	if !o.all {
		age, err := parseAge(o.older)
		if err != nil {
			return err
		}
		before = time.Now().Add(-age)
	}
	root, dir, err := openShelf(args)
	if err != nil || root == nil {
		return err
	}
	defer root.Close()
	found, err := shelf.Find(root)
	if err != nil {
		return err
	}
	out := &lines{w: s.Out}
	var failed error
	for i := range found {
		e := &found[i]
		if !o.all && !e.Time.Before(before) {
			continue
		}
		row := cleanJSON{Path: filepath.Join(dir, e.Path), Removed: true}
		if err := shelf.Foreign(root, e, viewNames()); err != nil {
			row.Removed, row.Reason = false, err.Error()
		} else if !o.dryRun {
			if err := shelf.Remove(root, e, viewNames()); err != nil {
				row.Removed, row.Reason = false, err.Error()
				failed = errors.Join(failed, err)
			}
		}
		out.print(row.text(o))
	}
	return errors.Join(out.flush(), failed)
}

func (c cleanJSON) text(o cleanOptions) string {
	if o.json {
		c.Removed = c.Removed && !o.dryRun
		return compactJSON(c)
	}
	path := artifact.Visible(c.Path)
	switch {
	case !c.Removed:
		return "kept " + path + ": " + artifact.Visible(c.Reason)
	case o.dryRun:
		return "would remove " + path
	}
	return "removed " + path
}

// parseAge reads a duration, or a number of days such as 7d.
func parseAge(text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, dayErr := strconv.ParseUint(days, 10, 16)
		age, err = time.Duration(n)*24*time.Hour, dayErr
	}
	if err != nil || age < 0 {
		return 0, usagef("--older %q is no age; use one such as 90m, 12h or 7d", text)
	}
	return age, nil
}
