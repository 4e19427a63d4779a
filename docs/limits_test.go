package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// limit is a number that a page promises, and the code that keeps it.
type limit struct {
	page, says string
	file, code string
}

var limits = []limit{
	{"docs/reference/environment.md", "a number of seeds from 1 to 100000000", "faultline/env.go", "mostSeeds = 100_000_000"},
	{"docs/reference/environment.md", "a number from 1 to 64", "faultline/env.go", "e.parallel < 1 || e.parallel > 64"},
	{"docs/reference/environment.md", "n up to 1048576, such as 0/4", "faultline/env.go", "n > 1<<20"},
	{"docs/reference/environment.md", "`0x` and up to 16 hexadecimal digits", "faultline/seeds.go", "strconv.ParseUint(digits, base, 64)"},
	{"docs/reference/environment.md", "takes\nlonger than 20 ms", "faultline/crew.go", "worthIt = 20 * time.Millisecond"},
	{"docs/reference/failures.md", "write 0x and up to 16 hexadecimal digits", "faultline/seeds.go", "strconv.ParseUint(digits, base, 64)"},
	{"docs/reference/options.md", "0 means 10 seconds", "faultline/options.go", "defaultDuration  = 10 * time.Second"},
	{"docs/reference/options.md", "0 means 20, or 5 under go test -short", "faultline/options.go", "defaultSeeds     = 20\n\tshortSeeds       = 5"},
	{"docs/reference/options.md", "0 means a quarter of Duration", "faultline/options.go", "o.QuietFor = o.Duration / 4"},
	{"docs/reference/options.md", "0 means 5 million", "faultline/options.go", "defaultMaxEvents = 5_000_000"},
	{"docs/reference/options.md", "0 means 20 seconds", "faultline/options.go", "defaultTimeout   = 20 * time.Second\n\tdefaultShrink    = 20 * time.Second"},
	{"docs/reference/cli.md", "up to 500; 25 if not given", "timeline/slice.go", "MaxSteps = 500"},
	{"docs/reference/cli.md", "up to 2000; 20 if not given", "cmd-faultline/internal/cli/diff.go", "maxAfter = 2000"},
	{"docs/reference/cli.md", "at least 40; 0 means 120", "timeline/text.go", "max(o.Width, 40)"},
	{"docs/reference/cli.md", "0 means 2000, with `--all` 200000", "timeline/text.go", "o.MaxLines = 2000"},
	{"docs/reference/cli.md", "0 means 2000, with `--all` 200000", "timeline/text.go", "o.MaxLines = 200_000"},
	{"docs/reference/cli.md", "at least 1000; 32768 if not given", "cmd-faultline/internal/cli/mcp.go", "o.bytes < 1000"},
	{"docs/reference/cli.md", "the last 100 records if no limit is given", "cmd-faultline/internal/mcp/tools.go", "t.Last = 100"},
	{"docs/reference/trace.md", "up to 120 bytes", "simnet/content.go", "MaxContent = 120"},
	{"docs/guides/replay.md", "in up to 48 runs and 3 seconds", "faultline/neighbours.go", "mostNeighbours = 48"},
	{"docs/guides/replay.md", "in up to 48 runs and 3 seconds", "faultline/neighbours.go", "pinTime        = 3 * time.Second"},
	{"docs/guides/shrink.md", "longer than 20 ms", "faultline/crew.go", "worthIt = 20 * time.Millisecond"},
	{"docs/explanation/decisions.md", "up to its first\n100,000", "faultline/record.go", "limitTrace = 100_000"},
	{"docs/explanation/decisions.md", "up to 200 transactions", "check/isolation/graph.go", "smallGraph = 200"},
	{"cmd-faultline/README.md", "at most 2,000 records", "cmd-faultline/internal/cli/diff.go", "maxAfter = 2000"},
	{"cmd-faultline/README.md", "at most 500 events", "timeline/slice.go", "MaxSteps = 500"},
	{"cmd-faultline/README.md", "look 6 directories deep", "cmd-faultline/internal/shelf/find.go", "maxDepth = 6"},
	{"artifact/README.md", "`report.json` up to 16 MiB", "artifact/files.go", "MaxReport = 16 << 20"},
	{"artifact/README.md", "`trace.jsonl` up to 16 GiB", "artifact/files.go", "MaxTrace int64 = 16 << 30"},
	{"artifact/README.md", "lines up to 1 MiB", "artifact/files.go", "MaxLine = 1 << 20"},
	{"artifact/README.md", "1,000 files", "artifact/files.go", "MaxFiles = 1000"},
	{"history/README.md", "up to 1 MiB", "history/write.go", "MaxLine = 1 << 20"},
	{"history/README.md", "files up to 1 GiB", "history/write.go", "MaxBytes int64 = 1 << 30"},
	{"docs/guides/shrink.md", "a fourth of the budget", "faultline/why.go", "whyShare     = 4"},
	{"docs/guides/shrink.md", "Ten continuations", "faultline/why.go", "continuation = 10"},
	{"timeline/README.md", "lanes for 1,000 nodes", "timeline/chronicle.go", "maxLanes = 1000"},
	{"timeline/README.md", "up to 8 KiB", "timeline/page_text.go", "maxPageText  = 8 << 10"},
	{"timeline/README.md", "the last million records", "timeline/page.go", "MaxPageRecords = 1_000_000"},
	{"timeline/README.md", "more than 4,000 records", "timeline/page/src/draw-marks.js", "mostMarks = 4000"},
	{"timeline/README.md", "at most 500 events", "timeline/slice.go", "MaxSteps = 500"},
	{"timeline/README.md", "2,000 lines unless told otherwise", "timeline/text.go", "o.MaxLines = 2000"},
	{"simdisk/README.md", "up to 1 GiB", "simdisk/inode.go", "maxFile = 1 << 30"},
}

