package main

import (
	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

func writeTable(name string, list []*patch.Found) error { return nil }
