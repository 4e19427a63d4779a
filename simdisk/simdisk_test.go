package simdisk_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const writeOnly = os.O_WRONLY

// bench is a run with one node that has a volume.
type bench struct {
	t   testing.TB
	sim *kernel.Sim
	n   *kernel.Node
	v   *simdisk.Volume
}

func newBench(t testing.TB, kc kernel.Config, dc simdisk.Config) *bench {
	t.Helper()
	s := kernel.New(kc)
	ds, err := simdisk.New(s, dc)
	if err != nil {
		t.Fatal(err)
	}
	n := s.AddMachine("n1", func(*kernel.Node) kernel.Handler { return kernel.Idle{} })
	v, err := ds.Attach(n)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, s, n, v}
}

func plain(t testing.TB) *bench {
	return newBench(t, kernel.Config{Level: kernel.LevelFull}, simdisk.Config{})
}

// lose takes the power with a profile.
func (b *bench) lose(p simdisk.Profile) {
	b.t.Helper()
	b.ok(b.v.SetNextCrash(p))
	b.n.PowerLoss()
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) create(name string) *simdisk.File {
	b.t.Helper()
	f, err := b.v.Create(name)
	b.ok(err)
	return f
}

func (b *bench) put(f *simdisk.File, s string) {
	b.t.Helper()
	_, err := f.Append([]byte(s))
	b.ok(err)
}

// has checks the content of a file; "-" means that it is not there.
func (b *bench) has(name, want string) {
	b.t.Helper()
	got, err := b.v.ReadFile(name)
	s := string(got)
	if errors.Is(err, fs.ErrNotExist) {
		s = "-"
	} else if err != nil {
		s = err.Error()
	}
	if s != want {
		b.t.Errorf("%s holds %q, want %q", name, s, want)
	}
}

func TestFileSyncIsNotItsName(t *testing.T) {
	for _, syncDir := range []bool{false, true} {
		b := plain(t)
		f := b.create("a")
		b.put(f, "x")
		b.ok(f.Sync())
		if syncDir {
			b.ok(b.v.SyncDir("."))
		}
		b.lose(simdisk.LoseAll)
		want := "-"
		if syncDir {
			want = "x"
		}
		b.has("a", want)
	}
}

func TestNameIsNotItsData(t *testing.T) {
	b := plain(t)
	b.put(b.create("a"), "x")
	b.ok(b.v.SyncDir("."))
	b.lose(simdisk.LoseAll)
	b.has("a", "")
}

// A rename that was not synced is lost and brings the replaced file back; one
// that was kept by the crash is there to stay.
func TestRenameIsLostOrKept(t *testing.T) {
	for _, p := range []simdisk.Profile{simdisk.LoseAll, simdisk.KeepAll} {
		b := plain(t)
		for _, name := range []string{"old", "tmp"} {
			f := b.create(name)
			b.put(f, name)
			b.ok(f.Sync())
			b.ok(f.Close())
		}
		b.ok(b.v.SyncDir("."))
		b.ok(b.v.Rename("tmp", "old"))
		b.has("old", "tmp")
		b.lose(p)
		if p == simdisk.LoseAll {
			b.has("old", "old")
			b.has("tmp", "tmp")
		} else {
			b.has("old", "tmp")
			b.has("tmp", "-")
		}
		state := dump(b.v.FS())
		b.lose(simdisk.LoseAll)
		if got := dump(b.v.FS()); got != state {
			t.Errorf("a second power loss changed %q to %q", state, got)
		}
	}
}

func TestKillKeepsTheCache(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	b.put(b.create("a"), "x")
	b.n.Kill()
	b.has("a", "x")
	b.n.PowerLoss() // drawn, but LoseAll must be possible: see below
	b.ok(nil)
	b = plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	b.put(b.create("a"), "x")
	b.n.Kill()
	b.lose(simdisk.LoseAll)
	b.has("a", "-")
}

// dump writes a file system as text: every path with its content.
func dump(fsys fs.FS) string {
	out := ""
	err := fs.WalkDir(fsys, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		out += path
		if e.IsDir() {
			out += "/ "
			return nil
		}
		b, err := fs.ReadFile(fsys, path)
		out += "=" + string(b) + " "
		return err
	})
	if err != nil {
		return err.Error()
	}
	return out
}
