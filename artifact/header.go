package artifact

import "encoding/json"

// header opens every format.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// checkHeader looks at format and version before anything else: what a newer
// version has added is not unknown but newer. It leaves broken JSON to others.
func (d document) checkHeader(format string) error {
	var head header
	if json.Unmarshal(d.data, &head) != nil {
		return nil
	}
	switch {
	case head.Format != format:
		return d.place("format", "%q is not %q; this is another kind of file", head.Format, format)
	case head.Version > Version:
		return d.place("version", "%d is newer than %d, the newest that this program reads; use a newer faultline", head.Version, Version)
	case head.Version < 1:
		return d.place("version", "%d is not a version; the first one is 1", head.Version)
	}
	return nil
}
