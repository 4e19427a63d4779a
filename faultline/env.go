package faultline

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// environment holds the FAULTLINE_* settings, all of them read here.
type environment struct {
	seed      *uint64
	seeds     int
	lasting   time.Duration // real time that seeds are run for; 0: no matter how long
	seedList  []uint64
	baseSeed  uint64
	explore   bool
	schedule  string
	replay    string
	artifacts string
	twice     twice
	fullTrace bool
	results   string
	coverage  string

	coverageMerge string
	timeout       time.Duration
	shrink        time.Duration // 0: as the options say; negative: off
	shrinkDir     string
	parallel      int // candidates that shrinking tests at once
	shard         int // of shards, from 0
	shards        int

	used     []string // settings that have effect, as NAME=value
	warnings []string
}

// setting is one variable: its name without the prefix, what its values are,
// and how one is taken in.
type setting struct {
	name  string
	takes string
	apply func(e *environment, value string) error
}

const envPrefix = "FAULTLINE_"

// mostSeeds is how many seeds of a test's list can be run.
const mostSeeds = 100_000_000

// environ returns the variables of the process. It asks for each setting by its
// name too: go test shows a cached result unless it has seen that a test asks for
// a variable that is another now.
func environ() []string {
	for _, s := range settings() {
		_ = os.Getenv(envPrefix + s.name)
	}
	return os.Environ()
}

func settings() []setting {
	return append([]setting{
		{"SEED", "a seed", func(e *environment, v string) error {
			seed, err := parseSeed(v)
			e.seed = &seed
			return err
		}},
		{"SEEDS", "a number of seeds from 1 to 100000000", func(e *environment, v string) (err error) {
			e.seeds, err = strconv.Atoi(v)
			if err == nil && (e.seeds < 1 || e.seeds > mostSeeds) {
				err = fmt.Errorf("out of range")
			}
			return err
		}},
		{"FOR", "a positive duration such as 10m", func(e *environment, v string) (err error) {
			e.lasting, err = time.ParseDuration(v)
			if err == nil && e.lasting <= 0 {
				err = fmt.Errorf("not positive")
			}
			return err
		}},
		{"SEED_LIST", "seeds separated by commas, or @file", func(e *environment, v string) (err error) {
			e.seedList, err = parseSeedList(v)
			return err
		}},
		{"BASE_SEED", "a seed other than 0", func(e *environment, v string) (err error) {
			e.baseSeed, err = parseSeed(v)
			if err == nil && e.baseSeed == 0 {
				err = fmt.Errorf("0 means no base seed")
			}
			return err
		}},
		{"EXPLORE", "1 or 0", func(e *environment, v string) (err error) {
			e.explore, err = parseSwitch(v)
			return err
		}},
		{"SCHEDULE", "the path of a schedule.json", func(e *environment, v string) error {
			e.schedule = v
			return nil
		}},
		{"REPLAY", "the path of an artifact directory", func(e *environment, v string) error {
			e.replay = v
			return nil
		}},
		{"ARTIFACTS", "a directory, or off", func(e *environment, v string) error {
			e.artifacts = v
			return nil
		}},
		{"CHECK_DETERMINISM", "1 or 0", func(e *environment, v string) error {
			all, err := parseSwitch(v)
			e.twice = noSeed
			if all {
				e.twice = everySeed
			}
			return err
		}},
		{"TRACE", "hash or full", func(e *environment, v string) error {
			e.fullTrace = v == "full"
			if v != "full" && v != "hash" {
				return fmt.Errorf("neither")
			}
			return nil
		}},
		{"RESULTS", "the path of a file to append one JSON line per seed to", func(e *environment, v string) error {
			e.results = v
			return nil
		}},
		{"COVERAGE", "the path of a file to append one JSON line per test to", func(e *environment, v string) error {
			e.coverage = v
			return nil
		}},
		{"COVERAGE_MERGE", "the paths of such files, separated by commas", func(e *environment, v string) error {
			if strings.Trim(v, ", ") == "" {
				return fmt.Errorf("no path in it")
			}
			e.coverageMerge = v
			return nil
		}},
		{"TIMEOUT", "a positive duration such as 30s", func(e *environment, v string) (err error) {
			e.timeout, err = time.ParseDuration(v)
			if err == nil && e.timeout <= 0 {
				err = fmt.Errorf("not positive")
			}
			return err
		}},
	}, effort()...)
}

