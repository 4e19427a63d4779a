package fault

import (
	"io/fs"
	"iter"

	"github.com/hmdsefi/faultline/kernel"
)

func pullRecords(s *kernel.Sim) (func() (kernel.Record, bool), func()) {
	return iter.Pull(s.Records())
}

func readDurable(s *system, node int, name string) ([]byte, error) {
	return fs.ReadFile(s.disks.Volume(s.nodes[node]).Durable(), name)
}
