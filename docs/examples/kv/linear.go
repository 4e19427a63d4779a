package kv

import (
	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// Calls translates the operations of the clients for the check that they are
// linearizable: that each can have taken effect at one moment between its call
// and its return.
func Calls(op *history.Operation) linear.Call {
	in := op.Input.(Op)
	if in.Kind == "put" {
		return linear.Write(in.Key, in.Value)
	}
	if op.Output == "" { // nobody has put the key
		return linear.Read(in.Key, nil)
	}
	return linear.Read(in.Key, op.Output)
}
