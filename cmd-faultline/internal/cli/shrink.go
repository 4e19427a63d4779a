package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

func shrinkCommand(s *session) *cobra.Command {
	var o shrinkOptions
	c := &cobra.Command{
		Use: "shrink DIR", Short: "look for a smaller schedule that fails in the same way",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.shrink(args[0], o) },
	}
	c.Flags().DurationVar(&o.budget, "budget", time.Minute, "`TIME`: real time to spend")
	c.Flags().IntVar(&o.parallel, "parallel", 1, "`N`: test up to N candidates at once, each in a process of its own")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "do not show the progress")
	withinFlag(c, &o.within)
	return c
}

type shrinkOptions struct {
	budget   time.Duration
	parallel int
	quiet    bool
	within   string
}

func (s *session) shrink(dir string, o shrinkOptions) error {
	if o.budget <= 0 || o.parallel < 1 {
		return usagef("--budget and --parallel must be positive")
	}
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	run, text, err := s.testCommand(a, dir, "", o.within)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Err, text)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if run.Env == nil {
		run.Env = os.Environ()
	}
	run.Env = append(run.Env, "FAULTLINE_SHRINK_DIR="+dir, "FAULTLINE_SHRINK="+o.budget.String(),
		fmt.Sprintf("FAULTLINE_PARALLEL=%d", o.parallel))
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	progress := io.Discard
	if !o.quiet {
		progress = s.Err
	}
	talk := &talk{path: filepath.Join(dir, artifact.ShrinkFile), out: progress}
	talk.skip()
	if err := run.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			talk.listen()
			continue
		case err = <-ended:
		}
		break
	}
	talk.listen()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		fmt.Fprint(s.Err, out.String())
		return answerNo{fmt.Errorf("%s was not made smaller", dir)}
	case err != nil:
		return err
	case !talk.heard:
		fmt.Fprint(s.Err, out.String())
		return s.nothingRun(run, a.Report.Test, "the command has run no shrinking; is the test's faultline as new as this program?")
	}
	for line := range strings.Lines(talk.last) {
		fmt.Fprintln(s.Out, artifact.Visible(strings.TrimRight(line, "\n")))
	}
	return nil
}

// talk follows what a search says in the file of its artifact.
type talk struct {
	path  string
	out   io.Writer
	lines int // that were read
	last  string
	heard bool
}

// skip leaves out what an earlier search has said.
func (t *talk) skip() {
	out := t.out
	t.out = io.Discard
	t.listen()
	t.out, t.last, t.heard = out, "", false
}

// listen passes on what is new. A file that has become shorter is another one.
func (t *talk) listen() {
	data, err := os.ReadFile(t.path)
	if err != nil {
		return
	}
	lines := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	if len(lines) < t.lines {
		t.lines = 0
	}
	scan := bufio.NewScanner(bytes.NewReader(bytes.Join(lines[t.lines:], []byte("\n"))))
	scan.Buffer(nil, artifact.MaxLine)
	t.lines = len(lines)
	for scan.Scan() {
		var l struct{ Say string }
		if json.Unmarshal(scan.Bytes(), &l) != nil || l.Say == "" {
			continue
		}
		if t.last != "" {
			fmt.Fprintln(t.out, artifact.Visible(t.last))
		}
		t.last, t.heard = l.Say, true
	}
}
