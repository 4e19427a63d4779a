package fault

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// The shape of schedule.json.
type (
	wireSchedule struct {
		Format   string       `json:"format"`
		Version  int          `json:"version"`
		Test     string       `json:"test,omitempty"`
		Package  string       `json:"package,omitempty"`
		Seed     wireSeed     `json:"seed"`
		Duration wireDuration `json:"duration"`
		Quiet    wireDuration `json:"quiet,omitzero"`
		Shrunk   bool         `json:"shrunk,omitempty"`
		Faults   []wireFault  `json:"faults"`
		Choices  []wireChoice `json:"choices"`
		Expect   *wireExpect  `json:"expect,omitzero"`
	}
	wireFault struct {
		ID      string       `json:"id,omitempty"`
		Kind    Kind         `json:"kind"`
		At      wireDuration `json:"at"`
		When    *wireTrigger `json:"when,omitzero"`
		For     wireDuration `json:"for,omitzero"`
		Target  *wireTarget  `json:"target,omitzero"`
		Peers   []string     `json:"peers,omitempty"`
		File    string       `json:"file,omitempty"`
		Rate    int64        `json:"rate,omitzero"`
		Amount  wireDuration `json:"amount,omitzero"`
		Count   int64        `json:"count,omitzero"`
		Message string       `json:"message,omitempty"`
		Profile string       `json:"profile,omitempty"`
		Nodes   []string     `json:"nodes,omitempty"`
		Outcome Outcome      `json:"outcome,omitempty"`
	}
	wireTrigger struct {
		Point   string `json:"point,omitempty"`
		Op      string `json:"op,omitempty"`
		After   bool   `json:"after,omitzero"`
		File    string `json:"file,omitempty"`
		Message string `json:"message,omitempty"`
		State   string `json:"state,omitempty"`
		Node    string `json:"node,omitempty"`
		Nth     int    `json:"nth,omitzero"`
		Chance  int    `json:"chance,omitzero"`
	}
	wireTarget struct {
		Nodes []string `json:"nodes,omitempty"`
		Group string   `json:"group,omitempty"`
		Role  string   `json:"role,omitempty"`
		Pick  Pick     `json:"pick,omitempty"`
	}
	wireChoice struct {
		Point string       `json:"point"`
		N     uint64       `json:"n"`
		Value int64        `json:"value"`
		Time  wireDuration `json:"time,omitzero"`
		Of    wireName     `json:"of,omitzero"`
	}
	wireExpect struct {
		Kind  string       `json:"kind"`
		Check string       `json:"check"`
		Site  string       `json:"site,omitempty"`
		Time  wireDuration `json:"time"`
		Event uint64       `json:"event"`
		Hash  string       `json:"hash,omitempty"`
	}
)

// wireSeed is written like 0x0123456789abcdef.
type wireSeed uint64

// MarshalText writes the seed.
func (s wireSeed) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "0x%016x", uint64(s)), nil }

// UnmarshalText reads the seed.
func (s *wireSeed) UnmarshalText(text []byte) error {
	t := string(text)
	if len(t) > 2 && t[:2] == "0x" {
		if v, err := strconv.ParseUint(t[2:], 16, 64); err == nil {
			*s = wireSeed(v)
			return nil
		}
	}
	return fmt.Errorf("%q is no seed; write it like \"0x0123456789abcdef\"", t)
}

// wireName is what a choice is about, written like 0x0123456789abcdef.
type wireName uint64

// MarshalText writes the name.
func (n wireName) MarshalText() ([]byte, error) { return wireSeed(n).MarshalText() }

// UnmarshalText reads the name.
func (n *wireName) UnmarshalText(text []byte) error {
	if err := (*wireSeed)(n).UnmarshalText(text); err != nil || *n == 0 {
		return fmt.Errorf("%q names nothing; write it like \"0x0123456789abcdef\", or remove it to go by n", text)
	}
	return nil
}

// wireDuration is written like 1.5s.
type wireDuration time.Duration

// MarshalText writes the duration.
func (d wireDuration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads the duration.
func (d *wireDuration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration; write it like \"1.5s\" or \"200ms\"", text)
	}
	*d = wireDuration(v)
	return nil
}

func toWire(f *Fault) wireFault {
	w := wireFault{
		ID: f.ID, Kind: f.Kind, At: wireDuration(f.At), For: wireDuration(f.For), Peers: f.Peers, File: f.File, Rate: f.Rate,
		Amount: wireDuration(f.Amount), Count: f.Count, Message: f.Message, Profile: f.Profile, Nodes: f.Nodes, Outcome: f.Outcome,
	}
	if f.When != (Trigger{}) {
		w.When = (*wireTrigger)(&f.When)
	}
	if t := f.Target; len(t.Nodes) > 0 || t.Group != "" || t.Role != "" || t.Pick != "" {
		w.Target = (*wireTarget)(&f.Target)
	}
	return w
}

func (w *wireFault) fault() Fault {
	f := Fault{
		ID: w.ID, Kind: w.Kind, At: time.Duration(w.At), For: time.Duration(w.For), Peers: w.Peers, File: w.File, Rate: w.Rate,
		Amount: time.Duration(w.Amount), Count: w.Count, Message: w.Message, Profile: w.Profile, Nodes: w.Nodes, Outcome: w.Outcome,
	}
	if w.When != nil {
		f.When = Trigger(*w.When)
	}
	if w.Target != nil {
		f.Target = Target(*w.Target)
	}
	return f
}

func (w *wireSchedule) schedule() *Schedule {
	s := &Schedule{
		Test: w.Test, Package: w.Package, Seed: uint64(w.Seed), Duration: time.Duration(w.Duration), Quiet: time.Duration(w.Quiet), Shrunk: w.Shrunk,
		Choices: make([]kernel.Choice, 0, len(w.Choices)),
	}
	for i := range w.Faults {
		s.Faults = append(s.Faults, w.Faults[i].fault())
	}
	for _, c := range w.Choices {
		s.Choices = append(s.Choices, kernel.Choice{Point: c.Point, N: c.N, Value: c.Value, Time: kernel.Time(c.Time), Of: uint64(c.Of)})
	}
	if e := w.Expect; e != nil {
		s.Expect = &Expect{e.Kind, e.Check, e.Site, time.Duration(e.Time), e.Event, e.Hash}
	}
	return s
}
