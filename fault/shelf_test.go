package fault_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// shelf is a small store that keeps numbered cells on the disks of two machines,
// each cell on both. A cell has two slots on each, so that a write never goes
// over the version before. After any trouble with a disk the files of both are
// made anew from what both have. With its flaws it is the program in which the bugs are
// planted that disk faults find.
type shelf struct {
	sim   *kernel.Sim
	disks [2]*drive
	with  flaws
	try   [cells]uint32 // newest version that a write was begun for
	acked [cells]uint32 // newest version that was acknowledged
	queue []*put        // under way, in order
	life  int           // counts the troubles; writes from before one are not acknowledged
	lost  error         // the first violation
}

// flaws are the bugs that can be planted, one or two at a time.
type flaws struct {
	oneCopy      bool // only the first disk is used
	striped      bool // even cells are on one disk, odd ones on the other, only there
	cacheOnly    bool // nothing is synced
	noCheck      bool // the checksum is not looked at
	noPlace      bool // the number of the cell is not looked at
	firstValid   bool // the first valid copy is taken, not the newest
	zeroIsNew    bool // a first copy of zeros means that there is no such cell
	shortIsNew   bool // so does the end of the file
	errorIsNew   bool // so does a read error
	missingIsNew bool // a first disk without a file means that the store is new
	retrySync    bool // a sync that failed is tried again
	anyErrorOK   bool // a write that failed is synced and acknowledged
	shortOK      bool // so is one of which a part was written
	fullOK       bool // and ENOSPC: space will come
	readOnlyOK   bool // and EROFS: it is written already
	keepOld      bool // when no new file can be made, the old one is trusted
	byTime       bool // a write is acknowledged 50 ms after it began
	byOrder      bool // completions acknowledge the oldest write that is under way
}

const (
	cells    = 8
	slotSize = 64
	fileSize = cells * 2 * slotSize
)

// drive is one of the disks.
type drive struct {
	vol  *simdisk.Volume
	file *simdisk.File // nil when it has to be made anew
	boot int           // of the machine, when the file was opened
}

func (d *drive) up() bool    { return d.vol.Node().State() == kernel.Up }
func (d *drive) ready() bool { return d.up() && d.file != nil && d.boot == d.vol.Node().Boot() }

type put struct {
	cell, version uint32
	life          int
}

func slotAt(cell, version uint32) int64 { return int64(cell*2+version%2) * slotSize }

func encode(cell, version uint32) []byte {
	b := make([]byte, slotSize)
	binary.LittleEndian.PutUint32(b[4:], cell)
	binary.LittleEndian.PutUint32(b[8:], version)
	for i := 12; i < slotSize; i++ {
		b[i] = byte(version)
	}
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return b
}

// decode returns the version in a slot of a cell, or false.
func (s *shelf) decode(b []byte, cell uint32) (uint32, bool) {
	version := binary.LittleEndian.Uint32(b[8:])
	switch {
	case version == 0:
	case !s.with.noCheck && crc32.ChecksumIEEE(b[4:]) != binary.LittleEndian.Uint32(b):
	case !s.with.noPlace && binary.LittleEndian.Uint32(b[4:]) != cell:
	default:
		return version, true
	}
	return 0, false
}

// copies are the disks that a cell is on.
func (s *shelf) copies(cell uint32) []*drive {
	switch {
	case s.with.oneCopy:
		return s.disks[:1]
	case s.with.striped:
		return s.disks[cell%2 : cell%2+1]
	}
	return s.disks[:]
}

var errUnknown = errors.New("a copy cannot be read now")

// read returns the newest version of a cell.
func (s *shelf) read(cell uint32) (best uint32, err error) {
	for i, d := range s.copies(cell) {
		v, e := s.readCopy(cell, d)
		if i == 0 && (v > 0 && s.with.firstValid || v == 0 && s.isNew(d, cell)) {
			return v, nil
		}
		if e != nil {
			err = e
		}
		best = max(best, v)
	}
	if best >= s.acked[cell] {
		err = nil // the other copy is not needed
	}
	return best, err
}

func (s *shelf) readCopy(cell uint32, d *drive) (best uint32, err error) {
	f, err := d.open()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, errUnknown
	}
	b := make([]byte, 2*slotSize)
	n, err := f.ReadAt(b, slotAt(cell, 0))
	if err != nil && err != io.EOF {
		return 0, errUnknown
	}
	for i := range uint32(n / slotSize) {
		if v, ok := s.decode(b[i*slotSize:(i+1)*slotSize], cell); ok {
			best = max(best, v)
		}
	}
	return best, nil
}

// isNew is what goes wrong with a first copy that is not there.
func (s *shelf) isNew(d *drive, cell uint32) bool {
	f, err := d.open()
	if err != nil {
		return s.with.missingIsNew && errors.Is(err, fs.ErrNotExist)
	}
	b := make([]byte, 2*slotSize)
	n, err := f.ReadAt(b, slotAt(cell, 0))
	return s.with.shortIsNew && n < len(b) || s.with.zeroIsNew && n == len(b) && string(b) == string(make([]byte, len(b))) ||
		s.with.errorIsNew && err != nil && err != io.EOF
}

func (d *drive) open() (*simdisk.File, error) {
	if !d.up() {
		return nil, errUnknown
	}
	return d.vol.Open("cells")
}

