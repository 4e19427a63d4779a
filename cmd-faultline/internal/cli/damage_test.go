package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/cli"
)

// bench is an artifact that is damaged and read again and again.
type bench struct {
	dir   string
	files map[string][]byte
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{dir: filepath.Join(t.TempDir(), "run"), files: map[string][]byte{}}
	source := filepath.Join("testdata", "artifacts", "lost")
	if err := os.CopyFS(b.dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "trace.jsonl", "history.jsonl", "schedule.json", "schedule.min.json"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		b.files[name] = data
	}
	return b
}

func (b *bench) put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// readers are the commands that read a whole artifact, in each way of printing.
func (b *bench) readers() [][]string {
	d := b.dir
	return [][]string{
		{"trace", d}, {"show", d}, {"render", "--stdout", "--all", d}, {"explain", d}, {"diff", d, d},
		{"show", "--json", "--all-faults", d}, {"explain", "--json", d}, {"diff", "--json", "testdata/artifacts/kept", d}, {"trace", "--count", d},
		{"trace", "--causes", "7", d}, {"trace", "--effects", "3", d}, {"trace", "--slice", "--last", "3", "--json", d},
		{"explain", "--event", "4", d}, {"replay", "--print", d}, {"open", "--print", d},
	}
}

// others look at single files.
func (b *bench) others() [][]string {
	root, small := filepath.Dir(b.dir), filepath.Join(b.dir, "schedule.min.json")
	return [][]string{
		{"list", root}, {"list", "--json", root}, {"clean", "--all", "--dry-run", root},
		{"schedule", "list", "--choices", b.dir}, {"schedule", "check", b.dir}, {"schedule", "check", "--json", small},
		{"schedule", "drop", "-o", "-", b.dir, "1"}, {"schedule", "shift", "-o", "-", "--by", "1ns", b.dir, "*"},
		{"pin", "--force", "--name", "x", "--dir", filepath.Join(root, "pkg"), b.dir},
		{"render", b.dir}, {"render", "--all", "--width", "40", "--json", b.dir},
	}
}

// run runs a command and reports what no command may do, whatever the files
// hold: end in another way than by its exit codes, say more than one line
// when something is wrong, or print what a terminal acts on.
func run(t testing.TB, args ...string) (code int, out, errText string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Run(args, cli.Env{Out: &stdout, Err: &stderr, Lookup: func(string) (string, bool) { return "", false }})
	out, errText = stdout.String(), stderr.String()
	switch {
	case code < 0 || code > 2:
		t.Errorf("%q: exit code %d", args, code)
	case code == 2 && (!strings.HasPrefix(errText, "faultline: ") || strings.Count(errText, "\n") != 1):
		t.Errorf("%q: not one clear line: %q", args, errText)
	case code == 0 && errText != "":
		t.Errorf("%q: exit code 0, and %q", args, errText)
	}
	json := strings.Contains(strings.Join(args, " "), "--json") || args[0] == "schedule" && strings.Contains(strings.Join(args, " "), "-o -")
	for _, text := range []string{out, errText} {
		if i := strings.IndexFunc(text, acts); i >= 0 && !json {
			t.Errorf("%q: prints a hidden character: %q", args, text[i:min(len(text), i+40)])
		}
	}
	return code, out, errText
}

func acts(r rune) bool {
	return unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Cf, r)
}

// step is how densely damage is tried: everything, or samples with -short.
func step() int {
	if testing.Short() {
		return 23
	}
	return 1
}

// Each file, cut after each byte, is an error of one line that names it.
func TestTruncatedFilesGiveOneClearError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(filepath.Dir(b.dir), "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		data := b.files[name]
		whole := len(data)
		if !strings.HasSuffix(name, ".jsonl") {
			whole = len(bytes.TrimRight(data, "\n")) // the rest is no loss
		}
		commands := [][]string{{"replay", "--print", b.dir}, {"show", b.dir}, {"open", "--print", b.dir}, {"explain", "--json", b.dir}}
		switch name {
		case "trace.jsonl":
			commands = b.readers()[:3] // those that read it to the end
		case "schedule.min.json":
			commands = [][]string{b.others()[8], {"schedule", "list", filepath.Join(b.dir, name)}}
		}
		for n := 0; n < whole; n += step() {
			b.put(t, name, data[:n])
			args := commands[n/step()%len(commands)]
			if code, _, text := run(t, args...); code != 2 || !strings.Contains(text, name) {
				t.Errorf("%s, %d bytes, %q: exit code %d, %q", name, n, args[0], code, text)
			}
		}
		b.put(t, name, data)
	}
}

