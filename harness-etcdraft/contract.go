package etcdraft

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"github.com/hmdsefi/faultline/kernel"
)

// KindRaftPanic is the kind of a failure in which the raft library panicked.
const KindRaftPanic = "raft-panic"

// Names of the checks that the application makes in passing, because nothing
// could go on if they did not hold.
const (
	checkNoPanic  = "P23 raft does not panic"
	checkRestart  = "P23 a node restarts"
	checkStorage  = "P23 raft keeps the storage contract"
	checkMembers  = "raft sends to servers"
	checkApply    = "P12 entries are applied in order, as proposed"
	checkSnapshot = "P13 snapshots move forward and can be restored"
)

// guard turns a panic into the run's failure, with the contract that raft saw
// broken if it was raft that panicked. It is deferred where the simulator calls
// the replica.
func (r *Replica) guard() {
	v := recover()
	if v == nil {
		return
	}
	stack := string(debug.Stack())
	r.pumping = false
	message := fmt.Sprint(v)
	if !byRaft(v, stack) {
		r.c.world.Sim().Fail(kernel.Failure{Kind: kernel.KindPanic, Check: kernel.KindPanic, Message: message, Node: r.node.Name(), Stack: stack})
		return
	}
	if v, is := r.check().Panicked(message).(*raftcheck.Violation); is {
		message = v.Text
	}
	r.c.world.Sim().Fail(kernel.Failure{
		Kind: KindRaftPanic, Check: checkNoPanic, Node: r.node.Name(), Stack: stack,
		Message: fmt.Sprintf("%s (node %d, boot %d, term %d) %s", r.node.Name(), r.id, r.boot, r.status.Term, message),
	})
}

// byRaft reports whether the innermost code of the panic is raft's.
func byRaft(v any, stack string) bool {
	if _, is := v.(contractBroken); is {
		return true
	}
	_, after, found := strings.Cut(stack, "\npanic(")
	if !found {
		return false
	}
	for line := range strings.Lines(after) {
		if line = strings.TrimSpace(line); strings.Contains(line, "(") && !strings.HasPrefix(line, "runtime") && !strings.HasPrefix(line, "/") && strings.Contains(line, ".") {
			return strings.HasPrefix(line, "go.etcd.io/raft/v3")
		}
	}
	return false
}

// contractBroken is what raft's own Panicf panics with.
type contractBroken string

// quietLogger is raft's logger: it says nothing and panics when told to.
type quietLogger struct{}

// Debug says nothing.
func (quietLogger) Debug(...any) {}

// Debugf says nothing.
func (quietLogger) Debugf(string, ...any) {}

// Error says nothing.
func (quietLogger) Error(...any) {}

// Errorf says nothing.
func (quietLogger) Errorf(string, ...any) {}

// Info says nothing.
func (quietLogger) Info(...any) {}

// Infof says nothing.
func (quietLogger) Infof(string, ...any) {}

// Warning says nothing.
func (quietLogger) Warning(...any) {}

// Warningf says nothing.
func (quietLogger) Warningf(string, ...any) {}

// Fatal panics: raft must not end the process.
func (quietLogger) Fatal(v ...any) { panic(contractBroken(fmt.Sprint(v...))) }

// Fatalf panics: raft must not end the process.
func (quietLogger) Fatalf(format string, v ...any) { panic(contractBroken(fmt.Sprintf(format, v...))) }

// Panic panics.
func (quietLogger) Panic(v ...any) { panic(contractBroken(fmt.Sprint(v...))) }

// Panicf panics.
func (quietLogger) Panicf(format string, v ...any) { panic(contractBroken(fmt.Sprintf(format, v...))) }
