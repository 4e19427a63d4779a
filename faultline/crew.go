package faultline

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/shrink"
)

// crew tests schedules in processes of their own, several at once: the test
// binary is started again for each, with the schedule, and says in its results
// file how the run has ended.
type crew struct {
	place place
	width int
	dir   string // for schedules and results
}

// worthIt is how long a run must take in real time for a process of its own to
// pay.
const worthIt = 20 * time.Millisecond

// hire returns a crew, nil if there is to be none.
func (c *campaign) hire(t *testing.T) *crew {
	if c.env.parallel < 2 {
		return nil
	}
	return &crew{place: c.place, width: c.env.parallel, dir: t.TempDir()}
}

// verdicts tests schedules at the same time. ok is false for those whose
// process has not said how it ended.
func (w *crew) verdicts(s *shrinker, schedules []*fault.Schedule) (out []shrink.Verdict, ok []bool) {
	out, ok = make([]shrink.Verdict, len(schedules)), make([]bool, len(schedules))
	results := make([]seedResult, len(schedules))
	var all sync.WaitGroup
	for i, schedule := range schedules {
		all.Go(func() { results[i], ok[i] = w.run(i, schedule) })
	}
	all.Wait()
	for i, r := range results {
		switch {
		case r.Result == "pass" || !ok[i]:
			out[i] = shrink.Gone
		case r.Kind+" | "+r.Check+" | "+r.Site == signature(s.failure):
			out[i] = shrink.Same
		default:
			out[i] = shrink.Other
		}
	}
	return out, ok
}

// run runs one schedule in a process.
func (w *crew) run(i int, schedule *fault.Schedule) (r seedResult, ok bool) {
	named := *schedule
	named.Test = w.place.test
	file := filepath.Join(w.dir, fmt.Sprintf("schedule%d.json", i))
	results := filepath.Join(w.dir, fmt.Sprintf("results%d.jsonl", i))
	_ = os.Remove(results)
	if os.WriteFile(file, named.Encode(), 0o600) != nil {
		return r, false
	}
	self, err := os.Executable()
	if err != nil {
		return r, false
	}
	cmd := exec.Command(self, "-test.run="+w.place.pattern(), "-test.count=1")
	cmd.Dir = w.place.dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, envPrefix) {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, envPrefix+"SCHEDULE="+file, envPrefix+"RESULTS="+results, envPrefix+"SHRINK=off", envPrefix+"ARTIFACTS=off")
	_ = cmd.Run() // a run that fails makes it fail; the results say how
	data, err := os.ReadFile(results)
	if err != nil {
		return r, false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return r, json.Unmarshal([]byte(line), &r) == nil
}

// testAll tests several schedules at once with the crew, and those that it
// cannot one after another.
func (s *shrinker) testAll(schedules []*fault.Schedule) []shrink.Verdict {
	if s.longest < worthIt {
		out := make([]shrink.Verdict, len(schedules))
		for i, schedule := range schedules {
			out[i] = s.test(schedule)
			if out[i] == shrink.Same { // what comes after is not asked for
				return out[:i+1]
			}
		}
		return out
	}
	out, ok := s.crew.verdicts(s, schedules)
	s.runs += len(schedules)
	for i := range out {
		if !ok[i] {
			out[i] = s.test(schedules[i])
		}
	}
	return out
}
