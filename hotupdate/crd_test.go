package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// crdOf returns a CRD whose version v1 has this schema of a spec.
func crdOf(t require.TestingT, spec any) []byte {
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	return fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":%s}}}}]}}`, raw)
}

// openAPI is a structural schema.
type openAPI = map[string]any

// described is a property of a CRD and the same as a Go type with struct tags, with values in JSON.
type described struct {
	property openAPI
	typ      reflect.Type // without the pointer of a field
	isNil    bool         // the type has a nil of its own
	defaults []string     // possible defaults, as JSON
	value    *rapid.Generator[any]
	as       string // the option as of the Go field, which the CRD's pattern says
}

// takesFallback reports whether the default of a value is an object, list or map.
func (d described) takesFallback() bool { return d.defaults == nil }

// describedLeaves are the leaves that a CRD can distinguish.
var describedLeaves = []described{
	leafAs(
		openAPI{"type": "string"}, reflect.TypeFor[string](), []string{`"a"`, `"it's, so"`, `""`}, "", "a", "b", "it's, so", "10.1.0.0/8",
		"10.0.0.0/8",
	),
	leafAs(openAPI{"type": "boolean"}, reflect.TypeFor[bool](), []string{"true", "false"}, true, false),
	leafAs(openAPI{"type": "integer", "format": "int32"}, reflect.TypeFor[int32](), []string{"3", "0"}, 0, 3, -1),
	leafAs(openAPI{"type": "integer"}, reflect.TypeFor[int64](), []string{"3"}, 0, 3, int64(1<<40)),
	leafAs(openAPI{"type": "number"}, reflect.TypeFor[float64](), []string{"1.5"}, 0.0, 1.5, 1e30),
	leafAs(openAPI{"type": "string", "format": "byte"}, reflect.TypeFor[[]byte](), []string{`"AAE="`}, "", "AAE="),
	leafAs(
		openAPI{"type": "string", "format": "date-time"}, reflect.TypeFor[time.Time](), []string{`"2024-01-01T12:30:00Z"`},
		"2024-01-01T12:30:00Z", "2024-01-01T14:30:00+02:00", "2024-01-01T12:30:00.5Z",
	),
	leafAs(
		openAPI{"type": "string", "format": "duration"}, reflect.TypeFor[metav1.Duration](), []string{`"60m"`}, "0s", "60m", "1h", "1h0m0s",
	),
	leafAs(
		openAPI{"x-kubernetes-int-or-string": true, "format": "quantity"}, reflect.TypeFor[resource.Quantity](), []string{`"1Gi"`, "1"},
		"0", "1Gi", "1024Mi", 1, "100m",
	),
	leafAs(
		openAPI{"x-kubernetes-int-or-string": true}, reflect.TypeFor[intstr.IntOrString](), []string{"80", `"http"`, `"80"`}, 0, 80, "http",
		"80",
	),
	leafAs(
		openAPI{"x-kubernetes-preserve-unknown-fields": true}, reflect.TypeFor[json.RawMessage](), []string{`{"a":1}`, `"x"`, "{}"},
		map[string]any{"a": 1.0}, "x", nil, []any{1, "b"},
	),
	leafAs(
		openAPI{"type": "string", "pattern": `^(([0-9]+(s|m|h))+|Never)$`}, reflect.TypeFor[string](), []string{`"60m"`}, "", "60m", "1h",
		"Never",
	).meaning("duration"),
	leafAs(
		openAPI{"type": "string", "pattern": `^[0-9]+(Mi|Gi)$`}, reflect.TypeFor[string](), []string{`"1024Mi"`}, "1Gi", "1024Mi", "2Gi",
	).meaning("quantity"),
}

func leafAs(property openAPI, typ reflect.Type, defaults []string, values ...any) described {
	return described{property: property, typ: typ, isNil: typ.Kind() == reflect.Slice, defaults: defaults, value: anyOf(values...)}
}

func (d described) meaning(as string) described {
	d.as = as
	return d
}

func anyOf(values ...any) *rapid.Generator[any] { return rapid.SampledFrom(values) }

// describer draws descriptions, and the options that give the CRD the classes of the struct tags.
type describer struct {
	*rapid.T

	tags   [][2]string // paths, and what WithTag gives to them
	fields int
}

