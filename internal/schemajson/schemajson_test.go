package schemajson_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

func compile(t *testing.T, typ reflect.Type, overrides ...fieldplan.Override) *fieldplan.Plan {
	t.Helper()
	p, err := fieldplan.Compile(typ, overrides, rawjson.ReadPart)
	require.NoError(t, err)
	return p
}

func exportOf(t *testing.T, p *fieldplan.Plan) *schemajson.Document {
	t.Helper()
	d, err := schemajson.Export(p)
	require.NoError(t, err)
	return d
}

func written(t *testing.T, d *schemajson.Document) []byte {
	t.Helper()
	data, err := json.Marshal(d)
	require.NoError(t, err)
	return data
}

// unreadyText has a marshaler that fails on its zero value.
type unreadyText struct{ text string }

func (u unreadyText) MarshalText() ([]byte, error) {
	if u.text == "" {
		return nil, errors.New("no text")
	}
	return []byte(u.text), nil
}

// TestLeafNames: every kind of leaf has its name, and its width where the Go type decides which values it holds.
func TestLeafNames(t *testing.T) {
	names := map[leaf.Kind]bool{}
	for _, tc := range []struct {
		typ  reflect.Type
		name string
		bits int
	}{
		{reflect.TypeFor[bool](), "bool", 0},
		{reflect.TypeFor[int8](), "int", 8},
		{reflect.TypeFor[int](), "int", 64},
		{reflect.TypeFor[time.Duration](), "int", 64},
		{reflect.TypeFor[uint16](), "uint", 16},
		{reflect.TypeFor[uint](), "uint", 64},
		{reflect.TypeFor[uintptr](), "uint", 64},
		{reflect.TypeFor[float32](), "float", 32},
		{reflect.TypeFor[float64](), "float", 64},
		{reflect.TypeFor[metav1.StatusReason](), "string", 0},
		{reflect.TypeFor[json.Number](), "number", 0},
		{reflect.TypeFor[[]byte](), "bytes", 0},
		{reflect.TypeFor[resource.Quantity](), "quantity", 0},
		{reflect.TypeFor[intstr.IntOrString](), "intOrString", 0},
		{reflect.TypeFor[time.Time](), "time", 0},
		{reflect.TypeFor[metav1.Time](), "metaTime", 0},
		{reflect.TypeFor[metav1.MicroTime](), "microTime", 0},
		{reflect.TypeFor[metav1.Duration](), "duration", 0},
		{reflect.TypeFor[json.RawMessage](), "json", 0},
		{reflect.TypeFor[runtime.RawExtension](), "json", 0},
		{reflect.TypeFor[any](), "json", 0},
		{reflect.TypeFor[big.Int](), "opaque", 0},
		{reflect.TypeFor[netip.Addr](), "opaque", 0},
		{reflect.TypeFor[leaf.OpaqueJSON](), "opaque", 0},
	} {
		kind := leaf.KindOf(tc.typ)
		name, bits := schemajson.LeafName(kind, tc.typ)
		assert.Equal(t, tc.name, name, tc.typ)
		assert.Equal(t, tc.bits, bits, tc.typ)
		names[kind] = true
	}
	for m := structtag.AsQuantity; m <= structtag.AsTime; m++ {
		kind := leaf.TextKind(m)
		name, _ := schemajson.LeafName(kind, reflect.TypeFor[string]())
		assert.Equal(t, m.String()+"Text", name)
		names[kind] = true
	}
	for kind := leaf.Bool; kind <= leaf.TimeText; kind++ {
		assert.True(t, names[kind], "no row has the kind %d", kind)
	}
}

func TestKeyNames(t *testing.T) {
	for _, tc := range []struct {
		typ    reflect.Type
		name   string
		bits   int
		reason string
	}{
		{reflect.TypeFor[string](), "string", 0, ""},
		{reflect.TypeFor[int](), "int", 64, "the widest word of all platforms"},
		{reflect.TypeFor[uint8](), "uint", 8, ""},
		{reflect.TypeFor[netip.Addr](), "string", 0, "a key that marshals itself is text in JSON"},
	} {
		name, bits := schemajson.KeyName(tc.typ)
		assert.Equal(t, tc.name, name, tc.typ)
		assert.Equal(t, tc.bits, bits, "%s: %s", tc.typ, tc.reason)
	}
}

