package stream_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// Readers of lines, of numbers and of JSON values get whole ones, however the bytes
// come in pieces.
func TestReadersAndDecoders(t *testing.T) {
	type job struct {
		Name string
		Size int
	}
	var line string
	var number uint64
	var jobs []job
	var end error
	w := pair(t, stream.Config{Segment: 3}, func(w *world, p *kernel.Proc, c *stream.Conn) {
		w.streams.Host("a").Begin(stream.Short)
		w.streams.Host("b").Begin(stream.Short)
		out := c.In(p)
		io.WriteString(out, "a line\n")
		binary.Write(out, binary.BigEndian, uint64(1<<40))
		for i := range 3 {
			json.NewEncoder(out).Encode(job{"job", i})
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		if _, err := out.Write([]byte("x")); err != stream.Closed {
			t.Errorf("a write to a closed connection: %v", err)
		}
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		in := bufio.NewReader(c.In(p))
		line, _ = in.ReadString('\n')
		binary.Read(in, binary.BigEndian, &number)
		for d := json.NewDecoder(in); end == nil; {
			var j job
			if end = d.Decode(&j); end == nil {
				jobs = append(jobs, j)
			}
		}
	})
	w.run(time.Minute)
	if line != "a line\n" || number != 1<<40 || !slices.Equal(jobs, []job{{"job", 0}, {"job", 1}, {"job", 2}}) || end != io.EOF {
		t.Errorf("%q, %d, %v, %v", line, number, jobs, end)
	}
}

// A deadline goes through a reader, and a reader without room does not wait.
func TestProcConnErrors(t *testing.T) {
	var err error
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		in := c.In(p)
		start := p.Sim().Now()
		if n, err := in.Read(nil); n != 0 || err != nil || p.Sim().Now() != start {
			t.Errorf("a read of nothing: %d, %v, after %v", n, err, p.Sim().Now().Sub(start))
		}
		in.SetReadDeadline(p.Node().Now().Add(time.Second))
		_, err = io.ReadFull(in, make([]byte, 8))
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		p.Sleep(500 * ms)
		io.WriteString(c.In(p), "half")
		p.Sleep(time.Hour)
	})
	w.run(time.Minute)
	if err != stream.DeadlineExceeded {
		t.Errorf("half of what is read arrives: %v", err)
	}
}
