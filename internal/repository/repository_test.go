package repository_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/hotupdate/providerconfig"
	root   = "../.."
)

// pkg is what the go command says of a package.
type pkg struct {
	ImportPath, Dir                          string
	Imports, Deps, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles                []string
}

// path is the package's place below the module.
func (p pkg) path() string { return below(p.ImportPath) }

func below(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Deps,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./...")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		all = append(all, p)
	}
	require.Greater(t, len(all), 20)
	return all
}

// layer names the layer of a package below the module. A command's own packages and the examples stand at the top, and
// do not know each other: an example shows what an adopter writes, so no product depends on one.
func layer(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case path == "hotupdate/fault":
		return "fault"
	case path == "internal/provider", isIn(path, "internal/extensions"): // between the command and the extensions that its main hands in
		return "contract"
	case strings.HasPrefix(path, "hotupdate/cmd/"):
		return "command"
	case first == "examples":
		return "example"
	case strings.HasPrefix(path, "hotupdate/"), path == "internal/fakecloud": // drivertest and tests of several modules use it
		return "kit"
	default:
		return first
	}
}

// isTop reports whether nobody outside of the module imports packages of a layer.
func isTop(layer string) bool { return layer == "command" || layer == "example" }

// mayImport names for each layer the layers that its packages may import.
var mayImport = map[string][]string{
	"example":   {"example", "contract", "kit", "hash", "hotupdate", "tags", "internal", "fault"},
	"command":   {"command", "contract", "kit", "hash", "hotupdate", "tags", "internal", "fault"},
	"contract":  {"contract", "hash", "hotupdate", "internal", "fault"},
	"kit":       {"kit", "hash", "hotupdate", "tags", "internal", "fault"},
	"hash":      {"hash", "hotupdate", "internal", "fault"},
	"hotupdate": {"internal", "fault"},
	"tags":      {"fault"},
	"internal":  {"internal", "fault"},
	"fault":     {},
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if from, to := layer(p.path()), layer(below(imported)); !slices.Contains(mayImport[from], to) {
				t.Errorf(
					"%s must not import %s: packages of layer %q may import those of %q", p.path(), below(imported), from, mayImport[from],
				)
			}
		}
	}
}

// users lists dependencies that are not for every adopter, with the only folders whose packages may have them outside of tests. Whoever
// imports a package gets all that it depends on.
var users = map[string][]string{
	"github.com/stretchr/testify": {},
	"github.com/google/go-cmp":    {"hotupdate/hotupdatetest", "examples/internal/exampletest"},
	"pgregory.net/rapid":          {"hotupdate/hotupdatetest", "examples/internal/exampletest"},
	"golang.org/x/tools":          {"hotupdate/hotupdatelint", "hotupdate/cmd"},
	"github.com/spf13/cobra":      {"hotupdate/cmd"},
	"k8s.io/kube-openapi":         {"hotupdate/cmd"},
	// writes manual pages, and costs each start of the command more than anything else that it links
	"github.com/russross/blackfriday": {},
	"sigs.k8s.io/yaml":                {"hotupdate/hotupdatetest", "hotupdate/cmd", "examples"},
}

func TestDependenciesStayLight(t *testing.T) {
	for _, p := range packages(t) {
		if layer(p.path()) == "internal" { // counts through those that import it
			continue
		}
		for dependency, folders := range users {
			has := slices.ContainsFunc(p.Deps, func(dep string) bool { return isIn(dep, dependency) })
			if has && !slices.ContainsFunc(folders, func(folder string) bool { return isIn(p.path(), folder) }) {
				t.Errorf("%s depends on %s, and so does every adopter that imports it", p.path(), dependency)
			}
		}
	}
}

func isIn(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// TestPropertiesHaveFixedSeeds: a newcomer's first run meets no failure that nobody has seen.
func TestPropertiesHaveFixedSeeds(t *testing.T) {
	draws := 0
	for _, p := range packages(t) {
		imports := slices.Concat(p.TestImports, p.XTestImports)
		if !slices.Contains(imports, "pgregory.net/rapid") && !slices.Contains(imports, module+"/hotupdate/hotupdatetest") {
			continue
		}
		draws++
		if !slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(file string) bool {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			return fixesSeed.Match(text)
		}) {
			t.Errorf("%s draws values and has no TestMain that calls fixedseed.Run", p.path())
		}
	}
	require.Greater(t, draws, 10)
}

var fixesSeed = regexp.MustCompile(`(?s)func TestMain\(.*fixedseed\.`)

// TestTopLevel: the folders that a reader sees first are those that the README names.
func TestTopLevel(t *testing.T) {
	allowed := []string{"hotupdate", "hash", "tags", "examples", "internal", "go.mod", "go.sum", "README.md", "LICENSE"}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

// TestPackageDocumentationIsOneScreen: what does not fit stands in a document beside the code, such as FORMAT.md and FLOW.md.
func TestPackageDocumentationIsOneScreen(t *testing.T) {
	for _, p := range packages(t) {
		mode := parser.PackageClauseOnly | parser.ParseComments
		parsed, err := parser.ParseDir(token.NewFileSet(), p.Dir, nil, mode) //nolint:staticcheck // no types needed
		require.NoError(t, err)
		for _, files := range parsed {
			for name, file := range files.Files {
				require.LessOrEqual(t, strings.Count(file.Doc.Text(), "\n"), 80, "lines of %s", name)
			}
		}
	}
}
