package faultline

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

func TestEnvironmentTakesValues(t *testing.T) {
	list := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte("1 # first\n# none here\n0x10,\t3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := readEnvironment([]string{
		"HOME=/x", "FAULTLINE_SEEDS= 7 ", "FAULTLINE_BASE_SEED=0xAB", "FAULTLINE_ARTIFACTS=off",
		"FAULTLINE_CHECK_DETERMINISM=1", "FAULTLINE_TRACE=full", "FAULTLINE_RESULTS=r.jsonl",
		"FAULTLINE_TIMEOUT=3s", "FAULTLINE_SEED_LIST=@" + list, "FAULTLINE_EXPLORE=", "FAULTLINE_SEED=  ",
	})
	if err != nil {
		t.Fatal(err)
	}
	if e.seeds != 7 || e.baseSeed != 0xab || e.artifacts != "off" || e.twice != everySeed || !e.fullTrace ||
		e.results != "r.jsonl" || e.timeout != 3*time.Second || e.seed != nil || e.explore {
		t.Errorf("read as %+v", e)
	}
	if !reflect.DeepEqual(e.seedList, []uint64{1, 16, 3}) {
		t.Errorf("seed list %v", e.seedList)
	}
	if len(e.used) != 8 || len(e.warnings) != 0 {
		t.Errorf("in effect %v, warnings %v", e.used, e.warnings)
	}
}

func TestEnvironmentRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"FAULTLINE_SEED=x", `faultline: FAULTLINE_SEED="x" is not valid ("x" is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number); it takes a seed`},
		{"FAULTLINE_SEED=1_000", `faultline: FAULTLINE_SEED="1_000" is not valid ("1_000" is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number); it takes a seed`},
		{"FAULTLINE_SEED=0x10000000000000000", `faultline: FAULTLINE_SEED="0x10000000000000000" is not valid ("0x10000000000000000" is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number); it takes a seed`},
		{"FAULTLINE_SEEDS=0", `faultline: FAULTLINE_SEEDS="0" is not valid (out of range); it takes a number of seeds from 1 to 100000000`},
		{"FAULTLINE_SEEDS=many", `faultline: FAULTLINE_SEEDS="many" is not valid (strconv.Atoi: parsing "many": invalid syntax); it takes a number of seeds from 1 to 100000000`},
		{"FAULTLINE_FOR=0s", `faultline: FAULTLINE_FOR="0s" is not valid (not positive); it takes a positive duration such as 10m`},
		{"FAULTLINE_FOR=10", `faultline: FAULTLINE_FOR="10" is not valid (time: missing unit in duration "10"); it takes a positive duration such as 10m`},
		{"FAULTLINE_SEED_LIST=1,b", `faultline: FAULTLINE_SEED_LIST="1,b" is not valid ("b" is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number); it takes seeds separated by commas, or @file`},
		{"FAULTLINE_SEED_LIST=1,2,0x1", `faultline: FAULTLINE_SEED_LIST="1,2,0x1" is not valid (seed 0x0000000000000001 is in the list twice; each is run once); it takes seeds separated by commas, or @file`},
		{"FAULTLINE_SEED=010", `faultline: FAULTLINE_SEED="010" is not valid ("010" is not a seed; write 0x and up to 16 hexadecimal digits, or a decimal number); it takes a seed`},
		{"FAULTLINE_SEED_LIST=,", `faultline: FAULTLINE_SEED_LIST="," is not valid (the list of seeds is empty); it takes seeds separated by commas, or @file`},
		{"FAULTLINE_SEED_LIST=@missing", `faultline: FAULTLINE_SEED_LIST="@missing" is not valid (open missing: no such file or directory); it takes seeds separated by commas, or @file`},
		{"FAULTLINE_BASE_SEED=0", `faultline: FAULTLINE_BASE_SEED="0" is not valid (0 means no base seed); it takes a seed other than 0`},
		{"FAULTLINE_EXPLORE=maybe", `faultline: FAULTLINE_EXPLORE="maybe" is not valid (neither); it takes 1 or 0`},
		{"FAULTLINE_CHECK_DETERMINISM=2", `faultline: FAULTLINE_CHECK_DETERMINISM="2" is not valid (neither); it takes 1 or 0`},
		{"FAULTLINE_TRACE=some", `faultline: FAULTLINE_TRACE="some" is not valid (neither); it takes hash or full`},
		{"FAULTLINE_SHRINK=never", `faultline: FAULTLINE_SHRINK="never" is not valid (time: invalid duration "never"); it takes off, or a positive duration such as 30s`},
		{"FAULTLINE_SHRINK=0s", `faultline: FAULTLINE_SHRINK="0s" is not valid (not positive); it takes off, or a positive duration such as 30s`},
		{"FAULTLINE_TIMEOUT=-1s", `faultline: FAULTLINE_TIMEOUT="-1s" is not valid (not positive); it takes a positive duration such as 30s`},
		{"FAULTLINE_TIMEOUT=5", `faultline: FAULTLINE_TIMEOUT="5" is not valid (time: missing unit in duration "5"); it takes a positive duration such as 30s`},
	} {
		_, err := readEnvironment([]string{c[0]})
		if err == nil || strings.ReplaceAll(err.Error(), "The system cannot find the file specified.", "no such file or directory") != c[1] {
			t.Errorf("%s:\n got  %v\n want %s", c[0], err, c[1])
		}
	}
	_, err := readEnvironment([]string{"FAULTLINE_SEED=1", "FAULTLINE_REPLAY=x", "FAULTLINE_EXPLORE=1"})
	const want = "faultline: FAULTLINE_EXPLORE and FAULTLINE_REPLAY and FAULTLINE_SEED say different things about what to run; set one of them"
	if err == nil || err.Error() != want {
		t.Errorf("conflict: got %v, want %s", err, want)
	}
	_, err = readEnvironment([]string{"FAULTLINE_SEED=1", "FAULTLINE_SHARD=0/2"})
	const one = "faultline: FAULTLINE_SHARD shares a list of seeds among processes, and FAULTLINE_SEED names one run; unset one of them"
	if err == nil || err.Error() != one {
		t.Errorf("conflict: got %v, want %s", err, one)
	}
}

