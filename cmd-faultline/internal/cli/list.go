package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/shelf"
)

func listCommand(s *session) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "list [ROOT]", Short: "print the artifacts below a directory, newest first",
		Args: between(0, 1, "one directory or none"),
		RunE: func(_ *cobra.Command, args []string) error { return s.list(args, o) },
	}
	c.Flags().StringVar(&o.test, "test", "", "`NAME`: only artifacts of this test; '*' is any text")
	c.Flags().BoolVar(&o.failed, "failed", false, "only artifacts of runs that failed")
	c.Flags().IntVarP(&o.limit, "limit", "n", 0, "print at most `N`; 0 means all")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object a line")
	return c
}

type listOptions struct {
	test   string
	failed bool
	limit  int
	json   bool
}

// listJSON is a line of what list --json prints.
type listJSON struct {
	Path    string    `json:"path"`
	Time    time.Time `json:"time"`
	Result  string    `json:"result,omitempty"`
	Package string    `json:"package,omitempty"`
	Test    string    `json:"test,omitempty"`
	Seed    string    `json:"seed,omitempty"`
	Kind    string    `json:"kind,omitempty"`
	Check   string    `json:"check,omitempty"`
	Message string    `json:"message,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// openShelf opens the root that an argument names, or the one below which
// faultline leaves artifacts. The latter may not be there: then it is nil.
func openShelf(args []string) (*os.Root, string, error) {
	if len(args) == 1 {
		root, err := os.OpenRoot(args[0])
		if err != nil {
			return nil, "", fmt.Errorf("%w; give a directory", err)
		}
		return root, filepath.Clean(args[0]), nil
	}
	dir := filepath.Join(os.TempDir(), "faultline")
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, dir, nil
	}
	return root, dir, err
}

func (s *session) list(args []string, o listOptions) error {
	if o.limit < 0 {
		return usagef("--limit %d is negative; use 1 or more, or 0 for all", o.limit)
	}
	root, dir, err := openShelf(args)
	if err != nil {
		return err
	}
	var found []shelf.Entry
	if root != nil {
		defer root.Close()
		if found, err = shelf.Find(root); err != nil {
			return err
		}
	}
	var rows []listJSON
	for i := range found {
		if o.wants(&found[i]) && (o.limit == 0 || len(rows) < o.limit) {
			rows = append(rows, listed(dir, &found[i]))
		}
	}
	if o.json {
		return s.listJSON(rows)
	}
	return s.listText(dir, rows)
}

func (o *listOptions) wants(e *shelf.Entry) bool {
	r := e.Report
	if r == nil {
		return o.test == "" && !o.failed
	}
	return (o.test == "" || query.Wild(o.test, r.Test)) && (!o.failed || r.Result == artifact.Failed)
}

func listed(dir string, e *shelf.Entry) listJSON {
	out := listJSON{Path: filepath.Join(dir, e.Path), Time: e.Time.UTC()}
	if e.Err != nil {
		out.Error = e.Err.Error()
		return out
	}
	r := e.Report
	out.Result, out.Package, out.Test, out.Seed = string(r.Result), r.Package, r.Test, r.Seed.String()
	if f := r.Failure; f != nil {
		out.Kind, out.Check, out.Message = f.Kind, f.Check, f.Message
	}
	return out
}

func (s *session) listJSON(rows []listJSON) error {
	out := &lines{w: s.Out}
	for _, r := range rows {
		out.print(compactJSON(r))
	}
	return out.flush()
}

func (s *session) listText(dir string, rows []listJSON) error {
	out := &lines{w: s.Out}
	if len(rows) == 0 {
		out.print("No artifacts below ", artifact.Visible(dir), ".")
	}
	var cells [][]string
	for _, r := range rows {
		what := r.Kind
		if r.Check != "" && r.Check != r.Kind {
			what = strings.TrimSpace(fmt.Sprintf("%s %q", r.Kind, r.Check))
		}
		result := r.Result
		if r.Error != "" {
			result, what = "damaged", r.Error
		}
		cells = append(cells, []string{r.Time.Local().Format("2006-01-02 15:04"), result, r.Test, r.Seed, what})
	}
	for i, line := range columns(cells) {
		color := ""
		switch {
		case rows[i].Error != "":
			color = amber
		case rows[i].Result == string(artifact.Failed):
			color = red
		}
		out.print(s.paint(color, line))
		out.print("    ", artifact.Visible(rows[i].Path))
	}
	return out.flush()
}
