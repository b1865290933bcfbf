package hotupdatelint_test

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
)

// The analyzer runs in every driver for analyzers, such as multichecker and golangci-lint. Here a program runs it over
// a package, and prints the first diagnostic with its correction.
func ExampleAnalyzer() {
	const pattern = "./hotupdate/hotupdatelint/testdata/fixes"
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: filepath.Join("..", "..")}, pattern)
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{hotupdatelint.Analyzer}, loaded, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	first := func(a, b analysis.Diagnostic) int { return int(a.Pos - b.Pos) }
	found := slices.MinFunc(graph.Roots[0].Diagnostics, first)
	fmt.Println(found.Message)
	fmt.Printf("%s\n", found.SuggestedFixes[0].TextEdits[0].NewText)
	// Output:
	// hotupdate: field fixes.Config.Unquoted has malformed struct tag `hotupdatable:true`; write `hotupdatable:"true"`
	// `json:"unquoted"   hotupdatable:"true"`
}
