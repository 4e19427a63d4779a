package artifact

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/hmdsefi/faultline/strictjson"
)

// coverageFormat is the format of a line of a coverage file.
const coverageFormat = "faultline/coverage"

// Coverage is what a sweep of a test has covered: a line of a coverage file. Each
// line names its format, so that files of several processes can be put one
// behind the other.
type Coverage struct {
	Format     string      `json:"format"`     // filled in when written
	Version    int         `json:"version"`    // filled in when written
	Package    string      `json:"package"`    // import path of the test's package
	Test       string      `json:"test"`       // name of the test
	Runs       uint64      `json:"runs"`       // seeds that were run
	Properties []Coverable `json:"properties"` // in the order in which they were declared
}

// Coverable is a property of a sweep.
type Coverable struct {
	Kind string `json:"kind"`          // "sometimes", "reachable", "always" or "watermark"
	Name string `json:"name"`          // name of the property
	Seen uint64 `json:"seen"`          // in how many seeds it was met
	Max  int64  `json:"max,omitzero"`  // of a watermark: the largest value
	Seed Hex64  `json:"seed,omitzero"` // of a watermark: the seed that had it; otherwise the first that met the property
}

// Append returns the line of a coverage file, with its newline.
func (c Coverage) Append(dst []byte) ([]byte, error) {
	c.Format, c.Version = coverageFormat, Version
	if c.Properties == nil {
		c.Properties = []Coverable{}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return dst, fmt.Errorf("artifact: %w", err)
	}
	if len(data) > MaxLine {
		return dst, fmt.Errorf("artifact: the coverage of %s has %d bytes, and a line has at most %d; declare fewer properties, or shorter names", c.Test, len(data), MaxLine)
	}
	return append(append(dst, data...), '\n'), nil
}

// ReadCoverage reads a coverage file; name is what messages call it.
func ReadCoverage(r io.Reader, name string) ([]Coverage, error) {
	var out []Coverage
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine+1)
	line := 0
	for s.Scan() {
		line++
		d := strictjson.Document{File: name, Line: line, Data: s.Bytes()}
		if err := d.Header(coverageFormat, Version); err != nil {
			return nil, err
		}
		var c Coverage
		if err := d.Decode(&c); err != nil {
			return nil, err
		}
		for i, p := range c.Properties {
			switch p.Kind {
			case "sometimes", "reachable", "always", "watermark":
			default:
				return nil, d.Errorf(fmt.Sprintf("properties[%d].kind", i), "%q is unknown; use sometimes, reachable, always or watermark", p.Kind)
			}
		}
		out = append(out, c)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return out, nil
}

// Merge adds up what two sweeps of one test have covered.
func (c *Coverage) Merge(o Coverage) {
	c.Runs += o.Runs
	for _, p := range o.Properties {
		c.merge(p)
	}
}

func (c *Coverage) merge(p Coverable) {
	for i := range c.Properties {
		q := &c.Properties[i]
		if q.Kind != p.Kind || q.Name != p.Name {
			continue
		}
		if p.Seen > 0 && (q.Seen == 0 || p.Kind == "watermark" && p.Max > q.Max) {
			q.Max, q.Seed = p.Max, p.Seed
		}
		q.Seen += p.Seen
		return
	}
	c.Properties = append(c.Properties, p)
}