// effort are the settings of how much is run where.
func effort() []setting {
	return []setting{
		{"SHRINK", "off, or a positive duration such as 30s", func(e *environment, v string) (err error) {
			if v == "off" {
				e.shrink = -1
				return nil
			}
			e.shrink, err = time.ParseDuration(v)
			if err == nil && e.shrink <= 0 {
				err = fmt.Errorf("not positive")
			}
			return err
		}},
		{"SHRINK_DIR", "the path of an artifact directory", func(e *environment, v string) error {
			e.shrinkDir = v
			return nil
		}},
		{"PARALLEL", "a number from 1 to 64", func(e *environment, v string) (err error) {
			e.parallel, err = strconv.Atoi(v)
			if err == nil && (e.parallel < 1 || e.parallel > 64) {
				err = fmt.Errorf("out of range")
			}
			return err
		}},
		{"SHARD", "k/n with k from 0 to n-1 and n up to 1048576, such as 0/4", func(e *environment, v string) (err error) {
			e.shard, e.shards, err = parseShard(v)
			return err
		}},
	}
}

func parseSwitch(v string) (bool, error) {
	switch v {
	case "1", "true", "on", "yes":
		return true, nil
	case "0", "false", "off", "no":
		return false, nil
	}
	return false, fmt.Errorf("neither")
}

func parseShard(v string) (k, n int, err error) {
	first, second, ok := strings.Cut(v, "/")
	if !ok {
		return 0, 0, fmt.Errorf("there is no /")
	}
	if k, err = strconv.Atoi(first); err == nil {
		n, err = strconv.Atoi(second)
	}
	if err == nil && (n < 1 || n > 1<<20 || k < 0 || k >= n) {
		err = fmt.Errorf("out of range")
	}
	return k, n, err
}

// readEnvironment takes in the variables given as NAME=value. The error names
// the first bad one; unknown FAULTLINE_ names are warnings.
func readEnvironment(vars []string) (*environment, error) {
	e := &environment{}
	vars = slices.Clone(vars)
	slices.Sort(vars)
	for _, kv := range vars {
		name, value, _ := strings.Cut(kv, "=")
		short, ours := strings.CutPrefix(name, envPrefix)
		value = strings.TrimSpace(value)
		if !ours || value == "" {
			continue
		}
		if err := e.take(short, value); err != nil {
			return nil, err
		}
	}
	return e, e.conflict()
}

func (e *environment) take(short, value string) error {
	for _, s := range settings() {
		if s.name != short {
			continue
		}
		if err := s.apply(e, value); err != nil {
			return fmt.Errorf("faultline: %s%s=%q is not valid (%v); it takes %s", envPrefix, short, value, err, s.takes)
		}
		e.used = append(e.used, envPrefix+short+"="+value)
		return nil
	}
	e.warnings = append(e.warnings, fmt.Sprintf("%s%s is not known and has no effect; did you mean %s%s?", envPrefix, short, envPrefix, nearest(short)))
	return nil
}

// conflict reports settings that exclude each other: what to run is said once,
// and a time goes with the test's own list of seeds only.
func (e *environment) conflict() error {
	var set []string
	for name, on := range map[string]bool{
		"SEED": e.seed != nil, "SEED_LIST": e.seedList != nil,
		"SCHEDULE": e.schedule != "", "REPLAY": e.replay != "", "COVERAGE_MERGE": e.coverageMerge != "",
	} {
		if on {
			set = append(set, envPrefix+name)
		}
	}
	slices.Sort(set)
	switch {
	case len(set) == 1 && e.shards > 0 && (e.seed != nil || e.schedule != "" || e.replay != ""):
		return fmt.Errorf("faultline: %sSHARD shares a list of seeds among processes, and %s names one run; unset one of them", envPrefix, set[0])
	case len(set) == 0:
		return nil // the two that are left go together
	}
	for name, on := range map[string]bool{"EXPLORE": e.explore, "FOR": e.lasting > 0} {
		if on {
			set = append(set, envPrefix+name)
		}
	}
	if len(set) < 2 {
		return nil
	}
	slices.Sort(set)
	return fmt.Errorf("faultline: %s say different things about what to run; set one of them", strings.Join(set, " and "))
}

// nearest returns the known name with the smallest edit distance.
func nearest(name string) string {
	best, least := "", 1<<30
	for _, s := range settings() {
		if d := editDistance(name, s.name); d < least {
			best, least = s.name, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
