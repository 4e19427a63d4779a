package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// zone is where tools may read and write.
type zone struct {
	artifacts, module string // absolute, without symbolic links
}

func confine(artifacts, module string) (zone, error) {
	var z zone
	for _, dir := range []struct {
		to   *string
		path string
		what string
	}{{&z.artifacts, artifacts, "the artifact root"}, {&z.module, module, "the module"}} {
		abs, err := filepath.Abs(dir.path)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return z, fmt.Errorf("%s: %w", dir.what, err)
		}
		*dir.to = abs
	}
	return z, nil
}

// existing returns the real place of a file or directory that is there. A
// relative path is below the artifact root.
func (z zone) existing(field, path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%s is empty; give a path below %s", field, z.artifacts)
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(z.artifacts, full)
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", fmt.Errorf("%s: %w", field, err)
	}
	if !below(z.artifacts, real) && !below(z.module, real) {
		return "", fmt.Errorf("%s %q is neither below the artifact root %s nor in the module %s", field, path, z.artifacts, z.module)
	}
	return real, nil
}

// schedule returns the real place of a schedule, or of the one in an artifact
// directory.
func (z zone) schedule(field, path string) (string, error) {
	real, err := z.existing(field, path)
	if err != nil {
		return "", err
	}
	inside := filepath.Join(real, "schedule.json")
	if _, err := os.Lstat(inside); err == nil {
		return z.existing(field, inside)
	}
	return real, nil
}

// fresh returns the place of a file that is to be made below the artifact
// root. Its directory is there, and the name is a plain one.
func (z zone) fresh(field, path string) (string, error) {
	dir, name := filepath.Split(path)
	if name == "" || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%s %q names no file; give one below %s", field, path, z.artifacts)
	}
	if dir == "" {
		dir = z.artifacts
	}
	real, err := z.existing(field, dir)
	if err != nil {
		return "", err
	}
	if !below(z.artifacts, real) {
		return "", fmt.Errorf("%s %q is not below the artifact root %s", field, path, z.artifacts)
	}
	return filepath.Join(real, name), nil
}

// below reports whether path is dir or in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
