package hotupdate_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/types"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/sourcetype"
)

// TestSourceCodeIsCompiledAlike reads the type of every row of [TestSchemaErrors] and [TestValidTypes] from this package's source
// code. Its errors must be those of the type in the running program, word for word.
func TestSourceCodeIsCompiledAlike(t *testing.T) {
	found := readCompiled(t)
	for _, row := range schemaErrorRows() {
		if row.name == "below an interface" {
			continue // found when a value is walked
		}
		compiled, ok := found.named[row.name]
		if override, inLoop := overrideOf(row.name); !ok && inLoop {
			compiled = compiledType{found.overridable, []fieldplan.Override{override}}
			ok = true
		}
		if assert.True(t, ok, "%s is not found in the source code", row.name) {
			assert.Equal(t, sentences(row.err), sentences(compiled.errors()), row.name)
		}
	}
	assert.GreaterOrEqual(t, len(found.valid), 12)
	for name, compiled := range found.valid {
		assert.NoError(t, compiled.errors(), name)
	}
}

// TestAnalyzerReportsWhatSchemaOfReturns runs the analyzer over this package. In the files of [TestSchemaErrors] it must report every
// error of every row, with the error's code and in its words, and nothing else.
func TestAnalyzerReportsWhatSchemaOfReturns(t *testing.T) {
	pkg, err := ownSource()
	require.NoError(t, err)
	graph, err := checker.Analyze([]*analysis.Analyzer{hotupdatelint.Analyzer}, []*packages.Package{pkg}, nil)
	require.NoError(t, err)
	require.Len(t, graph.Roots, 1)
	require.NoError(t, graph.Roots[0].Err)

	reported := map[string]string{}
	for _, d := range graph.Roots[0].Diagnostics {
		if name := filepath.Base(pkg.Fset.Position(d.Pos).Filename); strings.HasSuffix(name, "_errors_test.go") {
			reported[d.Message] = d.Category
		}
	}
	returned := map[string]string{}
	for _, row := range schemaErrorRows() {
		if _, inLoop := overrideOf(row.name); inLoop && row.name != "unknown path and struct tag" {
			continue // the path is no constant
		}
		for _, e := range fault.All(row.err) {
			returned[e.Error()] = e.Code
		}
	}
	for sentence, code := range returned {
		assert.Equal(t, code, reported[sentence], "not reported: %s", sentence)
		delete(reported, sentence)
	}
	assert.Equal(t, map[string]string{
		"hotupdate: field hotupdate_test.taggedInList.Name has misspelled struct tag `hotUpdatable:\"true\"`; write `hotupdatable:\"true\"`": "misspelled-key",
	}, reported, "the analyzer also reads the struct tags of types that marshal themselves")
}

// overrideOf returns the override of a row that is made in a loop.
func overrideOf(row string) (o fieldplan.Override, ok bool) {
	for _, prefix := range []string{"bad path ", "unknown path "} {
		if path, ok := strings.CutPrefix(row, prefix); ok {
			return fieldplan.Override{Path: path, Tag: "true"}, true
		}
	}
	row, ok = strings.CutPrefix(row, "overriding ")
	o.Path, o.Tag, _ = strings.Cut(row, " ")
	return o, ok
}

func sentences(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// compiledType is what a call of the function errorOf is about.
type compiledType struct {
	typ       types.Type
	overrides []fieldplan.Override
}

func (c compiledType) errors() error {
	typ := c.typ
	for pointer, ok := types.Unalias(typ).(*types.Pointer); ok; pointer, ok = types.Unalias(typ).(*types.Pointer) {
		typ = pointer.Elem()
	}
	_, err := fieldplan.Build(new(sourcetype.Program).Of(typ), c.overrides, rawjson.ReadPart)
	return err
}

// sourceRows are the calls of the function errorOf in this package's source code.
type sourceRows struct {
	named       map[string]compiledType // by the name of the row
	valid       map[string]compiledType
	overridable types.Type
}

// ownSource is this package as it is type-checked from its source code.
var ownSource = sync.OnceValues(func() (*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Tests: true}, ".")
	for _, pkg := range loaded {
		if pkg.Name == "hotupdate_test" {
			return pkg, err
		}
	}
	return nil, errors.Join(err, errors.New("the package does not find itself"))
})

func readCompiled(t *testing.T) sourceRows {
	t.Helper()
	pkg, err := ownSource()
	require.NoError(t, err)
	require.Empty(t, pkg.Errors)
	rows := sourceRows{named: map[string]compiledType{}, valid: map[string]compiledType{}}
	rows.overridable = pkg.Types.Scope().Lookup("overridable").Type()
	for _, file := range pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool { return rows.add(pkg.TypesInfo, n) })
	}
	return rows
}

// add keeps rows and entries with a constant name.
func (r *sourceRows) add(info *types.Info, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if len(n.Elts) == 4 {
			r.put(r.named, info, n.Elts[0], n.Elts[1])
		}
	case *ast.KeyValueExpr:
		r.put(r.valid, info, n.Key, n.Value)
	}
	return true
}

func (r *sourceRows) put(into map[string]compiledType, info *types.Info, name, call ast.Expr) {
	text := info.Types[name].Value
	outer, ok := call.(*ast.CallExpr)
	if !ok || text == nil || text.Kind() != constant.String {
		return
	}
	if function, ok := outer.Fun.(*ast.Ident); !ok || function.Name != "errorOf" {
		return
	}
	compiling := outer.Args[0].(*ast.CallExpr)
	compiled := compiledType{typ: info.TypeOf(compiling.Fun.(*ast.IndexExpr).Index)}
	for _, option := range compiling.Args {
		arguments := option.(*ast.CallExpr).Args
		compiled.overrides = append(compiled.overrides, fieldplan.Override{
			Path: constant.StringVal(info.Types[arguments[0]].Value), Tag: constant.StringVal(info.Types[arguments[1]].Value),
		})
	}
	into[constant.StringVal(text)] = compiled
}
