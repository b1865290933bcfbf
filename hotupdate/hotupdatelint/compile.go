package hotupdatelint

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/sourcetype"
)

// part is the only field of an artificial configuration around a type without a Schema, which may
// be a part of any configuration.
const part = "config.Part"

type compiled struct {
	root    root
	plan    *fieldplan.Plan // nil after an error
	targets *targets
}

func (l *linter) compile(r root) compiled {
	typ := r.typ
	if r.isConfig {
		typ = behindPointers(typ)
	} else {
		typ = types.NewStruct([]*types.Var{types.NewField(token.NoPos, l.Pkg, "Part", r.typ, false)},
			[]string{`json:"part"`})
	}
	plan, err := fieldplan.Build(l.program.Of(typ), r.overrides, rawjson.ReadPart)
	p := &targets{linter: l, found: map[string]target{}, seen: map[reflect.Type]bool{}}
	p.visit(l.program.Of(typ), "config", target{node: r.at})
	for _, problem := range fault.All(err) {
		if !r.unknown || !dependsOnClasses(problem) {
			l.reportProblem(problem, p, r)
		}
	}
	return compiled{r, plan, p}
}

func behindPointers(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return behindPointers(pointer.Elem())
	}
	return t
}

// dependsOnClasses reports whether overrides may fix a problem.
func dependsOnClasses(problem *fault.Error) bool {
	return slices.Contains([]string{
		"non-hot-below-list", "mixed-set", "invalid-key-field", "invalid-selector", "whole-object",
	}, problem.Code)
}

// reportProblem reports one error of a compiled type at the responsible field, override or type.
func (l *linter) reportProblem(problem *fault.Error, p *targets, r root) {
	at, ok := p.found[problem.Field]
	if !ok {
		at.node = r.at
	}
	if option, ok := r.options[problem.Path]; ok && problem.Path != "" {
		at = target{node: option}
	}
	if !r.isConfig {
		whole := l.program.Of(r.typ).String()
		problem.Hint = strings.ReplaceAll(problem.Hint, part, "the fields of type "+whole)
		if problem.Field == part {
			problem.Field = whole
		} else if below, ok := strings.CutPrefix(problem.Field, part+"."); ok {
			problem.Field = "config." + below // the compiler's name for a type without one
		}
	}
	l.report(at, problem)
}

type target struct {
	node  ast.Node
	field *types.Var // nil if it is not a field of the package
}

// targets finds the field that an error names.
type targets struct {
	linter *linter
	found  map[string]target
	seen   map[reflect.Type]bool
}

// visit names all fields below a type as the compiler does. Problems outside of the package are
// reported at the nearest field inside.
func (p *targets) visit(t reflect.Type, name string, nearest target) {
	if t.Name() != "" { // only named types can contain themselves
		if p.seen[t] {
			return
		}
		p.seen[t] = true
	}
	switch t.Kind() {
	case reflect.Map:
		p.visit(t.Key(), name, nearest)
		fallthrough
	case reflect.Pointer, reflect.Slice, reflect.Array:
		p.visit(t.Elem(), name, nearest)
	case reflect.Struct:
		if s, ok := t.(*sourcetype.Type); ok {
			p.visitStruct(s, name, nearest)
		}
	}
}

func (p *targets) visitStruct(s *sourcetype.Type, name string, nearest target) {
	if s.Name() != "" {
		name = s.String()
	}
	fields := s.Source().Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		at := nearest
		v := fields.Field(i).Origin()
		if syntax := p.linter.fields[v]; syntax != nil {
			at = target{node: syntax, field: v}
		}
		p.linter.inConfig[v] = s.Field(i).Tag.Get("json") != "-"
		below := name + "." + v.Name()
		p.put(below, at)
		p.put(s.String()+"."+v.Name(), at)
		p.visit(s.Field(i).Type, below, at)
	}
}

// put prefers fields of the package if two types have the same name.
func (p *targets) put(name string, at target) {
	if p.found[name].field == nil {
		p.found[name] = at
	}
}
