package sourcetype_test

import (
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/sourcetype"
	"github.com/hotupdate/providerconfig/internal/sourcetype/testdata/kinds"
)

// TestErrorsAgreeOnGeneratedTypes compiles types with right and wrong struct tags twice: as they are in this program, and as they would
// be read from source code. All errors must be the same, word for word, under the same overrides.
func TestErrorsAgreeOnGeneratedTypes(t *testing.T) {
	source := loadKinds(t)
	faulty := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var structs []reflect.Type
		for range rapid.IntRange(1, 4).Draw(t, "structs") {
			structs = append(structs, drawStruct(t, structs))
		}
		root := structs[len(structs)-1]
		overrides := rapid.SampledFrom([][]fieldplan.Override{
			nil, nil,
			{{Path: "a", Tag: "true"}},
			{{Path: "a[].b", Tag: "ignore"}},
			{{Path: "c", Tag: "inplace"}, {Path: "b.a", Tag: "true"}},
			{{Path: "a", Tag: "false,set"}},
			{{Path: "b", Tag: "false,key=a"}},
			{{Path: "c", Tag: "false,presence,sensitive"}},
			{{Path: "a", Tag: "false,default=1"}},
		}).Draw(t, "overrides")
		_, want := fieldplan.Build(root, overrides, rawjson.ReadPart)
		_, got := fieldplan.Build(new(sourcetype.Program).Of(toSource(source, root)), overrides, rawjson.ReadPart)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))
		for _, problem := range fault.All(want) {
			faulty[problem.Code]++
		}
	})
	t.Logf("errors by code: %v", faulty)
	require.Greater(t, len(faulty), 7, "too few kinds of errors were drawn")
}

// named are the named types of the generated ones.
var named = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[bool](),
	reflect.TypeFor[float32](), reflect.TypeFor[complex64](),
	reflect.TypeFor[kinds.Bool](), reflect.TypeFor[kinds.Int](), reflect.TypeFor[kinds.Text](), reflect.TypeFor[kinds.Bytes](),
	reflect.TypeFor[kinds.Map](), reflect.TypeFor[kinds.Any](),
	reflect.TypeFor[kinds.Aliased](), reflect.TypeFor[kinds.Pointed](), reflect.TypeFor[kinds.Func](), reflect.TypeFor[kinds.Shouter](),
	reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.Duration](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](),
}

var structTags = []string{
	``, ``, ``, `hotupdatable:"true"`, `hotupdatable:"true"`, `hotupdatable:"false"`, `hotupdatable:"inplace"`, `hotupdatable:"ignore"`,
	`hotupdatable:true`, `hotUpdatable:"true"`, `hotupdatable:"ture"`,
	`hotupdatable:"false,set"`, `hotupdatable:"true,set"`, `hotupdatable:"false,key=a"`, `hotupdatable:"true,key=b"`,
	`hotupdatable:"false,key=a,hotwhen=b:true"`, `hotupdatable:"false,hotwhen=a:1"`,
	`hotupdatable:"false,default=1"`, `hotupdatable:"inplace,default=0"`, `hotupdatable:"false,default=true"`,
	`hotupdatable:"false,presence"`, `hotupdatable:"true,sensitive"`, `hotupdatable:"false,set,key=a"`,
}

func drawStruct(t *rapid.T, structs []reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i := range rapid.IntRange(1, 4).Draw(t, "fields") {
		f := reflect.StructField{Name: fmt.Sprintf("F%d", i)}
		f.Tag = reflect.StructTag(rapid.SampledFrom(
			[]string{`json:"a" `, `json:"b" `, `json:"c" `, `json:"d" `, `json:"e,omitempty" `, `json:"-" `, ``},
		).Draw(t, "json"))
		f.Tag += reflect.StructTag(rapid.SampledFrom(structTags).Draw(t, "struct tag"))
		f.Type = drawType(t, structs)
		if f.Type.Kind() == reflect.Struct && f.Type.NumMethod() == 0 && f.Type.Name() == "" {
			f.Anonymous = rapid.Bool().Draw(t, "embedded")
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

func drawType(t *rapid.T, structs []reflect.Type) reflect.Type {
	typ := rapid.SampledFrom(named).Draw(t, "type")
	if len(structs) > 0 && rapid.Bool().Draw(t, "struct") {
		typ = rapid.SampledFrom(structs).Draw(t, "type")
	}
	for range rapid.IntRange(0, 2).Draw(t, "depth") {
		switch rapid.IntRange(0, 5).Draw(t, "shape") {
		case 0, 1:
			typ = reflect.SliceOf(typ)
		case 2:
			typ = reflect.MapOf(reflect.TypeFor[string](), typ)
		case 3:
			typ = reflect.ArrayOf(2, typ)
		default:
			typ = reflect.PointerTo(typ)
		}
	}
	return typ
}

// toSource returns the type as go/types would read it, with named types from the package and its imports.
func toSource(pkg *types.Package, t reflect.Type) types.Type {
	if t.PkgPath() != "" {
		return lookup(pkg, t).Type()
	}
	//exhaustive:ignore
	switch t.Kind() {
	case reflect.Pointer:
		return types.NewPointer(toSource(pkg, t.Elem()))
	case reflect.Slice:
		return types.NewSlice(toSource(pkg, t.Elem()))
	case reflect.Array:
		return types.NewArray(toSource(pkg, t.Elem()), int64(t.Len()))
	case reflect.Map:
		return types.NewMap(toSource(pkg, t.Key()), toSource(pkg, t.Elem()))
	case reflect.Struct:
		var fields []*types.Var
		var tags []string
		for f := range t.Fields() {
			fields = append(fields, types.NewField(token.NoPos, pkg, f.Name, toSource(pkg, f.Type), f.Anonymous))
			tags = append(tags, string(f.Tag))
		}
		return types.NewStruct(fields, tags)
	default:
		return types.Universe.Lookup(t.Name()).Type()
	}
}

func lookup(pkg *types.Package, t reflect.Type) types.Object {
	if pkg.Path() == t.PkgPath() {
		return pkg.Scope().Lookup(t.Name())
	}
	for _, imported := range pkg.Imports() {
		if imported.Path() == t.PkgPath() {
			return imported.Scope().Lookup(t.Name())
		}
	}
	return nil
}
