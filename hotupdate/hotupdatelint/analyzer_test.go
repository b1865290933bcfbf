package hotupdatelint_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
)

// TestDiagnostics checks the comments "want" of the packages in testdata, which belong to this module so that they can
// import it, and compares corrected files with golden files. All packages are loaded at once, because what they import
// is checked from its source.
func TestDiagnostics(t *testing.T) {
	var patterns []string
	for _, name := range []string{"fields", "schemas", "held", "defaults", "presence", "hashes", "generics", "good", "fixes"} {
		patterns = append(patterns, "./hotupdate/hotupdatelint/testdata/"+name)
	}
	analysistest.RunWithSuggestedFixes(t, moduleRoot(t), hotupdatelint.Analyzer, patterns...)
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	return root
}

// TestModuleHasNothingToReport runs the analyzer over this module without its tests, some of which are wrong on purpose.
func TestModuleHasNothingToReport(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: moduleRoot(t)}, "./...")
	require.NoError(t, err)
	graph, err := checker.Analyze([]*analysis.Analyzer{hotupdatelint.Analyzer}, loaded, nil)
	require.NoError(t, err)
	require.Greater(t, len(graph.Roots), 20)
	for _, root := range graph.Roots {
		require.NoError(t, root.Err)
		require.Empty(t, root.Diagnostics, root.Package.PkgPath)
	}
}
