package faultline

import (
	"fmt"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Run tests a distributed system: for each of a list of seeds, setup builds
// the system in a new [World], and the system runs for Options.Duration of
// virtual time under the faults that the seed draws, judged by the world's
// checks. Every seed is a subtest. The first is run twice, to see that it comes
// out the same, and a seed that fails is run once more to record it; the
// test's output then says what failed, tells the story in five lines, and names
// the command that replays it and the artifact directory.
//
// The list of seeds is derived from the test's name, so that it is the same on
// every machine. Failures pinned under testdata/faultline run before it. The
// FAULTLINE_* environment variables change what is run, see the package
// documentation.
//
// setup must build the same system each time that it is called, and may be
// called from another goroutine than the test's.
func Run(t *testing.T, opt Options, setup func(w *World)) {
	t.Helper()
	c, err := newCampaign(t, opt, setup, environ())
	if err != nil {
		t.Fatal(err)
	}
	c.run()
}

// campaign is all the runs of one test.
type campaign struct {
	t     *testing.T
	place place
	opt   Options
	env   *environment
	setup func(*World)
	jobs  jobs
	end   time.Time // when runs must be given up; zero without a deadline
	begun time.Time // when the first job began
	sum   summary
	near  time.Duration // real time spent near pins
	stale []string      // pins that do not fit the setup any more, and why
	dirty bool          // a goroutine of a hanging run is still there
	deaf  bool          // the code under test has marked the test as failed
}

func newCampaign(t *testing.T, opt Options, setup func(*World), vars []string) (*campaign, error) {
	env, err := readEnvironment(vars)
	if err != nil {
		return nil, err
	}
	if env.artifacts != "" {
		opt.Artifacts = env.artifacts
	}
	if env.timeout > 0 {
		opt.Timeout = env.timeout
	}
	if env.shrink != 0 {
		opt.ShrinkBudget = env.shrink
	}
	if env.seeds > 0 {
		opt.Seeds = env.seeds
	}
	if env.baseSeed != 0 {
		opt.BaseSeed = env.baseSeed
	}
	if opt, err = opt.complete(testing.Short()); err != nil {
		return nil, err
	}
	c := &campaign{t: t, place: findPlace(t.Name()), opt: opt, env: env, setup: setup, end: giveUp(t)}
	for _, w := range env.warnings {
		t.Logf("faultline: warning: %s", w)
	}
	if len(env.used) > 0 {
		t.Logf("faultline: settings from the environment: %s", strings.Join(env.used, " "))
	}
	if err := env.appendable(); err != nil {
		return nil, err
	}
	if err := writable(opt.Artifacts); err != nil {
		return nil, err
	}
	if c.jobs, err = c.plan(); err != nil {
		return nil, err
	}
	return c, c.fits()
}

// run runs the subtests, up to the first that fails unless told to keep going,
// and sums up.
func (c *campaign) run() {
	c.t.Helper()
	if c.env.coverageMerge != "" {
		c.mergeCoverage(c.t)
		return
	}
	defer relaxGC()()
	c.begun = time.Now()
	for i := range c.jobs.len() {
		if c.enough(i) {
			break
		}
		if c.outOfTime() {
			c.t.Error(c.cutShort(i))
			break
		}
		j := c.jobs.at(i)
		began := time.Now()
		passed := c.t.Run(j.name, func(t *testing.T) { c.seed(t, j) })
		c.sum.longest = max(c.sum.longest, time.Since(began))
		if why := c.stuck(); !passed && (!c.opt.KeepGoing || why != "") {
			if left := c.jobs.len() - i - 1; left > 0 && !c.endless() && c.opt.KeepGoing {
				c.t.Logf("faultline: %s %s not run, because %s", plural(left, "seed"), wasOrWere(left), why)
			}
			break
		}
	}
	c.sayHowMany()
	c.sayStale()
	c.sum.report(c.t, c.opt, c.env)
	c.saveCoverage(c.t)
}

// stuck says why no further seed can be run after one that has failed, if so.
func (c *campaign) stuck() string {
	switch {
	case c.dirty:
		return "a goroutine of the run that hangs is still there"
	case c.deaf:
		return "the test is marked as failed, and what marks it again cannot be noticed; let a check return an error instead of calling t.Error"
	}
	return ""
}

// seed is the body of one subtest.
func (c *campaign) seed(t *testing.T, j job) {
	t.Helper()
	if !j.pinned && !strings.HasSuffix(t.Name(), "/"+j.name) {
		t.Fatal("faultline: Run was called twice in one test; give each call a t.Run of its own, so that it has its own seeds and artifacts")
	}
	c.seedCrypto(t, j.seed)
	level := kernel.LevelHash
	if c.env.fullTrace {
		level = kernel.LevelFull
	}
	r := recipe{opt: c.opt, setup: c.setup, seed: j.seed, level: level, replay: j.replay, content: c.env.fullTrace}
	failedBefore := c.t.Failed()
	x := r.execute(c.end)
	if x.failure == nil && x.setup == nil && c.t.Failed() && !failedBefore {
		c.deaf = true
		x.failure = &kernel.Failure{Kind: KindError, Check: KindError, Time: x.result.Time, Event: x.result.Events,
			Message: "the code under test called t.Error or t.Fail, or t.FailNow in a deferred call; its text is in the output of the test"}
	}
	if x.setup != nil {
		c.outdated(t, j, r, x.setup)
		t.Fatalf("faultline: the setup is wrong, nothing was run: %v", x.setup)
	}
	if x.failure == nil && c.env.twice.asks(j) {
		c.seedCrypto(t, j.seed)
		if again := r.execute(c.end); again.world == nil || again.result.Hash != x.result.Hash {
			c.undetermined(t, r, x)
		}
	}
	switch {
	case x.failure != nil:
		c.fail(t, j, r, x)
	case j.resume != nil:
		t.Errorf("faultline: there is nothing to shrink: the run passes now; it was recorded with %s", j.resume.signature)
	case j.pinned && j.replay != nil:
		c.pinned(t, j, r, x)
	default:
		c.pass(t, j, x)
	}
}

// seedCrypto seeds crypto/rand for one run.
func (c *campaign) seedCrypto(t *testing.T, seed uint64) {
	t.Helper()
	if c.opt.NoCryptoSeed {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("faultline: crypto/rand cannot be seeded (%v); do not call t.Parallel in this test or above it, or set Options.NoCryptoSeed", v)
		}
	}()
	cryptotest.SetGlobalRandom(t, seed)
}

