package browsertest

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// incident is a small run with one of everything: a write is acknowledged, cut
// off, lost in a crash, and missed. prefix is put before every name and text.
func incident(prefix string) *artifact.Artifact {
	var out []kernel.Record
	event, ms := uint64(0), int64(0)
	at := func(t int64) { event++; ms = t }
	say := func(cause uint64, node string, boot int, kind string, attrs ...kernel.Attr) {
		if node != "" {
			node = prefix + node
		}
		for i := range attrs {
			if attrs[i].Type == kernel.AttrString && attrs[i].Key != "status" {
				attrs[i].Text = prefix + attrs[i].Text
			}
		}
		out = append(out, kernel.Record{Index: uint64(len(out)), Time: kernel.Time(ms * 1e6), Event: event, Cause: cause, Node: node, Boot: boot, Kind: kind, Attrs: attrs})
	}
	str, num, dur := kernel.Str, kernel.Int, func(k string, ms int64) kernel.Attr { return kernel.Dur(k, time.Duration(ms)*time.Millisecond) }
	for _, n := range []string{"n1", "n2", "n3", "c1"} {
		at(0)
		say(0, n, 1, "node/boot")
	}
	at(10) // 5
	say(4, "c1", 1, "op/invoke", num("op", 0), str("function", "put"), str("input", "x=7"))
	say(4, "c1", 1, "net/send", str("to", "n1"), num("id", 1), str("type", "put"))
	at(14) // 6
	say(5, "n1", 1, "net/deliver", str("from", "c1"), num("id", 1), str("type", "put"), dur("took", 4))
	say(5, "n1", 1, "disk/write", str("file", "log"), num("off", 0), num("len", 8))
	say(5, "n1", 1, "stored", str("value", "x=7"))
	say(5, "n1", 1, "net/send", str("to", "c1"), num("id", 1), str("type", "ok"))
	at(17) // 7
	say(6, "c1", 1, "net/deliver", str("from", "n1"), num("id", 1), str("type", "ok"), dur("took", 3))
	say(6, "c1", 1, "op/return", num("op", 0), str("status", "ok"), str("output", "done"))
	at(20) // 8
	say(0, "", 0, "fault/fire", str("fault", "isolate#1"), kernel.Str("kind", "isolate"), str("nodes", "n2"), dur("for", 30))
	say(0, "", 0, "net/cut", num("effect", 1), str("what", "n2>* *>n2"))
	at(25) // 9
	say(1, "n1", 1, "net/send", str("to", "n2"), num("id", 1), str("type", "append"))
	say(1, "n1", 1, "net/drop", str("from", "n1"), str("to", "n2"), num("id", 1), str("type", "append"), str("reason", "cut"))
	at(26) // 10
	say(1, "n1", 1, "net/send", str("to", "n3"), num("id", 1), str("type", "append"))
	say(1, "n1", 1, "net/dup", str("to", "n3"), num("id", 1), num("copy", 1), str("type", "append"))
	say(1, "n1", 1, "net/send", str("to", "n3"), num("id", 2), str("type", "beat"))
	say(1, "n1", 1, "net/delay", str("to", "n3"), num("id", 2), str("type", "beat"), dur("by", 20))
	at(28) // 11
	say(10, "n3", 1, "net/deliver", str("from", "n1"), num("id", 1), str("type", "append"), dur("took", 2))
	at(31) // 12
	say(10, "n3", 1, "net/deliver", str("from", "n1"), num("id", 1), num("copy", 1), str("type", "append"), dur("took", 5))
	at(33) // 13
	say(0, "n3", 1, "clock/step", dur("by", -150))
	at(40) // 14
	say(0, "", 0, "fault/fire", str("fault", "power-loss#1"), kernel.Str("kind", "power-loss"), str("nodes", "n1"), dur("for", 20))
	say(0, "n1", 1, "node/power-loss")
	say(0, "n1", 1, "disk/fate", str("op", "write"), str("file", "log"), num("off", 0), num("len", 8), str("outcome", "lost"))
	say(0, "n1", 1, "disk/crash", num("kept", 0), num("lost", 1), num("torn", 0))
	at(46) // 15
	say(10, "n3", 1, "net/deliver", str("from", "n1"), num("id", 2), str("type", "beat"), dur("took", 20))
	at(50) // 16
	say(8, "", 0, "fault/end", str("fault", "isolate#1"), kernel.Str("kind", "isolate"), str("nodes", "n2"))
	say(8, "", 0, "net/heal", num("effect", 1), num("met", 1))
	at(60) // 17
	say(14, "n1", 2, "node/boot")
	at(62) // 18
	say(0, "n2", 1, "node/pause")
	at(66) // 19
	say(0, "n2", 1, "node/resume")
	at(70) // 20
	say(7, "c1", 1, "op/invoke", num("op", 1), str("function", "get"), str("input", "x"))
	say(7, "c1", 1, "net/send", str("to", "n1"), num("id", 2), str("type", "get"))
	at(73) // 21
	say(20, "n1", 2, "net/deliver", str("from", "c1"), num("id", 2), str("type", "get"), dur("took", 3))
	say(20, "n1", 2, "net/send", str("to", "c1"), num("id", 2), str("type", "none"))
	at(76) // 22
	say(21, "c1", 1, "net/deliver", str("from", "n1"), num("id", 2), str("type", "none"), dur("took", 3))
	say(21, "c1", 1, "op/return", num("op", 1), str("status", "ok"), str("output", "none"))
	say(21, "c1", 1, "fail", str("kind", "invariant"), str("check", "acknowledged writes survive"), str("message", "x=7 was acknowledged and is lost"))

	ops, report := aftermath(prefix)
	report.Run.Records = uint64(len(out))
	return artifact.InMemory(report, nil, ops, slices.Values(out))
}

// aftermath is what is known of the incident beside its records.
func aftermath(prefix string) ([]history.Operation, *artifact.Report) {
	point := func(ms int64, event uint64) history.Point {
		return history.Point{Time: time.Duration(ms) * time.Millisecond, Event: event}
	}
	ops := []history.Operation{
		{ID: 0, Process: prefix + "c1", Function: "put", Input: prefix + "x=7", Output: prefix + "done", Status: history.OK, Invoke: point(10, 5), Return: point(17, 7)},
		{ID: 1, Process: prefix + "c1", Function: "get", Input: prefix + "x", Output: prefix + "none", Status: history.OK, Invoke: point(70, 20), Return: point(76, 22)},
	}
	report := &artifact.Report{
		Result: artifact.Failed, Test: prefix + "TestStore", Package: "example.org/" + prefix + "store", Seed: 7,
		Story: []string{prefix + "A write was acknowledged.", "Then the power of n1 was lost.", "Its log was not synced.", "c1 read the key.", "The write was gone."},
		Failure: &artifact.Failure{Kind: "invariant", Check: prefix + "acknowledged writes survive", Message: prefix + "x=7 was acknowledged and is lost",
			Time: artifact.Duration(76 * time.Millisecond), Event: 22, Node: prefix + "c1"},
		Replay:  artifact.Replay{Command: prefix + "FAULTLINE_SEED=7 go test -run '^TestStore$' ."},
		Run:     artifact.RunStats{Time: artifact.Duration(76 * time.Millisecond), Events: 22},
		History: &artifact.Operations{OK: 2},
	}
	return ops, report
}
