package simdisk

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// CrashTest tries out on code that keeps files what power losses and kills may
// do to it, without a run: a write-ahead log, a storage engine, a config file
// that is replaced. It runs Run once. Before each operation that changes
// something on the volume, and at the end, it looks at all that a crash there
// may leave, and lets Recover have each: the state of every legal power loss,
// and that of a kill, where the page cache has stayed. While Recover works,
// crashes happen to it in the same way.
//
// Run and Recover work on the volume that they are given, at once and from one
// goroutine. They may share variables, such as the list of what was tried.
type CrashTest struct {
	// Config is that of the volumes.
	Config Config
	// Profile says which power losses are tried. The zero value stands for
	// Posix, which has all that are legal.
	Profile Profile
	// States is how many states of one moment are tried at most. Where there are
	// more, a sample of them is. 0 means 256.
	States int
	// Crashes is how many crashes there are at most from the start of Run to the
	// last Recover. 0 means 2: one, and another while Recover works. Only
	// the first one can be a kill.
	Crashes int
	// Run is the work that is interrupted. An error means that the test itself
	// is wrong, and ends it.
	Run func(l *Life) error
	// Recover starts after a crash and judges what it finds: at least that all
	// of [Life.Promised] is there. It may go on with the work. An error, or a
	// panic, is a finding.
	Recover func(l *Life) error
}

// Life is one life of the code under test, from a start to a crash.
type Life struct {
	// Volume has the files.
	Volume *Volume
	// Crashes is how many crashes came before.
	Crashes int

	promises []string
	story    []Crash
	killed   bool // the first of the crashes was a kill
}

// Promise says that somebody relies on something from now on: a write that was
// acknowledged, or a value that was served. Lives after this one find it in
// Promised.
func (l *Life) Promise(what string) { l.promises = append(slices.Clip(l.promises), what) }

// Promised returns what this life and those before it have promised, in order.
func (l *Life) Promised() []string { return slices.Clone(l.promises) }

// Crash is one crash on the way to a finding.
type Crash struct {
	// Op is the number of the operation of that life that the crash came before,
	// counting those that change something, from 1; 0 means after the last one.
	Op int
	// Before is that operation in words, such as "sync log"; or "the end".
	Before string
	// Kill says that the process was killed and the page cache stayed. Otherwise
	// it was a power loss.
	Kill bool
	// Fates are those of the pending operations in a power loss.
	Fates []Fate
}

// CrashReport says what a [CrashTest] has tried.
type CrashReport struct {
	Ops       int // operations of Run that a crash came before
	States    int // states that Recover had
	Sampled   int // moments at which not all states were tried
	Recovered int // of the states, those after more than one crash
}

// CrashError is a finding: a state that Recover cannot live with.
type CrashError struct {
	Crashes  []Crash  // that lead to it
	Promised []string // at that time
	Err      error    // what Recover said
}

// Error tells what happened, over several lines.
func (e *CrashError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", e.Err)
	for i, c := range e.Crashes {
		who, what := "Run", "power loss"
		if i > 0 {
			who = "Recover"
		}
		if c.Kill {
			what = "kill"
		}
		fmt.Fprintf(&b, "\n  %s before %s", what, c.Before)
		if c.Op > 0 {
			fmt.Fprintf(&b, ", change %d", c.Op)
		}
		fmt.Fprintf(&b, " of %s", who)
		if c.Kill {
			b.WriteString("; the page cache stays")
		}
		for _, f := range c.Fates {
			fmt.Fprintf(&b, "\n    %v", f)
		}
	}
	if len(e.Promised) > 0 {
		fmt.Fprintf(&b, "\n  promised: %s", strings.Join(e.Promised, ", "))
	}
	return b.String()
}

// Unwrap returns what Recover said.
func (e *CrashError) Unwrap() error { return e.Err }

