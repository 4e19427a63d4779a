package faultline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/shrink"
)

// shrinkMemory is what a search has learnt. It is kept in a file beside the
// artifact while the search goes on, so that it can be interrupted and gone on
// with. It holds for one test binary and one failure.
type shrinkMemory struct {
	verdicts shrink.Memory
	lines    bytes.Buffer // the content of the file
	file     io.Writer    // to append to; nil when there is none
}

// memoryHeader is the first line of the file.
type memoryHeader struct {
	Format    string `json:"format"`
	Version   int    `json:"version"`
	Binary    string `json:"binary"`    // SHA-256 of the test's executable
	Signature string `json:"signature"` // of the failure that is to be kept
}

// memoryLine is a verdict, or what is to be said to people.
type memoryLine struct {
	List    string `json:"list,omitempty"` // key of a list that was tested
	Verdict string `json:"verdict,omitempty"`
	Say     string `json:"say,omitempty"`
}

const memoryFormat = "faultline/shrink"

var verdictNames = [...]string{shrink.Gone: "gone", shrink.Same: "same", shrink.Other: "other"}

// newMemory starts an empty one.
func newMemory(signature string) *shrinkMemory {
	m := &shrinkMemory{verdicts: shrink.Memory{}}
	m.write(memoryHeader{memoryFormat, 1, binaryHash(), signature})
	return m
}

// readMemory takes in what an earlier search has left in a directory. What is
// of another binary or failure is left out, and so is a line that was cut short.
func readMemory(dir, signature string) *shrinkMemory {
	m := newMemory(signature)
	data, err := os.ReadFile(filepath.Join(dir, artifact.ShrinkFile))
	if err != nil {
		return m
	}
	scan := bufio.NewScanner(bytes.NewReader(data))
	var head memoryHeader
	if !scan.Scan() || json.Unmarshal(scan.Bytes(), &head) != nil ||
		head != (memoryHeader{memoryFormat, 1, binaryHash(), signature}) {
		return m
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
	return m
}

func (m *shrinkMemory) learn(key string, v shrink.Verdict) {
	m.write(memoryLine{List: key, Verdict: verdictNames[v]})
}

func (m *shrinkMemory) say(text string) { m.write(memoryLine{Say: text}) }

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

// keepIn appends what is learnt to a file in a directory, from what is known
// on. Where that cannot be, the search goes on without.
func (m *shrinkMemory) keepIn(dir string) (done func()) {
	if dir == "" {
		return func() {}
	}
	f, err := os.CreateTemp(dir, ".shrink*")
	if err != nil {
		return func() {}
	}
	if _, err = f.Write(m.lines.Bytes()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, artifact.ShrinkFile))
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return func() {}
	}
	m.file = f
	return func() { m.file = nil; _ = f.Close() }
}
