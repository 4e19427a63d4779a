// Package simdisk simulates the disks of the nodes of a kernel.Sim: a file
// system for each node, with the page cache in front of the device, the
// promises that syncs make, and what a crash may leave when they were not
// asked for.
//
// # Use
//
//	disks, err := simdisk.New(sim, simdisk.Config{})
//	vol, err := disks.Attach(node)   // one volume for each node
//	f, err := vol.Create("log")      // at once, for callbacks and setup
//	f, err := vol.In(p).Create("log") // takes time, for a proc
//	f.SyncThen(func(err error) { … }) // takes time, calls back
//
// A [Volume] looks like an os.Root, a [File] like an os.File, and their errors
// are those of package os. All fronts are the same operations on the same
// files. An operation does what it does to the page cache when it is asked for
// and is answered when its latency is over; a sync has its effect then, on the
// device. Operations of the instant front take no time, so nothing can happen
// while they run, but faults and hooks apply to them as well.
//
// # What is durable
//
//   - [File.Sync] makes the data and size of the file durable as they were when
//     it was called. It does not make the file's name durable, not even that of
//     a new file.
//   - [Volume.SyncDir], or [File.Sync] of an open directory, makes the entries of
//     one directory durable: files made, renamed and removed in it. It makes neither
//     their content durable nor the directory's own name in the directory above.
//   - Close makes nothing durable. Nothing is written back in the background.
//   - Nothing orders what happens to different files but a sync that has
//     returned before the next operation was asked for.
//
// This is the least that a program can rely on with POSIX, which leaves it open
// what a sync that was not asked for would have done, and says of one that
// failed that its operations may not have been completed (IEEE Std 1003.1,
// fsync). Real file systems do more, each something else (Pillai et al., All
// File Systems Are Not Created Equal, OSDI 2014).
//
// # Crashes
//
// When a node is killed its handles die and everything written stays in the
// page cache; a sync in flight is finished by the device. When it loses power,
// whether its process is up or not, the page cache is lost. What is left is
// the durable state and a legal subset of the pending operations, chosen as the
// [Profile] says. By all of them:
//
//   - Directory operations are atomic. One is kept only if those that it builds
//     on are: all earlier ones on the same names; for the removal of a directory
//     those in it; for a move into another directory those on the names of that
//     directory and of the ones above. So a name goes through a prefix of its
//     history, different names do so independently, and moving something that
//     is durable never loses it. File systems with a journal leave less, see
//     [Ordered]; in the study above ext2 and btrfs were seen to reorder
//     directory operations.
//   - Writes reach the device in sectors. A write that is kept brings its
//     sectors as the page cache held them when it was made, with what earlier
//     writes had put there. So each sector goes through its history without
//     gaps, and is never torn itself, but sectors of one write can be apart.
//     What is missing reads as it did before, or as zeros.
//   - Files and directories do not depend on each other: a name may be kept
//     without the content, and the content without the name, in which case it
//     cannot be reached and is gone.
//
// All profiles but [Posix], [Ordered] and [Adversary] also keep to this: a torn
// write leaves the sectors at its start, and the file ends there unless
// something else makes it longer; and a change of size that is lost takes with
// it everything that was done to the file afterwards.
//
// A sync in flight at a power loss promises nothing yet: what it was to write
// is decided like everything that is pending.
//
// # Choices
//
// Each decision is a choice of its own in the sense of kernel.Choice, with the
// default 0:
//
//	disk/<node>/crash/name/<path>  a directory operation: 1 kept
//	disk/<node>/crash/data/<path>  a write: 1 kept, 2+k torn after k sectors, 1<<40 and more scattered;
//	                               a change of size: 1 kept
//	disk/<node>/sync-fail          a sync: the FailMode
//	disk/<node>/write-fail         a write: the WriteMode
//	disk/<node>/read-fail          a read: 1 failed
//	disk/<node>/corrupt            a bit, sector or end of Damage: 1 + its place in the region
//
// The path is the one that an operation on a name ends at (of a rename, the
// new name), or the one that the file was made at; occurrences are counted for
// each path over the whole run. So one more file, or one more operation on
// another, leaves all other fates as they were. How long an operation takes is
// drawn by its kind and file and about when it is asked for, see [kernel.Namer]. Faults are numbered by the
// operations of their sort on the volume. A scattered write is 1<<40, and 1<<39
// if the file is as long as it made it, 1<<38 if what is missing at the end
// reads as the stale byte 0xDB and not as zeros, and a bit for each sector that is there,
// from its first one on; of more than 30 sectors, a bit for each of 30 runs of
// them. An illegal combination of given choices is made legal by losing what
// builds on something lost.
//
// # Without a run
//
// [Volume.CrashStates] lists what a power loss may leave at some moment.
// [CrashTest] tests code that keeps files, alone: it lets it recover from every
// such state, at every step of its work, and from crashes during recovery.
//
// # Faults and checks
//
// These put an [Effect] on the volume that can be taken back and counts what it
// changed:
//
//   - [Volume.FailSync]: syncs fail, in each of the ways of [FailMode];
//   - [Volume.FailWritesAs]: writes fail, are cut short, or are answered and never
//     reach their place on the device ([WriteMode]); [Volume.FailReads];
//   - [Volume.Damage]: bits flip, sectors are zero or cannot be read, files lose
//     their end;
//   - [Volume.Full], FullInodes and ReadOnly;
//   - [Volume.Slow], Jitter and Stall.
//
// [Volume.Wipe] and [Disks.Swap] are about whole disks. [Volume.OnOp] calls a hook
// before and after each operation, which may crash the node there.
// [Volume.Durable] shows what would survive, [Volume.Indeterminate] and
// [Volume.Injected] what faults have done.
//
// # Trace
//
// Each operation leaves a record disk/<kind> with file, offset, length, a
// digest of the bytes, and its outcome when that is not success; a sync shows
// how many pending operations it was about. A power loss leaves a disk/fate
// for each pending operation and a disk/crash with the sums. Operations of an
// incarnation that has crashed leave inert. disk/corrupt, disk/wipe and disk/swap
// say what was done to what is at rest.
//
// # Limits
//
// There are no symbolic links, permissions or times, and locks are advisory.
// Files end at 1 GiB. The content of a file is held twice, in the cache and on
// the device, and what is pending once more: a program that never syncs uses
// memory for each operation. Syncs of directories cannot drop names. Of a failed
// sync that drops pages, none of them reaches the device. Writes on the device
// never overtake a sync. A write that goes astray stays within its file, and
// counts as an ordinary one in [Volume.CrashStates].
package simdisk
