package wal_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3/raftpb"
)

// What is called durable is there after a power loss.
func ExampleWAL() {
	sim := kernel.New(kernel.Config{Seed: 1})
	disks, err := simdisk.New(sim, simdisk.Config{})
	if err != nil {
		panic(err)
	}
	var vol *simdisk.Volume
	node := sim.AddNode("n1", kernel.Main(func(p *kernel.Proc) {
		log, found, err := wal.Open(p, vol, wal.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("boot", p.Node().Boot(), "finds", len(found.Entries), "entries")
		if len(found.Entries) > 0 {
			return
		}
		entry := &raftpb.Entry{Index: new(uint64(2)), Term: new(uint64(1)), Data: []byte("x=1")}
		log.Save(wal.Batch{Entries: []*raftpb.Entry{entry}, Sync: true}, func(err error) {
			fmt.Println("durable", err)
			p.Node().PowerLoss()
			p.Node().Start()
		})
	}))
	if vol, err = disks.Attach(node); err != nil {
		panic(err)
	}
	first := &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{
		ConfState: &raftpb.ConfState{Voters: []uint64{1}}, Index: new(uint64(1)), Term: new(uint64(1))}}
	if err := wal.Format(vol, first); err != nil {
		panic(err)
	}
	sim.Run()
	// Output:
	// boot 1 finds 0 entries
	// durable <nil>
	// boot 2 finds 1 entries
}
