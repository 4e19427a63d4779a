package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// measure builds each module's test binary once and runs the benchmark of each
// row count times, all rows in turn, so that a slow minute of the machine
// touches every row and both sides.
func measure(w *workspace.Workspace, rows []row, count int) (samples, error) {
	dir, err := os.MkdirTemp("", "faultline-pairs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binaries := map[string]string{}
	for _, r := range rows {
		if _, ok := binaries[r.module]; ok {
			continue
		}
		binary := filepath.Join(dir, r.module+".test")
		cmd := exec.Command("go", "test", "-c", "-o", binary, ".")
		cmd.Dir = filepath.Join(w.Root, r.module)
		cmd.Env = w.Env()
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the benchmarks of %s: %w\n%s", r.module, err, out)
		}
		if _, err := os.Stat(binary); err != nil {
			binary = "" // a module without tests builds nothing
		}
		binaries[r.module] = binary
	}
	results := samples{}
	for range count {
		for _, r := range rows {
			if binaries[r.module] == "" {
				continue
			}
			if err := runOnce(w, r, binaries[r.module], results); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// runOnce runs both sides of a row in one process.
func runOnce(w *workspace.Workspace, r row, binary string, results samples) error {
	cmd := exec.Command(binary,
		"-test.run=^$",
		"-test.bench=^BenchmarkPair$/^"+regexp.QuoteMeta(r.name)+"$",
		"-test.benchtime="+r.time,
		"-test.benchmem",
		"-test.timeout=10m",
	)
	cmd.Dir = filepath.Join(w.Root, r.module)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	if err := results.read(string(out)); err != nil {
		return err
	}
	// Processor time is that of the whole process; a benchmark need not report it.
	ran := key{r.name, "ours", nanoseconds}
	if r.metric == cpuSeconds && len(results[ran]) > 0 {
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		k := key{r.name, "ours", cpuSeconds}
		results[k] = append(results[k], used.Seconds())
	}
	return nil
}