// options are the tags, with other paths by a function.
func (g *describer) options(rewritten func(path string) string) (options []hotupdate.Option) {
	for _, tag := range g.tags {
		options = append(options, hotupdate.WithTag(rewritten(tag[0]), tag[1]))
	}
	return options
}

func samePath(path string) string { return path }

// position is the place of a description. If all must have one class, nothing below declares another.
type position struct {
	path     string
	class    hotupdate.Class
	oneClass bool
	depth    int
}

func (p position) member(name string) position {
	p.path = strings.TrimPrefix(p.path+"."+name, ".")
	p.depth++
	return p
}

func (p position) element(oneClass bool) position {
	p.path += "[]"
	p.oneClass = p.oneClass || oneClass
	p.depth++
	return p
}

var classWords = map[hotupdate.Class]string{
	hotupdate.Immutable: "false", hotupdate.InPlace: "inplace", hotupdate.Hot: "true", hotupdate.Ignored: "ignore",
}

func (g *describer) object(p position, names ...string) described {
	properties := openAPI{}
	required := []string{}
	fields := []reflect.StructField{}
	values := map[string]*rapid.Generator[any]{}
	add := func(name string, isRequired bool, f reflect.StructField, property openAPI, value *rapid.Generator[any]) {
		properties[name] = property
		values[name] = value
		fields = append(fields, f)
		if isRequired {
			required = append(required, name)
		}
	}
	for _, name := range names {
		g.fields++
		f := reflect.StructField{
			Name: "K" + strconv.Itoa(g.fields), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf("json:%q", name)),
		}
		add(name, true, f, openAPI{"type": "string"}, nil)
	}
	for range rapid.IntRange(1, 3).Draw(g.T, "fields") {
		g.fields++
		name := "f" + strconv.Itoa(g.fields)
		isRequired := rapid.Bool().Draw(g.T, "required")
		f, property, value := g.field(p.member(name), name, isRequired)
		add(name, isRequired, f, property, value)
	}
	draw := rapid.Custom(func(t *rapid.T) any {
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if values[name] != nil && (slices.Contains(required, name) || rapid.Bool().Draw(t, "set")) {
				object[name] = values[name].Draw(t, name)
			}
		}
		return object
	})
	return described{
		property: openAPI{"type": "object", "properties": properties, "required": required}, typ: reflect.StructOf(fields), value: draw,
	}
}

// field draws a field with its class and, if it has one, its default. The struct tag says what the CRD and the options say together.
func (g *describer) field(p position, name string, isRequired bool) (reflect.StructField, openAPI, *rapid.Generator[any]) {
	isDeclared := !p.oneClass && rapid.Bool().Draw(g.T, "declared")
	if isDeclared {
		p.class = rapid.SampledFrom(
			[]hotupdate.Class{hotupdate.Immutable, hotupdate.InPlace, hotupdate.Hot, hotupdate.Ignored},
		).Draw(g.T, "class")
	}
	n, option := g.node(p)
	property := maps.Clone(n.property)
	jsonName := name
	if text, ok := g.fallback(n); ok && !isRequired {
		property["default"] = json.RawMessage(text)
		option = option + ",default='" + strings.ReplaceAll(optionText(n, text), "'", "''") + "'"
		n.isNil = n.isNil && !n.takesFallback()
		var spelled any
		require.NoError(g.T, json.Unmarshal([]byte(text), &spelled))
		n.value = rapid.OneOf(n.value, rapid.Just(spelled))
	}
	if !isRequired {
		jsonName += ",omitempty"
		if !n.isNil {
			n.typ = reflect.PointerTo(n.typ)
		}
	}
	as := n.as
	if isDeclared {
		override := classWords[p.class]
		if n.property["type"] == "string" && n.property["format"] == nil && rapid.Bool().Draw(g.T, "as") {
			as = rapid.SampledFrom([]string{"text", "cidr", "duration", "quantity"}).Draw(g.T, "kind")
			override += ",as=" + as
		}
		g.tags = append(g.tags, [2]string{p.path, override})
	}
	if as != "" {
		option += ",as=" + as
	}
	tag := fmt.Sprintf("json:%q", jsonName)
	if isDeclared || option != "" {
		tag += fmt.Sprintf(" hotupdatable:%q", classWords[p.class]+option)
	}
	g.fields++
	return reflect.StructField{Name: "F" + strconv.Itoa(g.fields), Type: n.typ, Tag: reflect.StructTag(tag)}, property, n.value
}

