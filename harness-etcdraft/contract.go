package etcdraft

import (
	"fmt"
	"runtime/debug"
	"strings"

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

// contracts says, by what a panic of raft says, which contract it saw broken.
var contracts = [...]struct{ text, broken string }{
	{"Was the raft log corrupted, truncated, or lost", "a leader counts entries as replicated to this node that it does not have: it has acknowledged what was not durable, or its log was cut"},
	{"conflict with committed entry", "a leader sends an entry that differs from a committed one: two leaders of one term, or a leader without all committed entries"},
	{"is out of range [committed", "a leader replaces entries that are committed here"},
	{"is out of range [prevApplied", "an index was reported as applied that is not committed, or that goes back"},
	{"is out of range [prevApplying", "entries were handed out to apply that are not committed"},
	{"state.commit", "the node was restarted with a commit index that its log does not reach"},
	{"is unavailable from storage", "the storage does not have entries that raft was told are durable"},
	{"unexpected error when getting", "the storage does not have entries that raft was told are durable, or has compacted entries that are still to be applied"},
	{"two accepted Ready structs", "Ready was called again before Advance"},
	{"need non-empty snapshot", "the storage has returned an empty snapshot"},
	{"removed all voters", "a configuration change was applied that removes all voters"},
	{"can't leave a non-joint config", "a change that leaves a joint configuration was applied when there was none"},
	{"config is already joint", "a second joint configuration was entered"},
	{"can't apply simple config change in joint config", "a simple configuration change was applied to a joint configuration"},
	{"more than one voter changed without entering joint config", "a simple configuration change moves more than one voter"},
	{"applying entry size", "raft's limit on the size of the entries being applied leaves room for nothing"},
	{"unstable.slice", "raft's unstable log does not hold entries that it should"},
	{"out of bound", "raft was asked for entries outside of its log"},
	{"unable to restore config", "a snapshot carries a configuration that cannot be restored"},
}

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
	broken := "a contract that raft does not name"
	for _, c := range contracts {
		if strings.Contains(message, c.text) {
			broken = c.broken
			break
		}
	}
	r.c.world.Sim().Fail(kernel.Failure{
		Kind: KindRaftPanic, Check: checkNoPanic, Node: r.node.Name(), Stack: stack,
		Message: fmt.Sprintf("raft panicked on %s, boot %d: %s\nThe contract that it saw broken: %s.", r.node.Name(), r.boot, message, broken),
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
