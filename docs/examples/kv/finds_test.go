package kv

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/faultline"
)

// TestFindsPlantedBug is a demonstration: it runs the store with a planted bug
// and shows what faultline prints when it finds it. Finding it is a success.
func TestFindsPlantedBug(t *testing.T) {
	fmt.Println("The store is run with a bug: it acknowledges a write before it is synced.")
	fmt.Println()
	out := runPlanted(t, "AckBeforeSync")
	fmt.Println(out)
	fmt.Println("The planted bug was found. The replay command above makes it happen again, every time.")
	checkOutput(t, out, survive)
	checkPages(t, out)
}

// checkPages demands that the pages that show this run show it as it is: the picture its
// failure and its seed, the others every line that they quote.
func checkPages(t *testing.T, out string) {
	t.Helper()
	printed := out
	for _, name := range []string{"report.txt", "report.min.txt"} {
		data, err := os.ReadFile(filepath.Join(artifactLine.FindStringSubmatch(out)[1], name))
		if err != nil {
			t.Fatal(err)
		}
		printed += string(data)
	}
	printed = flags.ReplaceAllString(printed, "go test -count=1") // such as -race, when this is run with it
	lines := strings.Split(printed, "\n")
	for _, page := range []string{"../../../README.md", "../../guides/read-a-failure.md"} {
		quoted := quotes(t, page)
		for _, line := range quoted {
			if !slices.ContainsFunc(lines, func(l string) bool { return shows(line, l) }) {
				t.Errorf("%s shows another run; nothing prints %q", page, line)
			}
		}
		if len(quoted) < 8 && quoted != nil {
			t.Errorf("%s quotes only %q", page, quoted)
		}
	}
	want := regexp.MustCompile(`invariant "acknowledged writes survive" failed at \S+, event \d+, node n\d|put \S+ was acknowledged to .*|0x[0-9a-f]{16}`).FindAllString(out, 3)
	text := html.UnescapeString(page(t, "../../picture.svg"))
	for _, w := range want {
		if text != "" && !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), w) {
			t.Errorf("the picture shows another run; it lacks %q", w)
		}
	}
	if len(want) != 3 {
		t.Errorf("the failure was not found in the output: %q", want)
	}
}

// page returns a page of the documentation, nothing if only this module is here.
func page(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// quotes returns the lines of the blocks of a page that are no commands and no
// files.
func quotes(t *testing.T, path string) (lines []string) {
	t.Helper()
	const fence = "```"
	inside, plain := false, false
	for line := range strings.Lines(page(t, path)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, fence):
			inside = !inside
			plain = inside && line == fence
		case plain && line != "" && line != "…":
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	took  = regexp.MustCompile(` in [\d.]+m?s,`) // real time, which differs
	flags = regexp.MustCompile(`go test (-\S+ )+-count=1`)
)

// shows reports whether a quoted line, in which dots stand for what is left out, is
// one that was printed.
func shows(quoted, line string) bool {
	pattern := regexp.QuoteMeta(took.ReplaceAllString(quoted, " in …,"))
	pattern = strings.ReplaceAll(pattern, "…", ".*") + "$" // a test puts its place before a line
	return regexp.MustCompile(pattern).MatchString(strings.TrimSpace(line))
}

// The other planted bugs are found too, each by the check that it breaks.
func TestFindsAckBeforeSync(t *testing.T)   { finds(t, "AckBeforeSync") }
func TestFindsNoDirSync(t *testing.T)       { finds(t, "NoDirSync") }
func TestFindsRetryFailedSync(t *testing.T) { finds(t, "RetryFailedSync") }
func TestFindsAppendAfterTear(t *testing.T) { finds(t, "AppendAfterTear") }
func TestFindsForgetVote(t *testing.T)      { finds(t, "ForgetVote") }
func TestFindsSameTimeout(t *testing.T)     { finds(t, "SameTimeout") }
func TestFindsKeepConflict(t *testing.T)    { finds(t, "KeepConflict") }
func TestFindsApplyTwice(t *testing.T)      { finds(t, "ApplyTwice") }
func TestFindsStaleReads(t *testing.T)      { finds(t, "StaleReads") }
func TestFindsClockOrder(t *testing.T)      { finds(t, "ClockOrder") }

// TestPin shows that the failure that is pinned for TestKV, where it passes,
// still is one with the bug.
func TestPin(t *testing.T) {
	pin, err := filepath.Abs("testdata/faultline/TestKV/ack-before-sync.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAULTLINE_SCHEDULE", pin)
	t.Setenv("FAULTLINE_ARTIFACTS", "off")
	if out := runPlanted(t, "AckBeforeSync"); !failed(out, survive) {
		t.Errorf("the check %q has not failed:\n%s", survive, out)
	}
}

// TestHarsh shows that the faults that bring the planted bugs out do no harm
// without them.
func TestHarsh(t *testing.T) {
	for _, p := range plants() {
		if p.faults != nil {
			t.Run(p.name, func(t *testing.T) {
				opt, faults := p.setting()
				faultline.Run(t, opt, setup(Bugs{}, faults))
			})
		}
	}
}

// TestPlanted runs the store with planted bugs, so it must fail. It is for the
// tests above and for the replay commands that it prints, which name a seed, a
// schedule or an artifact; otherwise it is skipped.
func TestPlanted(t *testing.T) {
	asked := false
	for _, name := range []string{"KV_PLANTED", "FAULTLINE_SEED", "FAULTLINE_SCHEDULE", "FAULTLINE_REPLAY"} {
		asked = asked || os.Getenv(name) != ""
	}
	if !asked {
		t.Skip("fails by intention; KV_PLANTED=1 runs it")
	}
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			opt, faults := p.setting()
			opt.KeepGoing = os.Getenv("KV_PLANTED") == "all"
			faultline.Run(t, opt, setup(p.bugs, faults))
		})
	}
}

