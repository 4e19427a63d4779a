// Package wal is the write-ahead log of a raft node on a simulated disk: hard
// state, entries and snapshots, durable when it says so, and recovered after
// every crash that simdisk can produce.
//
// # Files
//
// The folder wal holds segments, numbered from 1 without gaps. Every segment
// begins with the state of its time (vote, commit, newest snapshot), so the
// older ones can be deleted once a durable snapshot covers their entries. The
// folder snap holds the snapshots, one file each. A snapshot counts when the
// log has a marker for it, and the marker is written when the file and its name
// are durable.
//
// # Records
//
// A record is a head of 16 bytes and a body that is padded to a multiple of 16
// with bytes that are not zero:
//
//	0  length of the body, 4 bytes, the lowest first
//	4  type
//	5  how far before this record the segment was durable when the record was
//	   written, in units of 16 bytes, 3 bytes
//	8  checksum of the padded body
//	12 checksum of the 12 bytes before
//
// # A torn tail and corruption
//
// Segments are written at their end only, so what a crash took away reads as
// zeros or is beyond the end of the file. A record that is damaged in another
// way was changed after it had been written: that is corruption. So is a hole
// before a record that was written when the place of the hole was durable.
// [Open] refuses corruption with a [CorruptError]. Everything else can only be
// the end of what was not yet synced, in the last segment; it is cut off.
//
// # Recovery
//
// [Open] copies what is good of the last segment to a new file that replaces
// it, and syncs everything. Nothing that is read from the page cache is
// trusted to be on the device: after a failed sync it may not be (Rebello et
// al., Can Applications Recover from fsync Failures?, USENIX ATC 2020).
//
// # Limits
//
// A disk that loses the whole end of the last segment after it was synced, or
// whole files, cannot be told from one that never had them. A body of which 16
// aligned bytes are zeros can hide corruption of the last batch before a crash.
package wal
