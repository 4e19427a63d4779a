package etcdraft_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"github.com/hmdsefi/faultline/history"
)

// calls translates the operations of the built-in clients. A key without a value
// and one with an empty value are the same to them.
func calls(op *history.Operation) linear.Call {
	in := op.Input.(etcdraft.KVOp)
	value := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	result, _ := op.Output.(string)
	switch in.Kind {
	case "get":
		return linear.Read(in.Key, value(result))
	case "cas":
		return linear.CompareAndSwap(in.Key, value(in.Old), value(in.Value), strings.HasPrefix(result, "ok "))
	}
	return linear.Write(in.Key, value(in.Value))
}

// TestLinearizable judges what the built-in clients saw, from the outside: that
// the operations are linearizable does not follow from what the nodes say.
func TestLinearizable(t *testing.T) {
	opt := faultline.Options{Duration: 10 * time.Second, Seeds: 5}
	faultline.Run(t, opt, func(w *faultline.World) {
		etcdraft.Setup(w, etcdraft.Config{})
		w.Faults(etcdraft.Faults())
		w.Judge("operations are linearizable", linear.Map(calls))
	})
}