// TestFingerprintDependsOn: every member of the document decides the fingerprint, except those that tell people where a field comes from.
func TestFingerprintDependsOn(t *testing.T) {
	forPeople := []string{"Fingerprint", "GoField", "Override", "Source", "Fills", "Recognized"}
	document := func() (*schemajson.Document, []reflect.Value) {
		elem := &schemajson.Node{}
		f := &schemajson.Field{Type: &schemajson.Node{Elem: elem}, HotWhen: &schemajson.When{}, Default: new("")}
		d := &schemajson.Document{Root: &schemajson.Node{Fields: []*schemajson.Field{f}}}
		return d, []reflect.Value{
			reflect.ValueOf(d).Elem(), reflect.ValueOf(d.Root).Elem(), reflect.ValueOf(f).Elem(), reflect.ValueOf(f.Type).Elem(),
			reflect.ValueOf(elem).Elem(), reflect.ValueOf(f.HotWhen).Elem(),
		}
	}
	base, parts := document()
	require.NoError(t, base.Sign())
	for part := range parts {
		for i := range parts[part].NumField() {
			edited, parts := document()
			member := parts[part].Type().Field(i)
			if !member.IsExported() {
				continue // it is not in the document
			}
			name := member.Name
			change(parts[part].Field(i))
			require.NoError(t, edited.Sign())
			if slices.Contains(forPeople, name) {
				assert.Equal(t, base.Fingerprint, edited.Fingerprint, name)
			} else {
				assert.NotEqual(t, base.Fingerprint, edited.Fingerprint, "%s.%s", parts[part].Type(), name)
			}
		}
	}
}

// change gives v another value.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	default:
		panic(v.Kind())
	}
}

