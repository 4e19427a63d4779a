package timeline

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxShapes = 4096    // sorts of records, by kind and attributes
	maxSafe   = 1 << 53 // beyond it the page's numbers are not exact
)

// shape is what records of one kind with the same attributes have in common.
type shape struct {
	Kind string      `json:"kind"`
	Keys [][2]string `json:"keys"` // key and type of each attribute

	slots []*column
	key   string
}

// column holds one value of each record, or of each record of one shape.
type column struct{ b []byte }

func (c *column) unsigned(v uint64) { c.b = binary.AppendUvarint(c.b, v) }

func (c *column) signed(v int64) { c.b = binary.AppendVarint(c.b, v) }

// payload collects the records of a page in columns, which compress well and
// are quick to read. Numbers are variable-length integers; signed ones have
// their sign in the lowest bit. A record's attributes are in columns of its
// shape, in the order of the records.
type payload struct {
	place map[string]int
	text  *texts
	match *matcher

	index, time, event, cause, node, boot, shape, partner column

	shapes  []*shape
	byShape map[string]int
	rows    int
	last    kernel.Record
	first   uint64
	scratch []byte
}

func newPayload(c *chronicle) *payload {
	return &payload{place: c.place, text: newTexts(), match: newMatcher(), byShape: map[string]int{}}
}

// add appends a record.
func (p *payload) add(r *kernel.Record) {
	if p.rows == 0 {
		p.first = r.Index
		p.last = kernel.Record{Index: r.Index - 1}
	}
	p.index.signed(int64(r.Index - p.last.Index - 1))
	p.time.signed(int64(r.Time - p.last.Time))
	p.event.signed(int64(r.Event - p.last.Event))
	since := uint64(0)
	if r.Cause > 0 && r.Cause < r.Event {
		since = r.Event - r.Cause
	}
	p.cause.unsigned(since)
	node := 0
	if r.Node != "" {
		node = len(p.place) + 1 // beyond the lanes
		if i, ok := p.place[r.Node]; ok {
			node = i + 1
		}
	}
	p.node.unsigned(uint64(node))
	p.boot.unsigned(uint64(max(r.Boot, 0)))
	p.partner.unsigned(uint64(p.match.partner(r, p.rows)))
	p.attributes(r)
	p.last = *r
	p.last.Attrs = nil
	p.rows++
}

func (p *payload) attributes(r *kernel.Record) {
	id, s := p.shapeOf(r)
	p.shape.unsigned(uint64(id))
	if s.key == "" {
		s.slots[0].unsigned(uint64(p.text.number(r.Kind)))
		s.slots[1].unsigned(uint64(p.text.number(strings.TrimSpace(attrs(r)))))
		return
	}
	for i := range r.Attrs {
		p.value(s.slots[i], &r.Attrs[i])
	}
}

func (p *payload) value(c *column, a *kernel.Attr) {
	switch typeOf(a) {
	case "number", "duration":
		c.signed(a.Num)
	case "bool":
		c.unsigned(uint64(a.Num & 1))
	case "hash":
		c.b = binary.BigEndian.AppendUint64(c.b, uint64(a.Num))
	default:
		text := a.Text
		if a.Type != kernel.AttrString {
			text = a.Value()
		}
		c.unsigned(uint64(p.text.number(text)))
	}
}

// typeOf is how the page holds a value: big numbers are text to it.
func typeOf(a *kernel.Attr) string {
	exact := a.Num > -maxSafe && a.Num < maxSafe
	switch {
	case a.Type == kernel.AttrBool:
		return "bool"
	case a.Type == kernel.AttrHash:
		return "hash"
	case a.Type == kernel.AttrString || !exact:
		return "text"
	case a.Type == kernel.AttrDur:
		return "duration"
	}
	return "number"
}

