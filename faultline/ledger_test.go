package faultline

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Items are files; one is written to one, two or three disks, and some disks
// lose it.
func TestLedgerTellsLossesApart(t *testing.T) {
	var l *Ledger
	write := func(n *Node, name string, sync bool) {
		f, err := n.Disk().OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f.Append([]byte("x"))
		if sync {
			f.SyncThen(func(error) {})
			n.Disk().SyncDir(".")
		}
	}
	out, err := Once(Options{Duration: 2 * time.Second}, 1, func(w *World) {
		servers := w.Servers(3, func(n *Node) kernel.Handler {
			if n.Boot() == 1 {
				write(n, "all", true)
				write(n, "nowhere", false)
				if n.Name() == "n1" {
					write(n, "one", true)
				}
			}
			return kernel.Idle{}
		})
		l = w.Ledger(func(disk fs.FS, item string) bool {
			data, err := fs.ReadFile(disk, item)
			return err == nil && len(data) > 0
		}, servers...)
		w.Script(fault.Fault{Kind: fault.PowerLoss, At: time.Second, For: time.Millisecond, Target: fault.Target{Group: "servers", Pick: fault.All}, Profile: "lose-all"})
		for _, item := range []string{"all", "one", "nowhere"} {
			l.Acknowledge(item)
		}
		w.Final("judged", func() error {
			for _, c := range []struct {
				item   string
				answer Answer
				want   Verdict
			}{
				{"all", There, Kept}, {"all", Missing, Lost}, {"all", Nothing, Lost},
				{"one", Missing, Lost}, {"one", Nothing, Refused},
				{"nowhere", Missing, Unavoidable}, {"nowhere", Nothing, Unavoidable},
				{"never acknowledged", Missing, Kept},
			} {
				if got := l.Judge(c.item, c.answer); got != c.want {
					t.Errorf("%s, answer %d: %v, want %v (copies %v)", c.item, c.answer, got, c.want, l.Copies(c.item))
				}
			}
			return l.Check("one", Missing)
		})
	})
	if err != nil || out.Failure == nil || !strings.Contains(out.Failure.Message, "although 1 of 3 disks have it: n1") {
		t.Errorf("%+v, %v", out, err)
	}
}
