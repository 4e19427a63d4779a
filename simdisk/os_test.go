package simdisk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// Errors can be told apart as those of package os.
func TestErrorsAreThoseOfOS(t *testing.T) {
	b := plain(t)
	b.ok(b.v.MkdirAll("d/e", 0))
	b.ok(b.v.MkdirAll("d/e", 0))
	b.ok(b.v.WriteFile("f", []byte("x"), 0))
	open := func(name string, flag int) error {
		_, err := b.v.OpenFile(name, flag, 0)
		return err
	}
	reader, err := b.v.Open("f")
	b.ok(err)
	writer, err := b.v.OpenFile("f", os.O_WRONLY, 0)
	b.ok(err)
	appender, err := b.v.OpenFile("f", os.O_WRONLY|os.O_APPEND, 0)
	b.ok(err)
	closed := b.create("g")
	b.ok(closed.Close())
	dir, err := b.v.Open("d")
	b.ok(err)
	one := func(_ any, err error) error { return err }
	for _, c := range []struct {
		what string
		err  error
		want error
		text string
	}{
		{"open missing", open("x", os.O_RDWR), fs.ErrNotExist, "open x: file does not exist"},
		{"open below missing", open("x/y", os.O_CREATE), fs.ErrNotExist, ""},
		{"open below file", open("f/y", os.O_RDONLY), syscall.ENOTDIR, ""},
		{"exclusive", open("f", os.O_CREATE|os.O_EXCL|os.O_RDWR), fs.ErrExist, "open f: file already exists"},
		{"write directory", open("d", os.O_RDWR), syscall.EISDIR, ""},
		{"create directory", open("d", os.O_CREATE), syscall.EISDIR, ""},
		{"rooted path", open("/f", os.O_RDONLY), fs.ErrInvalid, "open /f: invalid argument"},
		{"climbing path", open("d/../f", os.O_RDONLY), fs.ErrInvalid, ""},
		{"sync flag", open("f", os.O_RDWR|os.O_SYNC), fs.ErrInvalid, ""},
		{"both access modes", open("f", os.O_RDWR|os.O_WRONLY), fs.ErrInvalid, ""},
		{"mkdir over file", b.v.Mkdir("f", 0), fs.ErrExist, "mkdir f: file already exists"},
		{"mkdirall over file", b.v.MkdirAll("f/x", 0), syscall.ENOTDIR, ""},
		{"remove missing", b.v.Remove("x"), fs.ErrNotExist, ""},
		{"remove full", b.v.Remove("d"), syscall.ENOTEMPTY, ""},
		{"remove root", b.v.Remove("."), fs.ErrInvalid, ""},
		{"rename missing", b.v.Rename("x", "y"), fs.ErrNotExist, "rename x y: file does not exist"},
		{"rename file over directory", b.v.Rename("f", "d"), syscall.EISDIR, ""},
		{"rename directory over file", b.v.Rename("d", "f"), syscall.ENOTDIR, ""},
		{"rename over full directory", b.v.Rename("d/e", "d"), syscall.ENOTEMPTY, ""},
		{"rename into itself", b.v.Rename("d", "d/e/x"), fs.ErrInvalid, ""},
		{"rename root", b.v.Rename(".", "r"), fs.ErrInvalid, ""},
		{"syncdir of file", b.v.SyncDir("f"), syscall.ENOTDIR, ""},
		{"syncdir of missing", b.v.SyncDir("x"), fs.ErrNotExist, "sync-dir x: file does not exist"},
		{"readdir of file", one(b.v.ReadDir("f")), syscall.ENOTDIR, ""},
		{"stat missing", one(b.v.Stat("x")), fs.ErrNotExist, ""},
		{"read directory", one(dir.Read(make([]byte, 1))), syscall.EISDIR, ""},
		{"write read-only", one(reader.Write([]byte("x"))), syscall.EBADF, ""},
		{"truncate read-only", reader.Truncate(0), syscall.EBADF, ""},
		{"read write-only", one(writer.Read(make([]byte, 1))), syscall.EBADF, ""},
		{"offset in a file that is appended to", one(appender.WriteAt([]byte("x"), 0)), fs.ErrInvalid, "write f: invalid argument"},
		{"negative offset", one(writer.WriteAt([]byte("x"), -1)), fs.ErrInvalid, ""},
		{"huge offset", one(writer.WriteAt([]byte("x"), 1<<40)), syscall.EFBIG, ""},
		{"huge size", writer.Truncate(1 << 40), syscall.EFBIG, ""},
		{"negative size", writer.Truncate(-1), fs.ErrInvalid, ""},
		{"negative seek", one(writer.Seek(-1, io.SeekStart)), fs.ErrInvalid, ""},
		{"use after close", one(closed.Write([]byte("x"))), fs.ErrClosed, "append g: file already closed"},
		{"second close", closed.Close(), fs.ErrClosed, ""},
		{"stat after close", one(closed.Stat()), fs.ErrClosed, ""},
	} {
		if c.what == "use after close" {
			_, c.err = closed.Append([]byte("x"))
		}
		var pe *fs.PathError
		var le *os.LinkError
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &pe) && !errors.As(c.err, &le) {
			t.Errorf("%s: %v, want %v in a PathError or LinkError", c.what, c.err, c.want)
		} else if c.text != "" && c.err.Error() != c.text {
			t.Errorf("%s: %q, want %q", c.what, c.err, c.text)
		}
	}
}