// Check runs the test. The error is a [*CrashError] for a finding, one
// with as few crashes as any that was met; otherwise it says what is wrong with the test.
func (c CrashTest) Check() (CrashReport, error) {
	switch {
	case c.Run == nil || c.Recover == nil:
		return CrashReport{}, fmt.Errorf("simdisk: CrashTest needs both Run and Recover")
	case !c.Profile.valid():
		return CrashReport{}, fmt.Errorf("simdisk: CrashTest.Profile is %d; use one of the Profile constants", c.Profile)
	case c.States < 0:
		return CrashReport{}, fmt.Errorf("simdisk: CrashTest.States is %d; use 1 or more, or 0 for 256", c.States)
	case c.Crashes < 0:
		return CrashReport{}, fmt.Errorf("simdisk: CrashTest.Crashes is %d; use 1 or more, or 0 for 2", c.Crashes)
	}
	if err := c.Config.validate(); err != nil {
		return CrashReport{}, err
	}
	t := &crashTest{CrashTest: c, bay: newBay(c.Config)}
	if t.States == 0 {
		t.States = 256
	}
	if t.Crashes == 0 {
		t.Crashes = 2
	}
	if t.Profile == Drawn {
		t.Profile = Posix
	}
	err := t.live(t.bay.disk(), &Life{}, c.Run)
	switch {
	case t.found != nil:
		return t.report, t.found
	case err != nil:
		return t.report, fmt.Errorf("simdisk: CrashTest.Run failed without a crash: %w", err)
	}
	return t.report, nil
}

// crashTest is a test that runs.
type crashTest struct {
	CrashTest
	bay    *bay
	report CrashReport
	found  *CrashError
	seen   map[string]int // by what Recover is given: after how many crashes, since Run went on
}

// changes reports whether an operation can change what a crash may leave.
func (o *Op) changes() bool {
	return o.Kind.changes() || o.Kind == Open && o.Flag&(os.O_CREATE|os.O_TRUNC) != 0
}

// live runs a life on a volume, with crashes before each change and at the end.
func (t *crashTest) live(d *disk, l *Life, f func(*Life) error) error {
	l.Volume = &Volume{d: d}
	op := 0
	d.hooks = append(d.hooks, func(o Op, when When) {
		if when == Before && o.changes() {
			op++
			t.crash(d, l, op, o.words())
		}
	})
	err := guarded(f, l)
	if err == nil {
		t.crash(d, l, 0, "the end")
	}
	return err
}

// guarded turns a panic into an error.
func guarded(f func(*Life) error, l *Life) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(l)
}

// words describes an operation.
func (o *Op) words() string {
	name := o.Path
	if o.File != nil {
		name = o.File.name
	}
	s := o.Kind.String() + " " + name
	if o.To != "" {
		s += " to " + o.To
	}
	return s
}

// crash tries all that a crash at this moment of a life may leave.
func (t *crashTest) crash(d *disk, l *Life, op int, before string) {
	if l.Crashes == 0 {
		t.report.Ops++
		t.seen = map[string]int{}
	}
	if l.Crashes == t.Crashes || !t.better(l, false) {
		return
	}
	at := Crash{Op: op, Before: before}
	states, all := d.crashStates(t.bay, t.Profile, t.States)
	if !all {
		t.report.Sampled++
	}
	for _, s := range states {
		if !t.better(l, false) {
			return
		}
		key := s.digest + strings.Join(l.promises, "\x00")
		if after, ok := t.seen[key]; ok && after <= l.Crashes {
			continue
		}
		t.seen[key] = l.Crashes
		at.Fates = s.Fates()
		t.recover(s.base.crashed(t.bay, s.names, s.values), l, at)
	}
	if d.pendingCount() > 0 && l.Crashes == 0 && t.better(l, true) {
		at.Kill, at.Fates = true, nil
		killed, _ := d.fork(t.bay)
		t.recover(killed, l, at)
	}
}

// recover starts the next life.
func (t *crashTest) recover(d *disk, l *Life, at Crash) {
	t.report.States++
	if l.Crashes > 0 {
		t.report.Recovered++
	}
	next := &Life{killed: l.killed || at.Kill, Crashes: l.Crashes + 1, promises: l.promises, story: append(slices.Clip(l.story), at)}
	if err := t.live(d, next, t.Recover); err != nil && t.better(l, at.Kill) {
		t.found = &CrashError{Crashes: next.story, Promised: next.Promised(), Err: err}
	}
}

// better reports whether a finding after one more crash in this life would be
// simpler than the one that there is: with fewer crashes, or as many and no kill.
func (t *crashTest) better(l *Life, kill bool) bool {
	if t.found == nil {
		return true
	}
	cost := func(crashes int, kill bool) int {
		if kill {
			return 2*crashes + 1
		}
		return 2 * crashes
	}
	kill = kill || l.killed
	return cost(l.Crashes+1, kill) < cost(len(t.found.Crashes), t.found.Crashes[0].Kill)
}
