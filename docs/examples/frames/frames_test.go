package frames

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/simnet/stream"
)

const (
	garbled = "bytes that are no request"
	wrong   = "an answer to another request"
)

func options() faultline.Options {
	return faultline.Options{Duration: 15 * time.Second, QuietFor: 5 * time.Second}
}

// setup sets up a server and two clients that are connected to it.
func setup(read func(io.Reader) ([]byte, error), faults fault.Rules) func(w *faultline.World) {
	return func(w *faultline.World) {
		w.Streams(stream.Config{Timeout: 2 * time.Second})
		server := &Server{Read: read, Garbled: w.Unreachable(garbled)}
		w.Server("s1", server.Start)
		client := &Client{Server: "s1", Wrong: w.Unreachable(wrong), GaveUp: w.Reachable("a deadline passes")}
		w.Client("c1", client.Run)
		w.Client("c2", client.Run)
		w.Faults(faults)

		quiet, _ := w.QuietAt()
		late := 0 // answers in the quiet phase
		client.Answered = func() {
			if w.Sim().Now().Sub(0) > quiet {
				late++
			}
		}
		w.Eventually("calls are answered", 4*time.Second, func() error {
			if late < 10 {
				return fmt.Errorf("only %d calls were answered since the quiet phase began", late)
			}
			return nil
		})
	}
}

// everything is the faults of nodes, disks and links, and those of connections.
func everything() fault.Rules {
	return append(fault.Default(), fault.Streams()...)
}

// TestFrames runs the service under every fault that it must survive.
func TestFrames(t *testing.T) {
	faultline.Run(t, options(), setup(ReadFrame, everything()))
}

// TestFindsOneRead: that one read is one frame is found within 20 seeds, and never
// without faults.
func TestFindsOneRead(t *testing.T) {
	for seed := range uint64(5) {
		if out, err := faultline.Once(options(), seed, setup(ReadOnce, nil)); err != nil || out.Failure != nil {
			t.Fatalf("without faults, seed %d: %v, %v", seed, out.Failure, err)
		}
	}
	for seed := range uint64(20) {
		out, err := faultline.Once(options(), seed, setup(ReadOnce, everything()))
		if err != nil {
			t.Fatal(err)
		}
		if out.Failure != nil {
			checkFailure(t, out)
			return
		}
	}
	t.Error("not found within 20 seeds")
}

// checkFailure demands that the guide shows this failure as it is.
func checkFailure(t *testing.T, out faultline.Outcome) {
	t.Helper()
	if out.Failure.Check != garbled {
		t.Errorf("found by %q", out.Failure.Check)
	}
	story, err := out.Story()
	if err != nil || len(story) != 5 {
		t.Fatal(story, err)
	}
	if short := "cut short, first a read on connection"; !strings.Contains(story[1], short) {
		t.Errorf("the story names other faults: %s", story[1])
	}
	const guide = "../../guides/streams.md"
	page, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, line := range story[3:] {
		if !strings.Contains(text, line) {
			t.Errorf("%s lacks the line\n%s", guide, line)
		}
	}
}
