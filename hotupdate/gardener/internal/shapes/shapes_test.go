package shapes_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/shapes"
)

const folder = "../../../cmd/hotupdate/internal/kinds/"

// described is a node of an exported Schema.
type described struct {
	Kind         string
	Bits         int
	Elem         *described
	ElemNullable bool
	Fields       []struct {
		Name               string
		Nullable, Optional bool
		Type               *described
	}
}

// shapes adds the shapes of the values at a path.
func (d *described) shapes(to shapes.Shapes, path string, isNullable, isOptional bool) {
	to[path] = shapes.Shape{Kind: d.Kind, Bits: d.Bits, Nullable: isNullable, Optional: isOptional}
	for _, f := range d.Fields {
		f.Type.shapes(to, strings.TrimPrefix(path+"."+f.Name, "."), f.Nullable, f.Optional)
	}
	if d.Elem != nil {
		d.Elem.shapes(to, path+map[string]string{"list": "[]", "map": "{}"}[d.Kind], d.ElemNullable, false)
	}
}

// written are the shapes in the files, and the releases with their members.
func written(t *testing.T) (kinds map[string]shapes.Shapes, table shapes.Table) {
	t.Helper()
	text, err := os.ReadFile(folder + "releases.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &table))
	kinds = map[string]shapes.Shapes{}
	for kind := range table.Members {
		var schema struct {
			TypeMeta []string
			Root     *described
		}
		text, err := os.ReadFile(folder + strings.ToLower(kind) + ".schema.json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &schema))
		kinds[kind] = shapes.Shapes{}
		schema.Root.shapes(kinds[kind], "", false, false)
		for _, name := range schema.TypeMeta {
			kinds[kind][name] = shapes.Shape{Kind: "string", Optional: true}
		}
	}
	return kinds, table
}

// isAtOrBelow reports whether a path is one of others or below it.
func isAtOrBelow(path string, others []string) bool {
	return slices.ContainsFunc(others, func(above string) bool {
		rest, isBelow := strings.CutPrefix(path, above)
		return isBelow && (rest == "" || strings.ContainsAny(rest[:1], ".[{"))
	})
}

// TestNewestReleaseIsLinked: the members of the newest release in the files are those of the Gardener that this module links, read from
// its sources again.
func TestNewestReleaseIsLinked(t *testing.T) {
	t.Parallel()
	kinds, table := written(t)
	linked, err := shapes.Linked()
	require.NoError(t, err)
	assert.Equal(t, append(shapes.Earlier(), linked.Version), table.Releases, "write the files again, by go generate")
	newest, err := shapes.Read(linked.Dir)
	require.NoError(t, err)
	require.ElementsMatch(t, slices.Collect(maps.Keys(kinds)), slices.Collect(maps.Keys(newest)))
	for kind, want := range newest {
		var gone, changed []string
		for path, span := range table.Members[kind] {
			if span.Last != "" {
				gone = append(gone, path)
			}
		}
		for path, shape := range kinds[kind] {
			if shape.Kind == "json" && want[path].Kind != "json" {
				changed = append(changed, path) // it had another type once
			}
		}
		maps.DeleteFunc(kinds[kind], func(path string, _ shapes.Shape) bool { return isAtOrBelow(path, slices.Concat(gone, changed)) })
		maps.DeleteFunc(want, func(path string, _ shapes.Shape) bool { return isAtOrBelow(path, changed) })
		assert.Equal(t, want, kinds[kind], "write the files again, by go generate")
	}
	assert.Equal(t, "quantity", newest["Shoot"]["spec.kubernetes.kubelet.kubeReserved.cpu"].Kind)
	assert.Equal(t, shapes.Shape{Kind: "intOrString", Nullable: true, Optional: true}, newest["Shoot"]["spec.provider.workers[].maxSurge"])
	assert.NotContains(t, newest["Shoot"], "spec.kubernetes.kubeAPIServer.enableBasicAuthentication")
}

// reflected adds the shapes that encoding/json sees in a Go type: the oracle of what is read from sources.
func reflected(to shapes.Shapes, typ reflect.Type, path string, shape shapes.Shape) {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
		shape.Nullable = true
	}
	leaves := map[reflect.Type]string{
		reflect.TypeFor[metav1.Time](): "metaTime", reflect.TypeFor[metav1.MicroTime](): "microTime",
		reflect.TypeFor[metav1.Duration]():   "duration",
		reflect.TypeFor[resource.Quantity](): "quantity", reflect.TypeFor[intstr.IntOrString](): "intOrString",
		reflect.TypeFor[runtime.RawExtension](): "json",
	}
	basics := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "bool", reflect.Int: "int", reflect.Int32: "int", reflect.Int64: "int",
		reflect.Uint32: "uint",
		reflect.Uint8:  "uint", reflect.Float64: "float", reflect.Struct: "object", reflect.Map: "map", reflect.Slice: "list",
		reflect.Interface: "json",
	}
	shape.Kind = leaves[typ]
	if shape.Kind == "" && reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		shape.Kind = "json"
	}
	if isLeaf := shape.Kind != ""; isLeaf {
		to[path] = shape
		return
	}
	shape.Kind = basics[typ.Kind()]
	switch shape.Kind {
	case "int", "uint", "float":
		shape.Bits = typ.Bits()
	case "list":
		if typ.Elem().Kind() == reflect.Uint8 {
			shape.Kind = "bytes"
			break
		}
		reflected(to, typ.Elem(), path+"[]", shapes.Shape{})
	case "map":
		reflected(to, typ.Elem(), path+"{}", shapes.Shape{})
	case "object":
		for _, f := range reflect.VisibleFields(typ) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			isOfNamed := false // a promoted field of an embedded struct that has a name in JSON
			for n := 1; n < len(f.Index); n++ {
				name, _, _ := strings.Cut(typ.FieldByIndex(f.Index[:n]).Tag.Get("json"), ",")
				isOfNamed = isOfNamed || name != ""
			}
			if isOfNamed || name == "" || name == "-" {
				continue
			}
			reflected(to, f.Type, strings.TrimPrefix(path+"."+name, "."), shapes.Shape{Optional: strings.Contains(options, "omit")})
		}
	}
	to[path] = shape
}

