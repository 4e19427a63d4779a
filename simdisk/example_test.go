package simdisk_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// A log that is synced, but whose name is not, does not survive.
func Example() {
	sim := kernel.New(kernel.Config{Seed: 1})
	disks, err := simdisk.New(sim, simdisk.Config{Crash: simdisk.LoseAll})
	if err != nil {
		panic(err)
	}
	var vol *simdisk.Volume
	node := sim.AddMachine("n1", kernel.Main(func(p *kernel.Proc) {
		v := vol.In(p)
		if data, err := v.ReadFile("log"); err != nil {
			fmt.Println(err)
		} else {
			fmt.Printf("found %q\n", data)
		}
		if p.Node().Boot() == 3 {
			return
		}
		f, _ := v.Create("log")
		f.Append([]byte("hello"))
		f.Sync()
		if p.Node().Boot() == 2 {
			v.SyncDir(".") // without it the name is lost
		}
		p.Node().PowerLoss()
		p.Node().Start()
	}))
	if vol, err = disks.Attach(node); err != nil {
		panic(err)
	}
	node.Start()
	sim.Run()
	// Output:
	// open log: file does not exist
	// open log: file does not exist
	// found "hello"
}
