package artifact

import (
	"fmt"
	"strconv"
	"time"
)

// Hex64 is a 64-bit number that is written as "0x" and 16 hexadecimal digits.
type Hex64 uint64

// String returns the number as it is written.
func (h Hex64) String() string { return fmt.Sprintf("0x%016x", uint64(h)) }

// MarshalText writes the number.
func (h Hex64) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the number; "0x" and 1 to 16 digits are accepted.
func (h *Hex64) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) < 3 || s[:2] != "0x" {
		return fmt.Errorf("%q is not a number in hexadecimal; write it like 0x0123456789abcdef", s)
	}
	v, err := strconv.ParseUint(s[2:], 16, 64)
	if err != nil {
		return fmt.Errorf("%q is not a 64-bit number in hexadecimal; write it like 0x0123456789abcdef", s)
	}
	*h = Hex64(v)
	return nil
}

// Duration is a time.Duration that is written like "1.5s".
type Duration time.Duration

// String returns the duration as it is written.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the duration; it must not be negative.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration; write it like \"1.5s\"", text)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative; use 0s or more", text)
	}
	*d = Duration(v)
	return nil
}