// fallback may draw a default. An empty object, list or map means the same as an absent one already.
func (g *describer) fallback(n described) (text string, ok bool) {
	if !rapid.Bool().Draw(g.T, "defaulted") {
		return "", false
	}
	if !n.takesFallback() {
		return rapid.SampledFrom(n.defaults).Draw(g.T, "default"), true
	}
	raw, err := json.Marshal(n.value.Draw(g.T, "default"))
	require.NoError(g.T, err)
	return string(raw), string(raw) != "{}" && string(raw) != "[]"
}

// optionText is a default in JSON as the option default takes it.
func optionText(n described, text string) string {
	isFree := n.typ == reflect.TypeFor[json.RawMessage]()
	isDigits := n.typ == reflect.TypeFor[intstr.IntOrString]() && text == `"80"`
	if n.takesFallback() || isFree || isDigits {
		return text
	}
	return strings.Trim(text, `"`)
}

// node draws the description at a place, and the option that says how its elements are identified.
func (g *describer) node(p position) (n described, option string) {
	shape := "leaf"
	if p.depth < 4 {
		shape = rapid.SampledFrom([]string{"leaf", "object", "list", "set", "keyed", "pairs", "map"}).Draw(g.T, "shape")
	}
	leaf := rapid.SampledFrom(describedLeaves)
	switch shape {
	case "object":
		return g.object(p), ""
	case "list":
		elem := g.elem(p.element(p.class == hotupdate.Hot || p.class == hotupdate.Ignored))
		return listOf(elem, openAPI{}), ""
	case "set":
		elem := leaf.Draw(g.T, "element")
		return listOf(elem, openAPI{"x-kubernetes-list-type": "set"}), ",set"
	case "keyed":
		elem := g.object(p.element(false), "k")
		return keyedBy(elem, "k"), ",key=k"
	case "pairs": // of two keys: a set to the library
		elem := g.object(p.element(true), "k", "l")
		return keyedBy(elem, "k", "l"), ",set"
	case "map":
		elem := g.elem(p.element(false))
		values := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c.d"}), elem.value, 0, 2)
		return described{
			property: openAPI{"type": "object", "additionalProperties": elem.property},
			typ:      reflect.MapOf(reflect.TypeFor[string](), elem.typ), isNil: true,
			value: rapid.Custom(func(t *rapid.T) any { return values.Draw(t, "map") }), as: elem.as,
		}, ""
	default:
		return leaf.Draw(g.T, "leaf"), ""
	}
}

// elem draws an element: a description with options needs a field.
func (g *describer) elem(p position) described {
	if p.depth < 4 && rapid.Bool().Draw(g.T, "object") {
		return g.object(p)
	}
	return rapid.SampledFrom(describedLeaves).Draw(g.T, "element")
}

func listOf(elem described, property openAPI) described {
	property["type"] = "array"
	property["items"] = elem.property
	values := rapid.SliceOfN(elem.value, 0, 3)
	return described{
		property: property, typ: reflect.SliceOf(elem.typ), isNil: true, as: elem.as,
		value: rapid.Custom(func(t *rapid.T) any { return values.Draw(t, "list") }),
	}
}

// keyedBy is a list of objects whose keys are those of its draw.
func keyedBy(elem described, keys ...string) described {
	list := listOf(elem, openAPI{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys})
	list.value = rapid.Custom(func(t *rapid.T) any {
		all := []any{}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(t, "keys") {
			object := elem.value.Draw(t, "element").(map[string]any)
			for _, name := range keys {
				object[name] = key
			}
			all = append(all, object)
		}
		return all
	})
	return list
}

