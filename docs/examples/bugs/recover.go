package bugs

import (
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// Recoverer is a program that reads its disk before it serves.
type Recoverer interface {
	kernel.Handler
	// Since returns when the program has recovered, on its monotonic clock; 0
	// while it has not.
	Since() time.Duration
}

// AfterRecovery adds an invariant that is looked at once after each recovery of
// a node: that is when what was on its disk shows.
func AfterRecovery[P Recoverer](w *faultline.World, name string, check func(n *faultline.Node, p P) error) {
	judged := map[*faultline.Node]time.Duration{} // the last recovery of each
	w.Invariant(name, func(n *faultline.Node) error {
		if n == nil {
			return nil
		}
		p, ok := faultline.Program[P](n)
		if !ok || p.Since() == 0 || p.Since() == judged[n] {
			return nil
		}
		judged[n] = p.Since()
		return check(n, p)
	})
}

// ServeAgain calls serve, which recovers from the disk and serves until that
// fails, again and again: after a failure nothing in memory can be trusted to be
// on the disk.
func ServeAgain(n *faultline.Node, p *kernel.Proc, serve func(p *kernel.Proc, disk *simdisk.Volume) error) {
	for {
		err := serve(p, n.Disk().In(p))
		n.Log("disk-failed", kernel.Str("error", err.Error()))
		p.Sleep(retryDisk)
	}
}
