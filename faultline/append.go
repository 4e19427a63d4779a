package faultline

import (
	"fmt"
	"os"
)

// appendTo appends to a file that a variable names. It writes in one piece:
// other processes may append too.
func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// appendable reports files that the environment names and that cannot be
// appended to, before anything is run. It makes those that are not there.
func (e *environment) appendable() error {
	for _, f := range []struct{ name, path string }{{"RESULTS", e.results}, {"COVERAGE", e.coverage}} {
		if f.path == "" {
			continue
		}
		if err := appendTo(f.path, nil); err != nil {
			return notAppendable(f.name, err)
		}
	}
	return nil
}

func notAppendable(name string, err error) error {
	return fmt.Errorf("faultline: %s%s: %w; name a file that can be appended to", envPrefix, name, err)
}
