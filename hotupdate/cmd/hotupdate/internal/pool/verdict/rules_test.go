package verdict_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/verdict"
)

// TestRulesAreListed: the list has every rule of the file once, and each says something that no other
// one says.
func TestRulesAreListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "rules.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	declared, listed := []string{}, []string{}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					declared = append(declared, values.Names[0].Name)
				}
			}
		case *ast.FuncDecl:
			if d.Name.Name != "Rules" {
				continue
			}
			list := d.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit)
			for _, element := range list.Elts {
				listed = append(listed, element.(*ast.Ident).Name)
			}
		}
	}
	assert.ElementsMatch(t, declared, listed)
	texts := map[string]bool{}
	for _, rule := range verdict.Rules() {
		assert.NotEmpty(t, rule.Kind, rule.Text)
		assert.NotEmpty(t, rule.Text)
		assert.False(t, texts[rule.Text], rule.Text)
		assert.False(t, strings.HasSuffix(rule.Text, "."), rule.Text)
		texts[rule.Text] = true
	}
}
