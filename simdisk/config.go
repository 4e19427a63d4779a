package simdisk

import (
	"fmt"
	"time"
)

// Config says how the disks of a run behave. The zero value is valid.
type Config struct {
	// Latency is how long operations take. It does not apply to the instant
	// front, whose operations take no time.
	Latency Latency
	// SectorSize is the grain at which writes can be torn, in bytes: a power
	// of two from 16 to 65536. 0 means 512.
	SectorSize int
	// Capacity is the size of each volume in bytes, 0 means without limit.
	// The content of every file that has a name or an open handle counts;
	// names and directories do not.
	Capacity int64
	// Inodes is how many files and directories each volume can have, the root
	// not counted and a file once for each name. 0 means without limit.
	Inodes int64
	// Crash is what a power loss leaves, unless the volume is told otherwise.
	// The zero value draws a profile for each crash.
	Crash Profile
}

// Latency holds the delays of the kinds of operation. A delay that is zero
// means the default.
type Latency struct {
	Read  Delay // reads; 10 to 100 µs by default
	Write Delay // writes, appends and truncations, into the page cache; 10 to 40 µs by default
	Sync  Delay // syncs of files and directories; 1 to 2 ms by default
	Meta  Delay // everything else; 10 to 50 µs by default
}

// Delay is a duration between two bounds, both included, drawn uniformly for
// each operation. When Max is below Min the delay is always Min.
type Delay struct {
	Min time.Duration // shortest delay, not negative
	Max time.Duration // longest delay, not negative
}

func (c Config) validate() error {
	for _, d := range []struct {
		name string
		d    Delay
	}{
		{"Read", c.Latency.Read}, {"Write", c.Latency.Write},
		{"Sync", c.Latency.Sync}, {"Meta", c.Latency.Meta},
	} {
		if d.d.Min < 0 || d.d.Max < 0 {
			return fmt.Errorf("simdisk: Config.Latency.%s is %v to %v; delays must not be negative", d.name, d.d.Min, d.d.Max)
		}
	}
	if n := c.SectorSize; n != 0 && (n < 16 || n > 65536 || n&(n-1) != 0) {
		return fmt.Errorf("simdisk: Config.SectorSize is %d; use a power of two from 16 to 65536, or 0 for 512", n)
	}
	if c.Capacity < 0 {
		return fmt.Errorf("simdisk: Config.Capacity is %d; use a number of bytes, or 0 for no limit", c.Capacity)
	}
	if c.Inodes < 0 {
		return fmt.Errorf("simdisk: Config.Inodes is %d; use a number of files, or 0 for no limit", c.Inodes)
	}
	if !c.Crash.valid() {
		return fmt.Errorf("simdisk: Config.Crash is %d; use one of the Profile constants", c.Crash)
	}
	return nil
}

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	const us = time.Microsecond
	for _, d := range []struct {
		d   *Delay
		std Delay
	}{
		{&c.Latency.Read, Delay{10 * us, 100 * us}},
		{&c.Latency.Write, Delay{10 * us, 40 * us}},
		{&c.Latency.Sync, Delay{1000 * us, 2000 * us}},
		{&c.Latency.Meta, Delay{10 * us, 50 * us}},
	} {
		if *d.d == (Delay{}) {
			*d.d = d.std
		}
	}
	if c.SectorSize == 0 {
		c.SectorSize = 512
	}
	return c
}
