package simdisk_test

import (
	"fmt"
	"io/fs"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// What is durable is what a power loss at this moment would leave.
func ExampleVolume() {
	v, err := simdisk.NewVolume(simdisk.Config{})
	if err != nil {
		panic(err)
	}
	_ = v.WriteFile("config", []byte("port=80"), 0o644)
	_, cached := fs.Stat(v.FS(), "config")
	_, durable := fs.Stat(v.Durable(), "config")
	fmt.Println(cached)
	fmt.Println(durable)
	// Output:
	// <nil>
	// open config: file does not exist
}

// A file is used as one of package os. Its content is durable after Sync, its
// name after SyncDir.
func ExampleFile() {
	v, err := simdisk.NewVolume(simdisk.Config{})
	if err != nil {
		panic(err)
	}
	f, _ := v.Create("log")
	f.Append([]byte("one "))
	f.Append([]byte("two"))
	f.Sync()
	v.SyncDir(".")
	f.Append([]byte(" three")) // not synced
	now, _ := v.ReadFile("log")
	left, _ := fs.ReadFile(v.Durable(), "log")
	fmt.Printf("%q, durable %q\n", now, left)
	// Output: "one two three", durable "one two"
}

// All states that a power loss may leave of a file that nobody has synced: none,
// empty, whole, and of the right length with other content.
func ExampleCrashState() {
	v, err := simdisk.NewVolume(simdisk.Config{})
	if err != nil {
		panic(err)
	}
	_ = v.WriteFile("new", []byte("b"), 0o644)
	states, all, err := v.CrashStates(simdisk.Posix, 0)
	fmt.Println(len(states), all, err)
	for _, s := range states {
		data, err := fs.ReadFile(s.FS(), "new")
		fmt.Printf("%q %v\n", data, err)
	}
	// Output:
	// 5 true <nil>
	// "" open new: file does not exist
	// "" <nil>
	// "b" <nil>
	// "\x00" <nil>
	// "\xdb" <nil>
}

// Each machine of a run has a disk of its own; machines can exchange them.
func ExampleDisks() {
	sim := kernel.New(kernel.Config{Seed: 1})
	disks, err := simdisk.New(sim, simdisk.Config{})
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"a", "b"} {
		v, err := disks.Attach(sim.AddMachine(name, func(*kernel.Node) kernel.Handler { return kernel.Idle{} }))
		if err != nil {
			panic(err)
		}
		f, _ := v.Create("owner")
		f.Append([]byte(name))
		f.Sync()
		v.SyncDir(".")
		v.Node().PowerLoss()
	}
	a, b := disks.Volumes()[0], disks.Volumes()[1]
	fmt.Println(disks.Swap(a, b))
	owner, _ := a.ReadFile("owner")
	fmt.Printf("%s has the disk of %s\n", a.Node().Name(), owner)
	// Output:
	// <nil>
	// a has the disk of b
}
