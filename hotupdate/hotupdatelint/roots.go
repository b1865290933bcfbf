package hotupdatelint

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// root is a type that is compiled, and how.
type root struct {
	typ      types.Type
	at       ast.Node // what is to blame if no field is
	isConfig bool     // a Schema is made of it; otherwise it may be a part of a configuration
	settings settings
}

// settings are the overrides of a Schema.
type settings struct {
	overrides []override
	unknown   bool // there may be more
}

// override is a call of WithTag.
type override struct {
	fieldplan.Override

	at ast.Node
}

const (
	modulePath    = "github.com/hotupdate/providerconfig"
	hotupdatePath = modulePath + "/hotupdate"
	kitPath       = hotupdatePath + "/hotupdatetest"
)

// compiles says that a function compiles the Schema of its type parameter with an index.
type compiles struct {
	function *types.Func
	index    int
}

// roots returns the types to compile: those that a Schema is made of first, as they say most about the fields below them.
func (l *linter) roots() []root {
	roots := l.configRoots()
	for _, tagged := range l.source.tagged {
		if !isGeneric(tagged.typ) {
			roots = append(roots, root{typ: tagged.typ, at: tagged.syntax})
		}
	}
	return roots
}

// instanceNames returns the identifiers that instantiate something, in the order of the source.
func (l *linter) instanceNames() []*ast.Ident {
	return slices.SortedFunc(maps.Keys(l.TypesInfo.Instances), func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) })
}

// configRoots returns the types that SchemaOf is called with, directly or through generic functions of the package.
func (l *linter) configRoots() []root {
	known := map[compiles]settings{}
	owners := l.typeParams()
	names := l.instanceNames()
	var roots []root
	for found := -1; found < len(known); { // until no other function is found to compile its type parameter
		found, roots = len(known), nil
		for _, name := range names {
			function, ok := l.TypesInfo.Uses[name].(*types.Func)
			if !ok {
				continue
			}
			arguments := l.TypesInfo.Instances[name].TypeArgs
			for i := range arguments.Len() {
				inner, ok := known[compiles{function.Origin(), i}]
				if !ok && (i > 0 || !compilesSchema(function)) {
					continue
				}
				owner, isParam := owners[arguments.At(i)]
				outer := l.settings(name, owner.function, inner)
				switch {
				case isParam:
					known[owner] = outer
				case !isGeneric(arguments.At(i)):
					roots = append(roots, root{typ: arguments.At(i), at: name, isConfig: true, settings: outer})
				}
			}
		}
	}
	return roots
}

// compilesSchema reports whether a function of this module compiles the Schema of its first type parameter.
func compilesSchema(function *types.Func) bool {
	return isIn(function, hotupdatePath, "SchemaOf") || isIn(function, kitPath, "Check", "Golden", "Mutate", "IgnoreHot", "IgnoreImmutable")
}

func (l *linter) typeParams() map[types.Type]compiles {
	owners := map[types.Type]compiles{}
	for _, defined := range l.TypesInfo.Defs {
		function, ok := defined.(*types.Func)
		if !ok {
			continue
		}
		params := function.Signature().TypeParams()
		for i := range params.Len() {
			owners[params.At(i)] = compiles{function, i}
		}
	}
	return owners
}

// isGeneric reports whether a type is only known to those who instantiate it. Below it, a type parameter is read as an interface.
func isGeneric(t types.Type) bool {
	named, isNamed := types.Unalias(t).(*types.Named)
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return isParam || isNamed && named.TypeParams().Len() > named.TypeArgs().Len()
}

// settings adds the options of a call. What the function that the call stands in was given comes from its own callers.
func (l *linter) settings(name *ast.Ident, in *types.Func, found settings) settings {
	call := l.source.calls[name]
	if call == nil {
		found.unknown = true
		return found
	}
	found.overrides = slices.Clip(found.overrides)
	for _, argument := range call.Args {
		if !isOption(l.TypesInfo.TypeOf(argument)) || l.isParam(argument, in) {
			continue
		}
		if o, ok := l.override(argument); ok {
			found.overrides = append(found.overrides, o)
		} else {
			found.unknown = true
		}
	}
	return found
}

// isOption reports whether t is an Option of package hotupdate or of the test kit, or a list of them.
func isOption(t types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	return isNamed(t, hotupdatePath, "Option") || isNamed(t, kitPath, "Option")
}

func (l *linter) isParam(argument ast.Expr, of *types.Func) bool {
	name, ok := ast.Unparen(argument).(*ast.Ident)
	if !ok || of == nil {
		return false
	}
	v, ok := l.TypesInfo.Uses[name].(*types.Var)
	return ok && slices.Contains(slices.Collect(of.Signature().Params().Variables()), v)
}

// override reads a call of WithTag with constants.
func (l *linter) override(argument ast.Expr) (override, bool) {
	call, ok := ast.Unparen(argument).(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return override{}, false
	}
	path, tag := l.TypesInfo.Types[call.Args[0]].Value, l.TypesInfo.Types[call.Args[1]].Value
	if !isIn(l.callee(call), hotupdatePath, "WithTag") || path == nil || tag == nil {
		return override{}, false
	}
	return override{fieldplan.Override{Path: constant.StringVal(path), Tag: constant.StringVal(tag)}, call}, true
}