// undetermined makes a run that came out differently the second time a
// failure, and runs it twice more with all records to see where they part.
func (c *campaign) undetermined(t *testing.T, r recipe, x *execution) {
	t.Helper()
	r.level, r.measure, r.content = kernel.LevelFull, false, false
	c.seedCrypto(t, r.seed)
	a := r.execute(c.end)
	c.seedCrypto(t, r.seed)
	b := r.execute(c.end)
	before := ""
	if x.failure != nil {
		before = fmt.Sprintf("the run failed (%v), and ", x.failure)
	}
	x.failure = &kernel.Failure{Kind: KindDeterminism, Check: KindDeterminism, Time: x.result.Time, Event: x.result.Events,
		Message: before + describeDifference(x, a, b)}
}

// pass deals with a run that ended well.
func (c *campaign) pass(t *testing.T, j job, x *execution) {
	t.Helper()
	c.sum.add(x, j, true)
	if j.replay != nil {
		t.Log("faultline: " + replayed(j.replay, x))
	}
	if e := j.expect; e != nil {
		t.Logf("faultline: passes now; it was recorded with: %s %q at %v, event %d", e.Kind, e.Check, e.Time, e.Event)
	}
	if c.env.fullTrace {
		c.leaveArtifact(t, j, x, nil, nil).ofPass(t)
	}
	c.results(t, j, x)
}

// fail runs a failing seed once more to record it, and reports it.
func (c *campaign) fail(t *testing.T, j job, r recipe, x *execution) {
	t.Helper()
	full := c.record(t, r, x)
	if j.replay != nil && full.world != nil && !j.near {
		t.Log("faultline: " + replayed(j.replay, full))
	}
	c.sum.add(full, j, false)
	if j.resume != nil {
		c.goOn(t, j, r, full, x.failure)
		return
	}
	left := c.leaveArtifact(t, j, full, x.failure, nil) // before shrinking, which can take long
	var small *shrunk
	var note string
	if !c.sum.found(x.failure, j) {
		// a repeat is not made small again
	} else if note = c.shrunkBefore(j, x.failure); note == "" {
		memory := newMemory(signature(x.failure))
		defer memory.keepIn(left.dir)()
		small, note = c.shrinkFailure(t, r, full, x.failure, headStart{memory: memory, kept: left.minimal()})
	}
	if small != nil {
		left = c.leaveArtifact(t, j, full, x.failure, small).orElse(left)
	}
	t.Error(c.failureText(j, full, x.failure, left, small, note))
	c.results(t, j, x)
}
