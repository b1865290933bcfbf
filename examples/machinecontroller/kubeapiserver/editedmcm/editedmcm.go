// Package editedmcm changes a copy of machine-controller-manager (MCM), in the release that go.mod requires, so that
// tests build and run the real controllers with a change that they do not have yet.
//
// It owns the edits of MCM's files, and what the go command needs to build a copy. It knows no cluster and no cloud.
package editedmcm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the module of machine-controller-manager.
const Module = "github.com/gardener/machine-controller-manager"

// Change is a change of MCM's source.
type Change struct {
	edits []edit
	added fs.FS // files that MCM does not have; nil for none
	root  string
}

// edit is a change of a file that MCM has.
type edit struct {
	file   string // in the module
	before string // stands once in the file
	after  string
}

// Copy writes a copy of MCM with the change into a folder, and returns the path of a go.mod file for
// the flag -modfile of the go command, which then builds this module with the copy. The folder exists
// and is empty. The working directory is in this module.
//
// The go command accepts no overlay for the files of released modules, so the whole module is copied.
func (c Change) Copy(ctx context.Context, dir string) (modfile string, err error) {
	source, err := run(ctx, "list", "-m", "-f", "{{.Dir}}", Module)
	if err != nil {
		return "", err
	}
	module := filepath.Join(dir, "module")
	if err := os.CopyFS(module, os.DirFS(source)); err != nil {
		return "", err
	}
	if err := c.apply(module); err != nil {
		return "", err
	}
	own, err := run(ctx, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	modfile = filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(own), name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return "", err
		}
	}
	_, err = run(ctx, "mod", "edit", "-replace", Module+"="+module, modfile)
	return modfile, err
}

// apply changes a copy of MCM.
func (c Change) apply(module string) error {
	if c.added != nil {
		files, err := fs.Sub(c.added, c.root)
		if err != nil {
			return err
		}
		if err := os.CopyFS(module, files); err != nil {
			return err
		}
	}
	var problems []error
	for _, e := range c.edits {
		problems = append(problems, e.apply(module))
	}
	return errors.Join(problems...)
}

func (e edit) apply(module string) error {
	path := filepath.Join(module, filepath.FromSlash(e.file))
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(content), e.before); n != 1 {
		return fmt.Errorf("MCM has changed: %s has %d times, not once: %s", e.file, n, e.before)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(content), e.before, e.after, 1)), 0o600)
}

// Lines returns the number of lines of Go that the change adds to each file, without blank lines, comments and tests.
// Imports count.
func (c Change) Lines() map[string]int {
	lines := map[string]int{}
	for _, e := range c.edits {
		lines[e.file] += countLines(e.after) - countLines(e.before)
	}
	for file, source := range c.addedSources() {
		if !strings.HasSuffix(file, "_test.go") {
			lines[file] += countLines(source)
		}
	}
	return lines
}

// addedSources returns the added files by their paths in the module.
func (c Change) addedSources() map[string]string {
	sources := map[string]string{}
	if c.added == nil {
		return sources
	}
	// an embedded file system has no errors
	_ = fs.WalkDir(c.added, c.root, func(path string, entry fs.DirEntry, _ error) error {
		if !entry.IsDir() {
			content, _ := fs.ReadFile(c.added, path)
			sources[strings.TrimPrefix(path, c.root+"/")] = string(content)
		}
		return nil
	})
	return sources
}

func countLines(source string) (n int) {
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

// Sources returns the Go code of the change: what the edits write, and the added files.
func (c Change) Sources() (sources []string) {
	for _, e := range c.edits {
		sources = append(sources, e.after)
	}
	return slices.AppendSeq(sources, maps.Values(c.addedSources()))
}

// run runs the go command.
func run(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...)
	var problems strings.Builder
	command.Stderr = &problems
	answer, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(arguments, " "), err, &problems)
	}
	return strings.TrimSpace(string(answer)), nil
}
