package check

import (
	"fmt"
	"iter"
	"strings"

	"github.com/hmdsefi/faultline/check/internal/value"
	"github.com/hmdsefi/faultline/history"
)

// mostProblems is how many problems an error lists.
const mostProblems = 5

// problems collects what is wrong.
type problems struct {
	list  []string
	total int
	wrong error // a value that cannot be compared
}

func (p *problems) add(format string, args ...any) {
	if p.total++; len(p.list) < mostProblems {
		p.list = append(p.list, fmt.Sprintf(format, args...))
	}
}

func (p *problems) err() error {
	if p.wrong != nil {
		return p.wrong
	}
	if p.total == 0 {
		return nil
	}
	s := strings.Join(p.list, "\n")
	if more := p.total - len(p.list); more > 0 {
		s += fmt.Sprintf("\nand %d more", more)
	}
	return fmt.Errorf("%s", s)
}

// key makes a value that == can be used on.
func (p *problems) key(v any) any {
	k, err := value.Key(v)
	if err != nil && p.wrong == nil {
		p.wrong = fmt.Errorf("check: %w", err)
	}
	return k
}

// before reports whether a point is certainly before another one.
func before(a, b history.Point) bool {
	return a.Event < b.Event || a.Event == b.Event && a.Time < b.Time
}

// over reports whether an operation had ended well before another one began.
func over(a, b *history.Operation) bool {
	return a.Status == history.OK && before(a.Return, b.Invoke)
}

// possible reports whether an operation may have had an effect.
func possible(op *history.Operation) bool { return op.Status != history.Fail }

// need is a function that a checker cannot do without.
type need struct {
	name  string
	given bool
}

// missing returns an error about the first needed function that was not given.
func missing(needs ...need) error {
	for _, n := range needs {
		if !n.given {
			return fmt.Errorf("check: %s is nil; it is required", n.name)
		}
	}
	return nil
}

// mapped is an element with the operation that put it somewhere.
type mapped struct {
	element any
	key     any // what it is looked up by
	op      *history.Operation
}

// index maps what operations put to them, in order.
func index(ops iter.Seq[*history.Operation], put func(op *history.Operation) (any, bool), p *problems) ([]mapped, map[any]*history.Operation) {
	var list []mapped
	byElement := map[any]*history.Operation{}
	for op := range ops {
		e, ok := put(op)
		if !ok {
			continue
		}
		k := p.key(e)
		if other := byElement[k]; other != nil {
			p.add("%s is put by %v and by %v; put each element once, so that it tells who put it", history.Text(e), other, op)
			continue
		}
		byElement[k] = op
		list = append(list, mapped{e, k, op})
	}
	return list, byElement
}
