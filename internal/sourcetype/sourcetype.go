// Package sourcetype presents types of source code, as go/types loads them, as types of package
// reflect.
//
// So one compiler of field plans, with one set of rules and messages, reads both the types of a
// running program and the types that an analyzer finds in source code. The package owns the
// translation. It must not know any rule.
package sourcetype

import (
	"go/types"
	"iter"
	"reflect"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Program translates the types of one type-checked program. Identical types become one reflect
// type. The zero value is ready to use. A Program must not be used by several goroutines.
type Program struct {
	seen typeutil.Map // of *Type
}

// Of returns t as a reflect type: for predeclared types, any, and types that the rules name, a
// type of the running program; otherwise a [Type].
func (p *Program) Of(t types.Type) reflect.Type {
	t = types.Unalias(t)
	if basic, ok := t.(*types.Basic); ok && loadedKinds[kindOf(basic)] != nil {
		return loadedKinds[kindOf(basic)]
	}
	if iface, ok := t.(*types.Interface); ok && iface.Empty() {
		return reflect.TypeFor[any]()
	}
	if known := known(t); known != nil {
		return known
	}
	if seen, ok := p.seen.At(t).(*Type); ok {
		return seen
	}
	translated := &Type{Type: nearest(t), program: p, source: t}
	p.seen.Set(t, translated)
	return translated
}

// known returns the type of the running program for a type that the rules name, and nil for other
// types.
func known(t types.Type) reflect.Type {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Parent() != named.Obj().Pkg().Scope() {
		return nil
	}
	for _, known := range append(leaf.KnownTypes(), reflect.TypeFor[metav1.TypeMeta]()) {
		if known.PkgPath() == named.Obj().Pkg().Path() && known.Name() == named.Obj().Name() {
			return known
		}
	}
	return nil
}

// Type is a type of source code. Its methods for kind, name, parts and method set describe that
// type; all others are methods of the nearest type of the running program.
type Type struct {
	reflect.Type

	program *Program
	source  types.Type
}

var _ leaf.Unloaded = (*Type)(nil)

// Source returns the type of go/types.
func (t *Type) Source() types.Type { return t.source }

// Loaded returns the nearest type of the running program: for scalars, []byte and interfaces, the
// type of the same kind.
func (t *Type) Loaded() reflect.Type { return t.Type }

// nearest returns int8 for a named int8, []byte for every slice, and so on; struct{} for kinds that
// are not leaves.
func nearest(t types.Type) reflect.Type {
	kind := kindOf(t)
	if loaded := loadedKinds[kind]; loaded != nil {
		return loaded
	}
	switch kind {
	case reflect.Slice:
		return reflect.TypeFor[[]byte]()
	case reflect.Interface:
		return reflect.TypeFor[any]()
	}
	return reflect.TypeFor[struct{}]()
}

// loadedKinds are the scalars of the running program, and its unsafe.Pointer.
var loadedKinds = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.String: reflect.TypeFor[string](),
	reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](), reflect.Int16: reflect.TypeFor[int16](),
	reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint: reflect.TypeFor[uint](), reflect.Uint8: reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64](),
	reflect.Uintptr: reflect.TypeFor[uintptr](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
	reflect.Complex64: reflect.TypeFor[complex64](), reflect.Complex128: reflect.TypeFor[complex128](),
	reflect.UnsafePointer: reflect.TypeOf(reflect.Value.UnsafePointer).Out(0),
}

// Kind returns the kind of the underlying type. A type parameter is an interface, as its constraint
// is.
func (t *Type) Kind() reflect.Kind { return kindOf(t.source) }

func kindOf(t types.Type) reflect.Kind {
	if basic, ok := t.Underlying().(*types.Basic); ok {
		return basicKind(basic.Kind())
	}
	return composedKinds[reflect.TypeOf(t.Underlying())]
}

var composedKinds = map[reflect.Type]reflect.Kind{
	reflect.TypeFor[*types.Struct]():    reflect.Struct,
	reflect.TypeFor[*types.Pointer]():   reflect.Pointer,
	reflect.TypeFor[*types.Slice]():     reflect.Slice,
	reflect.TypeFor[*types.Array]():     reflect.Array,
	reflect.TypeFor[*types.Map]():       reflect.Map,
	reflect.TypeFor[*types.Chan]():      reflect.Chan,
	reflect.TypeFor[*types.Signature](): reflect.Func,
	reflect.TypeFor[*types.Interface](): reflect.Interface,
}

