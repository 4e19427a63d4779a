package simdisk

import (
	"maps"
	"slices"
)

// KeepOld makes the volume keep, from now on, what each sector of its files held
// before it was last written on the device: what StaleSector brings back. It
// costs up to the size of the files once more.
func (v *Volume) KeepOld() { v.d.keepsOld = true }

// remember keeps what the sectors of a range hold, before they are written.
func (x *inode) remember(s span, sector int64) {
	for n := s.off / sector; n*sector < min(s.end(), int64(len(x.disk))); n++ {
		if x.old == nil {
			x.old = map[int64][]byte{}
		}
		x.old[n] = slices.Clone(x.disk[n*sector : min((n+1)*sector, int64(len(x.disk)))])
	}
}

// stale makes one of the sectors of a region that have been overwritten read as
// it was before.
func (d *disk) stale(x *inode, dm Damage, e *Effect) {
	s := int64(d.cfg.SectorSize)
	var were []int64
	for _, n := range slices.Sorted(maps.Keys(x.old)) {
		if n*s < dm.Off+dm.Len && (n+1)*s > dm.Off && n*s < int64(len(x.disk)) {
			were = append(were, n)
		}
	}
	if i := d.place(int64(len(were))); i >= 0 {
		d.spoil(x, dm, were[i]*s, e)
	}
}

// aged returns by which bits a byte differs from what it was.
func (x *inode) aged(at, sector int64) byte {
	old := x.old[at/sector]
	if i := at % sector; i < int64(len(old)) {
		return x.disk[at] ^ old[i]
	}
	return x.disk[at] // it was not there
}