// TestCRDSaysWhatTheTypeSays: a type, its raw JSON and its CRD have one meaning.
func TestCRDSaysWhatTheTypeSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &describer{T: t}
		spec := g.object(position{})
		byType, err := hotupdate.SchemaOfType(spec.typ)
		require.NoError(t, err, "%s", spec.typ)
		byCRD, err := hotupdate.SchemaOfCRD(crdOf(t, spec.property), "v1", g.options(samePath)...)
		require.NoError(t, err, "%s", spec.typ)
		findings, err := hotupdate.Compatibility(byType, byCRD)
		require.NoError(t, err)
		for _, f := range findings { // the API server admits other texts, too
			require.Equal(t, "TypeChanged "+f.Old+" or text", f.Kind+" "+f.New, "%s", spec.typ)
			require.True(t, f.Harmless(), "%s: %s", spec.typ, f)
		}

		old := drawn(t, spec, "old")
		updated := drawn(t, spec, "updated")
		for _, raw := range [][]byte{old, updated} {
			want, err := byType.DocumentRaw(raw)
			require.NoError(t, err, "%s\n%s", spec.typ, raw)
			got, err := byCRD.DocumentRaw(raw)
			require.NoError(t, err, "%s\n%s", spec.typ, raw)
			require.Equal(t, string(want), string(got), "%s", spec.typ)
			value, err := byType.Decode(raw)
			require.NoError(t, err)
			typed, err := byType.Document(value)
			require.NoError(t, err)
			require.Equal(t, string(want), string(typed), "%s", spec.typ)
		}
		want, err := byType.DiffRaw(old, updated)
		require.NoError(t, err)
		got, err := byCRD.DiffRaw(old, updated)
		require.NoError(t, err)
		require.Equal(t, unsourced(want), unsourced(got), "%s\n%s\n%s", spec.typ, old, updated)
	})
}

func drawn(t *rapid.T, spec described, label string) []byte {
	raw, err := json.Marshal(spec.value.Draw(t, label))
	require.NoError(t, err)
	return raw
}

// unsourced leaves out the origins of classes: a struct tag there, an override here.
func unsourced(changes hotupdate.Changes) hotupdate.Changes {
	for i := range changes {
		changes[i].Origin = ""
		changes[i].Source = ""
	}
	return changes
}

// nodeClass is the Go type of the CRD in TestCRDDiffersFromType.
type nodeClass struct {
	Role    string             `json:"role,omitempty"`
	Size    *resource.Quantity `json:"size,omitempty"`
	Weight  *int32             `json:"weight,omitempty"`
	Ready   metav1.Time        `json:"ready"`
	Subnets []string           `json:"subnets,omitempty" hotupdatable:"false,set"`
	Disks   []nodeDisk         `json:"disks,omitempty"   hotupdatable:"false,key=name"`
	Tags    map[string]string  `json:"tags,omitempty"    hotupdatable:"true"`
	Options *nodeOptions       `json:"options,omitempty"`
	Former  *string            `json:"former,omitempty"`
}

type nodeDisk struct {
	Name string `json:"name"`
	Size *int64 `json:"size,omitempty"`
}

type nodeOptions struct {
	Tokens *string `json:"tokens,omitempty" hotupdatable:"false,default=optional"`
}

const nodeClassSpec = `
type: object
required: [ready]
properties:
  role: {type: string}
  size: {type: string, pattern: '^[0-9]+Gi$'}
  weight: {type: integer, format: int32, default: 1}
  ready: {type: string, format: date-time}
  subnets: {type: array, items: {type: string}}
  disks:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}
  tags: {type: object, additionalProperties: {type: string}}
  options: {type: object, properties: {tokens: {type: string, default: required}}}
  added: {type: boolean}`

func nodeClassCRD(t *testing.T) []byte {
	t.Helper()
	var spec openAPI
	require.NoError(t, yaml.Unmarshal([]byte(nodeClassSpec), &spec))
	return crdOf(t, spec)
}

