package simdisk

import (
	"fmt"
	"strings"
)

// Profile says which of the pending operations a power loss leaves. By the
// states that they can produce:
//
//	LoseAll, KeepAll ⊂ KeepPrefix ⊂ KeepSubset ⊂ Torn ⊂ Posix
//	                   KeepPrefix ⊂ Ordered ⊂ Posix
//	                                Adversary ⊂ Posix
//
// A profile steers what is drawn. Given choices, as in a replay, can be any of
// those of Posix, which has every state that counts as legal.
type Profile uint8

const (
	// Drawn draws one of LoseAll, KeepAll, KeepPrefix, KeepSubset and Torn for
	// each crash, from the stream disk/<node>/crash.
	Drawn Profile = iota
	// LoseAll loses everything that no sync has covered.
	LoseAll
	// KeepAll keeps everything, as if all had just been synced.
	KeepAll
	// KeepPrefix keeps the operations up to a drawn one, in the order in which
	// they were made on the whole volume.
	KeepPrefix
	// KeepSubset keeps or loses each operation by itself, across files too. The
	// share that is kept is drawn for each crash.
	KeepSubset
	// Torn is KeepSubset in which writes of more than one sector may end after
	// some of them.
	Torn
	// Posix promises nothing that no sync has asked for: names, sizes and data
	// are independent of each other. Any sectors of a write may be there
	// without the others, a file may be longer and have zeros or stale bytes
	// where its content should be, and a change of size may be lost while later
	// writes are there. POSIX leaves all that open (IEEE Std 1003.1, fsync()),
	// and each file system that Pillai et al. tested does some of it (All File
	// Systems Are Not Created Equal, OSDI 2014).
	Posix
	// Ordered is a journaling file system that writes data before the metadata
	// that refers to it, as ext4 does by default (data=ordered, Linux
	// Documentation/filesystems/ext4). Directory operations are there up to a
	// drawn one, in their order. The sizes of each file are too, and a file that
	// is longer has the content. Sectors that are written over, and the sizes of
	// other files, may be there or not: allocation is delayed, so a rename may be
	// there before what was written to the file.
	Ordered
	// Adversary is one step away from losing or keeping all, where recovery
	// code tends to go wrong: one operation missing, one present, one write
	// without its first or its last sectors, all names without any content, all
	// sizes without it, all content without the names.
	Adversary
	profiles
)

var profileNames = [profiles]string{
	"drawn", "lose-all", "keep-all", "keep-prefix", "keep-subset", "torn", "posix", "ordered", "adversary",
}

func (p Profile) valid() bool { return p < profiles }

// String returns the profile in words, such as "lose-all".
func (p Profile) String() string {
	if !p.valid() {
		return fmt.Sprintf("Profile(%d)", uint8(p))
	}
	return profileNames[p]
}

// ParseProfile reads what [Profile.String] writes. The error lists the names.
func ParseProfile(name string) (Profile, error) {
	for p := range profiles {
		if profileNames[p] == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("simdisk: crash profile is %q; use %s", name, strings.Join(profileNames[:], ", "))
}

// SetCrashProfile says what the power losses from now on leave. The error
// names a wrong value.
func (v *Volume) SetCrashProfile(p Profile) error {
	if !p.valid() {
		return fmt.Errorf("simdisk: crash profile is %d; use one of the Profile constants", p)
	}
	v.d.profile = p
	return nil
}

// SetNextCrash is [Volume.SetCrashProfile] for the next power loss only. The
// last call counts.
func (v *Volume) SetNextCrash(p Profile) error {
	if !p.valid() {
		return fmt.Errorf("simdisk: crash profile is %d; use one of the Profile constants", p)
	}
	v.d.next = append(v.d.next[:0], p)
	return nil
}

// judge draws the fates of one crash.
type judge struct {
	profile Profile
	cut     uint64   // of KeepPrefix: the first operation that is lost
	keep    uint32   // of KeepSubset, Torn and Posix: the share that is kept, in ppm
	values  verdicts // of Ordered and Adversary
}

// verdicts are values of choices by the place of the operation in the order of
// the volume; what is not in it is lost.
type verdicts map[uint64]int64

// newJudge draws what holds for a whole crash.
func (d *disk) newJudge() judge {
	j := judge{profile: d.profile}
	if len(d.next) > 0 {
		j.profile, d.next = d.next[0], d.next[:0]
	}
	n := d.stats.Crashes
	if j.profile == Drawn {
		const weights = "LLLAPPSSTT" // of ten
		switch weights[d.crash.Below(n, uint64(len(weights)))] {
		case 'L':
			j.profile = LoseAll
		case 'A':
			j.profile = KeepAll
		case 'P':
			j.profile = KeepPrefix
		case 'S':
			j.profile = KeepSubset
		default:
			j.profile = Torn
		}
	}
	switch j.profile {
	case KeepPrefix:
		order := d.pendingOrder()
		if i := d.crash.Derive("cut").Below(n, uint64(len(order))+1); i < uint64(len(order)) {
			j.cut = order[i]
		} else {
			j.cut = d.seq + 1
		}
	case KeepSubset, Torn, Posix:
		j.keep = 125_000 * uint32(1+d.crash.Derive("keep").Below(n, 7))
	case Ordered:
		j.values = d.drawOrdered(n)
	case Adversary:
		all := d.adversaries()
		j.values = all.at(int(d.crash.Derive("adversary").Below(n, uint64(all.len()))))
	}
	return j
}

// draw returns the value that the seed gives to the choice about an operation
// on sectors sectors, 0 for one on names. whole says that no change of size of
// the file was lost.
func (j *judge) draw(d *disk, id *identity, num, seq uint64, sectors int64, whole bool) int64 {
	switch j.profile {
	case Ordered, Adversary:
		return j.values[seq]
	case Posix:
		return j.drawPosix(d, id, num, sectors, whole)
	}
	if !whole {
		return lostValue
	}
	switch j.profile {
	case KeepAll:
		return keptValue
	case KeepPrefix:
		if seq < j.cut {
			return keptValue
		}
	case KeepSubset, Torn:
		s := id.at(d.sim).Stream()
		if !s.PPM(num, j.keep) {
			return lostValue
		}
		if j.profile == Torn && sectors > 1 && s.Derive("torn").PPM(num, 500_000) {
			return tornValue + s.Derive("sectors").Between(num, 1, sectors-1)
		}
		return keptValue
	}
	return lostValue
}

// drawPosix keeps an operation, tears it or scatters it.
func (j *judge) drawPosix(d *disk, id *identity, num uint64, sectors int64, whole bool) int64 {
	s := id.at(d.sim).Stream()
	kept := s.PPM(num, j.keep)
	q := s.Derive("posix")
	switch way := q.Below(num, 4); {
	case sectors == 0 && kept:
		return keptValue
	case sectors == 0:
		return lostValue
	case kept && whole && way == 0 && sectors > 1:
		return tornValue + s.Derive("sectors").Between(num, 1, sectors-1)
	case kept && whole && way < 3:
		return keptValue
	case !kept && way < 3:
		return lostValue
	}
	bits := q.Derive("bits").At(num)
	v := int64(scattered | bits&runMask)
	if bits>>60&1 != 0 || kept {
		v |= sizeKept
	}
	if bits>>61&1 != 0 {
		v |= staleBytes
	}
	return v
}
