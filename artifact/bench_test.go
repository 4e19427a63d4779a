package artifact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// typical is a record as most of a trace is made of.
func typical() kernel.Record {
	return kernel.Record{Index: 123456, Time: 12_345_678_901, Event: 98765, Cause: 98700, Node: "n1", Boot: 2, Kind: "net/send", Attrs: []kernel.Attr{
		{Key: "to", Type: kernel.AttrString, Text: "n2"},
		{Key: "id", Type: kernel.AttrUint, Num: 4711},
		{Key: "size", Type: kernel.AttrInt, Num: 64},
	}}
}

// BenchmarkPair compares a hand-appended trace line with encoding/json given
// the same fields in a struct.
func BenchmarkPair(b *testing.B) {
	r := typical()
	b.Run("jsonl-line/ours", func(b *testing.B) {
		b.ReportAllocs()
		var line []byte
		for b.Loop() {
			line = artifact.AppendRecord(line[:0], &r)
		}
	})
	type attrs struct {
		To   string `json:"to"`
		ID   uint64 `json:"id"`
		Size int64  `json:"size"`
	}
	type record struct {
		Index uint64 `json:"index"`
		Time  int64  `json:"time"`
		Event uint64 `json:"event"`
		Cause uint64 `json:"cause"`
		Node  string `json:"node,omitempty"`
		Boot  int    `json:"boot,omitempty"`
		Kind  string `json:"kind"`
		Attrs attrs  `json:"attrs"`
	}
	b.Run("jsonl-line/base", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			line, err := json.Marshal(&record{
				r.Index, int64(r.Time), r.Event, r.Cause, r.Node, r.Boot, r.Kind,
				attrs{r.Attrs[0].Text, uint64(r.Attrs[1].Num), r.Attrs[2].Num},
			})
			if err != nil || len(line) == 0 {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkScanTrace(b *testing.B) {
	b.ReportAllocs()
	r := typical()
	const n = 1000
	text := []byte(traceHead)
	for i := range uint64(n) {
		r.Index = i
		text = append(artifact.AppendRecord(text, &r), '\n')
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range artifact.ScanTrace(strings.NewReader(string(text)), "t") {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
