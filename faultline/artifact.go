package faultline

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// leftArtifact is what a run has left for people.
type leftArtifact struct {
	dir    string   // empty if there is none
	err    error    // why it, or a part of it, could not be written
	beside string   // the failure's artifact, which is kept beside that of a pass
	small  bool     // the shrunk run is in it
	story  []string // the story of the run, also without a directory
}

// orElse returns what is there after a second artifact was written in place of
// the first: without room for it, the first.
func (a *leftArtifact) orElse(first *leftArtifact) *leftArtifact {
	if a.dir == "" && a.err != nil {
		a.dir = first.dir
	}
	return a
}

// minimal returns the schedule that an earlier search has left there; nil if there is
// none.
func (a *leftArtifact) minimal() *fault.Schedule {
	s, err := loadSchedule(filepath.Join(a.dir, artifact.MinimalFile))
	if a.dir == "" || err != nil {
		return nil
	}
	return s
}

// missing says what an artifact that is there lacks.
func (a *leftArtifact) missing(small *shrunk) string {
	if a.err == nil {
		return ""
	}
	what := "some of its views"
	if small != nil && !a.small {
		what = "the shrunk run"
	}
	first, rest, _ := strings.Cut(a.err.Error(), "\n")
	if rest != "" {
		first += "; and " + plural(strings.Count(rest, "\n")+1, "such error") + " more"
	}
	return fmt.Sprintf("          without %s: %s\n", what, first)
}

// ofPass says where the artifact of a passing run is.
func (a *leftArtifact) ofPass(t *testing.T) {
	t.Helper()
	if a.err != nil {
		t.Errorf("faultline: the artifact of a passing seed cannot be written, or not all of it: %v", a.err)
	}
	if a.dir != "" {
		t.Logf("faultline: artifact: %s", a.dir)
	}
	if a.beside != "" {
		t.Logf("faultline: the artifact of its failure is kept, %s; what has changed:\n\tfaultline diff %s %s", a.beside, quote(a.beside), quote(a.dir))
	}
}

// leaveArtifact writes the artifact directory of a run; f is nil for one that
// passed, small for one that was not shrunk. What goes wrong is part of the
// failure's text and never hides it.
func (c *campaign) leaveArtifact(t *testing.T, j job, x *execution, f *kernel.Failure, small *shrunk) *leftArtifact {
	t.Helper()
	a := c.inMemory(j, x, f)
	left := &leftArtifact{story: a.Report.Story}
	var b *artifact.Artifact
	if small != nil {
		other := j
		other.seed = small.after.Seed
		b = c.inMemory(other, small.run, small.run.failure)
		a.Report.Why, b.Report.Why = small.why, small.why
		left.story = b.Report.Story
		a.Report.Shrunk = small.report(b.Report)
	}
	if c.opt.Artifacts == "off" {
		return left
	}
	left.dir, left.err = c.write(a, b, x, small)
	if errors.Is(left.err, artifact.ErrKept) { // a pass beside the failure
		left.beside = filepath.Join(c.artifactRoot(), keyOf(a.Report).Dir())
		a.Report.Variant = strings.TrimPrefix(a.Report.Variant+"-pass", "-")
		left.dir, left.err = c.write(a, b, x, small)
	}
	left.small = left.dir != "" && small != nil
	return left
}

