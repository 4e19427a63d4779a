package cli

import (
	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/timeline"
)

// view is a file that can be made from the rest of an artifact.
type view struct {
	name string
	make func(a *artifact.Artifact, o timeline.Options) ([]byte, error)
}

// views lists what render makes, in this order.
func views() []view {
	return []view{
		{artifact.TextFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) { return a.Report.Text(), nil }},
		{artifact.TimelineFile, timeline.Text},
		{artifact.PageFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) {
			return timeline.Page(a, timeline.PageOptions{})
		}},
		{artifact.CausesFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) { return timeline.Mermaid(a, 0) }},
		{artifact.SpaceFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) { return timeline.SpaceTime(a, 0) }},
		{artifact.PlotsFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) { return timeline.Plots(a) }},
		{artifact.PerfettoFile, func(a *artifact.Artifact, _ timeline.Options) ([]byte, error) { return timeline.Perfetto(a) }},
	}
}

func viewNames() []string {
	var names []string
	for _, v := range views() {
		names = append(names, v.name)
	}
	return names
}
