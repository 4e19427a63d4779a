package kernel

// maxNotes is how many bytes of texts a run keeps for its records.
const maxNotes = 64 << 20

// note is a text that was added to a record.
type note struct {
	index uint64 // of the record
	attr  Attr
}

// Annotate adds a text to the record that was written last, which
// [Sim.Records] shows as an attribute after the others. It is no part of the
// trace, and so not of the hash: a run with texts is the same run without.
// A run keeps such texts at [LevelFull] only, and up to 64 MiB of them.
func (s *Sim) Annotate(key, text string) {
	t := &s.trace
	if t.off || t.level != LevelFull || t.cut || t.records == 0 || t.noted+len(text) > maxNotes {
		return
	}
	t.noted += len(text)
	t.notes = append(t.notes, note{t.records - 1, Attr{Key: key, Type: AttrString, Text: text}})
}