// writable reports a directory for artifacts in which nothing can be written,
// before a night's failures are lost. The default one is not tried.
func writable(root string) error {
	if root == "" || root == "off" {
		return nil
	}
	err := os.MkdirAll(root, 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(root, ".try-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("faultline: artifacts cannot be written below %s (%sARTIFACTS or Options.Artifacts): %w; name a directory that is writable, or off", root, envPrefix, err)
	}
	return nil
}

// keyOf says where the artifact of a report belongs.
func keyOf(r *artifact.Report) artifact.Key {
	return artifact.Key{Package: r.Package, Test: r.Test, Seed: uint64(r.Seed), Variant: r.Variant}
}

// inMemory puts together what is known of a run.
func (c *campaign) inMemory(j job, x *execution, f *kernel.Failure) *artifact.Artifact {
	a := artifact.InMemory(c.report(j, x, f), nil, nil, nil)
	if x.world != nil {
		s := x.world.schedule()
		s.Test, s.Package, s.Expect = c.place.test, c.place.pkg, expectation(x, f)
		a = artifact.InMemory(a.Report, s, x.world.history.Operations(), x.world.sim.Records())
	}
	a.Report.Story = timeline.Story(a)
	return a
}

// write makes the directory of a, with b as its shrunk version and what
// shrinking has learnt, if not nil; x and small are their runs. The error of a
// directory that was made is of views that it lacks.
func (c *campaign) write(a, b *artifact.Artifact, x *execution, small *shrunk) (string, error) {
	key := keyOf(a.Report)
	w, err := artifact.Create(c.artifactRoot(), key)
	if err != nil {
		return "", err
	}
	if x.world != nil {
		w.Schedule(a.Schedule)
		w.Trace(x.world.sim.Records())
		w.History(x.world.history.All())
	}
	writeExtra(w, x, "")
	if b != nil {
		c.writeMinimal(w, b, key, small)
	}
	if small != nil && small.memory != nil {
		w.File(artifact.ShrinkFile, small.memory.lines.Bytes())
	}
	w.Report(a.Report)
	lacks := writeViews(w, a, "") // last, so that without room only they are lost
	if b != nil {
		lacks = errors.Join(lacks, writeViews(w, b, ".min"))
	}
	dir, err := w.Commit()
	switch {
	case errors.Is(err, artifact.ErrKept) && x.failure != nil: // the same one, with its shrunk schedule
		return filepath.Join(c.artifactRoot(), key.Dir()), nil
	case err != nil:
		return "", err
	}
	return dir, lacks
}

// writeMinimal adds the shrunk run b.
func (c *campaign) writeMinimal(w *artifact.Writer, b *artifact.Artifact, key artifact.Key, small *shrunk) {
	w.Minimal(b.Schedule)
	b.Report.Replay.Command = c.place.command(envPrefix + "SCHEDULE=" + filepath.Join(c.artifactRoot(), key.Dir(), artifact.MinimalFile))
	w.MinimalRun(b.Report, small.run.world.sim.Records(), small.run.world.history.All())
	w.File("report.min.txt", b.Report.Text())
	writeExtra(w, small.run, ".min")
	if why := b.Report.Why; why != nil {
		if plot := why.Plot(); plot != nil {
			w.File(artifact.DecidedFile, plot)
		}
	}
}

// report says in the whole run's report what the shrunk run, whose report is r,
// has shown.
func (s *shrunk) report(r *artifact.Report) *artifact.Shrunk {
	out := &artifact.Shrunk{Story: r.Story, Time: r.Failure.Time, Event: r.Failure.Event, Node: r.Failure.Node}
	for line := range strings.Lines(strings.TrimPrefix(s.text(), "shrunk:")) {
		out.Takes = append(out.Takes, strings.TrimSpace(line))
	}
	return out
}

// writeViews adds the files that make a run readable; their names end in
// suffix before the extension. The error says which are left out.
func writeViews(w *artifact.Writer, a *artifact.Artifact, suffix string) (lacks error) {
	for _, v := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{artifact.TimelineFile, func() ([]byte, error) { return timeline.Text(a, timeline.Options{}) }},
		{artifact.PageFile, func() ([]byte, error) { return timeline.Page(a, timeline.PageOptions{}) }},
		{artifact.CausesFile, func() ([]byte, error) { return timeline.Mermaid(a, 0) }},
		{artifact.SpaceFile, func() ([]byte, error) { return timeline.SpaceTime(a, 0) }},
		{artifact.PlotsFile, func() ([]byte, error) { return timeline.Plots(a) }},
		{artifact.PerfettoFile, func() ([]byte, error) { return timeline.Perfetto(a) }},
	} {
		name := suffixed(v.name, suffix)
		data, err := v.make()
		if err != nil {
			lacks = errors.Join(lacks, fmt.Errorf("%s: %w", name, err))
			continue
		}
		lacks = errors.Join(lacks, w.View(name, data))
	}
	return lacks
}

// suffixed puts a suffix before the extension of a file's name.
func suffixed(name, suffix string) string {
	stem, ext, _ := strings.Cut(name, ".")
	return stem + suffix + "." + ext
}