// A limit that a page names is the one in the code.
func TestLimits(t *testing.T) {
	for _, l := range limits {
		page := strings.Join(strings.Fields(read(t, filepath.Join(root(t), filepath.FromSlash(l.page)))), " ")
		if !strings.Contains(page, strings.Join(strings.Fields(l.says), " ")) {
			t.Errorf("%s does not say %q any more", l.page, l.says)
		}
		if !strings.Contains(read(t, filepath.Join(root(t), filepath.FromSlash(l.file))), l.code) {
			t.Errorf("%s has not %q, which %s describes as %q", l.file, l.code, l.page, l.says)
		}
	}
}

var limitWords = regexp.MustCompile(`(?:at most|up to|at least|0 means|more than|from 1 to) [0-9][0-9,]*(?: ?[A-Za-z]+)?|[0-9]+ if not given`)

// No page of the reference, and no module's own, names a limit that is not in
// the table. What an option is if it is not given, the command's tests compare.
func TestEveryLimitIsCompared(t *testing.T) {
	for _, page := range everyPage(t) {
		name, err := filepath.Rel(root(t), page)
		if err != nil {
			name = filepath.Join("docs", page)
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(page, "reference/") || strings.HasPrefix(page, "guides/") || strings.HasPrefix(page, "explanation/") {
			name = "docs/" + page
		}
		if !strings.HasPrefix(name, "docs/reference/") && !strings.HasSuffix(name, "/README.md") || strings.Contains(name, "raft") || strings.Contains(name, "shrinking") || strings.Contains(name, "/examples/") {
			continue
		}
		text := strings.Join(strings.Fields(codeBlock.ReplaceAllString(read(t, page), "")), " ")
		for _, m := range limitWords.FindAllString(text, -1) {
			if strings.HasSuffix(m, "if not given") {
				continue
			}
			known := false
			for _, l := range limits {
				known = known || l.page == name && strings.Contains(strings.Join(strings.Fields(l.says), " "), m)
			}
			if !known {
				t.Errorf("%s: %q is in no row of the table of limits", name, m)
			}
		}
	}
}