// TestLoadRefuses: a signed document that no plan exports is refused, with a pointer to each problem.
func TestLoadRefuses(t *testing.T) {
	leafOf := func(kind string, bits int) *schemajson.Node { return &schemajson.Node{Kind: kind, Bits: bits} }
	word := leafOf("string", 0)
	opaque := leafOf("opaque", 0)
	field := func(name string, typ *schemajson.Node) *schemajson.Field {
		return &schemajson.Field{Name: name, Class: "immutable", Inherited: true, Type: typ}
	}
	object := func(fields ...*schemajson.Field) *schemajson.Document {
		return &schemajson.Document{FormatVersion: schemajson.FormatVersion, Root: &schemajson.Node{Kind: "object", Fields: fields}}
	}
	of := func(typ *schemajson.Node) *schemajson.Document { return object(field("a", typ)) }
	with := func(d *schemajson.Document, edit func(d *schemajson.Document)) *schemajson.Document {
		edit(d)
		return d
	}
	tagged := func(edit func(f *schemajson.Field)) *schemajson.Document {
		return with(of(word), func(d *schemajson.Document) { edit(d.Root.Fields[0]) })
	}
	keyed := []*schemajson.KeyClass{{Key: "a", Class: "hot"}}
	const at = "/root/fields/0"
	for _, tc := range []struct {
		name string
		d    *schemajson.Document
		want []string
	}{
		{"sound", of(word), nil},
		{"later version", with(of(word), func(d *schemajson.Document) { d.FormatVersion = 5 }), []string{"/formatVersion"}},
		{"a version that it does not need", with(of(word), func(d *schemajson.Document) { d.FormatVersion++ }), []string{"/root"}},
		{"no root", with(of(word), func(d *schemajson.Document) { d.Root = nil }), []string{"/root"}},
		{
			"root that is a list", with(of(word), func(d *schemajson.Document) { d.Root = &schemajson.Node{Kind: "list", Elem: word} }),
			[]string{"/root"},
		},
		{"half of TypeMeta", with(of(word), func(d *schemajson.Document) { d.TypeMeta = []string{"kind"} }), []string{"/typeMeta"}},
		{"hot unknown members", with(of(word), func(d *schemajson.Document) { d.Unknown = "hot" }), []string{"/unknownMembers"}},
		{"null field", object(nil), []string{at}},
		{"field without type", object(field("a", nil)), []string{at}},
		{"unsorted names", object(field("b", word), field("a", word)), []string{"/root/fields/1/name"}},
		{"name twice", object(field("a", word), field("a", word)), []string{"/root/fields/1/name"}},
		{
			"name with a comma",
			object(
				field("a", word), field("a,b", word),
				field("c", &schemajson.Node{Kind: "object", Fields: []*schemajson.Field{field("d", word)}}),
			),
			[]string{"/root/fields/1/name"},
		},
		{
			"member of TypeMeta",
			with(object(field("kind", word)), func(d *schemajson.Document) { d.TypeMeta = []string{"apiVersion", "kind"} }),
			[]string{at + "/name"},
		},
		{"unknown class", tagged(func(f *schemajson.Field) { f.Class = "warm" }), []string{at + "/class"}},
		{"unknown kind", of(leafOf("word", 0)), []string{at + "/type"}},
		{"unknown width", of(leafOf("int", 7)), []string{at + "/type"}},
		{"width of a string", of(leafOf("string", 8)), []string{at + "/type"}},
		{"type that contains itself", of(&schemajson.Node{Kind: "ref", Ref: "/root"}), []string{at + "/type"}},
		{"list of nothing", of(&schemajson.Node{Kind: "list"}), []string{at + "/type/elem"}},
		{"list of an unknown kind", of(&schemajson.Node{Kind: "list", Elem: leafOf("word", 0)}), []string{at + "/type/elem"}},
		{"map by bool", of(&schemajson.Node{Kind: "map", Keys: "bool", Elem: word}), []string{at + "/type/keys"}},
		{"map by integers of no width", of(&schemajson.Node{Kind: "map", Keys: "int", Elem: word}), []string{at + "/type/keys"}},
		{"array of opaque leaves", of(&schemajson.Node{Kind: "array", Length: 1, Elem: opaque}), []string{at + "/type"}},
		{"array of nullable opaque leaves", of(&schemajson.Node{Kind: "array", Length: 1, Elem: opaque, ElemNullable: true}), nil},
		{"negative array", of(&schemajson.Node{Kind: "array", Length: -1, Elem: word}), []string{at + "/type/length"}},
		{"1 MiB", of(&schemajson.Node{Kind: "array", Length: 1 << 20, Elem: leafOf("int", 8)}), nil},
		{"more than 1 MiB", of(&schemajson.Node{Kind: "array", Length: 1<<20 + 1, Elem: leafOf("int", 8)}), []string{at + "/type/length"}},
		{"list of bytes", of(&schemajson.Node{Kind: "list", Elem: leafOf("uint", 8)}), []string{at + "/type"}},
		{"unknown sensitivity", tagged(func(f *schemajson.Field) { f.Sensitive = "secret" }), []string{at + "/sensitive"}},
		{
			"an option in place of a sensitivity", tagged(func(f *schemajson.Field) { f.Sensitive = "presence" }),
			[]string{at + "/sensitive"},
		},
		{"a key that no struct tag can name", tagged(func(f *schemajson.Field) { f.Key = "it's" }), []string{at}},
		{
			"a selector that no struct tag can name", tagged(func(f *schemajson.Field) { f.HotWhen = &schemajson.When{Name: " a"} }),
			[]string{at},
		},
		{
			"options that exclude each other", tagged(func(f *schemajson.Field) {
				f.Default = new("x")
				f.Presence = true
			}),
			[]string{at},
		},
		{"a name that encoding/json does not take", object(field("it's", word)), []string{at}},
		{"classes of keys of the root", with(of(word), func(d *schemajson.Document) { d.Root.KeyClasses = keyed }), []string{"/root"}},
		{"classes of keys of a text", of(&schemajson.Node{Kind: "string", KeyClasses: keyed}), []string{at + "/type"}},
		{
			"classes of keys that are integers", of(&schemajson.Node{Kind: "map", Keys: "int", KeyBits: 8, Elem: word, KeyClasses: keyed}),
			[]string{at + "/type/keyClasses/0"},
		},
		{"set that is no list", tagged(func(f *schemajson.Field) { f.Set = true }), []string{at}},
		{
			"default out of range", with(of(leafOf("int", 8)), func(d *schemajson.Document) {
				d.Root.Fields[0].Nullable = true
				d.Root.Fields[0].Default = new("128")
			}),
			[]string{at},
		},
		{"inherits another class than that above", tagged(func(f *schemajson.Field) { f.Class = "hot" }), []string{"/root"}},
		{
			"problems are told all at once", object(field("a", leafOf("x", 0)), field("b", leafOf("y", 0))),
			[]string{at + "/type", "/root/fields/1/type"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.NoError(t, tc.d.Sign())
			_, err := schemajson.Load(written(t, tc.d))
			var got []string
			for _, problem := range fault.All(err) {
				assert.Equal(t, "invalid-schema", problem.Code)
				got = append(got, problem.Path)
			}
			assert.Equal(t, tc.want, got, "%v", err)
		})
	}
}

// TestLoadRefusesAnotherFingerprint: a document that was edited after it was exported says so.
func TestLoadRefusesAnotherFingerprint(t *testing.T) {
	type config struct {
		A string `json:"a"`
	}
	d := exportOf(t, compile(t, reflect.TypeFor[config]()))
	d.Root.Fields[0].Optional = true
	_, err := schemajson.Load(written(t, d))
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "/fingerprint", fault.All(err)[0].Path)
}

