// Package frames is a service whose clients call it over a connection, and its test.
//
// Requests and answers are frames: a length of four bytes, and so many bytes of JSON.
// [ReadFrame] reads one, and [ReadOnce] is a planted bug: it takes what one read
// returns for a frame, which is right as long as the network is kind.
package frames

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

const (
	header   = 4    // bytes of the length
	maxFrame = 1000 // bytes behind it
)

// ReadFrame reads a frame, in as many reads as it takes. The error is [io.EOF] if
// the stream has ended before it.
func ReadFrame(r io.Reader) ([]byte, error) {
	head := make([]byte, header)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes; there are none above %d", size, maxFrame)
	}
	body := make([]byte, size)
	_, err := io.ReadFull(r, body)
	return body, err
}

// ReadOnce is the bug: one read is one frame.
func ReadOnce(r io.Reader) ([]byte, error) {
	buf := make([]byte, header+maxFrame)
	n, err := r.Read(buf)
	if err != nil {
		return nil, err
	}
	return buf[min(n, header):n], nil
}

// WriteFrame writes a value as a frame.
func WriteFrame(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}
