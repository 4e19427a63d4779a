package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/mcp"
)

func mcpCommand(s *session) *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use: "mcp", Short: "serve these commands to a coding agent",
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error { return s.mcp(o) },
	}
	c.Flags().StringVar(&o.artifacts, "artifacts", "", "`DIR`: artifacts are below it; where faultline leaves them if not given")
	c.Flags().StringVar(&o.module, "module", ".", "`DIR`: the module under test")
	c.Flags().DurationVar(&o.timeout, "timeout", 5*time.Minute, "`TIME`: real time that one command may take")
	c.Flags().IntVar(&o.bytes, "max-bytes", 32<<10, "`N`: length of an answer in bytes, at least 1000")
	return c
}

type mcpOptions struct {
	artifacts, module string
	timeout           time.Duration
	bytes             int
}

func (s *session) mcp(o mcpOptions) error {
	if o.timeout <= 0 || o.bytes < 1000 {
		return usagef("--timeout must be positive, and --max-bytes at least 1000")
	}
	if o.artifacts == "" {
		o.artifacts = filepath.Join(os.TempDir(), "faultline")
		if err := os.MkdirAll(o.artifacts, 0o755); err != nil {
			return err
		}
	}
	artifacts, err := filepath.Abs(o.artifacts)
	if err != nil {
		return err
	}
	// Packages are looked up from the current directory.
	if err := os.Chdir(o.module); err != nil {
		return fmt.Errorf("--module: %w", err)
	}
	return mcp.Serve(context.Background(), mcp.Config{
		Version: version(s.Env).Version, Artifacts: artifacts, Module: ".", MaxBytes: o.bytes, Timeout: o.timeout,
		Run: func(ctx context.Context, args []string, out, err io.Writer) int {
			return Run(append([]string{"--color=never"}, args...), Env{Out: out, Err: err, Lookup: s.Lookup, Build: s.Build, Context: ctx})
		},
	}, io.NopCloser(s.In), nopWriteCloser{s.Out})
}

// nopWriteCloser leaves standard output open.
type nopWriteCloser struct{ io.Writer }

// Close does nothing.
func (nopWriteCloser) Close() error { return nil }
