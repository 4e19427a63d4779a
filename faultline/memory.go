package faultline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/shrink"
)

// shrinkMemory is what a search has learnt, kept in a file beside the artifact
// while it goes on, so that it can be interrupted and gone on with. It holds for
// one test binary only.
type shrinkMemory struct {
	verdicts shrink.Memory
	file     io.Writer // lines are appended; nil when they are not kept
	lines    bytes.Buffer
}

// The lines of the file, after a header.
type (
	memoryHeader struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Binary  string `json:"binary"`  // SHA-256 of the test's executable
		Failure string `json:"failure"` // the signature that is to be kept
	}
	memoryLine struct {
		List    string       `json:"list,omitempty"` // key of a list that was tested
		Verdict string       `json:"verdict,omitempty"`
		Left    *memoryTally `json:"left,omitempty"` // the smallest list so far
		Runs    int          `json:"runs,omitempty"`
	}
	memoryTally struct {
		Faults     int `json:"faults"`
		Choices    int `json:"choices"`
		Operations int `json:"operations"`
	}
)

const memoryFormat = "faultline/shrink"

var verdictNames = [...]string{shrink.Gone: "gone", shrink.Same: "same", shrink.Other: "other"}

// newMemory starts an empty one.
func newMemory(signature string) *shrinkMemory {
	m := &shrinkMemory{verdicts: shrink.Memory{}}
	m.write(memoryHeader{memoryFormat, 1, binaryHash(), signature})
	return m
}

// readMemory takes in what an earlier search has left; what is not of this
// binary and failure, or does not read, is left out. A line that was cut short
// is the last one.
func readMemory(path, signature string) (m *shrinkMemory, stale bool) {
	m = newMemory(signature)
	data, err := os.ReadFile(path)
	if err != nil {
		return m, false
	}
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, 1<<20)
	var head memoryHeader
	if !scan.Scan() || json.Unmarshal(scan.Bytes(), &head) != nil ||
		head != (memoryHeader{memoryFormat, 1, binaryHash(), signature}) {
		return m, true
	}
	for scan.Scan() {
		var l memoryLine
		if json.Unmarshal(scan.Bytes(), &l) != nil {
			continue
		}
		for v, name := range verdictNames {
			if l.List != "" && l.Verdict == name {
				m.learn(l.List, shrink.Verdict(v))
				m.verdicts[l.List] = shrink.Verdict(v)
			}
		}
	}
	return m, false
}

func (m *shrinkMemory) learn(key string, v shrink.Verdict) {
	m.write(memoryLine{List: key, Verdict: verdictNames[v]})
}

func (m *shrinkMemory) progress(left tally, runs int) {
	m.write(memoryLine{Left: &memoryTally{left.faults, left.choices, left.operations}, Runs: runs})
}

func (m *shrinkMemory) write(line any) {
	data, err := json.Marshal(line)
	if err != nil {
		return
	}
	data = append(data, '\n')
	m.lines.Write(data)
	if m.file != nil {
		_, _ = m.file.Write(data) // the search goes on without what cannot be kept
	}
}

// keep appends what comes to a file, which begins with what is known.
func (m *shrinkMemory) keep(path string) (close func(), err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".shrink*")
	if err != nil {
		return nil, fmt.Errorf("faultline: what shrinking learns cannot be kept: %w", err)
	}
	_, err = f.Write(m.lines.Bytes())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, fmt.Errorf("faultline: what shrinking learns cannot be kept: %w", err)
	}
	m.file = f
	return func() { m.file = nil; _ = f.Close() }, nil
}
