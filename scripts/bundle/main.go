// Command bundle makes timeline/page/dist, the script and the style sheet of
// timeline.html, from timeline/page/src with esbuild. With -check it only
// compares. The module timeline embeds the result, so that esbuild reaches no
// user of it.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	check := flag.Bool("check", false, "compare only, write nothing")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	page := filepath.Join(w.Root, "timeline", "page")
	files, err := bundle(filepath.Join(page, "src"))
	if err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(page, "dist", name)
		if !check {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
			continue
		}
		if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, data) {
			return fmt.Errorf("timeline/page/dist/%s is not what its sources give; run GOWORK=off go run -C scripts ./bundle", name)
		}
	}
	return nil
}

// bundle returns the files of dist. The first line of each names the digest of
// its sources, so that timeline's own tests see whether it is current.
func bundle(src string) (map[string][]byte, error) {
	digest, err := sourceDigest(src)
	if err != nil {
		return nil, err
	}
	banner := "/* sources " + digest + " */"
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(src, "main.js"), filepath.Join(src, "page.css")},
		Outdir:      "dist", Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetASCII,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone,
		// Older style sheets cannot say light-dark; it must not be taken apart.
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "123"}, {Name: api.EngineFirefox, Version: "120"}, {Name: api.EngineSafari, Version: "17.5"}},
		Banner:  map[string]string{"js": banner, "css": banner},
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(result.Errors[0].Text)
	}
	out := map[string][]byte{}
	for _, f := range result.OutputFiles {
		name := filepath.Base(f.Path)
		if name == "main.js" {
			name = "page.js"
		}
		out[name] = f.Contents
	}
	return out, nil
}

// sourceDigest is the SHA-256 of the names and contents of all sources.
func sourceDigest(src string) (string, error) {
	names, err := filepath.Glob(filepath.Join(src, "*"))
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(name), len(data), data)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