// handle is what a file of the simulation and one of package os have in common.
type handle interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
	Truncate(size int64) error
	ReadDir(n int) ([]fs.DirEntry, error)
}

// TestAsOS: what can be done with a handle is what can be done with one of package
// os, on every platform on which that syncs directories.
func TestAsOS(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("its directories cannot be synced")
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	b := plain(t)
	b.ok(b.v.Mkdir("d", 0o755))
	b.ok(root.Mkdir("d", 0o755))
	one := func(_ any, err error) error { return err }
	x := []byte("x")
	for _, open := range []struct {
		name string
		flag int
	}{
		{"d", os.O_RDONLY}, {"r", os.O_RDONLY | os.O_CREATE}, {"w", os.O_WRONLY | os.O_CREATE}, {"rw", os.O_RDWR | os.O_CREATE},
		{"a", os.O_WRONLY | os.O_CREATE | os.O_APPEND}, {"ra", os.O_RDWR | os.O_CREATE | os.O_APPEND},
	} {
		ours, err := b.v.OpenFile(open.name, open.flag, 0o600)
		b.ok(err)
		theirs, err := root.OpenFile(open.name, open.flag, 0o600)
		b.ok(err)
		for _, c := range []struct {
			what string
			do   func(f handle) error
		}{
			{"Write", func(f handle) error { return one(f.Write(x)) }},
			{"WriteAt", func(f handle) error { return one(f.WriteAt(x, 1)) }},
			{"Seek", func(f handle) error { return one(f.Seek(0, io.SeekStart)) }},
			{"Read", func(f handle) error { return one(f.Read(make([]byte, 1))) }},
			{"ReadAt", func(f handle) error { return one(f.ReadAt(make([]byte, 1), 0)) }},
			{"Truncate", func(f handle) error { return f.Truncate(3) }},
			{"ReadDir", func(f handle) error { return one(f.ReadDir(0)) }},
			{"Sync", func(f handle) error { return f.Sync() }},
			{"Close", func(f handle) error { return f.Close() }},
			{"second Close", func(f handle) error { return f.Close() }},
		} {
			if got, want := c.do(ours), c.do(theirs); (got == nil) != (want == nil) {
				t.Errorf("%s of %q: %v, but package os says %v", c.what, open.name, got, want)
			}
		}
	}
}

// TestSyncOfADirectoryHandle: it is what SyncDir does, also after a rename.
func TestSyncOfADirectoryHandle(t *testing.T) {
	for _, synced := range []bool{false, true} {
		b := plain(t)
		b.ok(b.v.Mkdir("d", 0))
		b.ok(b.v.SyncDir("."))
		dir, err := b.v.Open("d")
		b.ok(err)
		b.ok(b.create("d/f").Close())
		b.ok(b.v.Rename("d", "e"))
		if synced {
			b.ok(dir.Sync())
		}
		b.ok(b.v.SyncDir("."))
		b.lose(simdisk.LoseAll)
		if _, err := b.v.Stat("e/f"); (err == nil) != synced {
			t.Errorf("the directory was synced: %t, and its file: %v", synced, err)
		}
	}
}

