package simdisk_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/simdisk"
)

// journal is a small log: records with a length and a checksum, appended to one
// file that is replaced by a shorter one now and then.
type journal struct {
	vol  *simdisk.Volume
	file *simdisk.File
	recs []string

	noDirSync bool // bug: the new file's name is not synced
	noCheck   bool // bug: the checksum is not looked at
	noSync    bool // bug: the new file is not synced before it gets the name
}

func (j *journal) open() error {
	data, err := j.vol.ReadFile("journal")
	if err != nil {
		return j.rewrite() // there is none
	}
	for rest := data; len(rest) >= 8; {
		n, sum := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		if n == 0 || int64(n) > int64(len(rest)-8) {
			break
		}
		rec := rest[8 : 8+n]
		if !j.noCheck && crc32.ChecksumIEEE(rec) != sum {
			break
		}
		j.recs = append(j.recs, string(rec))
		rest = rest[8+n:]
	}
	return j.rewrite()
}

// rewrite puts all records into a new file, so that what follows them is gone
// and what was read is durable.
func (j *journal) rewrite() (err error) {
	if j.file, err = j.vol.Create("journal.new"); err != nil {
		return err
	}
	for _, rec := range j.recs {
		if _, err = j.file.Append(frame(rec)); err != nil {
			return err
		}
	}
	if !j.noSync {
		if err = j.file.Sync(); err != nil {
			return err
		}
	}
	if err = j.vol.Rename("journal.new", "journal"); err != nil || j.noDirSync {
		return err
	}
	return j.vol.SyncDir(".")
}

func (j *journal) add(rec string) error {
	if _, err := j.file.Append(frame(rec)); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	j.recs = append(j.recs, rec)
	return nil
}

func frame(rec string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(rec)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(rec)))
	return append(b, rec...)
}

// crashTest is the test of the journal: what add has acknowledged, and what open
// has served, is there after every crash, and nothing else.
func crashTest(with journal) simdisk.CrashTest {
	work := []string{"alpha", "beta", "gamma"}
	start := func(l *simdisk.Life) (*journal, error) {
		j := with
		j.vol = l.Volume
		return &j, j.open()
	}
	return simdisk.CrashTest{
		Config: simdisk.Config{SectorSize: 16},
		Run: func(l *simdisk.Life) error {
			j, err := start(l)
			if err != nil {
				return err
			}
			for _, rec := range work {
				if err := j.add(rec); err != nil {
					return err
				}
				l.Promise(rec)
			}
			return nil
		},
		Recover: func(l *simdisk.Life) error {
			j, err := start(l)
			if err != nil {
				return err
			}
			promised := l.Promised()
			for i, rec := range j.recs {
				if i >= len(work) || rec != work[i] {
					return fmt.Errorf("record %d is %q", i, rec)
				}
				if i >= len(promised) {
					l.Promise(rec) // served from now on
				}
			}
			if len(j.recs) < len(promised) {
				return fmt.Errorf("%q was promised and is lost", promised[len(j.recs)])
			}
			return nil
		},
	}
}

// A planted bug is found, with the crash that shows it: the name of the journal
// is not durable when the first record is acknowledged.
func ExampleCrashTest() {
	test := crashTest(journal{noDirSync: true})
	_, err := test.Check()
	fmt.Println(err)
	// Output:
	// "alpha" was promised and is lost
	//   power loss before append journal.new, change 6 of Run
	//     lost: link of journal.new
	//     lost: rename of journal.new to journal
	//   promised: alpha
}

// The journal lives through every crash, and each of its bugs is found.
func TestCrashTestFindsBugs(t *testing.T) {
	for _, c := range []struct {
		name    string
		with    journal
		profile simdisk.Profile
		crashes int    // that it takes
		want    string // of the finding; empty if there is none
	}{
		{"none", journal{}, simdisk.Posix, 0, ""},
		{"no directory sync", journal{noDirSync: true}, simdisk.Drawn, 1, `"alpha" was promised and is lost`},
		{"no directory sync, keep-all", journal{noDirSync: true}, simdisk.KeepAll, 0, ""},
		{"no checksum", journal{noCheck: true}, simdisk.Posix, 1, `record 1 is "\x00`},
		{"no checksum, ordered", journal{noCheck: true}, simdisk.Ordered, 0, ""},
		{"no sync of the new file", journal{noSync: true}, simdisk.Ordered, 2, `"alpha" was promised and is lost`},
	} {
		test := crashTest(c.with)
		test.Profile = c.profile
		report, err := test.Check()
		var found *simdisk.CrashError
		switch {
		case report.Ops < 10 || report.States < report.Ops:
			t.Errorf("%s: tried only %+v", c.name, report)
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "":
			continue
		case !errors.As(err, &found) || len(found.Crashes) != c.crashes || !strings.HasPrefix(found.Err.Error(), c.want):
			t.Errorf("%s: got %v, want %s after %d crashes", c.name, err, c.want, c.crashes)
		}
	}
}

func TestCrashTestRefuses(t *testing.T) {
	run := func(*simdisk.Life) error { return nil }
	for _, c := range []struct {
		test simdisk.CrashTest
		want string
	}{
		{simdisk.CrashTest{Run: run}, "simdisk: CrashTest needs both Run and Recover"},
		{simdisk.CrashTest{Run: run, Recover: run, States: -1}, "simdisk: CrashTest.States is -1; use 1 or more, or 0 for 256"},
		{simdisk.CrashTest{Run: run, Recover: run, Crashes: -1}, "simdisk: CrashTest.Crashes is -1; use 1 or more, or 0 for 2"},
		{simdisk.CrashTest{Run: run, Recover: run, Profile: 99}, "simdisk: CrashTest.Profile is 99; use one of the Profile constants"},
		{simdisk.CrashTest{Run: run, Recover: run, Config: simdisk.Config{Capacity: -1}}, "simdisk: Config.Capacity is -1; use a number of bytes, or 0 for no limit"},
		{simdisk.CrashTest{Run: func(*simdisk.Life) error { return errors.New("no") }, Recover: run}, "simdisk: CrashTest.Run failed without a crash: no"},
	} {
		if _, err := c.test.Check(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	panics := simdisk.CrashTest{Run: run, Recover: func(*simdisk.Life) error { panic("torn page") }}
	if _, err := panics.Check(); err == nil || !strings.HasPrefix(err.Error(), "panic: torn page\n") {
		t.Errorf("a panic in Recover: %v", err)
	}
}
