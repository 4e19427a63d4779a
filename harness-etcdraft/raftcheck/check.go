package raftcheck

import "fmt"

// Check is one of the properties, numbered as in the package's documentation.
type Check uint8

// The properties.
const (
	ElectionSafety      Check = 1 + iota // P1
	OneVote                              // P2
	ElectionCertificate                  // P3
	PersistBeforeSend                    // P4
	LeaderAppendOnly                     // P5
	LogMatching                          // P6
	WellFormedLog                        // P7
	CommittedAgreement                   // P8
	CommitRule                           // P9
	LeaderCompleteness                   // P10
	Monotonic                            // P11
	ApplyOrder                           // P12
	Snapshots                            // P13
	Configuration                        // P14
	ConfChangeGuard                      // P15
	Progress                             // P16
	ReadIndex                            // P17
	LeaseReads                           // P18
	ElectionRules                        // P19
	ClientDurability                     // P20
	Limits                               // P21
	Liveness                             // P22
	Contract                             // P23

	lastCheck = Contract
)

var checkNames = [...]string{
	ElectionSafety:      "one leader per term",
	OneVote:             "one vote per term",
	ElectionCertificate: "a leader has a quorum of votes",
	PersistBeforeSend:   "durable before it is sent",
	LeaderAppendOnly:    "a leader only appends",
	LogMatching:         "logs match",
	WellFormedLog:       "logs are well formed",
	CommittedAgreement:  "committed entries agree",
	CommitRule:          "a leader commits by a quorum, in its term",
	LeaderCompleteness:  "a leader has all committed entries",
	Monotonic:           "nothing goes back",
	ApplyOrder:          "committed entries are applied in order",
	Snapshots:           "snapshots are prefixes",
	Configuration:       "configurations agree",
	ConfChangeGuard:     "one configuration change at a time",
	Progress:            "a leader knows its followers",
	ReadIndex:           "reads are not stale",
	LeaseReads:          "lease reads are not stale",
	ElectionRules:       "elections are not disturbed",
	ClientDurability:    "acknowledged writes last, and happen once",
	Limits:              "limits hold",
	Liveness:            "the cluster makes progress",
	Contract:            "contracts hold",
}

// String returns the number and the name of the property, such as "P8
// committed entries agree".
func (c Check) String() string {
	if c == 0 || c > lastCheck {
		return fmt.Sprintf("check %d", uint8(c))
	}
	return fmt.Sprintf("P%d %s", uint8(c), checkNames[c])
}

// Checks returns all properties, in the order of their numbers.
func Checks() []Check {
	list := make([]Check, 0, lastCheck)
	for c := ElectionSafety; c <= lastCheck; c++ {
		list = append(list, c)
	}
	return list
}

// Set is a set of checks. The zero value is empty.
type Set uint32

// SetOf returns the set of these checks.
func SetOf(list ...Check) Set {
	var s Set
	for _, c := range list {
		s |= 1 << c
	}
	return s
}

// WhiteBox returns P3, P4, P9 and P16, the checks that look at how raft comes
// to its decisions and not at what the decisions are. They find most mistakes
// early; with them off, the other checks must still find the consequences.
func WhiteBox() Set {
	return SetOf(ElectionCertificate, PersistBeforeSend, CommitRule, Progress)
}

// Has reports whether the set holds a check.
func (s Set) Has(c Check) bool { return s&(1<<c) != 0 }

// Violation is the error of a property that does not hold.
type Violation struct {
	Check Check  // the property
	Node  uint64 // raft ID of the node on which it was seen; 0 for the whole cluster
	Boot  uint64 // incarnation of that node
	Term  uint64 // term of that node
	Text  string // what was seen, with the other side's value
}

// Error returns the property, the place and what was seen there.
func (v *Violation) Error() string {
	if v.Node == 0 {
		return fmt.Sprintf("%v: %s", v.Check, v.Text)
	}
	return fmt.Sprintf("%v: node %d (boot %d, term %d) %s", v.Check, v.Node, v.Boot, v.Term, v.Text)
}
