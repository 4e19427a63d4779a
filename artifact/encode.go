package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hmdsefi/faultline/strictjson"
)

const (
	maxMessage = 64 << 10 // bytes kept of a failure's message and detail
	maxStack   = 1 << 20  // bytes kept of its stack
)

// Encode returns the text of report.json. Very long messages and stacks are
// cut. The error says when the rest is larger than [MaxReport].
func (r *Report) Encode() ([]byte, error) {
	w := *r
	w.Format, w.Version = reportFormat, Version
	if r.Failure != nil {
		f := *r.Failure
		f.Message, f.Detail, f.Stack = head(f.Message, maxMessage), head(f.Detail, maxMessage), head(f.Stack, maxStack)
		w.Failure = &f
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&w); err != nil {
		return nil, err
	}
	if b.Len() > MaxReport {
		return nil, fmt.Errorf("the report has %d bytes, more than %d; put large things into files of their own", b.Len(), MaxReport)
	}
	return b.Bytes(), nil
}

// ParseReport reads the text of report.json; name is what messages call it.
// Every error names the file, the line, the field and what to do.
func ParseReport(data []byte, name string) (*Report, error) {
	if len(data) > MaxReport {
		return nil, fmt.Errorf("%s: it is larger than %d bytes, the most that is read; make it smaller", name, MaxReport)
	}
	d := strictjson.Document{File: name, Line: 1, Data: data}
	if err := d.Header(reportFormat, Version); err != nil {
		return nil, err
	}
	r := &Report{}
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	if field, msg := r.wrong(); msg != "" {
		return nil, d.Errorf(field, "%s", msg)
	}
	return r, nil
}

// wrong returns a field that has an impossible value, and why.
func (r *Report) wrong() (field, msg string) {
	switch {
	case r.Result != Failed && r.Result != Passed:
		return "result", fmt.Sprintf("%q is unknown; use fail or pass", r.Result)
	case r.Result == Failed && r.Failure == nil:
		return "failure", fmt.Sprintf("it is missing, but the result is %q; add it", r.Result)
	case r.Result == Passed && r.Failure != nil:
		return "failure", "a run that passed has none; remove it or correct the result"
	case len(r.Files) > MaxFiles:
		return "files", fmt.Sprintf("%d files are more than %d, the most that is read", len(r.Files), MaxFiles)
	}
	for i, f := range r.Files {
		if err := checkName(f.Name); err != nil {
			return fmt.Sprintf("files[%d].name", i), err.Error()
		}
	}
	return "", ""
}
