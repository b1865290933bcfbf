package verdict_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestRulesAreListed: the list has every rule of the file once, and each says something that no other
// one says.
func TestRulesAreListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "rules.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	declared := []string{}
	listed := []string{}
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
		texts[rule.Text] = true
	}
}

// TestTextsOfRules: the texts of all rules have the form that the package documentation describes.
func TestTextsOfRules(t *testing.T) {
	gardener := verdict.Gardener("v1.150.0")
	all := slices.Concat(verdict.Rules(), []verdict.Rule{
		verdict.LeftOut(1), verdict.LeftOut(2), verdict.VersionsDiffer("v1", "v2", "pools.v2.example.org"),
		gardener.Refuses("must be 1", "validation"),
		gardener.MayRefuse("must be 1", "admission", []string{"the Seed"}), gardener.Admits(nil),
		gardener.Admits([]string{"the Seed"}), gardener.RefusesOld("spec", "must be 1", 1), gardener.Decides(),
		gardener.DependsOn([]string{"the image"}), gardener.KeyChanges(), gardener.KeyStays(), gardener.KeyOfRefused(),
		gardener.Fails("it ends"),
	})
	for _, rule := range all {
		for _, problem := range problemsOf(rule.Text) {
			t.Errorf("%q %s", rule.Text, problem)
		}
	}
	for text, want := range map[string]string{
		"the pool rolls.":              "has a full stop",
		"Pools roll":                   "begins in upper case",
		"it rolls":                     "does not name its subject",
		"the pool rolls: it is old":    "",
		"the pool rolls; Compare both": "has upper case after a semicolon",
		"the pool  rolls":              "has two spaces",
	} {
		assert.Equal(t, want, strings.Join(problemsOf(text), ", "), text)
	}
}

// names are the names that texts begin with.
var names = []string{"Gardener", "Gardener's", "Azure"}

// faults are the patterns that no text has.
var faults = []struct {
	pattern *regexp.Regexp
	problem string
}{
	{regexp.MustCompile(`\.$`), "has a full stop"},
	{regexp.MustCompile(`^(it|its|this|that|these|those|they|there|here)\b`), "does not name its subject"},
	{regexp.MustCompile(`; [A-Z]`), "has upper case after a semicolon"},
	{regexp.MustCompile(`\s\s`), "has two spaces"},
}

// problemsOf returns what is wrong with a text.
func problemsOf(text string) (problems []string) {
	first, _, _ := strings.Cut(text, " ")
	isName := slices.Contains(names, first)
	if unicode.IsUpper([]rune(text)[0]) && !isName {
		problems = append(problems, "begins in upper case")
	}
	for _, fault := range faults {
		if fault.pattern.MatchString(text) {
			problems = append(problems, fault.problem)
		}
	}
	return problems
}
