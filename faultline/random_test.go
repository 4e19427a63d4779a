package faultline

import (
	"crypto/rand"
	"fmt"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// readers is a system whose nodes read crypto/rand every 100 ms; n1 reads once more at
// 250 ms if it is curious. It returns what each node has read, by the time.
func readers(curious bool, read map[string]string) func(*World) {
	return func(w *World) {
		for _, name := range []string{"n1", "n2"} {
			w.Node(name, func(n *Node) kernel.Handler {
				return kernel.Main(func(p *kernel.Proc) {
					note := func() {
						var b [12]byte
						if _, err := rand.Read(b[:]); err != nil {
							panic(err)
						}
						read[fmt.Sprint(name, " ", n.Now())] += fmt.Sprintf("%x", b)
					}
					for i := range 8 {
						note()
						if p.Sleep(50 * time.Millisecond); curious && name == "n1" && i == 2 {
							note()
						}
						p.Sleep(50 * time.Millisecond)
					}
				})(n.Node)
			})
		}
	}
}

// What nodes read from crypto/rand is theirs, and named by when they read it: one that
// reads once more changes nothing else.
func TestRandomBytesHaveNames(t *testing.T) {
	opt := Options{Duration: time.Second}
	play := func(curious bool, seed uint64, opt Options) map[string]string {
		t.Helper()
		cryptotest.SetGlobalRandom(t, 7)
		read := map[string]string{}
		if out, err := Once(opt, seed, readers(curious, read)); err != nil || out.Failure != nil {
			t.Fatal(err, out.Failure)
		}
		return read
	}
	before := rand.Reader
	plain, more, other := play(false, 1, opt), play(true, 1, opt), play(false, 2, opt)
	if len(plain) != 16 || len(more) != 17 {
		t.Fatalf("there are %d and %d reads", len(plain), len(more))
	}
	values := map[string]string{}
	for at, bytes := range plain {
		if more[at] != bytes {
			t.Errorf("%s: %s, with one read more elsewhere %s", at, bytes, more[at])
		}
		if other[at] == bytes {
			t.Errorf("%s: the same for another seed", at)
		}
		if first, twice := values[bytes]; twice {
			t.Errorf("%s and %s read the same", at, first)
		}
		values[bytes] = at
	}
	// Without it they read what the process was seeded with, one after the other.
	opt.NoCryptoSeed = true
	plain, more = play(false, 1, opt), play(true, 1, opt)
	same := 0
	for at, bytes := range plain {
		if more[at] == bytes {
			same++
		}
	}
	if same == len(plain) || same == 0 {
		t.Errorf("from one generator %d of %d reads are the same with one more", same, len(plain))
	}
	if rand.Reader == before {
		t.Error("cryptotest's reader is gone")
	}
}

// Where nobody has seeded crypto/rand it stays as it is: other tests may run beside.
func TestRandomBytesAreLeftAlone(t *testing.T) {
	if rand.Reader != systemRandom {
		t.Fatal("a test has left another reader behind")
	}
	read := map[string]string{}
	var during bool
	_, err := Once(Options{Duration: time.Second}, 1, func(w *World) {
		during = rand.Reader != systemRandom
		readers(false, read)(w)
	})
	if err != nil || during || rand.Reader != systemRandom || len(read) != 16 {
		t.Errorf("%v; replaced during the run: %v; %d reads", err, during, len(read))
	}
}