func TestReadWriteSeek(t *testing.T) {
	b := plain(t)
	f := b.create("a")
	for _, s := range []string{"hello ", "world"} {
		n, err := io.WriteString(f, s)
		if n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	pos, err := f.Seek(-5, io.SeekEnd)
	b.ok(err)
	if pos != 6 {
		t.Errorf("position %d, want 6", pos)
	}
	rest, err := io.ReadAll(f)
	b.ok(err)
	if string(rest) != "world" {
		t.Errorf("read %q", rest)
	}
	if n, err := f.ReadAt(make([]byte, 10), 8); n != 3 || err != io.EOF {
		t.Errorf("ReadAt: %d %v, want 3 and EOF", n, err)
	}
	b.ok(f.Truncate(3))
	b.ok(f.Allocate(2))
	b.ok(f.Allocate(5))
	g, err := b.v.OpenFile("a", os.O_WRONLY|os.O_APPEND, 0)
	b.ok(err)
	_, err = g.Write([]byte("!"))
	b.ok(err)
	_, err = f.WriteAt([]byte("?"), 8)
	b.ok(err)
	b.has("a", "hel\x00\x00!\x00\x00?")
	b.ok(b.v.Rename("a", "b"))
	b.put(f, "+")
	b.has("b", "hel\x00\x00!\x00\x00?+")
	b.ok(b.v.Remove("b"))
	_, err = f.ReadAt(make([]byte, 1), 0)
	b.ok(err)
}

func TestIOFS(t *testing.T) {
	b := plain(t)
	b.ok(b.v.MkdirAll("d/e", 0))
	files := []string{"a", "d/b", "d/e/c", "d/empty"}
	for _, name := range files {
		f := b.create(name)
		if name != "d/empty" {
			b.put(f, "content of "+name)
		}
		b.ok(f.Sync())
	}
	for _, dir := range []string{".", "d", "d/e"} {
		b.ok(b.v.SyncDir(dir))
	}
	if err := fstest.TestFS(b.v.FS(), files...); err != nil {
		t.Error("FS:", err)
	}
	if err := fstest.TestFS(b.v.Durable(), files...); err != nil {
		t.Error("Durable:", err)
	}
	before := dump(b.v.Durable())
	b.put(b.create("unsynced"), "x")
	if got := dump(b.v.Durable()); got != before {
		t.Errorf("durable is %q, want %q", got, before)
	}
	b.lose(simdisk.LoseAll)
	if got := dump(b.v.FS()); got != before {
		t.Errorf("after a power loss that loses all %q, want the durable %q", got, before)
	}
}

// Every mistake of a caller is an error that names the value and the fix.
func TestMessages(t *testing.T) {
	s := kernel.New(kernel.Config{})
	other := kernel.New(kernel.Config{})
	idle := func(*kernel.Node) kernel.Handler { return kernel.Idle{} }
	n := s.AddMachine("n1", idle)
	ds, err := simdisk.New(s, simdisk.Config{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := ds.Attach(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.WriteFile("a", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	config := func(c simdisk.Config) error {
		_, err := simdisk.New(s, c)
		return err
	}
	two := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{two(simdisk.New(nil, simdisk.Config{})), "simdisk: New needs a simulator, got nil"},
		{config(simdisk.Config{SectorSize: 100}), "simdisk: Config.SectorSize is 100; use a power of two from 16 to 65536, or 0 for 512"},
		{config(simdisk.Config{Capacity: -1}), "simdisk: Config.Capacity is -1; use a number of bytes, or 0 for no limit"},
		{config(simdisk.Config{Latency: simdisk.Latency{Sync: simdisk.Delay{Min: -1}}}), "simdisk: Config.Latency.Sync is -1ns to 0s; delays must not be negative"},
		{config(simdisk.Config{Crash: 99}), "simdisk: Config.Crash is 99; use one of the Profile constants"},
		{two(ds.Attach(nil)), "simdisk: Attach needs a node, got nil"},
		{two(ds.Attach(n)), `simdisk: node "n1" has a volume already; each node has one, see Disks.Volume`},
		{two(ds.Attach(other.AddMachine("x", idle))), `simdisk: node "x" belongs to another run; attach it to disks of its own run`},
		{v.SetCrashProfile(77), "simdisk: crash profile is 77; use one of the Profile constants"},
		{v.SetNextCrash(77), "simdisk: crash profile is 77; use one of the Profile constants"},
		{two(v.FailSync(simdisk.FailSync{})), "simdisk: FailSync.Mode is 0; use one of the FailMode constants"},
		{two(v.FailWrites(simdisk.Fail{Match: "["})), `simdisk: pattern "[" cannot be read: syntax error in pattern; see path.Match`},
		{two(v.FailReads(simdisk.Fail{PPM: 1_000_001})), "simdisk: PPM is 1000001; use 0 to 1000000"},
		{two(v.Slow(0)), "simdisk: Slow factor is 0; use 1 to 1000000"},
		{two(v.Full(-1)), "simdisk: Full leaves -1 bytes; use 0 or more"},
		{two(v.Corrupt("b", 0, 0, 1)), "simdisk: cannot corrupt open b: file does not exist"},
		{two(v.Corrupt("a", -1, 0, 1)), `simdisk: Corrupt region of "a" is 0 bytes at -1; neither must be negative`},
		{two(v.Corrupt("a", 0, 0, 0)), `simdisk: Corrupt flips 0 bits of "a"; use 1 to 1024`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	if ds.Volume(n) != v || len(ds.Volumes()) != 1 || v.Node() != n {
		t.Error("the volume is not found again")
	}
}
