package faultline

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Run tests a distributed system: for each of a list of seeds, setup builds
// the system in a new [World], and the system runs for Options.Duration of
// virtual time under the faults that the seed draws, judged by the world's
// checks. Every seed is a subtest. A seed that fails is run once more to
// record it; the test's output then says what failed, tells the story in five
// lines, and names the command that replays it and the artifact directory.
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
	c, err := newCampaign(t, opt, setup, os.Environ())
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
	jobs  []job
	sum   summary
	dirty bool // a goroutine of a hanging run is still there
}

// job is one subtest: a seed, or a schedule with its seed.
type job struct {
	name   string
	seed   uint64
	replay *fault.Schedule
	from   string // file that the schedule comes from
	pinned bool
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
	if env.seeds > 0 {
		opt.Seeds = env.seeds
	}
	if env.baseSeed != 0 {
		opt.BaseSeed = env.baseSeed
	}
	if opt, err = opt.complete(testing.Short()); err != nil {
		return nil, err
	}
	c := &campaign{t: t, place: findPlace(t.Name()), opt: opt, env: env, setup: setup}
	for _, w := range env.warnings {
		t.Logf("faultline: warning: %s", w)
	}
	if len(env.used) > 0 {
		t.Logf("faultline: settings from the environment: %s", strings.Join(env.used, " "))
	}
	c.jobs, err = c.plan()
	return c, err
}

// plan makes the list of subtests.
func (c *campaign) plan() ([]job, error) {
	e := c.env
	switch {
	case e.replay != "":
		return c.planReplay(e.replay)
	case e.schedule != "":
		s, err := loadSchedule(e.schedule)
		if err != nil {
			return nil, err
		}
		return c.planSchedule(s, e.schedule)
	case e.seed != nil:
		return seedJobs([]uint64{*e.seed}), nil
	case e.seedList != nil:
		return seedJobs(e.seedList), nil
	}
	pins, err := loadPins(c.place.test)
	if err != nil {
		return nil, err
	}
	base := c.opt.BaseSeed
	if e.explore {
		base = exploreBase()
		c.t.Logf("faultline: exploring the seeds derived from %sBASE_SEED=%s", envPrefix, seedText(base))
	}
	return append(pins, seedJobs(deriveSeeds(c.place.test, base, c.opt.Seeds))...), nil
}

func seedJobs(seeds []uint64) []job {
	jobs := make([]job, len(seeds))
	for i, s := range seeds {
		jobs[i] = job{name: "seed=" + seedText(s), seed: s}
	}
	return jobs
}

// exploreBase returns a base seed that is new each time.
func exploreBase() uint64 { return uint64(time.Now().UnixNano()) | 1 }

// planSchedule makes the job that replays one schedule. A schedule of another
// test is not for this one.
func (c *campaign) planSchedule(s *fault.Schedule, from string) ([]job, error) {
	if s.Test != "" && s.Test != c.place.test {
		c.t.Skipf("faultline: %s is a schedule of %s", from, s.Test)
	}
	return []job{{name: "schedule=" + seedText(s.Seed), seed: s.Seed, replay: s, from: from}}, nil
}

// run runs the subtests, up to the first that fails unless told to keep going,
// and sums up.
func (c *campaign) run() {
	c.t.Helper()
	for i, j := range c.jobs {
		if c.outOfTime() {
			c.t.Errorf("faultline: only %d of %d seeds were run: the test's deadline is near; raise go test -timeout, or lower %sSEEDS", i, len(c.jobs), envPrefix)
			break
		}
		began := time.Now()
		passed := c.t.Run(j.name, func(t *testing.T) { c.seed(t, j) })
		c.sum.longest = max(c.sum.longest, time.Since(began))
		if !passed && (!c.opt.KeepGoing || c.dirty) {
			break
		}
	}
	c.sum.report(c.t, c.opt)
}

// deadline returns when a run must be given up so that it can still be
// reported, and the zero time without a deadline.
func (c *campaign) deadline() time.Time {
	d, ok := c.t.Deadline()
	if !ok {
		return time.Time{}
	}
	grace := min(time.Until(d)/10, 5*time.Second)
	return d.Add(-grace)
}

