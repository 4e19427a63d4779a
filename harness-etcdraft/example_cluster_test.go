package etcdraft_test

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
)

// plain is a cluster of three whose state machine is a sum, without an
// administrator.
func plain(workload func(s *etcdraft.Session)) etcdraft.Config {
	return etcdraft.Config{
		NoAdmin: true, Clients: 1, Workload: workload,
		Machine: func() etcdraft.StateMachine { return &sum{} },
	}
}

// A cluster in a world of one's own, looked at when the run is over.
func ExampleCluster() {
	out, err := faultline.Once(faultline.Options{Duration: 4 * time.Second, QuietFor: 2 * time.Second}, 1, func(w *faultline.World) {
		c := etcdraft.Setup(w, plain(adder))
		w.Final("somebody leads", func() error {
			_, ok := c.Leader()
			fmt.Println(c.Names(), ok, c.Conf().Voters)
			return nil
		})
	})
	fmt.Println(out.Failure, err)
	// Output:
	// [n1 n2 n3] true [1 2 3]
	// <nil> <nil>
}

// A session numbers its requests, so that each has its effect once.
func ExampleSession() {
	one := func(s *etcdraft.Session) {
		for n := 1; ; n++ {
			call := s.Invoke("add", 1)
			result, ok := s.Write(call, binary.LittleEndian.AppendUint64(nil, 1))
			if !ok {
				call.Unknown("no answer")
				continue
			}
			call.OK(binary.LittleEndian.Uint64(result))
			if n <= 3 {
				fmt.Println(binary.LittleEndian.Uint64(result))
			}
			s.Sleep(100 * time.Millisecond)
		}
	}
	out, err := faultline.Once(faultline.Options{Duration: 4 * time.Second, QuietFor: 2 * time.Second}, 1, func(w *faultline.World) {
		etcdraft.Setup(w, plain(one))
	})
	fmt.Println(out.Failure, err)
	// Output:
	// 1
	// 2
	// 3
	// <nil> <nil>
}

// Checks look into the replicas.
func ExampleReplica() {
	out, err := faultline.Once(faultline.Options{Duration: 4 * time.Second, QuietFor: 2 * time.Second}, 1, func(w *faultline.World) {
		c := etcdraft.Setup(w, plain(adder))
		w.Final("all have applied something", func() error {
			for id := range uint64(3) {
				r, up := c.Replica(id + 1)
				fmt.Println(r.ID(), up, r.Applied() > 0)
			}
			return nil
		})
	})
	fmt.Println(out.Failure, err)
	// Output:
	// 1 true true
	// 2 true true
	// 3 true true
	// <nil> <nil>
}

// The key-value store without a cluster: commands are encoded operations.
func ExampleKV() {
	kv := etcdraft.NewKV()
	kv.Apply(etcdraft.KVOp{Kind: "put", Key: "x", Value: "1"}.Encode())
	fmt.Printf("%s\n", kv.Query(etcdraft.KVOp{Kind: "get", Key: "x"}.Encode()))
	other := etcdraft.NewKV()
	fmt.Println(other.Restore(kv.Snapshot()))
	fmt.Printf("%s\n", other.Query(etcdraft.KVOp{Kind: "get", Key: "x"}.Encode()))
	// Output:
	// 1
	// <nil>
	// 1
}

// Which features of raft the runs of a sweep have gone through, and which never.
func ExampleCoverageSum() {
	var sum etcdraft.CoverageSum
	cfg := plain(adder)
	for seed := range uint64(2) {
		_, err := faultline.Once(faultline.Options{Duration: 4 * time.Second, QuietFor: 2 * time.Second}, seed, func(w *faultline.World) {
			c := etcdraft.Setup(w, cfg)
			w.Final("covered", func() error { sum.Add(c.Coverage()); return nil })
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(sum.Never(cfg)) > 0) // two seeds are few
	// Output: true
}
