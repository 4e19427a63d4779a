package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// The command renders an artifact of a million records from disk within its
// memory, and in a time that grows with the records.
func TestRenderOfAMillionRecords(t *testing.T) {
	if !required() {
		t.Skip("takes half a minute; FAULTLINE_BROWSER=required runs it")
	}
	command := filepath.Join(t.TempDir(), "faultline")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/hmdsefi/faultline/cmd-faultline/faultline").CombinedOutput(); err != nil {
		t.Skipf("the command is not there to be built: %v\n%s", err, out)
	}
	little, _ := render(t, command, 250_000)
	much, memory := render(t, command, 1_000_000)
	if memory > mostMemory {
		t.Errorf("it takes %d bytes of memory, more than %d", memory, mostMemory)
	}
	if much > 7*little {
		t.Errorf("four times the records take %v in place of %v of processor time", much, little)
	}
}

// render writes an artifact of n records and renders it in a process of its own.
// It returns the processor time that takes, and the most memory.
func render(t *testing.T, command string, n int) (took time.Duration, memory int64) {
	t.Helper()
	a := traffic(n)
	r := a.Report
	w, err := artifact.Create(t.TempDir(), artifact.Key{Package: r.Package, Test: r.Test, Seed: uint64(r.Seed)})
	if err != nil {
		t.Fatal(err)
	}
	w.Trace(func(yield func(kernel.Record) bool) {
		for record, err := range a.Records() {
			if err != nil || !yield(record) {
				return
			}
		}
	})
	w.History(func(yield func(*history.Operation) bool) {
		for i := range a.Operations {
			if !yield(&a.Operations[i]) {
				return
			}
		}
	})
	w.Report(r)
	dir, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(command, "render", dir)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, artifact.PageFile)); err != nil {
		t.Fatal(err)
	}
	took = run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	memory = int64(run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
	t.Logf("%d records: faultline render takes %v of processor time and %d MiB", n, took.Round(time.Millisecond), memory>>20)
	return took, memory
}