// basicKind relies on the order of the kinds from bool to complex128, which is that of package
// reflect.
func basicKind(k types.BasicKind) reflect.Kind {
	switch {
	case k == types.String:
		return reflect.String
	case k == types.UnsafePointer:
		return reflect.UnsafePointer
	case k <= types.Complex128:
		return reflect.Kind(k) //nolint:gosec // from 0 to 16
	}
	return reflect.Invalid
}

// Elem returns the element type of a pointer, list, map or channel.
func (t *Type) Elem() reflect.Type {
	return t.program.Of(t.source.Underlying().(interface{ Elem() types.Type }).Elem())
}

// Key returns the key type of a map.
func (t *Type) Key() reflect.Type { return t.program.Of(t.source.Underlying().(*types.Map).Key()) }

// Len returns the length of an array.
func (t *Type) Len() int { return int(t.source.Underlying().(*types.Array).Len()) }

// NumField returns the number of fields of a struct, embedded ones counted once.
func (t *Type) NumField() int { return t.source.Underlying().(*types.Struct).NumFields() }

// Field returns the i'th field of a struct, without its offset.
func (t *Type) Field(i int) reflect.StructField {
	s := t.source.Underlying().(*types.Struct)
	v := s.Field(i)
	f := reflect.StructField{
		Name: v.Name(), Type: t.program.Of(v.Type()), Tag: reflect.StructTag(s.Tag(i)), Index: []int{i},
		Anonymous: v.Embedded(),
	}
	if !v.Exported() {
		f.PkgPath = v.Pkg().Path()
	}
	return f
}

// NumMethod returns the number of methods of an interface.
func (t *Type) NumMethod() int { return types.NewMethodSet(t.source).Len() }

// Fields yields the fields of a struct in order.
func (t *Type) Fields() iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// Implements reports whether the type has the methods of an interface of the running program.
func (t *Type) Implements(iface reflect.Type) bool { return implements(t.source, iface) }

// PointerImplements reports whether a pointer to the type has the methods of an interface of the
// running program.
func (t *Type) PointerImplements(iface reflect.Type) bool {
	return implements(types.NewPointer(t.source), iface)
}

func implements(t types.Type, iface reflect.Type) bool {
	methods := types.NewMethodSet(t)
	for method := range iface.Methods() {
		found := methods.Lookup(nil, method.Name)
		if found == nil || !hasSignature(found.Type().(*types.Signature), method.Type) {
			return false
		}
	}
	return true
}

func hasSignature(s *types.Signature, method reflect.Type) bool {
	return !s.Variadic() && areOf(s.Params(), slices.Collect(method.Ins())) &&
		areOf(s.Results(), slices.Collect(method.Outs()))
}

// areOf reports whether variables have the given types of the running program.
func areOf(variables *types.Tuple, loaded []reflect.Type) bool {
	return slices.EqualFunc(slices.Collect(variables.Variables()), loaded, func(v *types.Var, want reflect.Type) bool {
		source := methodTypes[want]
		return source != nil && types.Identical(v.Type(), source)
	})
}

var methodTypes = map[reflect.Type]types.Type{
	reflect.TypeFor[[]byte](): types.NewSlice(types.Typ[types.Uint8]),
	reflect.TypeFor[string](): types.Typ[types.String],
	reflect.TypeFor[error]():  types.Universe.Lookup("error").Type(),
}

// Name returns the name of a named type, without type arguments, and nothing for others.
func (t *Type) Name() string {
	if named, ok := t.source.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// PkgPath returns the import path of a named type.
func (t *Type) PkgPath() string {
	if named, ok := t.source.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}

// String returns the type with the names of packages, as in source code. A generic type is spelled
// without its type parameters.
func (t *Type) String() string {
	if named, ok := t.source.(*types.Named); ok && named.TypeParams().Len() > named.TypeArgs().Len() {
		return named.Obj().Pkg().Name() + "." + named.Obj().Name()
	}
	return types.TypeString(t.source, (*types.Package).Name)
}
