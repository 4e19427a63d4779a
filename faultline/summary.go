package faultline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// summary adds up the runs of a test.
type summary struct {
	runs, failed int
	pins         int
	virtual      time.Duration
	events       uint64
	longest      time.Duration // real time of a seed
	tally        faultTally
	ops          history.Counts
	coverage     artifact.Coverage
	excused      []excuse
	findings     []finding
}

// finding is a failure and how often the sweep met it.
type finding struct {
	signature string
	what      string // of the first one
	first     string // name of its subtest
	seeds     int
}

// found counts a failure and reports whether it is the first of its sort.
func (s *summary) found(f *kernel.Failure, j job) bool {
	sig := signature(f)
	for i := range s.findings {
		if s.findings[i].signature == sig {
			s.findings[i].seeds++
			return false
		}
	}
	s.findings = append(s.findings, finding{sig, headline(f), j.name, 1})
	return true
}

func (s *summary) add(x *execution, j job, passed bool) {
	s.runs++
	if !passed {
		s.failed++
	}
	if j.pinned {
		s.pins++
	}
	if x.world == nil {
		return
	}
	s.virtual += time.Duration(x.result.Time)
	s.events += x.result.Events
	s.tally.add(x.world)
	c := x.world.history.Counts()
	s.ops.OK += c.OK
	s.ops.Fail += c.Fail
	s.ops.Unknown += c.Unknown
	s.ops.Pending += c.Pending
	s.coverage.Merge(x.world.coverage())
	for _, e := range x.world.excused {
		e.runs = 1
		s.excused = addExcuse(s.excused, e)
	}
}

// report logs the summary, and fails the test for what only a whole sweep can
// show, unless that is left to a merge of coverage files.
func (s *summary) report(t *testing.T, opt Options, env *environment) {
	t.Helper()
	if s.runs == 0 {
		return
	}
	t.Log("faultline: " + s.text())
	if s.failed > 0 || !opt.RequireSometimes || env.coverage != "" {
		return
	}
	for _, text := range shortfalls(s.coverage) {
		if env.shards > 1 {
			text += fmt.Sprintf("; or judge all %d shards together, by %[2]sCOVERAGE in each and %[2]sCOVERAGE_MERGE after", env.shards, envPrefix)
		}
		t.Error(text)
	}
}

func (s *summary) text() string {
	var b strings.Builder
	b.WriteString(plural(s.runs, "run"))
	if s.pins > 0 {
		fmt.Fprintf(&b, " (%d of pinned failures)", s.pins)
	}
	fmt.Fprintf(&b, ", %d failed; %v of virtual time, %s", s.failed, s.virtual.Round(time.Millisecond), plural(int(s.events), "event"))
	if total := s.ops.OK + s.ops.Fail + s.ops.Unknown + s.ops.Pending; total > 0 {
		share := func(n int) int { return (n*100 + total/2) / total }
		fmt.Fprintf(&b, "\n\toperations: %d ok (%d%%), %d failed (%d%%), %d unknown (%d%%), %d pending",
			s.ops.OK, share(s.ops.OK), s.ops.Fail, share(s.ops.Fail), s.ops.Unknown, share(s.ops.Unknown), s.ops.Pending)
		if s.ops.OK == 0 {
			b.WriteString("\n\tWARNING: no operation succeeded: the faults had nothing to break")
		}
	}
	for _, e := range s.excused {
		b.WriteString("\n\texcused: " + e.String())
	}
	s.tally.write(&b)
	if seeds := s.runs - s.pins; seeds > 1 {
		s.tally.writeIdle(&b, seeds)
	}
	if s.failed > 1 {
		for _, f := range s.findings {
			fmt.Fprintf(&b, "\n\tfinding in %d of %d: %s (first: %s)", f.seeds, s.runs, f.what, f.first)
		}
	}
	for _, line := range describeCoverage(s.coverage) {
		b.WriteString("\n\t" + line)
	}
	return b.String()
}
