package simdisk

import "fmt"

// Profile says which of the pending operations a power loss leaves. A profile
// only steers what is drawn; which choices are legal is the same for all. By
// the states that they can produce, LoseAll and KeepAll are each within
// KeepPrefix, that is within KeepSubset, and that within Torn.
type Profile uint8

const (
	// Drawn draws one of the other profiles for each crash, from the stream
	// disk/<node>/crash.
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
	profiles
)

func (p Profile) valid() bool { return p < profiles }

// String returns the profile in words, such as "lose-all".
func (p Profile) String() string {
	if !p.valid() {
		return fmt.Sprintf("Profile(%d)", uint8(p))
	}
	return [...]string{"drawn", "lose-all", "keep-all", "keep-prefix", "keep-subset", "torn"}[p]
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
	cut     uint64 // of KeepPrefix: the first operation that is lost
	keep    uint32 // of KeepSubset and Torn: the share that is kept, in ppm
}

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
	case KeepSubset, Torn:
		j.keep = 125_000 * uint32(1+d.crash.Derive("keep").Below(n, 7))
	}
	return j
}

// draw returns the fate that the seed gives to an operation on sectors
// sectors; 0 is lost, 1 kept, 2+k torn after k sectors.
func (j *judge) draw(d *disk, id *identity, num, seq uint64, sectors int64) int64 {
	switch j.profile {
	case KeepAll:
		return 1
	case KeepPrefix:
		if seq < j.cut {
			return 1
		}
	case KeepSubset, Torn:
		s := id.at(d.sim).Stream()
		if !s.PPM(num, j.keep) {
			return 0
		}
		if j.profile == Torn && sectors > 1 && s.Derive("torn").PPM(num, 500_000) {
			return 2 + s.Derive("sectors").Between(num, 1, sectors-1)
		}
		return 1
	}
	return 0
}