// TestFailingZeroIsLoaded: a field whose zero value has no text, because its marshaler fails, has no zero after loading either. Its Schema
// was refused as contradicting itself.
func TestFailingZeroIsLoaded(t *testing.T) {
	type config struct {
		Hot unreadyText `json:"hot"           hotupdatable:"true"`
		May unreadyText `json:"may,omitempty"`
		Big big.Int     `json:"big"`
	}
	exported := exportOf(t, compile(t, reflect.TypeFor[config]()))
	loaded, err := schemajson.Load(written(t, exported))
	require.NoError(t, err)
	assert.Equal(t, exported, exportOf(t, loaded))
	assert.Nil(t, loaded.Root.Lookup("hot").Zero)
	assert.Nil(t, loaded.Root.Lookup("may").Zero)
	assert.Equal(t, "0", string(loaded.Root.Lookup("big").Zero))
}

// TestAdmitUnknown: the plan is opened once, changes nothing else, and the member that holds the unknown ones takes no name from another.
func TestAdmitUnknown(t *testing.T) {
	type config struct {
		metav1.TypeMeta `json:",inline"`
		Unknown         string `json:"unknown" hotupdatable:"true"`
		Unknown2        *struct {
			A string `json:"a"`
		} `json:"unknown~"`
	}
	closed := compile(t, reflect.TypeFor[config]())
	open, err := schemajson.AdmitUnknown(closed)
	require.NoError(t, err)
	again, err := schemajson.AdmitUnknown(closed)
	require.NoError(t, err)
	assert.Same(t, open, again)
	assert.False(t, closed.Open)
	assert.True(t, open.Open)
	require.NotNil(t, open.Root.Rest)
	require.NotNil(t, open.Root.Lookup("unknown~").Node.Rest, "objects below the root are open, too")

	want := exportOf(t, closed)
	got := exportOf(t, open)
	assert.NotEqual(t, want.Fingerprint, got.Fingerprint)
	assert.Equal(t, "immutable", got.Unknown)
	got.Fingerprint = want.Fingerprint
	got.Unknown = ""
	assert.Equal(t, want, got)

	reloaded, err := schemajson.Load(written(t, exportOf(t, open)))
	require.NoError(t, err)
	assert.Equal(t, exportOf(t, open), exportOf(t, reloaded))
}

// TestTypesThatContainThemselves: such a type is written once, and referred to by the pointer at which it stands.
func TestTypesThatContainThemselves(t *testing.T) {
	type node struct {
		Name string           `json:"name"`
		Next map[string]*node `json:"next"`
	}
	type config struct {
		A *node `json:"a"`
		B *node `json:"b"`
	}
	d := exportOf(t, compile(t, reflect.TypeFor[config]()))
	a := d.Root.Fields[0].Type
	b := d.Root.Fields[1].Type
	assert.Equal(t, &schemajson.Node{Kind: "ref", Ref: "/root/fields/0/type"}, a.Fields[1].Type.Elem)
	assert.Equal(t, &schemajson.Node{Kind: "ref", Ref: "/root/fields/0/type"}, b)
	_, err := schemajson.Load(written(t, d))
	require.ErrorContains(t, err, "is a type that contains itself")
}

// TestLoadedFieldsTellTheirOrigin: Go fields and what declared a class are those of the type that was exported, also in
// elements that are hot.
func TestLoadedFieldsTellTheirOrigin(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
		Note string `json:"note"`
	}
	type config struct {
		List []item `json:"list" hotupdatable:"false,key=name,hotwhen=mode:a"`
	}
	compiled := compile(t, reflect.TypeFor[config](), fieldplan.Override{Path: "list[].note", Tag: "ignore"})
	loaded, err := schemajson.Load(written(t, exportOf(t, compiled)))
	require.NoError(t, err)
	want := compiled.Root.Lookup("list")
	got := loaded.Root.Lookup("list")
	assert.Equal(t, want.GoField, got.GoField)
	assert.Equal(t, want.Node.When.Source, got.Node.When.Source)
	for _, name := range []string{"name", "mode", "note"} {
		for _, pair := range [][2]*fieldplan.Field{
			{want.Node.Elem.Lookup(name), got.Node.Elem.Lookup(name)}, {want.Node.When.Hot.Lookup(name), got.Node.When.Hot.Lookup(name)},
		} {
			assert.Equal(t, pair[0].GoField, pair[1].GoField)
			assert.Equal(t, pair[0].Source, pair[1].Source, name)
			assert.Equal(t, pair[0].Declared, pair[1].Declared, name)
		}
	}
}
