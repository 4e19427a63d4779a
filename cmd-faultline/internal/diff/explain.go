package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
	"github.com/hmdsefi/faultline/kernel"
)

// lookahead is how many records are looked through for one that the other
// trace has at once.
const lookahead = 50

// Explain says in sentences how the traces, which are not the same, part. The
// names are what the traces are called.
func (r *Result) Explain(names [2]string) []string {
	a, b := r.First(0), r.First(1)
	out := []string{r.common()}
	switch {
	case a == nil || b == nil:
		out = append(out, r.ended(names))
	case a.Node == b.Node && a.Kind == b.Kind && a.Event == b.Event:
		out = append(out, r.values(names))
	case a.Event == b.Event && a.Time == b.Time && r.extra(names) != "":
		out = append(out, r.extra(names))
	default:
		out = append(out, r.parted(names))
	}
	return out
}

func (r *Result) common() string {
	if r.Equal == 0 {
		return "The very first records differ."
	}
	text := "The first record is the same"
	if r.Equal > 1 {
		text = fmt.Sprintf("The first %d records are the same", r.Equal)
	}
	return fmt.Sprintf("%s, up to event %d at %v.", text, r.Until.Event, r.Until.Time)
}

// ended tells of a trace that is the beginning of the other.
func (r *Result) ended(names [2]string) string {
	short, long := 0, 1
	if r.First(1) == nil {
		short, long = 1, 0
	}
	return fmt.Sprintf("There %s ends; %s goes on for %s. Its next one: %s.",
		names[short], names[long], tell.Count(r.Counts[long]-r.Equal, "record"), moment(r.First(long)))
}

// values tells of two records that differ in values only.
func (r *Result) values(names [2]string) string {
	a, b := r.First(0), r.First(1)
	var out []string
	for _, f := range r.Fields {
		out = append(out, fmt.Sprintf("%s is %s in %s and %s in %s", artifact.Visible(f), value(a, f), names[0], value(b, f), names[1]))
	}
	where := ""
	if a.Node != "" {
		where = " on " + artifact.Visible(a.Node)
	}
	return fmt.Sprintf("Both go on with %s%s in event %d, but %s.", artifact.Visible(a.Kind), where, a.Event, strings.Join(out, "; "))
}

// extra tells of records that only one trace has before it goes on like the
// other.
func (r *Result) extra(names [2]string) string {
	for i := range 2 {
		other := r.First(1 - i)
		list := r.After[i][:min(lookahead, len(r.After[i]))]
		n := slices.IndexFunc(list, func(c kernel.Record) bool {
			return alike(&c, other) && c.Event == other.Event && slices.Equal(c.Attrs, other.Attrs)
		})
		if n > 0 {
			word := "a record"
			if n > 1 {
				word = fmt.Sprintf("%d records", n)
			}
			return fmt.Sprintf("In event %d %s has %s that %s has not: %s.", list[0].Event, names[i], word, names[1-i], tell.Sentence(&list[0]))
		}
	}
	return ""
}

// parted tells of two records that have little to do with each other.
func (r *Result) parted(names [2]string) string {
	a, b := r.First(0), r.First(1)
	text := fmt.Sprintf("Then in %s: %s. In %s: %s.", names[0], moment(a), names[1], moment(b))
	switch d := b.Time.Sub(a.Time); {
	case d > 0:
		text += fmt.Sprintf(" That of %s is %v earlier.", names[0], d)
	case d < 0:
		text += fmt.Sprintf(" That of %s is %v earlier.", names[1], -d)
	case a.Event == b.Event && a.Node != b.Node:
		text += " Another node has its turn: from here on the order of events differs."
	}
	return text
}

func moment(r *kernel.Record) string {
	return fmt.Sprintf("at %v, event %d, %s", r.Time, r.Event, tell.Sentence(r))
}

// value returns a field of a record as text.
func value(r *kernel.Record, field string) string {
	switch field {
	case "time":
		return r.Time.String()
	case "event":
		return fmt.Sprint(r.Event)
	case "cause":
		return fmt.Sprintf("event %d", r.Cause)
	case "boot":
		return fmt.Sprint(r.Boot)
	case "attrs":
		return "in one order"
	}
	a, ok := r.Get(strings.TrimPrefix(field, "attrs."))
	if !ok {
		return "absent"
	}
	text := artifact.Visible(a.Value())
	if runes := []rune(text); len(runes) > 100 {
		text = string(runes[:99]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// Scheduler says what scheduled the event of a record: the first telling
// record of its cause. It is empty if it has none that is recorded.
func Scheduler(records query.Records, r *kernel.Record) (string, error) {
	text := ""
	if r.Cause == 0 {
		return "", nil
	}
	for c, err := range records {
		if err != nil {
			return "", err
		}
		switch {
		case c.Event > r.Cause:
			return text, nil
		case c.Event == r.Cause && (text == "" || !tell.Routine(c.Kind)):
			text = moment(&c)
			if !tell.Routine(c.Kind) {
				return text, nil
			}
		}
	}
	return text, nil
}
