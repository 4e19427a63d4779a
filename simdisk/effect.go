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
	limit  int64 // of fullEffect: most bytes that may be used
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
	if e.kind == rotEffect {
		e.d.unrot(e)
	}
}

// Met returns how many operations the effect has changed so far. A sync with
// nothing to write, for example, is not changed by a fault of syncs. An effect
// that has met nothing was inert.
func (e *Effect) Met() uint64 { return e.met }

// FailMode is what a failed sync does with the pages that it did not write.
type FailMode uint8

const (
	// DropDirty marks the pages clean without having written them, as ext4 and
	// XFS do since Linux 4.13 (Rebello et al., Can Applications Recover from
	// fsync Failures?, USENIX ATC 2020). Reads still see the new bytes until
	// the power is lost, the next sync succeeds without writing them, and what
	// is written later is written without them. None of the dropped bytes
	// reaches the device: of what may happen that is the worst.
	DropDirty FailMode = 1 + iota
	// KeepDirty leaves the pages dirty, so that the next sync writes them: what
	// programs wrongly expect, and FreeBSD does.
	KeepDirty
)

// String returns "drop-dirty" or "keep-dirty".
func (m FailMode) String() string {
	switch m {
	case DropDirty:
		return "drop-dirty"
	case KeepDirty:
		return "keep-dirty"
	}
	return fmt.Sprintf("FailMode(%d)", uint8(m))
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

// FailSync makes syncs fail with syscall.EIO. Failed syncs of directories keep
// the pending names in either mode, because those are in the journal and not
// in pages. A sync with nothing to write does not fail. Other handles of the
// file are told of the error once, at their next sync. The error returned here
// names a wrong value.
func (v *Volume) FailSync(f FailSync) (*Effect, error) {
	if f.Mode != DropDirty && f.Mode != KeepDirty {
		return nil, fmt.Errorf("simdisk: FailSync.Mode is %d; use DropDirty or KeepDirty", f.Mode)
	}
	return v.d.failing(syncFault, f.Mode, f.Fail)
}

// FailWrites makes writes fail with syscall.EIO. They write nothing.
func (v *Volume) FailWrites(f Fail) (*Effect, error) { return v.d.failing(writeFault, 1, f) }

// FailReads makes reads fail with syscall.EIO.
func (v *Volume) FailReads(f Fail) (*Effect, error) { return v.d.failing(readFault, 1, f) }

// Slow makes every operation that takes time take factor times as long. The
// strongest of several that are on counts. The error says when factor is not
// from 1 to 1,000,000.
func (v *Volume) Slow(factor int) (*Effect, error) {
	if factor < 1 || factor > 1_000_000 {
		return nil, fmt.Errorf("simdisk: Slow factor is %d; use 1 to 1000000", factor)
	}
	return v.d.add(&Effect{kind: slowEffect, factor: int64(factor)}), nil
}

// Full takes space, so that only free more bytes can be written. The error
// says when free is negative.
func (v *Volume) Full(free int64) (*Effect, error) {
	if free < 0 {
		return nil, fmt.Errorf("simdisk: Full leaves %d bytes; use 0 or more", free)
	}
	return v.d.add(&Effect{kind: fullEffect, limit: v.d.used + free}), nil
}

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
	mode := FailMode(point.SettleWithin(n, int64(drawn), int64(KeepDirty)))
	if mode == 0 || !can {
		return 0
	}
	if by != nil {
		by.hit()
	}
	return mode
}

// room returns how many of the bytes wanted there is space for, and lets the
// effects that are short of it know.
func (d *disk) room(want int64) int64 {
	room := max(want, 0)
	if d.cfg.Capacity > 0 {
		room = min(room, max(d.cfg.Capacity-d.used, 0))
	}
	for _, e := range d.effects {
		if left := e.limit - d.used; e.kind == fullEffect && left < want {
			if want > 0 {
				e.met++
			}
			room = min(room, max(left, 0))
		}
	}
	return room
}
