package measured

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/shapes"
)

// constants reads the constants of types from the sources of their packages: only these mean something to Gardener.
type constants struct {
	modules  *shapes.Modules
	packages map[string]map[string][]any // the values by package and type
}

// of returns the constants of a type of text; none for string, and for types without any.
func (c *constants) of(t reflect.Type) (values []any, err error) {
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return nil, nil
	}
	known, isKnown := c.packages[t.PkgPath()]
	if !isKnown {
		if known, err = c.read(t.PkgPath()); err != nil {
			return nil, err
		}
		c.packages[t.PkgPath()] = known
	}
	return known[t.Name()], nil
}

// read reads the constants of a package.
func (c *constants) read(importPath string) (map[string][]any, error) {
	dir, err := c.modules.Dir(importPath)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	all := map[string][]any{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			if group, isGroup := declaration.(*ast.GenDecl); isGroup && group.Tok == token.CONST {
				add(all, group)
			}
		}
	}
	return all, nil
}

// add adds the texts of a declaration of constants by their types.
func add(all map[string][]any, group *ast.GenDecl) {
	for _, spec := range group.Specs {
		one, isValue := spec.(*ast.ValueSpec)
		if !isValue {
			continue
		}
		typ, isNamed := one.Type.(*ast.Ident)
		for _, value := range one.Values {
			literal, isLiteral := value.(*ast.BasicLit)
			if !isNamed || !isLiteral {
				continue
			}
			if text, err := strconv.Unquote(literal.Value); err == nil {
				all[typ.Name] = append(all[typ.Name], text)
			}
		}
	}
}
