package linear

// Defaults of the limits of a [Checker].
const (
	DefaultSteps  = 5_000_000 // steps of the model, a few seconds
	DefaultMemory = 256 << 20 // bytes
)

// askEvery is how many steps there are between two calls of [Checker.Stop].
const askEvery = 1024

// limits bound a check.
type limits struct {
	steps, most int
	memory      int
	forgot      int
	stop        func() bool
	stopped     bool
	ask         int // at which step to ask stop
}

func (l *limits) more() bool {
	if l.steps >= l.most {
		return false
	}
	if l.stop != nil && !l.stopped && l.steps >= l.ask {
		l.ask = l.steps + askEvery
		l.stopped = l.stop()
	}
	return !l.stopped
}