// TestReadIsWhatGoReads: the shapes that are read from sources are those of the Go types.
func TestReadIsWhatGoReads(t *testing.T) {
	t.Parallel()
	linked, err := shapes.Linked()
	require.NoError(t, err)
	read, err := shapes.Read(linked.Dir)
	require.NoError(t, err)
	for kind, typ := range map[string]reflect.Type{
		"Shoot": reflect.TypeFor[gardencorev1beta1.Shoot](), "CloudProfile": reflect.TypeFor[gardencorev1beta1.CloudProfile](),
		"NamespacedCloudProfile": reflect.TypeFor[gardencorev1beta1.NamespacedCloudProfile](),
		"Worker":                 reflect.TypeFor[extensionsv1alpha1.Worker](), "ObjectMeta": reflect.TypeFor[metav1.ObjectMeta](),
	} {
		want := shapes.Shapes{}
		reflected(want, typ, "", shapes.Shape{})
		assert.Equal(t, want, read[kind], kind)
	}
}

// TestMerge: the first and the last release of a member, and a type that has changed.
func TestMerge(t *testing.T) {
	t.Parallel()
	object := shapes.Shape{Kind: "object"}
	number := shapes.Shape{Kind: "int", Bits: 32}
	text := shapes.Shape{Kind: "string"}
	list := shapes.Shape{Kind: "list"}
	of := func(version string, all shapes.Shapes) shapes.Release {
		all[""] = object
		all["always"] = number
		return shapes.Release{Version: version, Kinds: map[string]shapes.Shapes{"A": all}}
	}
	releases := []shapes.Release{
		of("v1", shapes.Shapes{"gone": list, "gone[]": object, "gone[].a": text, "other": object, "other.a": text, "back": number}),
		of("v2", shapes.Shapes{"gone": list, "gone[]": object, "gone[].a": text, "gone[].b": text, "other": object, "other.a": text}),
		of("v3", shapes.Shapes{"new": text, "other": number, "back": number, "wider": number}),
		of("v4", shapes.Shapes{"new": text, "other": number, "back": number, "wider": {Kind: "int", Bits: 64, Nullable: true}}),
	}
	table := shapes.Merge(releases)
	assert.Equal(t, map[string]map[string]shapes.Span{"A": {
		"gone": {Last: "v2"}, "gone[].b": {First: "v2"}, "new": {First: "v3"}, "wider": {First: "v3"},
	}}, table.Members)
	files, err := table.Files(nil)
	require.NoError(t, err)
	require.Len(t, files, 2)
	var schema struct{ Root *described }
	require.NoError(t, json.Unmarshal(files["a.schema.json"], &schema))
	got := shapes.Shapes{}
	schema.Root.shapes(got, "", false, false)
	assert.Equal(t, shapes.Shapes{
		"": object, "always": number, "gone": list, "gone[]": object, "gone[].a": text, "gone[].b": text, "new": text, "back": number,
		"other": {Kind: "json"}, "wider": {Kind: "int", Bits: 64, Nullable: true},
	}, got, "of values with another type once, all JSON is read; else the newest type counts")
	again, err := shapes.Merge(releases).Files(nil)
	require.NoError(t, err)
	assert.Equal(t, files, again, "the same bytes each time")
}

