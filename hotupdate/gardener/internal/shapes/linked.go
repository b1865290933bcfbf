package shapes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Module is the module of Gardener.
const Module = "github.com/gardener/gardener"

// Earlier returns the earlier releases of the table, the oldest first: of each minor from v1.100 on that the module
// proxy serves, and a few before.
func Earlier() []string {
	return []string{
		"v1.10.0", "v1.19.0", "v1.40.0", "v1.50.0", "v1.60.0", "v1.70.0", "v1.80.0", "v1.90.0", "v1.100.0",
		"v1.101.0", "v1.102.0", "v1.103.0", "v1.104.0", "v1.105.0", "v1.106.0", "v1.107.0", "v1.108.0",
		"v1.109.0", "v1.110.0", "v1.111.0", "v1.112.0", "v1.113.0", "v1.115.1", "v1.117.0", "v1.118.2",
		"v1.119.0", "v1.120.0", "v1.121.2", "v1.122.0", "v1.123.1", "v1.124.0", "v1.125.0", "v1.127.0",
		"v1.129.1", "v1.130.0", "v1.131.0", "v1.132.1", "v1.134.2", "v1.135.0", "v1.136.2", "v1.138.0",
		"v1.139.1", "v1.140.1", "v1.141.0", "v1.144.1", "v1.145.0", "v1.146.0", "v1.147.0", "v1.148.0",
		"v1.149.3",
	}
}

// Modules are the modules that this one links, with their sources.
type Modules struct {
	// Version is the version of Gardener.
	Version string

	dirs map[string]string // by the paths of the modules
}

// Linked finds the modules with the types: Gardener's and those of Kubernetes that its types refer to.
func Linked() (*Modules, error) {
	found := &Modules{dirs: map[string]string{}}
	answer, err := exec.Command("go", "mod", "download", "-json", Module, Module+"/pkg/apis", "k8s.io/api",
		"k8s.io/apimachinery").
		Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(answer))); ; {
		var module struct{ Path, Version, Dir string }
		err := decoder.Decode(&module)
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, err
		case module.Path == Module:
			found.Version = module.Version
		}
		found.dirs[module.Path] = module.Dir
	}
}

// Dir returns the folder of a package: in the module whose path is the longest one above it.
func (m *Modules) Dir(importPath string) (string, error) {
	longest := ""
	for path := range m.dirs {
		if strings.HasPrefix(importPath, path+"/") && len(path) > len(longest) {
			longest = path
		}
	}
	if longest == "" {
		return "", errors.New("is not in a module whose types are read")
	}
	return filepath.Join(m.dirs[longest], filepath.FromSlash(strings.TrimPrefix(importPath, longest))), nil
}