// finds demands that the check that a planted bug breaks fails for some seed,
// and that what is printed then can be used. A bug often breaks others too: if
// one of those is first, it goes on to the seeds after.
func finds(t *testing.T, name string) {
	for _, p := range plants() {
		if p.name != name {
			continue
		}
		t.Setenv("FAULTLINE_ARTIFACTS", t.TempDir())
		t.Setenv("FAULTLINE_SHRINK", "off") // TestFindsPlantedBug shows it
		out := runPlanted(t, name)
		if !failed(out, p.check) {
			t.Setenv("KV_PLANTED", "all")
			out = runPlanted(t, name)
		}
		checkOutput(t, out, p.check)
		checkReport(t, out, p)
		return
	}
	t.Fatalf("no bug is called %s", name)
}

// runPlanted runs TestPlanted for one bug in a process of its own, because it
// must fail, and returns its output.
func runPlanted(t *testing.T, name string) string {
	t.Helper()
	if os.Getenv("KV_PLANTED") == "" {
		t.Setenv("KV_PLANTED", "first")
	}
	t.Setenv("FAULTLINE_SEEDS", "") // the default, whatever this test is run with
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "-test.run=^TestPlanted$/^"+name+"$").CombinedOutput()
	if err == nil {
		t.Fatalf("the planted bug %s was not found:\n%s", name, out)
	}
	return string(out)
}

func failed(out, check string) bool {
	return strings.Contains(out, fmt.Sprintf("%q failed at", check))
}

var (
	replayLine   = regexp.MustCompile(`replay: +cd .* FAULTLINE_SEED=0x[0-9a-f]{16} go test (-\S+ )*-count=1 -run '\^TestPlanted\$/\^\w+\$' \.`)
	artifactLine = regexp.MustCompile(`artifact: +(\S+)`)
)

// checkOutput looks for the check, the replay command and the artifact directory in
// the output of a failed test.
func checkOutput(t *testing.T, out, check string) {
	t.Helper()
	if !failed(out, check) {
		t.Errorf("the check %q has not failed:\n%s", check, out)
	}
	if !replayLine.MatchString(out) {
		t.Errorf("there is no replay command:\n%s", out)
	}
	dir := artifactLine.FindStringSubmatch(out)
	if dir == nil {
		t.Fatalf("there is no artifact directory:\n%s", out)
	}
	if _, err := os.Stat(dir[1]); err != nil {
		t.Errorf("the artifact directory: %v", err)
	}
}
