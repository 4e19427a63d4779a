package cli

import "github.com/hmdsefi/faultline/artifact"

const minUsage = "of the shrunk run, in place of that of the seed"

// readRun reads the run of an artifact's seed, or the shrunk one.
func readRun(dir string, min bool) (*artifact.Artifact, error) {
	a, err := artifact.Read(dir)
	if err != nil || !min {
		return a, err
	}
	return a.Minimal()
}