func TestEnvironmentWarns(t *testing.T) {
	e, err := readEnvironment([]string{"FAULTLINE_SEDE=1", "FAULTLINE_CHECK_DETERMINISTIC=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FAULTLINE_CHECK_DETERMINISTIC is not known and has no effect; did you mean FAULTLINE_CHECK_DETERMINISM?",
		"FAULTLINE_SEDE is not known and has no effect; did you mean FAULTLINE_SEED?",
	}
	if !reflect.DeepEqual(e.warnings, want) {
		t.Errorf("warnings %q, want %q", e.warnings, want)
	}
}

func TestOptionsRefuse(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{Duration: -1}, "faultline: Options.Duration is -1ns; it must not be negative"},
		{Options{Seeds: -1}, "faultline: Options.Seeds is -1; it must not be negative"},
		{Options{Timeout: -1}, "faultline: Options.Timeout is -1ns; it must not be negative"},
		{Options{Duration: 2, QuietFor: 2}, "faultline: Options.QuietFor is 2ns; it must be shorter than Duration, which is 2ns"},
		{Options{Duration: 1<<63 - 1}, "faultline: Options.Duration is 2562047h47m16.854775807s; it must not be longer than 100 years"},
	} {
		if _, err := c.opt.complete(false); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.opt, err, c.want)
		}
	}
}

func TestSeedsAreTheTestsOwn(t *testing.T) {
	a, b := seedStream("TestA", 0), seedStream("TestB", 0)
	if a == b || a != seedStream("TestA", 0) {
		t.Error("the seeds of a test are not a list of its own")
	}
	if seedStream("TestA", 9) != seedStream("TestB", 9) {
		t.Error("a base seed must not depend on the test's name")
	}
	// Written down, so that the list never changes by accident.
	if got := seedText(seedStream("TestKV", 0).At(0)); got != firstSeedOfTestKV {
		t.Errorf("the first seed of TestKV is %s, it was %s", got, firstSeedOfTestKV)
	}
}

const firstSeedOfTestKV = "0xfa7410da1c97dd1d"

// A schedule file that is too large is refused by its size, without reading it.
func TestOversizedScheduleIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(fault.MaxSchedule + 1); err != nil { // sparse
		t.Fatal(err)
	}
	_, err = loadSchedule(path)
	want := fmt.Sprintf("%s has %d bytes; at most %d are read", path, fault.MaxSchedule+1, fault.MaxSchedule)
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
