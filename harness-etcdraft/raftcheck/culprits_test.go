package raftcheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

// culprits names, for each property, a patched raft that it finds before any
// other does; where an application must be wrong, a mistake of
// TestMistakesAreFound, with its spaces.
var culprits = map[raftcheck.Check]string{
	raftcheck.ElectionSafety:      "voter-names-leader",
	raftcheck.OneVote:             "vote-twice",
	raftcheck.ElectionCertificate: "vote-stale-log",
	raftcheck.PersistBeforeSend:   "ack-early",
	raftcheck.LeaderAppendOnly:    "no-empty-entry",
	raftcheck.LogMatching:         "prev-not-checked",
	raftcheck.WellFormedLog:       "truncate-always",
	raftcheck.CommittedAgreement:  "heartbeat-commit",
	raftcheck.CommitRule:          "commit-minority",
	raftcheck.LeaderCompleteness:  "candidate-claims-more",
	raftcheck.Monotonic:           "commit-goes-back",
	raftcheck.ApplyOrder:          "apply-skips",
	raftcheck.Snapshots:           "snapshot-below-commit",
	raftcheck.Configuration:       "snapshot-wrong-conf",
	raftcheck.ConfChangeGuard:     "two-changes",
	raftcheck.Progress:            "match-too-far",
	raftcheck.ReadIndex:           "read-unconfirmed",
	raftcheck.LeaseReads:          "lease trusted",
	raftcheck.ElectionRules:       "prevote-raises-term",
	raftcheck.ClientDurability:    "carried out again",
	raftcheck.Limits:              "uncommitted-limit",
	raftcheck.Liveness:            "transfer-endless",
	raftcheck.Contract:            "compacted early",
}

// Every property has a mistake that it finds first, and the page of the
// documentation names it.
func TestEveryCheckHasACulprit(t *testing.T) {
	all, err := patch.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]string{}
	for _, p := range all {
		first[p.Name] = p.Breaks[0]
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "raft-checks.md"))
	if err != nil {
		page = nil // outside of the workspace
	}
	for _, c := range raftcheck.Checks() {
		name, number := culprits[c], strings.Fields(c.String())[0]
		if !strings.Contains(name, " ") {
			if first[name] != number {
				t.Errorf("%v: the patch %q should break %s first, and its file says %q", c, name, number, first[name])
			}
		} else if !breaksOnly(name, c) {
			t.Errorf("%v: the mistake %q is not found by it alone", c, name)
		}
		if page != nil && !strings.Contains(string(page), "| "+number+" | "+name+" |") {
			t.Errorf("docs/reference/raft-checks.md does not say that %s finds %q", number, name)
		}
	}
}

// culpritPatches returns those that are patches.
func culpritPatches() []string {
	var names []string
	for _, c := range raftcheck.Checks() {
		if name := culprits[c]; !strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	return names
}

// breaksOnly reports whether a mistake must be found by that property.
func breaksOnly(bug string, c raftcheck.Check) bool {
	for _, m := range mistakes {
		if m.bug == bug {
			return m.wants == raftcheck.SetOf(c)
		}
	}
	return false
}
