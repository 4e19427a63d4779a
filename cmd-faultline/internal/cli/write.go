package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// replace writes a file of a directory aside and renames it. A link in its
// place is replaced, not followed.
func replace(dir, name string, data []byte) (err error) {
	f, err := os.CreateTemp(dir, "."+name+".*")
	var where *fs.PathError
	if errors.As(err, &where) { // it names the temporary file
		return fmt.Errorf("%s cannot be written (%w); name a file in a directory that is there and can be written to", filepath.Join(dir, name), where.Err)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	return err
}

// printJSON writes a value for programs, indented for people.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// rawRecord returns a record as trace.jsonl has it; nil for none.
func rawRecord(r *kernel.Record) json.RawMessage {
	if r == nil {
		return nil
	}
	return artifact.AppendRecord(nil, r)
}

func rawRecords(list []kernel.Record) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i := range list {
		out[i] = rawRecord(&list[i])
	}
	return out
}

// lines writes whole lines and remembers the first error.
type lines struct {
	w   io.Writer
	buf bytes.Buffer
	err error
}

func (l *lines) print(parts ...string) {
	for _, p := range parts {
		l.buf.WriteString(p)
	}
	l.buf.WriteByte('\n')
	if l.buf.Len() > 64<<10 {
		_ = l.flush()
	}
}

func (l *lines) flush() error {
	if l.err == nil {
		_, l.err = l.w.Write(l.buf.Bytes())
	}
	l.buf.Reset()
	return l.err
}

// compactJSON returns a value as one line.
func compactJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("{\"error\":%q}", err.Error())
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
