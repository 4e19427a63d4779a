package timeline

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// PageOptions say what [Page] holds. The zero value is the default.
type PageOptions struct {
	// MaxRecords is how many records of the trace the page holds at most: the
	// last ones. 0, and more than [MaxPageRecords], mean that.
	MaxRecords int
	// MaxSteps is how many events the causal slice has at most, see [Slice].
	MaxSteps int
}

// MaxPageRecords is the largest number of records in a page.
const MaxPageRecords = 1_000_000

// Page returns timeline.html: the whole run in one file that needs nothing
// else, for any browser since 2024. Its text can be read without scripts; the
// records come compressed and are drawn by the page's own script, the only one
// that its Content-Security-Policy lets run. Nothing is ever fetched.
//
// Long texts and the records before the last [PageOptions.MaxRecords] are left
// out, and the page says so. The error comes from reading the trace.
func Page(a *artifact.Artifact, o PageOptions) ([]byte, error) {
	if o.MaxRecords <= 0 || o.MaxRecords > MaxPageRecords {
		o.MaxRecords = MaxPageRecords
	}
	c, err := chronicleOf(a)
	if err != nil {
		return nil, err
	}
	causes, err := Slice(a, o.MaxSteps)
	if err != nil {
		return nil, err
	}
	p := newPayload(c)
	skip := max(0, c.records-o.MaxRecords)
	if err := p.trace(a, skip); err != nil {
		return nil, err
	}
	head := headOf(a, c, causes, p, skip)
	doc := document{report: a.Report, story: a.Report.Story, chronicle: c, causes: causes, skipped: skip, cut: p.text.cut,
		operations: len(a.Operations)}
	if len(doc.story) == 0 {
		doc.story = Story(a)
	}
	doc.plots, doc.spacetime = plotsOf(a, c), spacetimeOf(causes, c)
	var out bytes.Buffer
	if err := doc.write(&out, func() error { return p.write(&out, head) }); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// trace fills the columns.
func (p *payload) trace(a *artifact.Artifact, skip int) error {
	n := 0
	for r, err := range a.Records() {
		if err != nil {
			return err
		}
		if n++; n > skip {
			p.add(&r)
		}
	}
	return nil
}

// write appends head and columns: deflated, in base64. The plain form starts
// with the length of the head as 32 bits, little end first.
func (p *payload) write(out *bytes.Buffer, head *pageHead) error {
	encoded := base64.NewEncoder(base64.StdEncoding, out)
	squeezed, err := flate.NewWriter(encoded, flate.DefaultCompression)
	if err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	head.Columns = p.lengths()
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("timeline: the head of the page: %w", err)
	}
	parts := append([][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text}, p.columns()...)
	for _, part := range parts {
		if _, err := squeezed.Write(part); err != nil {
			return fmt.Errorf("timeline: %w", err)
		}
	}
	if err := squeezed.Close(); err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return encoded.Close()
}

// pageHead is what the page's script reads before the columns.
type pageHead struct {
	Test    string       `json:"test"`
	Passed  bool         `json:"passed"`
	Failure *pageFailure `json:"failure"`
	Replay  string       `json:"replay"`
	Nodes   []pageNode   `json:"nodes"`
	Strings []string     `json:"strings"`
	Shapes  []*shape     `json:"shapes"`
	Columns []int        `json:"columns"`
	Rows    int          `json:"rows"`
	Skipped int          `json:"skipped"`
	First   uint64       `json:"first"`
	End     kernel.Time  `json:"end"`
	States  [][6]int64   `json:"states"`
	Faults  []pageFault  `json:"faults"`
	Effects []pageEffect `json:"effects"`
	Ops     []pageOp     `json:"ops"`
	Slice   []uint64     `json:"slice"`
	Edges   [][3]uint64  `json:"edges"`
	About   []int        `json:"about"`
}

type pageFailure struct {
	Kind    string      `json:"kind"`
	Check   string      `json:"check"`
	Message string      `json:"message"`
	Node    string      `json:"node"`
	Time    kernel.Time `json:"time"`
	Event   uint64      `json:"event"`
}

type pageNode struct {
	Name   string `json:"name"`
	Client bool   `json:"client"`
	Group  string `json:"group"` // the one that it is shown with
}

type pageFault struct {
	Kind   string      `json:"kind"`
	Nodes  []int       `json:"nodes"`
	Text   string      `json:"text"`
	From   kernel.Time `json:"from"`
	Until  kernel.Time `json:"until"`
	Record int         `json:"record"`
	Open   bool        `json:"open"`
	Moment bool        `json:"moment"`
}

type pageEffect struct {
	What   string      `json:"what"`
	Cut    bool        `json:"cut"`
	Met    string      `json:"met"`
	From   kernel.Time `json:"from"`
	Until  kernel.Time `json:"until"`
	Record int         `json:"record"`
	Open   bool        `json:"open"`
	Pairs  [][2]int    `json:"pairs"` // links, by places of nodes; both ways apart
}

type pageOp struct {
	ID     int         `json:"id"`
	Node   int         `json:"node"`
	Text   string      `json:"text"`
	Result string      `json:"result"`
	Status string      `json:"status"`
	From   kernel.Time `json:"from"`
	Until  kernel.Time `json:"until"`
	Start  uint64      `json:"start"` // event of the call
	Stop   uint64      `json:"stop"`  // event of the return; 0 for none
}
