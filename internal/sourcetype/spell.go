package sourcetype

import (
	"go/types"
	"strconv"
	"strings"
)

// spell writes a type as package reflect does.
func spell(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "unsafe.Pointer"
		}
		return types.Typ[t.Kind()].Name() // byte and rune are other names only in source code
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return t.Obj().Name()
		}
		return t.Obj().Pkg().Name() + "." + spellName(t)
	case *types.Pointer:
		return "*" + spell(t.Elem())
	case *types.Slice:
		return "[]" + spell(t.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + spell(t.Elem())
	case *types.Map:
		return "map[" + spell(t.Key()) + "]" + spell(t.Elem())
	case *types.Chan:
		return spellChan(t)
	case *types.Signature:
		return "func" + spellSignature(t)
	case *types.Struct:
		return spellStruct(t)
	case *types.Interface:
		return spellInterface(t)
	}
	return t.String()
}

// spellName writes type arguments with their import paths.
func spellName(t *types.Named) string {
	if t.TypeArgs().Len() == 0 {
		return t.Obj().Name()
	}
	var arguments []string
	for argument := range t.TypeArgs().Types() {
		arguments = append(arguments, types.TypeString(argument, nil))
	}
	return t.Obj().Name() + "[" + strings.Join(arguments, ",") + "]"
}

var channels = map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}

func spellChan(t *types.Chan) string {
	elem := spell(t.Elem())
	if t.Dir() == types.SendRecv && strings.HasPrefix(elem, "<-") {
		elem = "(" + elem + ")"
	}
	return channels[t.Dir()] + elem
}

func spellSignature(t *types.Signature) string {
	var params, results []string
	for param := range t.Params().Variables() {
		params = append(params, spell(param.Type()))
	}
	if t.Variadic() {
		params[len(params)-1] = "..." + strings.TrimPrefix(params[len(params)-1], "[]")
	}
	for result := range t.Results().Variables() {
		results = append(results, spell(result.Type()))
	}
	text, joined := "("+strings.Join(params, ", ")+")", strings.Join(results, ", ")
	if len(results) > 1 {
		joined = "(" + joined + ")"
	}
	return strings.TrimSuffix(text+" "+joined, " ")
}

func spellStruct(t *types.Struct) string {
	if t.NumFields() == 0 {
		return "struct {}"
	}
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		text := spell(f.Type())
		if !f.Embedded() {
			text = f.Name() + " " + text
		}
		if tag := t.Tag(i); tag != "" {
			text += " " + strconv.Quote(tag)
		}
		fields = append(fields, text)
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}

func spellInterface(t *types.Interface) string {
	if t.NumMethods() == 0 {
		return "interface {}"
	}
	var methods []string
	for method := range t.Methods() {
		methods = append(methods, method.Name()+spellSignature(method.Signature()))
	}
	return "interface { " + strings.Join(methods, "; ") + " }"
}
