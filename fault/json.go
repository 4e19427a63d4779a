package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/strictjson"
)

// MaxSchedule is the largest schedule.json that [ParseSchedule] takes, in
// bytes: 256 MiB.
const MaxSchedule = 256 << 20

const scheduleFormat = "faultline/schedule"

// Encode returns the text of schedule.json: JSON with one fault and one choice
// a line, so that it is easy to compare and to edit. Durations are written as
// Go writes them ("1.5s"), the seed in hexadecimal. The text reads back with
// [ParseSchedule], and the text of what was read is the same again.
func (s *Schedule) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"format\": %q,\n  \"version\": %d,\n", scheduleFormat, Version)
	if s.Test != "" {
		fmt.Fprintf(&b, "  \"test\": %s,\n", compact(s.Test))
	}
	if s.Package != "" {
		fmt.Fprintf(&b, "  \"package\": %s,\n", compact(s.Package))
	}
	fmt.Fprintf(&b, "  \"seed\": \"0x%016x\",\n  \"duration\": %q,\n", s.Seed, s.Duration)
	if s.Quiet != 0 {
		fmt.Fprintf(&b, "  \"quiet\": %q,\n", s.Quiet)
	}
	if s.Shrunk {
		b.WriteString("  \"shrunk\": true,\n")
	}
	b.WriteString("  \"faults\": [")
	for i := range s.Faults {
		element(&b, i, toWire(&s.Faults[i]))
	}
	closing(&b, len(s.Faults))
	b.WriteString(",\n  \"choices\": [")
	for i, c := range s.Choices {
		element(&b, i, wireChoice{c.Point, c.N, c.Value, wireDuration(c.Time), wireName(c.Of)})
	}
	closing(&b, len(s.Choices))
	if e := s.Expect; e != nil {
		fmt.Fprintf(&b, ",\n  \"expect\": %s", compact(wireExpect{e.Kind, e.Check, e.Site, wireDuration(e.Time), e.Event, e.Hash}))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

func element(b *bytes.Buffer, i int, v any) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString("\n    ")
	b.Write(compact(v))
}

func closing(b *bytes.Buffer, n int) {
	if n > 0 {
		b.WriteString("\n  ")
	}
	b.WriteByte(']')
}

// compact is json.Marshal without the escapes that are meant for HTML pages.
// The values are of this package and cannot fail.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("fault: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// ParseSchedule reads the text of schedule.json, version 1; name is what
// messages call it. It is strict: an unknown, repeated or missing field, a
// wrong type, an unknown word, a value out of range, text after the end and a
// newer version are errors that name the file, the line, the field and what to
// do. It does not know the run: whether nodes and groups exist, the run says.
//
// Of version 1 the names "goroutines", "streams" and "reserved" at the top
// level are reserved for choices of a later version; a schedule that has them
// is refused as one that this version cannot replay.
func ParseSchedule(data []byte, name string) (*Schedule, error) {
	if len(data) > MaxSchedule {
		return nil, fmt.Errorf("%s: it is larger than %d bytes, the most that is read; remove choices or shorten the run", name, MaxSchedule)
	}
	d := strictjson.Document{File: name, Line: 1, Data: data}
	if err := d.Header(scheduleFormat, Version); err != nil {
		return nil, err
	}
	if err := checkReserved(d); err != nil {
		return nil, err
	}
	var w wireSchedule
	if err := d.Decode(&w); err != nil {
		return nil, err
	}
	if err := w.check(d); err != nil {
		return nil, err
	}
	return w.schedule(), nil
}

// checkReserved looks for sections of a later version.
func checkReserved(d strictjson.Document) error {
	var top map[string]json.RawMessage
	if json.Unmarshal(d.Data, &top) != nil {
		return nil // Decode says what is wrong
	}
	for _, name := range []string{"goroutines", "streams", "reserved"} {
		if _, ok := top[name]; ok {
			return d.Errorf(name, "it is reserved for choices that this version cannot replay; use a newer faultline")
		}
	}
	return nil
}

