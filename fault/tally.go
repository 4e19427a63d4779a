package fault

// Tally counts what became of the faults of one kind. A campaign whose faults
// were all inert proves nothing.
type Tally struct {
	Kind     Kind // which kind
	Planned  int  // faults that were armed
	Fired    int  // faults that changed something
	Inert    int  // faults that fired and changed nothing
	NoTarget int  // faults that found nobody to hit
	Skipped  int  // faults that were skipped for the budget
	Pending  int  // faults whose time or trigger had not come at the end
}

// Faults returns the armed faults with what has become of each so far: the
// nodes that it hit, and its outcome. They are the fault part of a schedule.
func (in *Injector) Faults() []Fault {
	out := make([]Fault, len(in.planned))
	for i, p := range in.planned {
		out[i] = p.Fault
		out[i].Outcome = p.outcome()
	}
	return out
}

// outcome judges a fault by what it has changed.
func (p *planned) outcome() Outcome {
	if p.Outcome != "" || !p.began {
		return p.Outcome
	}
	if p.changed {
		return Fired
	}
	for _, met := range p.met {
		if met() > 0 {
			return Fired
		}
	}
	return Inert
}

// Tally counts the outcomes so far for each kind that was armed, in the order
// of [Kinds].
func (in *Injector) Tally() []Tally {
	var out []Tally
	for _, k := range Kinds() {
		t := Tally{Kind: k}
		for _, p := range in.planned {
			if p.Kind == k {
				t.count(p.outcome())
			}
		}
		if t.Planned > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (t *Tally) count(o Outcome) {
	t.Planned++
	switch o {
	case Fired:
		t.Fired++
	case Inert:
		t.Inert++
	case NoTarget:
		t.NoTarget++
	case Skipped:
		t.Skipped++
	default:
		t.Pending++
	}
}

// Add adds the counts of another tally of the same kind.
func (t *Tally) Add(o Tally) {
	t.Planned += o.Planned
	t.Fired += o.Fired
	t.Inert += o.Inert
	t.NoTarget += o.NoTarget
	t.Skipped += o.Skipped
	t.Pending += o.Pending
}
