package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	nameCell = regexp.MustCompile(`(?m)^\| [a-z0-9]+(-[a-z0-9]+)+ \|`) // the name of a planted mistake
	anyCode  = regexp.MustCompile("`[^`]*`")
	target   = regexp.MustCompile(`\]\([^)]*\)|https?://\S+|<!--.*?-->|\b0x[0-9a-f]+`)
	aWord    = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.']*`)
)

// prose returns the text of a page without its code and the targets of links.
func prose(page string) string {
	page = nameCell.ReplaceAllString(fenced.ReplaceAllString(page, ""), "| ")
	return target.ReplaceAllString(anyCode.ReplaceAllString(page, " ` "), "] ")
}

// The words that the glossary rejects are used nowhere.
func TestWordsOfTheGlossary(t *testing.T) {
	type rejected struct{ not, word string }
	var list []rejected
	for _, r := range rows(read(t, "reference/glossary.md")) {
		if len(r) != 3 || r[0] == "word" || r[2] == "" || strings.HasPrefix(r[0], "---") {
			continue
		}
		for _, not := range strings.Split(r[2], ", ") {
			list = append(list, rejected{not, r[0]})
		}
	}
	if len(list) < 10 {
		t.Fatalf("only %d words are rejected; the pattern may be wrong", len(list))
	}
	for _, page := range everyPage(t) {
		if strings.HasSuffix(page, "glossary.md") || strings.Contains(page, "raft") {
			continue
		}
		text := strings.ToLower(strings.Join(strings.Fields(prose(read(t, page))), " "))
		for _, r := range list {
			if regexp.MustCompile(`\b` + r.not + `(s|es|d)?\b`).MatchString(text) {
				t.Errorf("%s says %q; the glossary says %q", page, r.not, r.word)
			}
		}
	}
}

// knownWords returns the words of testdata/words.txt.
func knownWords(t *testing.T) map[string]bool {
	known := map[string]bool{}
	var last string
	for line := range strings.Lines(read(t, filepath.Join("testdata", "words.txt"))) {
		w := strings.TrimSpace(line)
		if w == "" || strings.HasPrefix(w, "#") {
			continue
		}
		if w <= last {
			t.Errorf("testdata/words.txt: %q comes after %q; keep it sorted, each word once", w, last)
		}
		known[w], last = true, w
	}
	return known
}

// endings are taken off a word that is not known, and the rest may be.
var endings = []struct{ end, instead string }{
	{"'s", ""}, {"s'", "s"}, {"s", ""}, {"es", ""}, {"d", ""}, {"ed", ""}, {"ing", ""}, {"ing", "e"}, {"ly", ""}, {"er", ""}, {"r", ""}, {"ies", "y"},
}

// spelled reports whether a word is known, or one with an ending.
func spelled(known map[string]bool, word string) bool {
	if known[word] {
		return true
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e.end); ok && len(stem) > 1 && known[stem+e.instead] {
			return true
		}
	}
	return false
}

// Every word of the pages is in the list of words. Names with capitals, digits,
// dots and underlines in them are not words.
func TestSpelling(t *testing.T) {
	known := knownWords(t)
	unknown := map[string]string{}
	for _, page := range everyPage(t) {
		for _, w := range aWord.FindAllString(prose(read(t, page)), -1) {
			w = strings.Trim(w, "'.")
			if len(w) < 2 || strings.ContainsAny(w, "0123456789_.") || w[1:] != strings.ToLower(w[1:]) && w != strings.ToUpper(w) {
				continue
			}
			if w = strings.ToLower(w); !spelled(known, w) {
				unknown[w] = page
			}
		}
	}
	var list []string
	for w, page := range unknown {
		list = append(list, w+" ("+page+")")
	}
	if slices.Sort(list); len(list) > 0 {
		t.Errorf("not in testdata/words.txt; mend the spelling, or add them there:\n%s", strings.Join(list, "\n"))
	}
}

func TestSpelled(t *testing.T) {
	known := map[string]bool{"crash": true, "make": true, "retry": true}
	for word, want := range map[string]bool{"crash": true, "crashes": true, "crashed": true, "making": true, "maker": true, "retries": true, "crahs": false, "mak": false} {
		if spelled(known, word) != want {
			t.Errorf("spelled(%q) is %v", word, !want)
		}
	}
}
