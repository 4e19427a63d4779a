package faultline

import (
	"encoding/hex"
	"encoding/json"
	"testing"
)

// seedResult is one line of the FAULTLINE_RESULTS file.
type seedResult struct {
	Test    string `json:"test"`
	Package string `json:"package"`
	Seed    string `json:"seed"`
	Result  string `json:"result"` // pass or fail
	Kind    string `json:"kind,omitempty"`
	Check   string `json:"check,omitempty"`
	Site    string `json:"site,omitempty"`
	Message string `json:"message,omitempty"`
	TimeNs  int64  `json:"time_ns"` // virtual time at the end, or of the failure
	Event   uint64 `json:"event"`
	Hash    string `json:"hash,omitempty"`
}

// results appends the line of a run to the file that FAULTLINE_RESULTS names,
// and tells Reproduce.
func (c *campaign) results(t *testing.T, j job, x *execution) {
	t.Helper()
	noteReproduced(t, j)
	if c.env.results == "" {
		return
	}
	line := seedResult{
		Test: c.place.test, Package: c.place.pkg, Seed: seedText(j.seed), Result: "pass",
		TimeNs: int64(x.result.Time), Event: x.events,
	}
	if x.world != nil {
		line.Hash = hex.EncodeToString(x.result.Hash[:])
	}
	if f := x.failure; f != nil {
		line.Result, line.Kind, line.Check, line.Site, line.Message = "fail", f.Kind, f.Check, site(f), f.Message
		line.TimeNs, line.Event = int64(f.Time), f.Event
	}
	data, err := json.Marshal(line)
	if err != nil {
		t.Errorf("faultline: %sRESULTS: %v", envPrefix, err)
		return
	}
	if err := appendTo(c.env.results, append(data, '\n')); err != nil {
		t.Error(notAppendable("RESULTS", err))
	}
}
