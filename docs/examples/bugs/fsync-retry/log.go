// Package fsyncretry is a log that asks a failed sync again and believes the
// second answer.
//
// After an I/O error in a sync of the write-ahead log, the storage engine under
// CockroachDB could be asked to sync once more and then reported success. But
// the kernel may have marked the pages clean after the first error without
// having written them. Recovery stops at the hole, so that everything
// acknowledged behind it cannot be reached. Dealt with in
// https://github.com/cockroachdb/cockroach/pull/37102.
//
// Here one server keeps a log in one file, and a client puts records into it
// and reads them. The mended log stops at the first failed sync: what it
// was writing stays unanswered, and it recovers by copying what it can read to a
// new file. That is the second half of the mistake: what recovery reads after
// an error may be in the page cache only, so a log that goes on with the old
// file serves records that are on no disk.
//
// What to look at in the story: the failed sync, the put acknowledged after it,
// and the power loss that shows that it was never there.
package fsyncretry

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// put asks for a record to be added to the log, get for all that is in it.
type (
	put struct{ Record string }
	get struct{}
)

// log is the program of the server.
type log struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // stop at a failed sync, and recover to a new file

	since   time.Duration // when it has recovered; 0 while it has not
	records []string      // recovered or acknowledged
	file    *simdisk.File
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
		switch m := r.Body.(type) {
		case put:
			if err := l.append(p, m.Record); err != nil {
				return err
			}
			l.node.Send(from, bugs.Reply{ID: r.ID})
			l.node.Point("acknowledged")
		case get:
			l.node.Send(from, bugs.Reply{ID: r.ID, Body: slices.Clone(l.records)})
		}
	}
}

func (l *log) append(p *kernel.Proc, record string) error {
	if _, err := l.file.Append([]byte(record + "\n")); err != nil {
		return err
	}
	l.node.Point("written")
	err := l.file.Sync()
	for err != nil && !l.mended {
		p.Sleep(time.Millisecond)
		err = l.file.Sync()
	}
	if err == nil {
		l.records = append(l.records, record)
	}
	return err
}

// recover reads the newest file up to its first unfinished record.
func (l *log) recover(disk *simdisk.Volume) error {
	l.since, l.records = 0, nil
	newest := 0
	files, err := disk.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range files { // in the order of their names
		fmt.Sscanf(f.Name(), "log-%d", &newest)
	}
	if newest > 0 {
		data, err := disk.ReadFile(name(newest))
		if err != nil {
			return err
		}
		l.records = bugs.Records(data)
	}
	if newest == 0 || l.mended {
		err = l.rewrite(disk, newest+1)
	} else {
		err = l.goOn(disk, newest)
	}
	if err == nil {
		l.since = l.node.Monotonic()
	}
	return err
}

func name(number int) string { return fmt.Sprintf("log-%06d", number) }

// text returns the records as they are in a file.
func (l *log) text() []byte {
	var out []byte
	for _, r := range l.records {
		out = append(out, r+"\n"...)
	}
	return out
}

// rewrite puts the records into a new file, and goes on with that.
func (l *log) rewrite(disk *simdisk.Volume, number int) (err error) {
	if l.file, err = disk.Create("log.tmp"); err != nil {
		return err
	}
	if _, err = l.file.Append(l.text()); err != nil {
		return err
	}
	if err = l.file.Sync(); err != nil {
		return err
	}
	if err = disk.Rename("log.tmp", name(number)); err != nil {
		return err
	}
	return disk.SyncDir(".")
}

// goOn cuts off what is not whole and goes on with the same file. It syncs what
// may be in the page cache only; after a failed sync that does nothing.
func (l *log) goOn(disk *simdisk.Volume, number int) (err error) {
	if l.file, err = disk.OpenFile(name(number), os.O_RDWR, 0); err != nil {
		return err
	}
	if err = l.file.Truncate(int64(len(l.text()))); err != nil {
		return err
	}
	return l.file.Sync()
}
