package simnet

import (
	"fmt"
	"strings"
	"time"
)

const (
	// DefaultLatency and DefaultJitter are those of a [Link] with neither.
	DefaultLatency = time.Millisecond
	// DefaultJitter is the jitter of a [Link] with no latency and no jitter.
	DefaultJitter = 4 * time.Millisecond
	// DefaultLongDelay is the bound of long delays where none is given.
	DefaultLongDelay = time.Second
	// MaxDelay is the largest value of each duration of a link.
	MaxDelay = 365 * 24 * time.Hour
	// MaxCopies is the largest number of extra copies of one message.
	MaxCopies = 15
)

const million = 1_000_000

// Link says what happens to the messages from one node to another. The zero
// value behaves like a datagram network in one building: it takes 1 ms plus up
// to 4 ms of jitter, which reorders messages, and loses nothing.
//
// Probabilities are in parts per million of the messages, up to 1,000,000.
// Each is decided apart for each message, by choice points of the kernel that
// are named after the link.
type Link struct {
	// Latency is what every message takes at least. When it and Jitter are
	// both 0 they are [DefaultLatency] and [DefaultJitter]; for a link without
	// latency give 1 ns.
	Latency time.Duration
	// Jitter is the largest addition to Latency, drawn for each copy of a
	// message, with the distribution of Shape.
	Jitter time.Duration
	// Shape is the distribution of the jitter; the zero value is [Uniform].
	Shape Shape
	// Tail is how many copies in a million of a [Bimodal] link are in its
	// tail.
	Tail uint32
	// TailLatency is how much those take at most beyond the jitter, uniformly
	// distributed from 1 ns. 0 is [DefaultLongDelay].
	TailLatency time.Duration
	// FIFO keeps the order of sending: a message arrives at least 1 ns after
	// the one before it, so that a late one holds up those behind it.
	FIFO bool
	// Loss is the probability that a message is lost.
	Loss uint32
	// Burst makes a loss take up to so many messages in a row, from 1 to 64,
	// each length equally likely: Loss is then the probability that a burst
	// begins. 0 and 1 are single losses.
	Burst int
	// Duplicate is the probability that a message arrives twice. The second
	// copy has a latency of its own.
	Duplicate uint32
	// Delay is the probability that a message is held up by more than
	// Latency and Jitter. Only its first copy is: one that is duplicated too
	// is replayed late.
	Delay uint32
	// LongDelay is the largest such addition, uniformly distributed from
	// 1 ns. 0 is [DefaultLongDelay].
	LongDelay time.Duration
	// Late is the probability that one more copy of a message arrives much
	// later than the first. It often reaches another incarnation of the receiver.
	Late uint32
	// LateBy is how much later at most, uniformly distributed from 1 ns. 0 is
	// [DefaultLongDelay].
	LateBy time.Duration
	// Corrupt is the probability that bits of a message flip on the way. See
	// [Network] on what a bit of a message is.
	Corrupt uint32
	// CorruptBits is how many flip at most, up to [MaxBits]; each number from 1
	// is equally likely. 0 is one.
	CorruptBits int
	// Checksum drops messages whose bits have flipped; else they are delivered.
	Checksum bool
	// Bandwidth is how many bytes a second fit through the link: a message
	// waits until those before it are through, and then takes its own size, see
	// [Sizer]. 0 is no limit.
	Bandwidth int64
	// Queue is how many bytes may wait for the link's bandwidth; 0 is no limit.
	Queue int64
	// Policy says which message is dropped when more come; the zero value is
	// [TailDrop].
	Policy Policy
}

func (l Link) withDefaults() Link {
	if l.Latency == 0 && l.Jitter == 0 {
		l.Latency, l.Jitter = DefaultLatency, DefaultJitter
	}
	if l.LongDelay == 0 {
		l.LongDelay = DefaultLongDelay
	}
	if l.TailLatency == 0 {
		l.TailLatency = DefaultLongDelay
	}
	if l.LateBy == 0 {
		l.LateBy = DefaultLongDelay
	}
	return l
}

// String returns the settings as text, such as
// "latency=1ms jitter=4ms fifo loss=500ppm".
func (l Link) String() string {
	l = l.withDefaults()
	var b strings.Builder
	fmt.Fprintf(&b, "latency=%v jitter=%v", l.Latency, l.Jitter)
	if l.FIFO {
		b.WriteString(" fifo")
	}
	writeChances(&b, l.Loss, l.Duplicate, l.Delay, l.LongDelay)
	l.writeRare(&b)
	return b.String()
}

func writeChances(b *strings.Builder, loss, dup, delay uint32, long time.Duration) {
	if loss > 0 {
		fmt.Fprintf(b, " loss=%dppm", loss)
	}
	if dup > 0 {
		fmt.Fprintf(b, " duplicate=%dppm", dup)
	}
	if delay > 0 {
		fmt.Fprintf(b, " delay=%dppm long-delay=%v", delay, long)
	}
}

func (l Link) validate(place string) error {
	if err := validDurations(place, duration{"Latency", l.Latency}, duration{"Jitter", l.Jitter}, duration{"LongDelay", l.LongDelay}); err != nil {
		return err
	}
	if err := validChances(place, l.Loss, l.Duplicate, l.Delay); err != nil {
		return err
	}
	return l.validateRare(place)
}

type duration struct {
	field string
	value time.Duration
}

func validDurations(place string, list ...duration) error {
	for _, d := range list {
		if d.value < 0 || d.value > MaxDelay {
			return fmt.Errorf("simnet: %s: %s is %v; it must be between 0 and %v", place, d.field, d.value, MaxDelay)
		}
	}
	return nil
}

func validChances(place string, loss, dup, delay uint32) error {
	for _, c := range []struct {
		field string
		ppm   uint32
	}{{"Loss", loss}, {"Duplicate", dup}, {"Delay", delay}} {
		if err := validChance(place, c.field, c.ppm); err != nil {
			return err
		}
	}
	return nil
}

func validChance(place, field string, ppm uint32) error {
	if ppm > million {
		return fmt.Errorf("simnet: %s: %s is %d ppm; it must be at most 1000000, which is always", place, field, ppm)
	}
	return nil
}
