package hotupdatelint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// FuzzStructTag analyzes a field with an arbitrary struct tag and type. The analyzer must not panic, must report every problem that the
// parser has, nothing on a string without the struct tag, and must correct struct tags to ones without problems.
func FuzzStructTag(f *testing.F) {
	for _, seed := range []string{
		``, `json:"a"`, `json:"a" hotupdatable:"true"`, `json:"a" hotupdatable:true`, "json:\"a\"\thotUpdatable:\"ture\"",
		`json:"a" hotupdatable:"false,key=name"`, "hotupdatable:`true`",
		`json:"a" hotupdatable:"false,default=1"`, `json:"-" hotupdatable:"true"`, "hotupdatable:\"false,key=\xec\"",
		`json:"a" hotupdatable:"true" hotupdatable:"true"`,
	} {
		f.Add(seed, "string")
	}
	f.Add(`json:"a" hotupdatable:"false,key=name"`, "[]Item")
	f.Add(`json:"a" hotupdatable:"false,hotwhen=on:true"`, "map[string]Item")
	f.Fuzz(func(t *testing.T, tag, typ string) {
		source := "package config\n\ntype Config struct {\n\tA " + typ + " " + strconv.Quote(
			tag,
		) + "\n}\n\ntype Item struct {\n\tName string `json:\"name\"`\n\tOn bool `json:\"on\"`\n}\n"
		found, ok := analyze(t, source)
		if !ok {
			return
		}
		_, present, problems := structtag.Parse(reflect.StructTag(tag))
		assert.True(t, present || len(found) == 0 || typ != "string", "reported without a struct tag: %v", found)
		assert.GreaterOrEqual(t, len(found), len(distinct(problems)), "kept silent about %s", tag)
		for _, d := range found {
			for _, fix := range d.SuggestedFixes {
				text, err := strconv.Unquote(string(fix.TextEdits[0].NewText))
				require.NoError(t, err)
				_, present, left := structtag.Parse(reflect.StructTag(text))
				assert.True(t, present && len(left) == 0, "%s is corrected to %s, which has problems: %v", tag, text, left.Err())
			}
		}
	})
}

// distinct leaves out problems in the same words: they are reported once.
func distinct[E error](problems []E) map[string]bool {
	texts := map[string]bool{}
	for _, p := range problems {
		texts[p.Error()] = true
	}
	return texts
}

// analyze runs the analyzer over one file without imports; ok says whether the file compiles.
func analyze(t *testing.T, source string) (found []analysis.Diagnostic, ok bool) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "config.go", source, parser.ParseComments)
	if err != nil {
		return nil, false
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{},
	}
	pkg, err := new(types.Config).Check("config", fset, []*ast.File{file}, info)
	if err != nil {
		return nil, false
	}
	_, err = hotupdatelint.Analyzer.Run(&analysis.Pass{
		Analyzer: hotupdatelint.Analyzer, Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info,
		Report: func(d analysis.Diagnostic) { found = append(found, d) },
	})
	require.NoError(t, err)
	return found, true
}
