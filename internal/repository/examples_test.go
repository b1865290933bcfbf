package repository_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mainCalls are the calls by which a user begins, by the folder of their package. pkg.go.dev shows an example beside each.
var mainCalls = map[string][]string{
	"hotupdate": {
		"SchemaOf", "SchemaOfCRD", "LoadSchema", "WithTag", "Schema_Diff", "Schema_Hash", "Schema_Document", "Schema_Cover",
		"Schema_StripRaw", "Schema_ValidateUpdateRaw", "Split", "Compatibility",
	},
	"hash":                    {"Eras", "NewEras", "Eras_Explain", "WorkerPool", "CheckCollision", "ServeEras"},
	"hash/hashstructure":      {"Of", "Projection"},
	"tags":                    {"Cloud_Rules", "Cloud_Validate", "Rules_Sanitize", "Rules_Effective"},
	"hotupdate/fault":         {"All", "Error"},
	"hotupdate/hotupdatetest": {"Check", "Golden", "Keeps", "WithSchema", "WithDefaulter"},
	"hotupdate/driver":        {"New", "AttributeGroup", "Set"},
	"hotupdate/driver/login":  {"Cache", "Key", "Value"},
	"hotupdate/driver/answer": {"Response", "Throttled", "RetryAfter"},
	"hotupdate/machineupdate": {"Executor", "Executor_ApplyInPlace", "Fleet"},
	"hotupdate/inplace": {
		"Next", "Select",
	},
	"hotupdate/driver/drivertest":               {"Check"},
	"hotupdate/machineupdate/machineupdatetest": {"Check"},
	"hotupdate/hotupdatelint":                   {"Analyzer"},
	"hotupdate/updater":                         {"New", "Updater_Creating", "Updater_WrapTransport"},
}

// TestMainCallsHaveExamples: go test runs each example, since it has an output.
func TestMainCallsHaveExamples(t *testing.T) {
	for folder, calls := range mainCalls {
		shown := examplesIn(t, folder)
		for _, call := range calls {
			assert.True(t, shown[call], "%s has no example of %s", folder, call)
		}
	}
}

// examplesIn returns for which identifiers a package has an example, without the suffix that tells several of them apart.
// Every example has an output.
func examplesIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	shown := map[string]bool{}
	for _, example := range doc.Examples(files...) {
		assert.True(t, example.Output != "" || example.EmptyOutput, "%s: Example%s has no output", folder, example.Name)
		shown[withoutSuffix(example.Name)] = true
	}
	return shown
}

// withoutSuffix drops the suffix of an example's name, which begins with a small letter.
func withoutSuffix(name string) string { return suffix.ReplaceAllString(name, "") }

var suffix = regexp.MustCompile(`_[a-z].*$`)
