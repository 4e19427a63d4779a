// Package waldirfsync is a log made of segment files whose names are not made
// durable.
//
// etcd wrote each new segment of its write-ahead log under a temporary name,
// synced it, and gave it its final name. The records that followed were synced
// and acknowledged. The directory was not: a power failure could take back the
// rename, and with it every record in the segment. Reported as
// https://github.com/etcd-io/etcd/issues/6368.
//
// Here one server keeps a log in segments of two records, and a client puts
// records into it. What to look at in the story: the put that is said to be
// lost was acknowledged, then the power went, and what the disk kept is the
// file's content without its name.
package waldirfsync

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const perSegment = 2 // records in a segment

// log is the program of the server.
type log struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // sync the directory after the rename

	since   time.Duration // when it has recovered; 0 while it has not
	records []string      // recovered or acknowledged
	last    int           // number of the newest segment
	file    *simdisk.File
	used    int // records in file
}

func newLog(n *faultline.Node, mended bool) *log {
	l := &log{node: n, mended: mended}
	l.Handler = kernel.Main(l.run)(n.Node)
	return l
}

// Since implements bugs.Recoverer.
func (l *log) Since() time.Duration { return l.since }

func (l *log) run(p *kernel.Proc) { bugs.ServeAgain(l.node, p, l.serve) }

func (l *log) serve(p *kernel.Proc, disk *simdisk.Volume) error {
	if err := l.recover(disk); err != nil {
		return err
	}
	for {
		from, msg := p.Recv()
		r := msg.(bugs.Request)
		if err := l.append(disk, r.Body.(string)); err != nil {
			return err
		}
		l.node.Send(from, bugs.Reply{ID: r.ID})
		l.node.Point("acknowledged")
	}
}

// recover reads all segments, each up to its first unfinished record, and
// begins a new one: a segment is never added to by a later incarnation.
func (l *log) recover(disk *simdisk.Volume) error {
	l.since, l.records, l.last = 0, nil, 0
	files, err := disk.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range files { // in the order of their names
		if _, err := fmt.Sscanf(f.Name(), "segment-%d", &l.last); err != nil {
			continue
		}
		data, err := disk.ReadFile(f.Name())
		if err != nil {
			return err
		}
		l.records = append(l.records, bugs.Records(data)...)
	}
	if err := l.cut(disk); err != nil {
		return err
	}
	if err := disk.SyncDir("."); err != nil {
		return err
	}
	l.since = l.node.Monotonic()
	return nil
}

// cut begins a new segment.
func (l *log) cut(disk *simdisk.Volume) error {
	f, err := disk.Create("segment.tmp")
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	l.last++
	l.file, l.used = f, 0
	return disk.Rename("segment.tmp", fmt.Sprintf("segment-%06d", l.last))
}

func (l *log) append(disk *simdisk.Volume, record string) error {
	if l.used == perSegment {
		if err := l.cut(disk); err != nil {
			return err
		}
		if l.mended {
			if err := disk.SyncDir("."); err != nil {
				return err
			}
		}
	}
	if _, err := l.file.Append([]byte(record + "\n")); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.used++
	l.records = append(l.records, record)
	return nil
}
