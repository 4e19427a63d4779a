package patch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Search runs a test with one mistake after the other.
type Search struct {
	Package string        // of the test
	Tests   string        // regular expression of their names
	Seeds   int           // for each mistake, at most
	Jobs    int           // mistakes that are tried at once
	Limit   time.Duration // of the test with one mistake
	Args    []string      // for the test, after the names
	Out     io.Writer     // gets a line per mistake, when it is done
	// Done, if not nil, is told how each ended, one at a time. Its error is one
	// of Run.
	Done func(*Found) error
}

// Select returns the patches whose whole name matches one of the regular
// expressions; all without any.
func Select(list []*Patch, patterns []string) ([]*Patch, error) {
	if len(patterns) == 0 {
		return list, nil
	}
	var chosen []*Patch
	for _, text := range patterns {
		re, err := regexp.Compile("^(?:" + text + ")$")
		if err != nil {
			return nil, err
		}
		before := len(chosen)
		for _, p := range list {
			if re.MatchString(p.Name) {
				chosen = append(chosen, p)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no patch is called %s", text)
		}
	}
	return chosen, nil
}

// Run tries the patches and returns how each ended, in their order.
func (s *Search) Run(list []*Patch) ([]*Found, error) {
	dir, err := os.MkdirTemp("", "raftpatch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	where, err := (&Bench{}).Dir(s.Package)
	if err != nil {
		return nil, err
	}
	found := make([]*Found, len(list))
	errs := make([]error, len(list))
	next := make(chan int)
	var benches sync.WaitGroup
	var lines sync.Mutex
	for n := range max(s.Jobs, 1) {
		at := filepath.Join(dir, strconv.Itoa(n))
		if err := os.Mkdir(at, 0o755); err != nil {
			return nil, err
		}
		b, err := Open(at)
		if err != nil {
			return nil, err
		}
		benches.Go(func() {
			for k := range next {
				found[k], errs[k] = s.try(b, list[k], filepath.Join(at, "patched.test"), where)
				lines.Lock()
				s.report(list[k], found[k], errs[k])
				if s.Done != nil && errs[k] == nil {
					errs[k] = s.Done(found[k])
				}
				lines.Unlock()
			}
		})
	}
	for k := range list {
		next <- k
	}
	close(next)
	benches.Wait()
	return found, errors.Join(errs...)
}

// try builds the test with a patch, and runs it in the folder of its package.
func (s *Search) try(b *Bench, p *Patch, binary, where string) (*Found, error) {
	if err := b.Build(p, s.Package, binary); err != nil {
		return nil, fmt.Errorf("patch %s: %w", p.Name, err)
	}
	f, err := Hunt(binary, where, append([]string{"-test.run=" + s.Tests}, s.Args...), s.Seeds, s.Limit)
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", p.Name, err)
	}
	f.Patch = p
	return f, nil
}

func (s *Search) report(p *Patch, f *Found, err error) {
	switch {
	case err != nil:
		fmt.Fprintf(s.Out, "%-26s %v\n", p.Name, err)
	case f.Check == "" && p.Beyond != "":
		fmt.Fprintf(s.Out, "%-26s    -  not found, and cannot be: %s\n", p.Name, p.Beyond)
	case f.Check == "":
		fmt.Fprintf(s.Out, "%-26s    -  not found in %d seeds: %s\n", p.Name, f.Seeds, p.What)
	default:
		fmt.Fprintf(s.Out, "%-26s %4d  %s: %.160s\n", p.Name, f.Seeds, f.Check, strings.ReplaceAll(f.Message, "\n", " "))
	}
}
