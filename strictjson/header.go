package strictjson

import "encoding/json"

// Header checks the fields "format" and "version" at the top of a document,
// before it is decoded: what a newer version has added is then not unknown but
// newer. newest is the newest version that the caller reads. Broken JSON, and
// fields that are missing or of another type, are left to [Document.Decode].
func (d Document) Header(format string, newest int) error {
	var top map[string]json.RawMessage
	if json.Unmarshal(d.Data, &top) != nil {
		return nil
	}
	var name string
	if raw, ok := top["format"]; ok && json.Unmarshal(raw, &name) == nil && name != format {
		return d.Errorf("format", "%q is not %q; this is another kind of file", name, format)
	}
	version := newest
	if raw, ok := top["version"]; ok && json.Unmarshal(raw, &version) == nil {
		switch {
		case version > newest:
			return d.Errorf("version", "%d is newer than %d, the newest that this program reads; use a newer faultline", version, newest)
		case version < 1:
			return d.Errorf("version", "%d is not a version; the first one is 1", version)
		}
	}
	return nil
}
