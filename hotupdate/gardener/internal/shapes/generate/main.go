// Command generate writes the Schemas of Gardener's manifests, from the sources of its releases, and from what its
// newest release hashes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/measured"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/shapes"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: generate FOLDER")
	}
	var all []shapes.Release
	linked, err := shapes.Linked()
	if err != nil {
		return err
	}
	for _, version := range shapes.Earlier() {
		kinds, err := shapes.Read(func(importPath string) (string, error) {
			if below, isGardener := strings.CutPrefix(importPath, shapes.Module); isGardener {
				return sourceOf(version, below)
			}
			return linked.Dir(importPath)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
		all = append(all, shapes.Release{Version: version, Kinds: kinds})
	}
	kinds, err := shapes.Read(linked.Dir)
	if err != nil {
		return err
	}
	unhashed, err := measured.Unhashed()
	if err != nil {
		return err
	}
	files, err := shapes.Merge(append(all, shapes.Release{Version: linked.Version, Kinds: kinds})).Files(unhashed)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(args[0], name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf returns the folder of a package of an earlier release. The API is a module of its own in later
// ones.
func sourceOf(version, below string) (string, error) {
	const apis = "/pkg/apis"
	dir, err := download(shapes.Module, version)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, filepath.FromSlash(below))
	if _, err := os.Stat(dir); err == nil || !strings.HasPrefix(below, apis) {
		return dir, nil
	}
	dir, err = download(shapes.Module+apis, version)
	return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(below, apis))), err
}

// download returns the folder of a module. It runs outside of this module, whose requirements do not count.
func download(module, version string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	command.Dir = os.TempDir()
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	answer, err := command.Output()
	var module_ struct{ Dir, Error string }
	if err := json.Unmarshal(answer, &module_); err == nil && module_.Error != "" {
		return "", errors.New(module_.Error)
	}
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w: %s", module, version, err, &stderr)
	}
	return module_.Dir, nil
}
