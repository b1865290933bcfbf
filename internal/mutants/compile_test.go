//go:build mutants

package mutants_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMutationsCompile takes all rows, while TestMutantsDie takes a part of them. A mutation that does
// not compile says nothing about the tests.
func TestMutationsCompile(t *testing.T) {
	listed := list(t)
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(listed[path].Export) })
	for _, m := range all {
		t.Run(m.breaks, func(t *testing.T) {
			path := module + "/" + filepath.ToSlash(filepath.Dir(m.file))
			var parsed []*ast.File
			for _, name := range listed[path].GoFiles {
				var broken any
				if name == filepath.Base(m.file) {
					broken = m.broken(t)
				}
				file, err := parser.ParseFile(files, filepath.Join(listed[path].Dir, name), broken, parser.SkipObjectResolution)
				require.NoError(t, err)
				parsed = append(parsed, file)
			}
			_, err := (&types.Config{Importer: imports}).Check(path, files, parsed, nil)
			require.NoError(t, err, "the mutation does not compile")
		})
	}
}

const module = "github.com/hotupdate/providerconfig"

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list returns the packages of the module and those that they import, compiled.
func list(t *testing.T) map[string]listedPackage {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	command.Dir = root
	out, err := command.Output()
	require.NoError(t, err)
	packages := map[string]listedPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p listedPackage
		require.NoError(t, decoder.Decode(&p))
		packages[p.ImportPath] = p
	}
	return packages
}