// TestCRDDiffersFromType: a difference between a CRD and the Go type is a finding; equal parts are none.
func TestCRDDiffersFromType(t *testing.T) {
	byCRD, err := hotupdate.SchemaOfCRD(nodeClassCRD(t), "v1", hotupdate.WithTag("tags", "true"))
	require.NoError(t, err)
	findings, err := hotupdate.Compatibility(schemaFor[nodeClass](t), byCRD)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %s: %s -> %s", f.Kind, f.Path, f.Old, f.New))
	}
	assert.Equal(t, []string{
		"FieldAdded added:  -> bool, immutable",
		"FieldRemoved former: string, immutable -> ",
		`DefaultChanged options.tokens: "optional" -> "required"`,
		"TypeChanged ready: metaTime -> time or text",
		"NullabilityChanged role: a value -> a pointer",
		"TypeChanged size: quantity -> quantityText",
		"PairingChanged subnets: a set -> found by position",
		"DefaultChanged weight: none -> 1",
	}, got)
}

// TestSchemaOfCRDIsASchema: it can be exported, loaded, opened for unknown members, and is strict about JSON, like every other Schema.
func TestSchemaOfCRDIsASchema(t *testing.T) {
	s, err := hotupdate.SchemaOfCRD(nodeClassCRD(t), "v1", hotupdate.WithTag("tags", "true"))
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(export(t, s))
	require.NoError(t, err)
	assert.JSONEq(t, string(export(t, s)), string(export(t, loaded)))

	_, err = s.HashRaw([]byte(`{"unknown":1,"weight":"1"}`))
	assert.Equal(t, []problem{{Code: "unknown-member", Path: "unknown"}, {Code: "wrong-json-type", Path: "weight"}}, problemsOf(err))
	open, err := s.AdmitUnknown()
	require.NoError(t, err)
	changes, err := open.DiffRaw([]byte(`{}`), []byte(`{"unknown":1,"tags":{"a":"b"}}`))
	require.NoError(t, err)
	require.Len(t, changes, 2)
	assert.Equal(t, [2]string{"inherited", "unknown member"}, [2]string{changes[0].Origin, changes[1].Origin})
	assert.Equal(t, "tags", changes[0].Source)
}

// TestSchemaOfCRDRefuses: the problems of the CRD and of the options come back together, with their types.
func TestSchemaOfCRDRefuses(t *testing.T) {
	_, err := hotupdate.SchemaOfCRD(nodeClassCRD(t), "v2")
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "invalid-crd", fault.All(err)[0].Code)
	assert.Equal(t, fault.InvalidSchema, fault.All(err)[0].Kind)
	_, err = hotupdate.SchemaOfCRD(nodeClassCRD(t), "v1", hotupdate.WithTag("tag", "true"), hotupdate.WithTag("role", "true,set"))
	assert.Equal(t, []problem{{Code: "misplaced-option", Path: "role"}, {Code: "unknown-path", Path: "tag"}}, problemsOf(err))
}

func ExampleSchemaOfCRD() {
	definition, err := yaml.YAMLToJSON([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              machineType: {type: string}
              zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              tags: {type: object, additionalProperties: {type: string}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	schema, err := hotupdate.SchemaOfCRD(definition, "v1", hotupdate.WithTag("tags", "true"))
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := schema.DiffRaw(
		[]byte(`{"zones":["a","b"],"tags":{"team":"red"}}`), []byte(`{"zones":["b","a"],"tags":{"team":"blue"}}`),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, change := range changes {
		fmt.Println(change.Path, change.Class)
	}
	fmt.Println(changes.Outcome(hotupdate.AutoRollingUpdate))
	// Output:
	// tags[team] hot
	// hot-update
}

// TestDeepCRD: a Schema that cannot be exported is refused when it is compiled, not when it is exported.
func TestDeepCRD(t *testing.T) {
	deep := func(levels int) []byte {
		spec := openAPI{"type": "string"}
		for range levels {
			spec = openAPI{"type": "object", "properties": openAPI{"a": spec}}
		}
		return crdOf(t, spec)
	}
	for _, levels := range []int{100, 300, 400} {
		schema, err := hotupdate.SchemaOfCRD(deep(levels), "v1")
		if err != nil {
			require.Equal(t, "too-deep", fault.All(err)[0].Code, levels)
			require.Greater(t, levels, 300)
			continue
		}
		require.Less(t, levels, 400)
		_, err = json.Marshal(schema)
		require.NoError(t, err, levels)
		_, err = schema.AdmitUnknown()
		require.NoError(t, err, levels)
	}
}