// used are the disks that the store uses.
func (s *shelf) used() []*drive {
	if s.with.oneCopy {
		return s.disks[:1]
	}
	return s.disks[:]
}

// recover makes the files of all disks anew, from the newest copy of each cell,
// which is served from then on.
func (s *shelf) recover() {
	s.life++
	s.queue = nil
	var newest [cells]uint32
	for cell := range uint32(cells) {
		v, err := s.read(cell)
		if err != nil {
			return // later
		}
		s.judge(cell, v)
		newest[cell] = v
	}
	for _, d := range s.used() {
		if s.renew(d, newest) != nil {
			return
		}
	}
	s.try, s.acked = newest, newest
}

// renew makes the file of a disk anew.
func (s *shelf) renew(d *drive, newest [cells]uint32) error {
	d.file = nil
	image := make([]byte, fileSize)
	for cell, v := range newest {
		if v > 0 {
			copy(image[slotAt(uint32(cell), v):], encode(uint32(cell), v))
		}
	}
	f, err := d.vol.Create("cells.new")
	if s.with.keepOld && errors.Is(err, syscall.ENOSPC) {
		return d.use()
	}
	if err == nil {
		_, err = f.WriteAt(image, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = s.excuse(err); err == nil {
		err = d.vol.Rename("cells.new", "cells")
	}
	if err == nil {
		err = d.vol.SyncDir(".")
	}
	if err = s.excuse(err); err != nil || f == nil {
		return err
	}
	return d.use()
}

// use opens the file of a disk for writing.
func (d *drive) use() (err error) {
	d.boot = d.vol.Node().Boot()
	if d.file, err = d.vol.OpenFile("cells", os.O_RDWR, 0); err != nil {
		d.file = nil
	}
	return err
}

// excuse takes some errors for none.
func (s *shelf) excuse(err error) error {
	if s.with.anyErrorOK && errors.Is(err, syscall.EIO) || s.with.fullOK && errors.Is(err, syscall.ENOSPC) ||
		s.with.readOnlyOK && errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// step mends what needs it, begins a write, and looks at a cell.
func (s *shelf) step(n uint64) {
	for _, d := range s.used() {
		if !d.ready() {
			s.recover()
			break
		}
	}
	cell := uint32(s.sim.Stream("cell").Below(n, cells))
	s.put(cell)
	s.audit(uint32(s.sim.Stream("audit").Below(n, cells)))
}

func (s *shelf) put(cell uint32) {
	to := s.copies(cell)
	for _, d := range to {
		if !d.ready() {
			return
		}
	}
	if s.acked[cell] != s.try[cell] {
		return // one is under way
	}
	s.try[cell]++
	p := &put{cell, s.try[cell], s.life}
	s.queue = append(s.queue, p)
	if s.with.byTime {
		s.sim.After(50*time.Millisecond, func() { s.ack(p) })
	}
	s.write(p, to)
}

// write writes and syncs on one disk, then on the next.
func (s *shelf) write(p *put, to []*drive) {
	if len(to) == 0 {
		s.done(p)
		return
	}
	d, f := to[0], to[0].file
	op := simdisk.Op{Kind: simdisk.Write, File: f, Off: slotAt(p.cell, p.version), Data: encode(p.cell, p.version)}
	d.vol.Submit(op, func(r simdisk.Result) {
		if s.with.shortOK && r.N > 0 {
			r.Err = nil
		}
		if p.life != s.life || s.excuse(r.Err) != nil {
			d.fail(f)
			return
		}
		if s.with.cacheOnly {
			s.write(p, to[1:])
			return
		}
		s.sync(p, d, f, to)
	})
}

func (s *shelf) sync(p *put, d *drive, f *simdisk.File, to []*drive) {
	f.SyncThen(func(err error) {
		if err != nil && s.with.retrySync {
			err = f.Sync()
		}
		if p.life != s.life || s.excuse(err) != nil {
			d.fail(f)
			return
		}
		s.write(p, to[1:])
	})
}

// fail gives up a file, if it is still the one in use.
func (d *drive) fail(f *simdisk.File) {
	if d.file == f {
		d.file = nil
	}
}

// done acknowledges a write that is on its disks.
func (s *shelf) done(p *put) {
	if s.with.byTime {
		return
	}
	if s.with.byOrder && len(s.queue) > 0 {
		p = s.queue[0]
	}
	s.ack(p)
}

func (s *shelf) ack(p *put) {
	if p.life != s.life {
		return
	}
	for i, q := range s.queue {
		if q == p {
			s.queue = append(s.queue[:i], s.queue[i+1:]...)
			break
		}
	}
	s.acked[p.cell] = max(s.acked[p.cell], p.version)
}

// audit checks that a cell is what was promised, where all of its disks can be
// asked.
func (s *shelf) audit(cell uint32) {
	for _, d := range s.copies(cell) {
		if !d.ready() {
			return
		}
	}
	if v, err := s.read(cell); err == nil {
		s.judge(cell, v)
	}
}

// judge compares what was read with what was promised.
func (s *shelf) judge(cell, v uint32) {
	switch {
	case s.lost != nil:
	case v < s.acked[cell]:
		s.lost = fmt.Errorf("cell %d is at version %d, and %d was acknowledged", cell, v, s.acked[cell])
	case v > s.try[cell]:
		s.lost = fmt.Errorf("cell %d is at version %d, which was never written", cell, v)
	}
}
