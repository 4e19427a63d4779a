package patch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Found says how a test with a broken library ended.
type Found struct {
	Patch   *Patch // that was looked for
	Seeds   int    // that were run, with the one that failed
	Check   string // that failed; empty if all seeds passed
	Message string // what it said, or the output of the test if no seed was reported
}

// result is a line of the file that FAULTLINE_RESULTS names.
type result struct {
	Result, Kind, Check, Message string
}

// Hunt runs a test binary with these arguments in the folder of its package,
// over as many seeds, until one fails. It needs no knowledge of the tests, other
// than that they obey FAULTLINE_SEEDS and FAULTLINE_RESULTS, as faultline.Run
// does.
func Hunt(binary, dir string, args []string, seeds int, limit time.Duration) (*Found, error) {
	results := binary + ".results"
	if err := os.Remove(results); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, "-test.failfast")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"FAULTLINE_RESULTS="+results, "FAULTLINE_SEEDS="+strconv.Itoa(seeds),
		"FAULTLINE_SHRINK=off", "FAULTLINE_ARTIFACTS=off", "FAULTLINE_TIMEOUT=4s")
	out, failed := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s: not done after %v", filepath.Base(binary), limit)
	}
	found, err := readResults(results)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if failed != nil && found.Check == "" {
		found.Seeds++
		found.Check, found.Message = "the test ends without a result", strings.TrimSpace(string(out))
	}
	return found, nil
}

// readResults reads up to the first failure.
func readResults(name string) (*Found, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("the test has run no seed: does it use faultline.Run?")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := &Found{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found.Seeds++
		if r.Result == "fail" {
			found.Check, found.Message = r.Check, r.Message
			break
		}
	}
	return found, lines.Err()
}
