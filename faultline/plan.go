package faultline

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// job is one subtest: a seed, or a schedule with its seed.
type job struct {
	name   string
	seed   uint64
	replay *fault.Schedule
	from   string // file that the schedule comes from
	pinned bool
	expect *fault.Expect // the failure that was recorded, if any
	resume *resumed      // shrinking goes on from an artifact
	near   bool          // its schedule is not that of its file, but one near it
	lead   bool          // the first of the seeds that the test's name decides
}

// variant tells the runs of one seed apart, so that the replay of a schedule does
// not replace the artifact of the run that the seed draws.
func (j job) variant() string {
	switch {
	case j.resume != nil:
		return j.resume.variant
	case j.replay == nil:
		return ""
	}
	sum := sha256.Sum256(j.replay.Encode())
	return hex.EncodeToString(sum[:4])
}

// jobs is the list of subtests: pinned failures, and the seeds of a list that
// is not made beforehand, because it can be very long.
type jobs struct {
	first []job
	seeds int
	seed  func(i int) uint64
	whole bool // the list is the whole one, from its first seed on
}

func (l jobs) len() int { return len(l.first) + l.seeds }

func (l jobs) at(i int) job {
	if i < len(l.first) {
		return l.first[i]
	}
	s := l.seed(i - len(l.first))
	return job{name: "seed=" + seedText(s), seed: s, lead: l.whole && i == len(l.first)}
}

func seedList(seeds []uint64) jobs {
	return jobs{seeds: len(seeds), seed: func(i int) uint64 { return seeds[i] }}
}

// plan makes the list of subtests.
func (c *campaign) plan() (jobs, error) {
	e := c.env
	switch {
	case e.shrinkDir != "":
		return c.planShrink(e.shrinkDir)
	case e.replay != "":
		return c.planReplay(e.replay)
	case e.schedule != "":
		return c.planSchedule(e.schedule)
	case e.seed != nil:
		return seedList([]uint64{*e.seed}), nil
	case e.seedList != nil:
		first, every, count := e.shardOf(len(e.seedList))
		c.skipEmpty(count, len(e.seedList))
		return jobs{seeds: count, seed: func(i int) uint64 { return e.seedList[first+i*every] }}, nil
	}
	pins, err := c.place.loadPins()
	if err != nil {
		return jobs{}, err
	}
	base := c.opt.BaseSeed
	if e.explore {
		base = exploreBase()
		c.t.Logf("faultline: exploring the seeds derived from %sBASE_SEED=%s", envPrefix, seedText(base))
	}
	from := seedStream(c.place.test, base)
	first, every, count := e.shardOf(c.seeds())
	if first > 0 {
		pins = nil // they are the first shard's
	}
	if len(pins) == 0 {
		c.skipEmpty(count, c.opt.Seeds)
	}
	return jobs{first: pins, seeds: count, whole: first == 0, seed: func(i int) uint64 { return from.At(uint64(first + i*every)) }}, nil
}

// skipEmpty skips the test if none of a list of seeds is of this process's shard.
func (c *campaign) skipEmpty(count, of int) {
	if count == 0 {
		c.t.Skipf("faultline: nothing was run: the list has %s, so that none is of shard %d/%d; use fewer shards or more seeds", plural(of, "seed"), c.env.shard, c.env.shards)
	}
}

// seeds returns how many seeds of the list are run, among all shards.
func (c *campaign) seeds() int {
	if c.endless() {
		return mostSeeds
	}
	return c.opt.Seeds
}

// notMine skips a test that a replay is not for. If the test was asked for by
// its name, nothing was replayed, and that must not look like a success.
func (c *campaign) notMine(what string) {
	if f := flag.Lookup("test.run"); f != nil && f.Value.String() == c.place.pattern() {
		c.t.Fatalf("faultline: nothing was replayed: %s, not of %s", what, c.place.test)
	}
	c.t.Skip("faultline: " + what)
}

// exploreBase returns a base seed that is new each time.
func exploreBase() uint64 { return uint64(time.Now().UnixNano()) | 1 }

// planSchedule makes the job that replays one schedule. A schedule of another
// test is not for this one.
func (c *campaign) planSchedule(path string) (jobs, error) {
	s, err := loadSchedule(path)
	if err != nil {
		return jobs{}, fmt.Errorf("faultline: %sSCHEDULE: %w; name a schedule.json, such as an artifact has", envPrefix, err)
	}
	if s.Test != "" && s.Test != c.place.test {
		c.notMine(fmt.Sprintf("%s is a schedule of %s", path, s.Test))
	}
	return jobs{first: []job{{name: "schedule=" + seedText(s.Seed), seed: s.Seed, replay: s, from: path, expect: s.Expect}}}, nil
}
