package hotupdatelint

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// root is a type to compile, with its options.
type root struct {
	typ       types.Type
	at        ast.Node // the position to report if no field is responsible
	isConfig  bool     // SchemaOf is called for it; otherwise it may be a part of a configuration
	overrides []fieldplan.Override
	options   map[string]ast.Node // calls of WithTag, by path
	unknown   bool                // there may be more overrides
}

const (
	modulePath    = "github.com/hotupdate/providerconfig"
	hotupdatePath = modulePath + "/hotupdate"
	kitPath       = hotupdatePath + "/hotupdatetest"
)

// roots returns the types to compile. Types with a call of SchemaOf come first, since they say most
// about the fields below them.
func (l *linter) roots() (roots []root) {
	for _, call := range l.calls {
		function := l.callee(call)
		if !isIn(function, hotupdatePath, "SchemaOf") && !isIn(function, kitPath, "Check", "Golden") {
			continue
		}
		typ := l.TypesInfo.Instances[lastName(call.Fun)].TypeArgs.At(0)
		if !isGeneric(typ) {
			roots = append(roots, l.configRoot(typ, call))
		}
	}
	return append(roots, l.parts...)
}

// configRoot returns the type of a call of SchemaOf, with the overrides of the call.
func (l *linter) configRoot(typ types.Type, call *ast.CallExpr) root {
	r := root{typ: typ, at: lastName(call.Fun), isConfig: true, options: map[string]ast.Node{}}
	for _, argument := range call.Args {
		if o, ok := l.override(argument); ok {
			r.overrides = append(r.overrides, o)
			r.options[o.Path] = argument
		} else {
			r.unknown = true
		}
	}
	return r
}

// isGeneric reports whether a type has type parameters without arguments. Below it, a type
// parameter is read as an interface.
func isGeneric(t types.Type) bool {
	named, isNamed := types.Unalias(t).(*types.Named)
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return isParam || isNamed && named.TypeParams().Len() > named.TypeArgs().Len()
}

// override reads a call of WithTag with constants.
func (l *linter) override(argument ast.Expr) (o fieldplan.Override, ok bool) {
	call, ok := ast.Unparen(argument).(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || !isIn(l.callee(call), hotupdatePath, "WithTag") {
		return o, false
	}
	path := l.TypesInfo.Types[call.Args[0]].Value
	tag := l.TypesInfo.Types[call.Args[1]].Value
	if path == nil || tag == nil {
		return o, false
	}
	return fieldplan.Override{Path: constant.StringVal(path), Tag: constant.StringVal(tag)}, true
}
