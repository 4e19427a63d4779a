package simdisk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// golden compares got with a file under testdata/golden, or writes the file
// when UPDATE_GOLDEN is set:
//
//	UPDATE_GOLDEN=1 go test -run Golden .
//
// The hashes may change when the disk makes other choices or writes other
// records: that breaks recorded schedules and belongs into the changelog.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is out of date; see the comment at golden. Got:\n%s", file, got)
	}
}

// goldenRun is a node with all three fronts under every sort of fault.
func goldenRun(t *testing.T, seed uint64) *bench {
	b := newBench(t, kernel.Config{Seed: seed, Level: kernel.LevelFull}, simdisk.Config{SectorSize: 64, Capacity: 60_000})
	b.failSync(simdisk.FailSync{Fail: simdisk.Fail{PPM: 100_000}, Mode: simdisk.FailMode(1 + seed%2)})
	_, err := b.v.FailWrites(simdisk.Fail{PPM: 20_000})
	b.ok(err)
	_, err = b.v.FailReads(simdisk.Fail{PPM: 20_000})
	b.ok(err)
	b.n.SetFactory(func(n *kernel.Node) kernel.Handler {
		n.Go("log", func(p *kernel.Proc) { logProgram(b.v.In(p), p) })
		n.AfterFunc(time.Millisecond, func() { callbackProgram(b.v, n) })
		return kernel.Idle{}
	})
	b.n.Start()
	for i := range 6 {
		b.sim.After(time.Duration(20+30*i)*time.Millisecond, func() {
			switch i {
			case 1:
				b.n.Kill()
			case 3:
				b.n.Pause()
				return
			default:
				b.n.Resume()
				b.n.PowerLoss()
			}
			b.n.Start()
		})
	}
	b.sim.RunFor(250 * time.Millisecond)
	b.v.Corrupt("log-0001", 0, 0, 2)
	b.v.ReadFile("log-0001")
	return b
}

func logProgram(v *simdisk.Volume, p *kernel.Proc) {
	for i := 0; ; i++ {
		w, err := openWAL(v, bugs{trustCache: true})
		for j := 0; err == nil && j < 20; j++ {
			err = w.add(fmt.Sprintf("%d.%d", i, j))
		}
		p.Sleep(time.Millisecond)
	}
}

func callbackProgram(v *simdisk.Volume, n *kernel.Node) {
	f, err := v.OpenFile("journal", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0)
	if err != nil {
		return
	}
	v.Submit(simdisk.Op{Kind: simdisk.SyncDir, Path: "."}, func(simdisk.Result) {})
	var next func(int)
	next = func(i int) {
		f.AppendThen(bytes.Repeat([]byte{byte('a' + i%26)}, 1+n.Rand().IntN(300)), func(int, error) {})
		f.SyncThen(func(error) { next(i + 1) })
	}
	next(0)
}

func TestGoldenHashes(t *testing.T) {
	var out strings.Builder
	for seed := range uint64(24) {
		b := goldenRun(t, seed)
		r := b.sim.RunFor(0)
		if f := b.sim.Failure(); f != nil {
			t.Fatal(f)
		}
		s := b.v.Stats()
		fmt.Fprintf(&out, "seed %d: %x after %d events, %d choices; %d kept %d lost %d torn %d failed\n",
			seed, r.Hash[:8], r.Events, len(b.sim.Choices()), s.Kept, s.Lost, s.Torn, s.Failures)
		b.sim.Close()
	}
	golden(t, "hashes.txt", out.String())
}

// The scenarios under testdata/scenarios are scripts, run with seed 1 unless
// their first line says otherwise; what each command
// answers and what it leaves in the trace is under testdata/golden.
func TestGoldenScenarios(t *testing.T) {
	scripts, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		seed := uint64(1)
		fmt.Sscanf(string(text), "# Seed %d.", &seed)
		b := newBench(t, kernel.Config{Seed: seed, Level: kernel.LevelFull}, simdisk.Config{Capacity: 5000})
		var out strings.Builder
		handles := map[string]*simdisk.File{}
		for line := range strings.Lines(string(text)) {
			out.WriteString(line)
			words := strings.Fields(line)
			if len(words) == 0 || words[0] == "#" {
				continue
			}
			before := b.sim.RecordCount()
			answer, err := b.command(handles, words)
			if err != nil {
				answer = "error: " + word(err)
			}
			if answer != "" {
				fmt.Fprintf(&out, "  %s\n", answer)
			}
			for r := range b.sim.Records() {
				if r.Index >= before {
					fmt.Fprintf(&out, "    %s\n", strings.TrimPrefix(recordLine(r), "0s "))
				}
			}
		}
		golden(t, filepath.Base(script), out.String())
	}
}

// word names an error without the system's text, which differs.
func word(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return "in " + pe.Op + " of " + pe.Path
	}
	return err.Error()
}

// command runs one line of a scenario.
func (b *bench) command(handles map[string]*simdisk.File, w []string) (string, error) {
	arg := func(i int) string {
		if i < len(w) {
			return w[i]
		}
		return ""
	}
	num := func(i int) int64 {
		n, _ := strconv.ParseInt(arg(i), 10, 64)
		return n
	}
	f := handles[arg(1)]
	var err error
	switch w[0] {
	case "boot":
		b.n.Start()
		b.sim.RunUntil(b.sim.Now())
	case "kill":
		b.n.Kill()
	case "power-loss":
		for p := range simdisk.Torn + 1 {
			if p.String() == arg(1) {
				b.ok(b.v.SetNextCrash(p))
			}
		}
		b.n.PowerLoss()
	case "open":
		handles[arg(1)], err = b.v.OpenFile(arg(1), os.O_RDWR|os.O_CREATE, 0)
	case "append":
		_, err = f.Append(bytes.Repeat([]byte(arg(2)), int(max(num(3), 1))))
	case "truncate":
		err = f.Truncate(num(2))
	case "sync":
		err = f.Sync()
	case "close":
		err = f.Close()
	case "sync-dir":
		err = b.v.SyncDir(arg(1))
	case "mkdir":
		err = b.v.Mkdir(arg(1), 0)
	case "rename":
		err = b.v.Rename(arg(1), arg(2))
	case "remove":
		err = b.v.Remove(arg(1))
	case "fail-sync":
		mode := simdisk.DropDirty
		if arg(1) == "keep-dirty" {
			mode = simdisk.KeepDirty
		}
		_, err = b.v.FailSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: mode})
	case "corrupt":
		_, err = b.v.Corrupt(arg(1), 0, 0, 1)
	case "show":
		return "files:" + sizes(b.v.FS()), nil
	case "durable":
		return "durable:" + sizes(b.v.Durable()), nil
	default:
		err = fmt.Errorf("unknown command %q", w[0])
	}
	return "", err
}

// sizes lists the files of a file system with their sizes.
func sizes(fsys fs.FS) string {
	out := ""
	fs.WalkDir(fsys, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := e.Info()
		if err == nil && e.IsDir() {
			out += " " + path + "/"
		} else if err == nil {
			out += fmt.Sprintf(" %s(%d)", path, info.Size())
		}
		return err
	})
	return out
}
