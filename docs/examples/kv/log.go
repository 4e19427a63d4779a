package kv

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const (
	logFile = "log"
	newFile = "log.new"
)

// Log is what a server must not forget: its term, its vote, and its entries.
// Changes are made in memory at once. They are written and synced by
// [Log.Write], many at a time, and [Log.Persist] tells when that is done.
type Log struct {
	Term    int     // the newest term that the server knows
	Vote    string  // whom the server voted for in Term; empty for nobody
	Entries []Entry // the first one has index 1

	bugs    Bugs
	file    *simdisk.File
	records []byte         // changes that are not written yet
	waiting []func()       // to call when they are on disk
	writing bool           // Write is busy with earlier ones
	work    *kernel.Signal // set when there is something to write
}

// OpenLog recovers the log from the disk.
//
// What it reads may be in the page cache only: a sync that failed can leave
// data there that will never reach the disk. And the last record may be torn.
// So it writes the log anew, to a second file, and puts that in the place of
// the first. A crash on the way leaves one of them whole.
func OpenLog(disk *simdisk.Volume, bugs Bugs) (*Log, error) {
	l := &Log{bugs: bugs, work: new(kernel.Signal)}
	data, err := disk.ReadFile(logFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l.replay(data)
	if bugs.AppendAfterTear {
		l.file, err = disk.OpenFile(logFile, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	} else {
		err = l.rewrite(disk)
	}
	if err == nil && !bugs.NoDirSync {
		err = disk.SyncDir(".") // the new name is not durable before
	}
	return l, err
}

// rewrite writes the whole log to a new file, and then gives that the name of
// the old one.
func (l *Log) rewrite(disk *simdisk.Volume) (err error) {
	data := appendRecord(nil, stateRecord(l.Term, l.Vote))
	for i, e := range l.Entries {
		data = appendRecord(data, entryRecord(i+1, e))
	}
	if l.file, err = disk.Create(newFile); err != nil {
		return err
	}
	if _, err = l.file.Write(data); err != nil {
		return err
	}
	if err = l.file.Sync(); err != nil {
		return err
	}
	return disk.Rename(newFile, logFile)
}

// replay takes in the records of a file, up to the end or to the first one
// that a crash has torn. A record replaces the entries from its index on.
func (l *Log) replay(data []byte) {
	for {
		r, rest, ok := readRecord(data)
		if !ok || r.isEntry() && r.index > len(l.Entries)+1 {
			return
		}
		data = rest
		if r.isEntry() {
			l.Entries = append(l.Entries[:r.index-1], r.entry)
			l.Term = max(l.Term, r.entry.Term)
			continue
		}
		l.Term, l.Vote = r.term, r.vote
	}
}

// SetTerm changes term and vote.
func (l *Log) SetTerm(term int, vote string) {
	l.Term, l.Vote = term, vote
	if !l.bugs.ForgetVote {
		l.record(stateRecord(term, vote))
	}
}

// Merge puts entries after the index prev. Those that are there already stay;
// from the first that differs on, the others are replaced.
func (l *Log) Merge(prev int, entries []Entry) {
	for i, e := range entries {
		index := prev + 1 + i
		if index <= len(l.Entries) {
			if l.Entries[index-1].Term == e.Term || l.bugs.KeepConflict {
				continue
			}
			// Messages on their way share the array: leave it as it is.
			l.Entries = slices.Clip(l.Entries[:index-1])
		}
		l.Entries = append(l.Entries, e)
		l.record(entryRecord(index, e))
	}
}

// Last returns the index and the term of the last entry, 0 and 0 if there is
// none.
func (l *Log) Last() (index, term int) { return len(l.Entries), l.TermAt(len(l.Entries)) }

// At returns an entry. The first one has index 1.
func (l *Log) At(index int) Entry { return l.Entries[index-1] }

// TermAt returns the term of an entry, 0 for index 0.
func (l *Log) TermAt(index int) int {
	if index == 0 {
		return 0
	}
	return l.Entries[index-1].Term
}

// Slice returns up to most entries that come after the index prev.
func (l *Log) Slice(prev, most int) []Entry {
	end := min(prev+most, len(l.Entries))
	return l.Entries[prev:end:end]
}

// record adds a change to those that Write takes next.
func (l *Log) record(payload []byte) {
	l.records = appendRecord(l.records, payload)
	l.work.Set()
}

// Persist calls then when every change made so far is on disk: at once if
// there is nothing to wait for.
func (l *Log) Persist(then func()) {
	if len(l.records) == 0 && !l.writing {
		then()
		return
	}
	l.waiting = append(l.waiting, then)
	l.work.Set()
}

// Write writes changes as they come. It returns when the disk fails.
func (l *Log) Write(p *kernel.Proc) error {
	for {
		p.Wait(l.work)
		l.work = new(kernel.Signal)
		records, waiting := l.records, l.waiting
		l.records, l.waiting, l.writing = nil, nil, true
		if err := l.store(p, records); err != nil {
			return err
		}
		l.writing = false
		for _, then := range waiting {
			then()
		}
	}
}

func (l *Log) store(p *kernel.Proc, records []byte) error {
	if len(records) == 0 {
		return nil
	}
	_, err := l.file.Write(records)
	if err != nil || l.bugs.AckBeforeSync {
		return err
	}
	err = l.file.Sync()
	for err != nil && l.bugs.RetryFailedSync {
		p.Sleep(5 * time.Millisecond)
		err = l.file.Sync()
	}
	return err
}