// check finds what the types do not.
func (w *wireSchedule) check(d strictjson.Document) error {
	switch {
	case w.Duration < 0:
		return d.Errorf("duration", "%v is negative; use 0s or more", time.Duration(w.Duration))
	case kernel.Time(w.Duration) > kernel.MaxTime:
		return d.Errorf("duration", "%v is more than 100 years; shorten it", time.Duration(w.Duration))
	case w.Quiet < 0:
		return d.Errorf("quiet", "%v is negative; use 0s or more", time.Duration(w.Quiet))
	}
	ids := map[string]int{}
	for i := range w.Faults {
		at := "faults[" + strconv.Itoa(i) + "]"
		if field, msg := w.Faults[i].wrong(); msg != "" {
			return d.Errorf(at+"."+field, "%s", msg)
		}
		id := w.Faults[i].ID
		if first, ok := ids[id]; ok && id != "" {
			return d.Errorf(at+".id", "%q is the id of faults[%d] too; give each fault its own", id, first)
		}
		ids[id] = i
	}
	met := map[kernel.Choice]int{}
	for i, c := range w.Choices {
		at := "choices[" + strconv.Itoa(i) + "]"
		id := kernel.Choice{Point: c.Point, N: c.N, Of: uint64(c.Of)}.Identity()
		first, twice := met[id]
		met[id] = i
		switch {
		case c.Point == "":
			return d.Errorf(at+".point", "it is empty; name who chooses what")
		case c.Value == 0:
			return d.Errorf(at+".value", "0 is the default, which is not written; remove the line")
		case c.Time < 0 || kernel.Time(c.Time) > kernel.MaxTime:
			return d.Errorf(at+".time", "%v is outside of a run; use 0s or more", time.Duration(c.Time))
		case twice && c.Of != 0:
			return d.Errorf(at, "%#x of %q is chosen by choices[%d] too; keep one", uint64(c.Of), c.Point, first)
		case twice:
			return d.Errorf(at, "occurrence %d of %q is chosen by choices[%d] too; keep one", c.N, c.Point, first)
		}
	}
	if w.Expect != nil && w.Expect.Time < 0 {
		return d.Errorf("expect.time", "%v is negative; use 0s or more", time.Duration(w.Expect.Time))
	}
	return nil
}

// wrong returns the field of a fault that has an impossible value, and why.
func (w *wireFault) wrong() (field, msg string) {
	switch {
	case !w.Kind.known():
		return "kind", fmt.Sprintf("%q is unknown; use one of %s", w.Kind, kindList())
	case w.At < 0:
		return "at", fmt.Sprintf("%v is negative; use 0s or more", time.Duration(w.At))
	case w.For < 0:
		return "for", fmt.Sprintf("%v is negative; use 0s or more", time.Duration(w.For))
	case w.Amount < 0 && !slices.Contains(steps(), w.Kind):
		return "amount", fmt.Sprintf("%v is negative; use 0s or more (only %s take less)", time.Duration(w.Amount), words(steps()...))
	case w.Count < 0:
		return "count", fmt.Sprintf("%d is negative; use 0 or more", w.Count)
	case w.Rate < 0 && w.Kind != ClockDrift:
		return "rate", fmt.Sprintf("%d is negative; use 0 or more (only %s takes less)", w.Rate, ClockDrift)
	}
	if _, err := path.Match(w.File, ""); err != nil {
		return "file", fmt.Sprintf("%q is no pattern of path.Match; close its brackets", w.File)
	}
	switch w.Outcome {
	case "", Fired, Inert, NoTarget, Skipped:
	default:
		return "outcome", fmt.Sprintf("%q is unknown; use %s, or leave it out", w.Outcome, words(Fired, Inert, NoTarget, Skipped))
	}
	if t := w.Target; t != nil {
		switch t.Pick {
		case "", One, Minority, Half, Majority, All, Self:
		default:
			return "target.pick", fmt.Sprintf("%q is unknown; use %s", t.Pick, words(One, Minority, Half, Majority, All, Self))
		}
	}
	if t := w.When; t != nil {
		return t.wrong()
	}
	return "", ""
}

func (t *wireTrigger) wrong() (field, msg string) {
	_, bad := path.Match(t.File, "")
	_, worse := path.Match(t.Message, "")
	switch {
	case t.Nth < 0:
		return "when.nth", fmt.Sprintf("%d is negative; the first match is 1", t.Nth)
	case t.Chance < 0 || t.Chance > 1_000_000:
		return "when.chance", fmt.Sprintf("%d is no number of parts per million; use 0 to 1000000", t.Chance)
	case t.Chance > 0 && t.Nth > 0:
		return "when", "it has an nth and a chance; use one"
	case t.Point == "" && t.Op == "" && t.State == "":
		return "when", "it names neither a point nor an op nor a state; name one, or leave when out"
	case t.Point != "" && t.Op != "" || t.State != "" && t.Point+t.Op != "":
		return "when", "it names more than one of point, op and state; a fault has one trigger"
	case worse != nil:
		return "when.message", fmt.Sprintf("%q is no pattern of path.Match; close its brackets", t.Message)
	case bad != nil:
		return "when.file", fmt.Sprintf("%q is no pattern of path.Match; close its brackets", t.File)
	}
	return "", ""
}

// words lists the values of an enumeration.
func words[T ~string](list ...T) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}