// A field that is called otherwise, is there twice or has another type is an
// error of one line that names the file. Whatever else a field may become,
// every command copes.
func TestMutatedFieldsGiveOneClearError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(filepath.Dir(b.dir), "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		data := b.files[name]
		readers, others := b.readers(), b.others()
		strict := readers[:3]
		if name == "schedule.min.json" {
			strict = others[8:9]
		}
		for i, f := range fieldsOf(t, data) {
			if i%step() != 0 {
				continue
			}
			for j, m := range f.mutations(data) {
				tried++
				b.put(t, name, m.text)
				if m.wrong {
					args := strict[(i+j)%len(strict)]
					if code, _, text := run(t, args...); code != 2 || !strings.Contains(text, name) {
						t.Errorf("%s, %s %s, %q: exit code %d, %q", name, f.path, m.how, args[0], code, text)
					}
					continue
				}
				run(t, readers[tried%len(readers)]...)
				run(t, others[tried%len(others)]...)
			}
		}
		b.put(t, name, data)
	}
	if tried*step() < 500 {
		t.Errorf("only %d mutations were tried", tried)
	}
}

// A directory that is no artifact is told as such by every command.
func TestDirectoriesThatAreNoArtifact(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Dir(file), filepath.Join(filepath.Dir(file), "none"), "", "\x00", "a\nb"} {
		b := bench{dir: dir}
		for _, args := range b.readers() {
			if code, _, text := run(t, args...); code != 2 {
				t.Errorf("%q: exit code %d, %q", args, code, text)
			}
		}
	}
}

func FuzzArtifact(f *testing.F) {
	b := newBench(f)
	f.Add(b.files["report.json"], b.files["trace.jsonl"], b.files["history.jsonl"], b.files["schedule.json"], uint8(0))
	f.Add([]byte("{}"), []byte(`{"format":"faultline/trace","version":1}`+"\n"), []byte{}, []byte("[]"), uint8(3))
	f.Fuzz(func(t *testing.T, report, trace, history, schedule []byte, which uint8) {
		b := newBench(t)
		if err := os.Mkdir(filepath.Join(filepath.Dir(b.dir), "pkg"), 0o755); err != nil {
			t.Fatal(err)
		}
		b.put(t, "report.json", report)
		b.put(t, "trace.jsonl", trace)
		b.put(t, "history.jsonl", history)
		b.put(t, "schedule.json", schedule)
		commands := append(b.readers(), b.others()...)
		run(t, commands[int(which)%len(commands)]...)
	})
}

// Output that cannot be written is an error, too.
func TestOutputThatCannotBeWritten(t *testing.T) {
	b := newBench(t)
	for _, args := range b.readers()[:9] {
		var stderr bytes.Buffer
		code := cli.Run(args, cli.Env{Out: full{}, Err: &stderr, Lookup: os.LookupEnv})
		if code != 2 || !strings.Contains(stderr.String(), "no space") {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space: %w", io.ErrShortWrite) }

// Records whose kinds are empty or hold separators are shown like all others.
func TestRecordsWithOddKinds(t *testing.T) {
	b := newBench(t)
	data := b.files["trace.jsonl"]
	for _, odd := range [][2]string{
		{`"kind":"timer"`, `"kind":""`},
		{`"kind":"disk/write","attrs":{"file":"log"`, `"kind":"a","attrs":{"b":"x"`},
		{`"kind":"node/boot"`, `"kind":"a\u0000b\u0001text"`},
		{`"kind":"node/power-loss"`, `"kind":"/","attrs":{"":""}`},
	} {
		data = bytes.Replace(data, []byte(odd[0]), []byte(odd[1]), 1)
	}
	b.put(t, "trace.jsonl", data)
	for _, args := range append([][]string{{"render", b.dir}}, b.readers()...) {
		if code, _, text := run(t, args...); code == 2 {
			t.Errorf("%q: %s", args, text)
		}
	}
}
