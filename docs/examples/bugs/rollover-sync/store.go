// Package rolloversync is a store that begins its next file before the full one
// is synced.
//
// badger writes values to a series of files. When one was full the next was
// created, without a sync of the full one. After a crash the older file could be
// short or empty while the newer one had data, and the store did not open.
// Reported as https://github.com/dgraph-io/badger/issues/153.
//
// Here a client puts records, which are not synced one by one, and now and then
// asks for a flush. The store answers the flush when the newest file is synced,
// with the number of records that are safe from then on. What to look at in the
// story: the flush was acknowledged, and what the power loss took is the end of
// a file before the newest one, so that recovery stops there.
package rolloversync

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const perFile = 4 // records after which a file is full

// put adds a record, flush makes all that is there durable.
type (
	put   struct{ Value string }
	flush struct{}
)

// store is the program of the server.
type store struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // sync a full file before the next one is made

	since time.Duration // when it has recovered; 0 while it has not
	count int           // records
	last  int           // number of the newest file
	file  *simdisk.File // the newest file
	used  int           // records put into file since it was made
}

func newStore(n *faultline.Node, mended bool) *store {
	s := &store{node: n, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

// Since implements bugs.Recoverer.
func (s *store) Since() time.Duration { return s.since }

func (s *store) run(p *kernel.Proc) { bugs.ServeAgain(s.node, p, s.serve) }

func (s *store) serve(p *kernel.Proc, disk *simdisk.Volume) error {
	if err := s.recover(disk); err != nil {
		return err
	}
	s.since = s.node.Monotonic()
	for {
		from, msg := p.Recv()
		r := msg.(bugs.Request)
		switch m := r.Body.(type) {
		case put:
			if err := s.append(disk, m.Value); err != nil {
				return err
			}
			s.node.Send(from, bugs.Reply{ID: r.ID})
		case flush:
			if err := s.file.Sync(); err != nil {
				return err
			}
			s.node.Send(from, bugs.Reply{ID: r.ID, Body: s.count})
			s.node.Point("flushed")
		}
	}
}

func (s *store) append(disk *simdisk.Volume, value string) error {
	if s.used == perFile {
		if s.mended {
			if err := s.file.Sync(); err != nil {
				return err
			}
		}
		if err := s.next(disk, ""); err != nil {
			return err
		}
	}
	s.count++
	s.used++
	_, err := s.file.Append([]byte(line(s.count, value)))
	return err
}

func line(number int, value string) string { return fmt.Sprintf("%d %s\n", number, value) }

// next makes a file that begins with the given text, and that has a durable
// name.
func (s *store) next(disk *simdisk.Volume, text string) (err error) {
	if s.file, err = disk.Create("vlog.tmp"); err != nil {
		return err
	}
	if _, err = s.file.Append([]byte(text)); err != nil {
		return err
	}
	if err = s.file.Sync(); err != nil {
		return err
	}
	s.last++
	s.used = 0
	if err = disk.Rename("vlog.tmp", fmt.Sprintf("vlog-%06d", s.last)); err != nil {
		return err
	}
	return disk.SyncDir(".")
}

// recover reads the files up to the first record that is missing, and copies
// what it has read to a new file that begins from the first record again. So
// all that it has read is durable.
func (s *store) recover(disk *simdisk.Volume) error {
	s.since, s.count, s.last = 0, 0, 0
	text := ""
	files, err := disk.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range files { // in the order of their names
		if _, err := fmt.Sscanf(f.Name(), "vlog-%d", &s.last); err != nil {
			continue
		}
		data, err := disk.ReadFile(f.Name())
		if err != nil {
			return err
		}
		for _, r := range bugs.Records(data) {
			var number int
			var value string
			if _, err := fmt.Sscan(r, &number, &value); err != nil {
				return err
			}
			if number == 1 {
				s.count, text = 0, ""
			}
			if number == s.count+1 {
				s.count++
				text += line(number, value)
			}
		}
	}
	return s.next(disk, text)
}
