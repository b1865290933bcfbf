package hotupdatelint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/internal/sourcetype"
)

// Analyzer reports mistakes in hotupdatable struct tags. It needs no facts, so dependencies are not
// analyzed.
var Analyzer = &analysis.Analyzer{
	Name: "hotupdatelint",
	Doc: `report hotupdatable struct tags that are misspelled, misplaced or without effect

The analyzer compiles each configuration type as hotupdate.SchemaOf does, and reports the same
errors in the same words. It also reports hashes of tagged types that do not know the struct
tags, and defaults that the struct tags do not declare.`,
	URL: "https://pkg.go.dev/github.com/hotupdate/providerconfig/hotupdate/hotupdatelint",
	Run: run,
}

func run(pass *analysis.Pass) (any, error) {
	l := &linter{
		Pass: pass, program: new(sourcetype.Program), fields: map[*types.Var]*ast.Field{},
		defaults: map[*types.Var]string{},
		nilTests: map[*types.Var]string{}, inConfig: map[*types.Var]bool{}, reported: map[report]bool{},
	}
	l.readSource()
	var all []compiled
	for _, root := range l.roots() {
		all = append(all, l.compile(root))
	}
	l.checkPointers(all)
	l.checkInterfaces()
	l.checkHashes()
	return nil, nil //nolint:nilnil // no other analyzer needs a result
}

type linter struct {
	*analysis.Pass

	program  *sourcetype.Program
	fields   map[*types.Var]*ast.Field // of every struct type
	calls    []*ast.CallExpr           // in the order of the files
	parts    []root                    // structs with a hotupdatable struct tag, or with text that looks like one
	defaults map[*types.Var]string     // the defaulting function that fills in the field
	nilTests map[*types.Var]string     // the function that compares the field with nil
	inConfig map[*types.Var]bool       // fields of configurations that are in JSON
	reported map[report]bool
}
