package simdisk

import (
	"fmt"
	"path"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// Effect is a fault that is on. Effects add up; each is taken back by itself.
type Effect struct {
	d      *disk
	kind   effectKind
	match  string
	mode   FailMode
	left   uint64 // operations still to fail; meaningless when always
	always bool
	ppm    uint32
	stream kernel.Stream
	factor int64 // of slowEffect
	of     int   // of slowEffect: the classes, a bit for each
	limit  int64 // of fullEffect: most bytes that may be used; of inodeEffect: most files
	lag    int64 // of jitterEffect
	held   []*call
	ro     bool // of syncFault: the volume is read-only for it
	met    uint64
	undone bool
}

type effectKind uint8

// The first kinds are faults of operations, see [disk.fault].
const (
	syncFault effectKind = iota
	writeFault
	readFault
	faultKinds
	slowEffect
	fullEffect
	rotEffect
	readOnlyEffect
	inodeEffect
	jitterEffect
	stallEffect
)

// Undo takes the effect back. What it has done to files stays, apart from
// [Volume.Corrupt]. A second call does nothing.
func (e *Effect) Undo() {
	if e.undone {
		return
	}
	e.undone = true
	list := e.d.effects
	for i, o := range list {
		if o == e {
			e.d.effects = append(list[:i], list[i+1:]...)
			break
		}
	}
	switch e.kind {
	case rotEffect:
		e.d.unrot(e)
	case stallEffect:
		e.d.goOn(e)
	}
	e.ro = false
	e.d.restrictions()
}

// Met returns how many operations the effect has changed so far. A sync with
// nothing to write, for example, is not changed by a fault of syncs. An effect
// that has met nothing was inert.
func (e *Effect) Met() uint64 { return e.met }

// FailMode is what a failed sync does with the pages that it did not write.
type FailMode uint8

const (
	// DropDirty marks the pages clean without having written them, as ext4, XFS
	// and Btrfs were all found to do (Rebello et al., Can Applications Recover
	// from fsync Failures?, USENIX ATC 2020). Reads still see the new bytes until
	// the power is lost, the next sync succeeds without writing them, and what
	// is written later is written without them. File systems differ in what
	// reads see; that none of the dropped bytes reaches the device is the worst
	// that may happen. Every handle that was open is told once, as on Linux
	// since 4.13.
	DropDirty FailMode = 1 + iota
	// KeepDirty leaves the pages dirty, so that the next sync writes them: what
	// programs wrongly expect, and FreeBSD has done since 1999 (PostgreSQL wiki,
	// Fsync Errors).
	KeepDirty
	// NextHandle is DropDirty of which the sync says nothing: the next sync of
	// the file on any other handle is told, and nobody after that. Before Linux
	// 4.13 an error of the page cache was told to whoever synced first.
	NextHandle
	// LateError is DropDirty of which the sync says nothing: the next sync of the
	// file is told, on whatever handle. Rebello et al. saw it with ext4 in
	// data=journal mode.
	LateError
	// Lie is a device that answers and writes nothing. What it has is lost with
	// the power, unless an honest sync comes before.
	Lie
	// NoSpace is a sync that fails with syscall.ENOSPC and leaves the pages dirty:
	// space that is allocated when pages are written back, and is not there.
	NoSpace
	// GoReadOnly is KeepDirty after which the volume is read-only, until the
	// effect is taken back or the power is lost; see [Volume.ReadOnly].
	GoReadOnly
)

var failModeNames = [...]string{"drop-dirty", "keep-dirty", "next-handle", "late-error", "lie", "no-space", "go-read-only"}

// String returns the mode in words, such as "drop-dirty".
func (m FailMode) String() string {
	if m < DropDirty || m > GoReadOnly {
		return fmt.Sprintf("FailMode(%d)", uint8(m))
	}
	return failModeNames[m-1]
}

// ParseFailMode reads what [FailMode.String] writes. The error lists the names.
func ParseFailMode(name string) (FailMode, error) {
	for m := DropDirty; m <= GoReadOnly; m++ {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("simdisk: mode of a failed sync is %q; use %s", name, strings.Join(failModeNames[:], ", "))
}

// Fail says which operations fail. The zero value is all of them, always.
type Fail struct {
	// Match is a pattern of [path.Match]: with a slash for the whole path of
	// the file, without one for its last element. Empty matches every path.
	Match string
	// Times is after how many failed operations the effect has no more
	// effect. 0 means until it is undone.
	Times uint64
	// PPM is the share of operations that fail, in millionths, decided for
	// each by a choice of its own: disk/<node>/sync-fail, write-fail or
	// read-fail, numbered by the operations of that sort on the volume. 0 means
	// that all fail, without a choice.
	PPM uint32
	// ID tells effects with a PPM apart: those with equal IDs decide alike. It
	// is the name of the rule that the effect comes from, and may be empty.
	ID string
}

// FailSync says which syncs fail and how.
type FailSync struct {
	Fail
	Mode FailMode // what becomes of the unwritten pages
}

// FailSync makes syncs fail, with syscall.EIO where the mode does not say
// otherwise. Failed syncs of directories keep the pending names in every mode,
// because those are in the journal and not in pages. A sync with nothing to
// write does not fail. The choice that is made for each sync when f has a PPM has
// the number of the mode as its value. The error returned here names a wrong
// value.
func (v *Volume) FailSync(f FailSync) (*Effect, error) {
	if f.Mode < DropDirty || f.Mode > GoReadOnly {
		return nil, fmt.Errorf("simdisk: FailSync.Mode is %d; use one of the FailMode constants", f.Mode)
	}
	return v.d.failing(syncFault, f.Mode, f.Fail)
}

// FailWrites is [Volume.FailWritesAs] with WriteError.
func (v *Volume) FailWrites(f Fail) (*Effect, error) { return v.FailWritesAs(WriteError, f) }

// FailReads makes reads fail with syscall.EIO.
func (v *Volume) FailReads(f Fail) (*Effect, error) { return v.d.failing(readFault, 1, f) }

func (d *disk) failing(k effectKind, mode FailMode, f Fail) (*Effect, error) {
	if _, err := path.Match(f.Match, ""); err != nil {
		return nil, fmt.Errorf("simdisk: pattern %q cannot be read: %w; see path.Match", f.Match, err)
	}
	if f.PPM > 1_000_000 {
		return nil, fmt.Errorf("simdisk: PPM is %d; use 0 to 1000000", f.PPM)
	}
	e := &Effect{kind: k, match: f.Match, mode: mode, left: f.Times, always: f.Times == 0, ppm: f.PPM}
	if f.PPM > 0 {
		e.stream = d.points[k].Stream().Derive(f.ID)
	}
	return d.add(e), nil
}

func (d *disk) add(e *Effect) *Effect {
	e.d = d
	d.effects = append(d.effects, e)
	return e
}

// applies reports whether a fault effect of kind k is about x.
func (e *Effect) applies(k effectKind, x *inode) bool {
	if e.kind != k || !e.always && e.left == 0 {
		return false
	}
	if e.match == "" {
		return true
	}
	name := x.path()
	if !strings.Contains(e.match, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(e.match, name)
	return ok
}

func (e *Effect) hit() {
	e.met++
	if !e.always {
		e.left--
	}
}

// count numbers the operations that a kind of fault could hit.
func (d *disk) count(k effectKind) uint64 {
	n := d.counts[k]
	d.counts[k]++
	return n
}

// fault decides whether operation n of a kind fails, and how; 0 is not. can
// says whether there is anything to fail.
func (d *disk) fault(k effectKind, n uint64, x *inode, can bool) FailMode {
	point := d.points[k]
	if len(d.effects) == 0 && !point.Replaying() {
		return 0
	}
	drawn, ask := FailMode(0), point.Replaying()
	var by *Effect
	for _, e := range d.effects {
		switch {
		case !e.applies(k, x):
		case e.ppm == 0:
			if can {
				e.hit()
				d.hurt(k, e.mode, e)
				return e.mode
			}
		default:
			ask = true
			if by == nil {
				by = e
			}
			if drawn == 0 && can && e.stream.PPM(n, e.ppm) {
				drawn, by = e.mode, e
			}
		}
	}
	if !ask {
		return 0
	}
	mode := FailMode(point.SettleWithin(n, int64(drawn), int64(mostModes[k])))
	if mode == 0 || !can {
		return 0
	}
	if by != nil {
		by.hit()
	}
	d.hurt(k, mode, by)
	return mode
}

// mostModes are the largest values of the choices about operations.
var mostModes = [faultKinds]FailMode{syncFault: GoReadOnly, writeFault: FailMode(MisdirectedWrite), readFault: 1}