// TestReadRefuses: a type that cannot be read is named.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ fields, want string }{
		"a channel":          {"A chan int `json:\"a\"`", "has an unknown expression *ast.ChanType"},
		"no name":            {"A int", "field A has no name in JSON"},
		"an unknown type":    {"A other `json:\"a\"`", "has no type other"},
		"an embedded number": {"Number `json:\",inline\"`", "an embedded type is not a struct"},
		"a type in itself":   {"A *Shoot `json:\"a\"`", "type Shoot contains itself"},
	} {
		dir := t.TempDir()
		source := "package v1\n\ntype Number int\ntype Shoot struct { " + test.fields + " }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o600))
		_, err := shapes.Read(func(string) (string, error) { return dir, nil })
		require.ErrorContains(t, err, test.want, name)
	}
	_, err := shapes.Read(func(string) (string, error) { return "", os.ErrNotExist })
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestKeysAreOfLists: a key stands at its list, and a list that is gone is an error.
func TestKeysAreOfLists(t *testing.T) {
	t.Parallel()
	read := shapes.Shapes{
		"": {Kind: "object"}, "a": {Kind: "list"}, "a[]": {Kind: "object"}, "a[].n": {Kind: "string"}, "b": {Kind: "list"},
		"b[]": {Kind: "string"},
	}
	text, err := read.Schema(map[string]string{"a": "n"}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), `"key":`))
	assert.Contains(t, string(text), `{"name":"a","class":"immutable","key":"n"`)
	_, err = read.Schema(map[string]string{"gone": "n"}, nil)
	require.ErrorContains(t, err, "gone is not a list")
}

// TestClassesOfMembers: a member on which no name depends is ignored, and so is what is in it.
func TestClassesOfMembers(t *testing.T) {
	t.Parallel()
	read := shapes.Shapes{
		"": {Kind: "object"}, "a": {Kind: "list"}, "a[]": {Kind: "object"}, "a[].n": {Kind: "string"}, "b": {Kind: "object"},
		"b.c": {Kind: "int"}, "b.d": {Kind: "int"},
	}
	text, err := read.Schema(nil, []string{"a", "b.d"})
	require.NoError(t, err)
	for _, field := range []string{
		`{"name":"a","class":"ignored","type"`, `{"name":"n","class":"ignored","type":{"kind":"string"},"inherited":true}`,
		`{"name":"b","class":"immutable","type"`, `{"name":"c","class":"immutable","type":{"kind":"int"},"inherited":true}`,
		`{"name":"d","class":"ignored","type":{"kind":"int"}}`,
	} {
		assert.Contains(t, string(text), field)
	}
	_, err = read.Schema(nil, []string{"gone"})
	require.ErrorContains(t, err, "gone is not a member")
}
