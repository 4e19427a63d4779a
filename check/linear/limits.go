package linear

// Defaults of the limits of a [Checker].
const (
	DefaultSteps  = 5_000_000 // steps of the model, a few seconds
	DefaultMemory = 256 << 20 // bytes
)

// limits bound a check.
type limits struct {
	steps, most int
	memory      int
	forgot      int
	stop        func() bool
	stopped     bool
}

func (l *limits) more() bool {
	if l.steps >= l.most {
		return false
	}
	if l.stop != nil && !l.stopped && l.steps&1023 == 0 {
		l.stopped = l.stop()
	}
	return !l.stopped
}
