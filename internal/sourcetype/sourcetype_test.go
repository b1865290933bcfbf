package sourcetype_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/sourcetype"
	"github.com/hotupdate/providerconfig/internal/sourcetype/testdata/kinds"
)

// TestSourceIsDescribedAsReflectDoes reads a type from source code and walks it side by side with the same type in this program.
func TestSourceIsDescribedAsReflectDoes(t *testing.T) {
	scope := loadKinds(t).Scope()
	c := comparison{T: t, seen: map[reflect.Type]bool{}}
	c.compare("All", reflect.TypeFor[kinds.All](), new(sourcetype.Program).Of(scope.Lookup("All").Type()))
	assert.Greater(t, len(c.seen), 80, "the walk ended early")
}

func loadKinds(t *testing.T) *types.Package {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./testdata/kinds")
	require.NoError(t, err)
	require.Len(t, loaded, 1)
	require.Empty(t, loaded[0].Errors)
	return loaded[0].Types
}

// comparison walks two types at once.
type comparison struct {
	*testing.T

	seen map[reflect.Type]bool
}

func (c comparison) compare(path string, want, got reflect.Type) {
	c.Helper()
	if want == got { // a type of the running program
		c.seen[want] = true
		return
	}
	if c.seen[want] {
		return
	}
	c.seen[want] = true
	if !assert.Equal(c, want.Kind(), got.Kind(), path) {
		return
	}
	name, _, isGeneric := strings.Cut(want.Name(), "[")
	assert.Equal(c, name, got.Name(), path)
	if name != "" && !isGeneric { // others are spelled as in source code
		assert.Equal(c, want.String(), got.String(), path)
	}
	assert.Equal(c, want.PkgPath(), got.PkgPath(), path)
	assert.Equal(c, leaf.KindOf(want), leaf.KindOf(got), path)
	c.compareMethods(path, want, got)
	c.compareParts(path, want, got)
}

func (c comparison) compareMethods(path string, want, got reflect.Type) {
	c.Helper()
	for _, iface := range []reflect.Type{
		reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[fmt.Stringer](),
		reflect.TypeFor[error](),
	} {
		assert.Equal(c, want.Implements(iface), got.Implements(iface), "%s: %s", path, iface)
		if source, ok := got.(leaf.Unloaded); ok {
			assert.Equal(c, reflect.PointerTo(want).Implements(iface), source.PointerImplements(iface), "%s: pointer: %s", path, iface)
		}
	}
}

func (c comparison) compareParts(path string, want, got reflect.Type) {
	c.Helper()
	//exhaustive:ignore
	switch want.Kind() {
	case reflect.Map:
		c.compare(path+" key", want.Key(), got.Key())
		c.compare(path+" value", want.Elem(), got.Elem())
	case reflect.Array:
		assert.Equal(c, want.Len(), got.Len(), path)
		c.compare(path+" element", want.Elem(), got.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Chan:
		c.compare(path+" element", want.Elem(), got.Elem())
	case reflect.Struct:
		if !assert.Equal(c, want.NumField(), got.NumField(), path) {
			return
		}
		i := 0
		for g := range got.Fields() {
			w := want.Field(i)
			assert.Equal(
				c, []any{w.Name, w.PkgPath, w.Tag, w.Index, w.Anonymous}, []any{g.Name, g.PkgPath, g.Tag, g.Index, g.Anonymous}, path,
			)
			c.compare(path+"."+w.Name, w.Type, g.Type)
			i++
		}
	default:
	}
}

// TestIdenticalTypesAreOne holds for types that go/types has several copies of. A compiler that keeps a table of types needs it to end.
func TestIdenticalTypesAreOne(t *testing.T) {
	scope := loadKinds(t).Scope()
	program := new(sourcetype.Program)
	text := scope.Lookup("Text").Type()
	assert.Same(t, program.Of(types.NewSlice(text)), program.Of(types.NewSlice(text)))
	assert.NotSame(t, program.Of(types.NewSlice(text)), program.Of(types.NewPointer(text)))

	box := scope.Lookup("Box").Type()
	one, err := types.Instantiate(nil, box, []types.Type{text}, true)
	require.NoError(t, err)
	two, err := types.Instantiate(nil, box, []types.Type{text}, true)
	require.NoError(t, err)
	assert.Same(t, program.Of(one), program.Of(two))
	assert.Same(t, program.Of(one), program.Of(one).Field(1).Type.Elem(), "and leads back to itself")
}

// TestLocalTypesOfOneNameDiffer has two types with one text.
func TestLocalTypesOfOneNameDiffer(t *testing.T) {
	pkg := types.NewPackage("example.test/config", "config")
	local := func(kind types.BasicKind) types.Type {
		return types.NewNamed(types.NewTypeName(0, pkg, "local", nil), types.Typ[kind], nil)
	}
	program := new(sourcetype.Program)
	text := program.Of(local(types.String))
	number := program.Of(local(types.Int8))
	assert.Equal(t, "config.local", text.String())
	assert.Equal(t, "config.local", number.String())
	assert.Equal(t, []reflect.Kind{reflect.String, reflect.Int8}, []reflect.Kind{text.Kind(), number.Kind()})
	assert.Equal(t, 8, number.Bits())
}

// TestKnownTypesAreThoseOfTheProgram holds only for types of the right package: another Quantity is another type.
func TestKnownTypesAreThoseOfTheProgram(t *testing.T) {
	all := loadKinds(t).Scope().Lookup("All").Type().Underlying().(*types.Struct)
	program := new(sourcetype.Program)
	known := map[reflect.Type]bool{}
	for f := range all.Fields() {
		known[program.Of(f.Type())] = true
	}
	for _, want := range leaf.KnownTypes() {
		isOfCRDs := want.PkgPath() == reflect.TypeFor[leaf.OpaqueJSON]().PkgPath() // no struct of a program has it
		if !isOfCRDs && want.Kind() != reflect.Pointer && want.Name() != "Time" {
			assert.True(t, known[want], "%s", want)
		}
	}
	other := types.NewPackage("example.test/resource", "resource")
	quantity := types.NewNamed(types.NewTypeName(0, other, "Quantity", nil), types.NewStruct(nil, nil), nil)
	other.Scope().Insert(quantity.Obj())
	assert.Equal(t, reflect.Struct, program.Of(quantity).Kind())
	assert.Equal(t, leaf.NotALeaf, leaf.KindOf(program.Of(quantity)))
}
