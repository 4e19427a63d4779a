package cli_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/cli"
)

// TestMain lets the scripts run this test binary as the faultline command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"faultline": func() { os.Exit(cli.Main()) },
		"code":      code,
	})
}

// code runs faultline with the arguments and prints its exit code, which the
// scripts could only tell from 0 otherwise.
func code() {
	fmt.Println(cli.Run(os.Args[1:], cli.Env{Out: io.Discard, Err: io.Discard, Lookup: os.LookupEnv}))
}

// What the command prints may change whenever it reads better so; with
// UPDATE_GOLDEN=1 the scripts are rewritten.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_GOLDEN") == "1",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second under the race detector
			return os.CopyFS(e.WorkDir, os.DirFS("testdata/artifacts"))
		},
	})
}