func (c *campaign) artifactRoot() string {
	root := c.opt.Artifacts
	if root == "" {
		root = filepath.Join(os.TempDir(), "faultline")
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return root
}

// report fills in report.json.
func (c *campaign) report(j job, x *execution, f *kernel.Failure) *artifact.Report {
	r := &artifact.Report{
		Result: artifact.Passed, Faultline: Version, Go: runtime.Version(), Binary: binaryHash(),
		Test: c.place.test, Package: c.place.pkg, Seed: artifact.Hex64(j.seed), Variant: j.variant(),
		Replay:  artifact.Replay{Command: c.replayCommand(j)},
		Options: c.opt.settings(),
	}
	if f != nil {
		r.Result = artifact.Failed
		r.Failure = reported(f)
		r.Failure.Detail = otherThanPinned(j, f)
		r.Signature = signature(f)
	}
	for _, s := range c.env.used {
		r.Env = append(r.Env, splitSetting(s))
	}
	if x.world != nil {
		x.world.fillReport(r, x)
	}
	return r
}

// reported is a failure as a report has it; nil stays nil.
func reported(f *kernel.Failure) *artifact.Failure {
	if f == nil {
		return nil
	}
	return &artifact.Failure{Kind: f.Kind, Check: f.Check, Message: f.Message,
		Time: artifact.Duration(f.Time), Event: f.Event, Node: f.Node, Stack: fromUser(f.Stack)}
}

// fillReport adds what the run itself knows.
func (w *World) fillReport(r *artifact.Report, x *execution) {
	r.TraceHash = hex.EncodeToString(x.result.Hash[:])
	r.Run = artifact.RunStats{Time: artifact.Duration(x.result.Time), Events: x.result.Events,
		Records: w.sim.RecordCount(), TraceCut: w.sim.TraceCut(), Nodes: len(w.sim.Nodes())}
	r.Groups = w.groups
	for _, t := range w.injector.Tally() {
		r.Faults = append(r.Faults, artifact.FaultStat{Kind: string(t.Kind), Planned: t.Planned,
			Fired: t.Fired, Inert: t.Inert, NoTarget: t.NoTarget, Skipped: t.Skipped})
	}
	for _, d := range w.drawn {
		r.Intensities = append(r.Intensities, artifact.Setting{Name: d.Rule, Value: strconv.FormatInt(d.Percent, 10) + "%"})
	}
	for _, text := range w.said {
		r.Options = append(r.Options, artifact.Setting{Name: "Setup", Value: text})
	}
	if w.history.Len() > 0 {
		r.History = artifact.CountOperations(w.history.Counts())
	}
	for _, v := range w.sim.InvariantStats() {
		r.Invariants = append(r.Invariants, artifact.CheckStat{Name: v.Name, Runs: v.Runs, Cost: artifact.Duration(v.Cost)})
	}
	for _, p := range w.coverage().Properties {
		r.Coverage = append(r.Coverage, artifact.Property{Name: p.Name, Seen: p.Seen})
	}
}

// expectation is what a schedule says that its run came to. A recording that
// does not reach the failure (of a run that hangs, or needs too many events) has
// no hash to be compared with.
func expectation(x *execution, f *kernel.Failure) *fault.Expect {
	if f == nil {
		return nil
	}
	e := &fault.Expect{Kind: f.Kind, Check: f.Check, Site: site(f), Time: f.Time.Sub(0), Event: f.Event}
	if x.failure != nil {
		e.Hash = hex.EncodeToString(x.result.Hash[:])
	}
	return e
}

// settings returns the options that shape a run, as text.
func (o Options) settings() []artifact.Setting {
	return []artifact.Setting{
		{Name: "Duration", Value: o.Duration.String()},
		{Name: "QuietFor", Value: o.QuietFor.String()},
		{Name: "Unrestricted", Value: strconv.FormatBool(o.Unrestricted)},
		{Name: "NoCryptoSeed", Value: strconv.FormatBool(o.NoCryptoSeed)},
		{Name: "MaxEvents", Value: strconv.FormatUint(o.MaxEvents, 10)},
	}
}

func splitSetting(s string) artifact.Setting {
	i := slices.Index([]byte(s), '=')
	return artifact.Setting{Name: s[:i], Value: s[i+1:]}
}
