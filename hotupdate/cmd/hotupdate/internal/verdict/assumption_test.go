package verdict_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestAssumptionsAreListed: the table has each assumption that the file declares, and no other file declares one.
func TestAssumptionsAreListed(t *testing.T) {
	declared := map[string]bool{}
	listed := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "assumption.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "assumed" {
				ast.Inspect(n, func(inner ast.Node) bool {
					if name, isName := inner.(*ast.Ident); isName {
						listed[name.Name] = true
					}
					return true
				})
			}
		case *ast.ValueSpec:
			if name := n.Names[0].Name; ast.IsExported(name) && name != "ConfigFile" {
				declared[name] = true
			}
		}
		return true
	})
	require.NotEmpty(t, declared)
	for name := range declared {
		assert.True(t, listed[name], "%s is not in the table", name)
	}
	for _, rule := range verdict.Rules() {
		assert.NotEqual(t, verdict.Assumes, rule.Kind, "%s is declared in rules.go", rule.Text)
	}
}

// TestTableOfAssumptions: each row has its own name and text, a clause, and what would decide it; a rule finds its row.
func TestTableOfAssumptions(t *testing.T) {
	names := map[string]bool{}
	texts := map[string]bool{}
	for _, a := range verdict.Assumptions() {
		assert.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), a.Name)
		assert.False(t, names[a.Name] || texts[a.Text], a.Name)
		names[a.Name] = true
		texts[a.Text] = true
		for _, text := range []string{a.Text, a.Answer} {
			assert.Empty(t, problemsOf(text), text)
		}
		assert.LessOrEqual(t, len(a.Text), 120, "%s is longer than a line", a.Text)
		rule := verdict.Rule{Kind: verdict.Assumes, Text: a.Text, Source: a.Source}
		assert.Equal(t, a, verdict.AssumptionOf(rule))
	}
	plugin := verdict.AssumptionOf(verdict.Gardener("v1.150.0").Assumes("the Seed has two zones"))
	assert.Equal(t, "gardener-code", plugin.Name)
	assert.True(t, strings.HasSuffix(plugin.Text, "the Seed has two zones"))
}