// shapeOf returns the shape of a record. When there are too many, the rest
// share one, with kind and attributes as texts.
func (p *payload) shapeOf(r *kernel.Record) (int, *shape) {
	// With their lengths, so that no text can pass for another shape, and so
	// that only the shared shape has no key.
	k := binary.AppendUvarint(p.scratch[:0], uint64(len(r.Kind)))
	k = append(k, r.Kind...)
	for i := range r.Attrs {
		k = binary.AppendUvarint(k, uint64(len(r.Attrs[i].Key)))
		k = append(k, r.Attrs[i].Key...)
		k = append(k, typeOf(&r.Attrs[i])[0]) // each begins with another letter
	}
	p.scratch = k
	if id, ok := p.byShape[string(k)]; ok {
		return id, p.shapes[id]
	}
	s := &shape{Kind: p.text.fit(r.Kind), key: string(k)}
	for i := range r.Attrs {
		s.Keys = append(s.Keys, [2]string{p.text.fit(r.Attrs[i].Key), typeOf(&r.Attrs[i])})
	}
	if len(p.shapes) >= maxShapes-1 || len(r.Attrs) > 1000 {
		s = &shape{Kind: "record", Keys: [][2]string{{"kind", "text"}, {"attributes", "text"}}}
		if id, ok := p.byShape[""]; ok {
			return id, p.shapes[id]
		}
	}
	for range s.Keys {
		s.slots = append(s.slots, &column{})
	}
	id := len(p.shapes)
	p.shapes = append(p.shapes, s)
	p.byShape[s.key] = id
	return id, s
}

// columns returns all columns in their order, strings not among them.
func (p *payload) columns() [][]byte {
	out := [][]byte{p.index.b, p.time.b, p.event.b, p.cause.b, p.node.b, p.boot.b, p.shape.b, p.partner.b}
	for _, s := range p.shapes {
		for _, c := range s.slots {
			out = append(out, c.b)
		}
	}
	return out
}

func (p *payload) lengths() []int {
	var out []int
	for _, c := range p.columns() {
		out = append(out, len(c))
	}
	return out
}

// matcher finds, for a record that ends or follows something, the record that
// began it: the send of a delivery, the call of a return.
type matcher struct {
	begun map[string]int
	key   []byte
}

func newMatcher() *matcher { return &matcher{begun: map[string]int{}} }

// partner returns how many records before this one its partner is; 0 for none.
func (m *matcher) partner(r *kernel.Record, row int) int {
	begins := false
	switch r.Kind {
	case "net/send", "op/invoke", "fault/fire", "net/cut", "net/degrade":
		begins = true
	case "net/deliver", "net/drop", "net/dup", "net/delay", "op/return", "op/attempt", "fault/end", "net/heal":
	default:
		return 0
	}
	m.name(r)
	if begins {
		m.begun[string(m.key)] = row
		return 0
	}
	if at, ok := m.begun[string(m.key)]; ok {
		return row - at
	}
	return 0
}

// name sets the key of what a record belongs to.
func (m *matcher) name(r *kernel.Record) {
	k := m.key[:0]
	switch {
	case strings.HasPrefix(r.Kind, "op/"):
		k = append(k, 'o')
		k = strconv.AppendInt(k, int64(opNumber(r)), 10)
	case strings.HasPrefix(r.Kind, "fault/"):
		k = appendAttr(append(k, 'f'), r, "fault")
	case r.Kind == "net/cut" || r.Kind == "net/degrade" || r.Kind == "net/heal":
		k = appendAttr(append(k, 'e'), r, "effect")
	default:
		k = append(k, 'm')
		k = append(appendAttr(k, r, "from"), 0)
		if len(k) == 2 {
			k = append(append(k[:1], r.Node...), 0)
		}
		n := len(k)
		if k = appendAttr(k, r, "to"); len(k) == n {
			k = append(k, r.Node...)
		}
		k = appendAttr(append(k, 0), r, "id")
	}
	m.key = k
}

func appendAttr(k []byte, r *kernel.Record, key string) []byte {
	for i := range r.Attrs {
		a := &r.Attrs[i]
		switch {
		case a.Key != key:
		case a.Type == kernel.AttrString:
			return append(k, a.Text...)
		default:
			return strconv.AppendInt(k, a.Num, 10)
		}
	}
	return k
}