// outOfTime reports whether the next seed may not end before the deadline.
func (c *campaign) outOfTime() bool {
	d := c.deadline()
	return !d.IsZero() && time.Now().Add(2*c.sum.longest).After(d)
}

// seed is the body of one subtest.
func (c *campaign) seed(t *testing.T, j job) {
	t.Helper()
	c.seedCrypto(t, j.seed)
	level := kernel.LevelHash
	if c.env.fullTrace {
		level = kernel.LevelFull
	}
	r := recipe{opt: c.opt, setup: c.setup, seed: j.seed, level: level, replay: j.replay}
	if j.replay != nil && j.replay.Duration > 0 {
		r.opt.Duration = j.replay.Duration
	}
	x := r.execute(c.deadline())
	if x.setup != nil {
		t.Fatalf("faultline: the setup is wrong, nothing was run: %v", x.setup)
	}
	if x.failure == nil && c.env.determinism {
		c.seedCrypto(t, j.seed)
		if again := r.execute(c.deadline()); again.world == nil || again.result.Hash != x.result.Hash {
			c.undetermined(t, r, x)
		}
	}
	if x.failure != nil {
		c.fail(t, j, r, x)
		return
	}
	c.pass(t, j, x)
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
	r.level, r.measure = kernel.LevelFull, false
	c.seedCrypto(t, r.seed)
	a := r.execute(c.deadline())
	c.seedCrypto(t, r.seed)
	b := r.execute(c.deadline())
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
		if e := j.replay.Expect; e != nil {
			t.Logf("faultline: passes now; it was recorded with: %s %q at %v, event %d", e.Kind, e.Check, e.Time, e.Event)
		}
	}
	if c.env.fullTrace {
		c.leaveArtifact(t, j, x, nil)
	}
	c.results(t, j, x)
}

// fail runs a failing seed once more to record it, and reports it.
func (c *campaign) fail(t *testing.T, j job, r recipe, x *execution) {
	t.Helper()
	full := c.record(t, r, x)
	if j.replay != nil && full.world != nil {
		t.Log("faultline: " + replayed(j.replay, full))
	}
	c.sum.add(full, j, false)
	dir := c.leaveArtifact(t, j, full, x.failure)
	t.Error(c.failureText(j, full, x.failure, dir))
	c.results(t, j, x)
}

// record returns the recording run of a failure. A run that hangs is recorded
// up to the event that hangs; one that comes out differently becomes a
// determinism failure.
func (c *campaign) record(t *testing.T, r recipe, x *execution) *execution {
	t.Helper()
	hung := x.hung != ""
	c.dirty = c.dirty || hung
	if x.failure.Kind == KindDeterminism || hung && x.events <= 1 {
		if hung {
			return x
		}
	}
	r.level, r.measure = kernel.LevelFull, true
	if hung {
		r.limit = x.events - 1
	}
	c.seedCrypto(t, r.seed)
	full := r.execute(c.deadline())
	switch {
	case full.hung != "" || x.failure.Kind == KindDeterminism:
	case hung:
		x.failure.Time = full.result.Time
	case full.result.Hash != x.result.Hash:
		c.undetermined(t, r, x)
	}
	return full
}

// replayed says how many entries of a schedule came up again.
func replayed(s *fault.Schedule, x *execution) string {
	var missed []string
	for i, f := range x.world.injector.Faults() {
		if was := s.Faults[i].Outcome; was == fault.Fired && f.Outcome != fault.Fired {
			missed = append(missed, "fault "+f.ID)
		}
	}
	for _, c := range x.world.sim.UnmetChoices() {
		missed = append(missed, fmt.Sprintf("choice %s number %d", c.Point, c.N))
	}
	total := len(s.Faults) + len(s.Choices)
	text := fmt.Sprintf("replayed %d of %d entries", total-len(missed), total)
	if len(missed) == 0 {
		return text
	}
	const most = 10
	shown := missed[:min(len(missed), most)]
	text += fmt.Sprintf("; %d met nothing: %s", len(missed), strings.Join(shown, ", "))
	if len(missed) > most {
		text += fmt.Sprintf(" and %d more", len(missed)-most)
	}
	return text
}
