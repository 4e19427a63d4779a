package fault

import (
	"iter"

	"github.com/hmdsefi/faultline/kernel"
)

func pullRecords(s *kernel.Sim) (func() (kernel.Record, bool), func()) {
	return iter.Pull(s.Records())
}
