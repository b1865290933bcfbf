package crd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/crd"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// definition is a CRD with a version v1, whose spec has the schema in YAML.
func definition(tb testing.TB, spec string) []byte {
	tb.Helper()
	raw, err := yaml.YAMLToJSON([]byte(spec))
	require.NoError(tb, err)
	return enclosed(string(raw))
}

// enclosed is a CRD around the schema of a spec in JSON.
func enclosed(spec string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":%s}}}}]}}`, spec)
}

// withField is a CRD whose spec has one field a, which is not required.
func withField(tb testing.TB, schema string) []byte {
	tb.Helper()
	return definition(tb, "{type: object, properties: {a: "+schema+"}}")
}

// said says a node in a few words: the kind, ? where zero differs from null, and what it consists of.
func said(n *schemajson.Node) string {
	parts := []string{n.Kind}
	if n.Bits > 0 {
		parts[0] += strconv.Itoa(n.Bits)
	}
	if n.Elem != nil {
		elem := said(n.Elem)
		if n.ElemNullable {
			elem += "?"
		}
		parts = append(parts, "of", elem)
	}
	for _, f := range n.Fields {
		parts = append(parts, saidField(f))
	}
	return strings.Join(parts, " ")
}

func saidField(f *schemajson.Field) string {
	text := f.Name + ":" + said(f.Type)
	if f.Nullable {
		text += "?"
	}
	if !f.Inherited {
		text += " " + f.Class
	}
	if f.Fills != "" {
		text += " fills " + f.Fills
	}
	return strings.Join(append([]string{text}, saidOptions(f)...), " ")
}

// saidOptions says the options of a field as a struct tag does.
func saidOptions(f *schemajson.Field) (options []string) {
	if f.Set {
		options = append(options, "set")
	}
	if f.Key != "" {
		options = append(options, "key="+f.Key)
	}
	if f.Default != nil {
		options = append(options, "default="+structtag.Quote(*f.Default))
	}
	inner := f.Type
	for inner.Elem != nil {
		inner = inner.Elem
	}
	if as, isText := strings.CutSuffix(inner.Kind, "Text"); isText {
		options = append(options, "as="+as)
	}
	if f.Sensitive != "" {
		options = append(options, f.Sensitive)
	}
	return options
}

func exported(tb testing.TB, p *fieldplan.Plan) *schemajson.Document {
	tb.Helper()
	d, err := schemajson.Export(p)
	require.NoError(tb, err)
	return d
}

const quantity = `'^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'`

// TestIdioms: what each idiom of OpenAPI and Kubernetes means for a comparison.
func TestIdioms(t *testing.T) {
	for _, tc := range []struct{ name, schema, want, reason string }{
		{"string", "{type: string}", "a:string?", "absent and empty differ where the field is not required"},
		{"bool", "{type: boolean}", "a:bool?", ""},
		{"integer", "{type: integer}", "a:int64?", "the API server reads 64 bits"},
		{"int32", "{type: integer, format: int32}", "a:int32?", ""},
		{"int64", "{type: integer, format: int64}", "a:int64?", ""},
		{"unknown format of integers", "{type: integer, format: port}", "a:int64?", "an unknown format is no rule"},
		{"number", "{type: number, format: float}", "a:float64?", "the API server reads 64 bits"},
		{"bytes", "{type: string, format: byte}", "a:bytes", "no bytes are none"},
		{"time", "{type: string, format: date-time}", "a:hintedTime?", "nanoseconds: a string may have them"},
		{"duration", "{type: string, format: duration}", "a:hintedDuration?", "the API server reads 1 day, too"},
		{"quantity by format", "{type: string, format: quantity}", "a:hintedQuantity?", ""},
		{"quantity that may be a number", "{x-kubernetes-int-or-string: true, format: quantity}", "a:hintedQuantity?", ""},
		{
			"quantity by pattern",
			"{anyOf: [{type: integer}, {type: string}], pattern: " + quantity + ", x-kubernetes-int-or-string: true}", "a:quantity?",
			"what controller-gen writes",
		},
		{
			"pattern of quantities", "{type: string, pattern: '^[0-9]+Gi$'}", "a:quantityText? as=quantity",
			"a text that has not the form stands for itself",
		},
		{"pattern of durations", "{type: string, pattern: '^(([0-9]+(s|m|h))+|Never)$'}", "a:durationText? as=duration", ""},
		{"pattern of neither", "{type: string, pattern: '^[0-9]+$'}", "a:string?", "texts are compared as texts"},
		{"unknown format with a pattern", "{type: string, format: size, pattern: '^[0-9]+Gi$'}", "a:quantityText? as=quantity", ""},
		{"format with a pattern", "{type: string, format: duration, pattern: '^[0-9]+s$'}", "a:hintedDuration?", "the format says it"},
		{
			"quantity by one of two patterns",
			"{allOf: [{pattern: '^[0-9]'}, {pattern: " + quantity + "}], x-kubernetes-int-or-string: true}", "a:quantity?",
			"what controller-gen writes for a quantity with a pattern of the field",
		},
		{
			"int or string with a pattern of quantities", "{pattern: '^([0-9]+Gi|[0-9]+%)$', x-kubernetes-int-or-string: true}",
			"a:intOrString?", "a share is no quantity",
		},
		{"list of durations", "{type: array, items: {type: string, pattern: '^[0-9]+h$'}}", "a:list of durationText as=duration", ""},
		{"map of quantities", "{type: object, additionalProperties: {type: string, pattern: " + quantity + "}}", "a:map of quantity", ""},
		{
			"keyed by a duration",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, pattern: '^[0-9]+h$'}}}}",
			"a:list of object k:string key=k", "the API server compares the texts of keys",
		},
		{
			"keyed by a quantity",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, pattern: " + quantity + "}}}}",
			"a:list of object k:string key=k", "",
		},
		{
			"keyed by a duration below a map",
			"{type: object, additionalProperties: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, pattern: '^[0-9]+h$'}}}}}",
			"a:map of list of object k:durationText as=duration", "only the list of a field is found by a key",
		},
		{"int or string", "{anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}", "a:intOrString?", ""},
		{"password", "{type: string, format: password}", "a:string? sensitive", "such values are not shown"},
		{"nullable", "{type: string, nullable: true}", "a:string?", ""},
		{
			"object", "{type: object, required: [b], properties: {b: {type: string}, c: {type: string}}}", "a:object b:string c:string??",
			"the first ? is c's",
		},
		{"empty object", "{type: object}", "a:object?", "the API server prunes all members"},
		{"additionalProperties false", "{type: object, additionalProperties: false}", "a:object?", ""},
		{"map", "{type: object, additionalProperties: {type: string}}", "a:map of string", "no map is an empty one"},
		{"map of nullables", "{type: object, additionalProperties: {type: string, nullable: true}}", "a:map of string?", ""},
		{"map of anything", "{type: object, additionalProperties: true}", "a:map of json", ""},
		{"list", "{type: array, items: {type: string}}", "a:list of string", "order counts"},
		{"atomic list", "{type: array, x-kubernetes-list-type: atomic, items: {type: string}}", "a:list of string", "order counts"},
		{"set", "{type: array, x-kubernetes-list-type: set, items: {type: string}}", "a:list of string set", ""},
		{"list of nullables", "{type: array, items: {type: string, nullable: true}}", "a:list of string?", ""},
		{
			"nullable free JSON", "{type: array, items: {nullable: true, x-kubernetes-preserve-unknown-fields: true}}", "a:list of json",
			"free JSON has a null of its own",
		},
		{
			"keyed list",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}",
			"a:list of object k:string key=k", "",
		},
		{
			"keyed by an integer",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: integer}}}}",
			"a:list of object k:int64 key=k", "",
		},
		{
			"two keys",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: integer}}}}",
			"a:list of object k:string l:int64 set", "order carries no meaning, and no two are the same",
		},
		{
			"key with a default",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, default: x}}}}",
			"a:list of object k:string? default=x set", "the key may be left out",
		},
		{
			"key that may be absent",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}",
			"a:list of object k:string? set", "",
		},
		{
			"key of another type",
			"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: boolean}}}}",
			"a:list of object k:bool set", "",
		},
		{
			"key that is no field", "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object}}",
			"a:list of object set", "",
		},
		{"default of a string", `{type: string, default: "it's, so"}`, "a:string? default='it''s, so'", ""},
		{"default of a string that looks like a number", `{type: string, default: "1"}`, "a:string? default=1", ""},
		{"default of a number", "{type: integer, default: 3}", "a:int64? default=3", ""},
		{"default that is zero", "{type: boolean, default: false}", "a:bool? default=false", "absent means false, null does not exist"},
		{
			"default of a quantity", "{x-kubernetes-int-or-string: true, default: 1Gi, pattern: " + quantity + "}",
			`a:quantity? default=1073741824`, "by meaning",
		},
		{"default of a duration", "{type: string, format: duration, default: 60m}", "a:hintedDuration? default=1h0m0s", "by meaning"},
		{"default of an int or string", "{x-kubernetes-int-or-string: true, default: 80}", "a:intOrString? default=80", ""},
		{"default that is a string or an int", "{x-kubernetes-int-or-string: true, default: 50%}", "a:intOrString? default=50%", ""},
		{
			"default that is digits in a string", "{x-kubernetes-int-or-string: true, default: '80'}", `a:intOrString? default="80"`,
			"in JSON: the option's plain text would mean the number",
		},
		{
			"default that is no quantity", "{type: string, format: quantity, default: 5%}", "a:hintedQuantity? default=5%",
			"it stands for itself",
		},
		{"default that is no duration", "{type: string, format: duration, default: ''}", "a:hintedDuration? default=''", "likewise"},
		{"default null", "{type: string, nullable: true, default: null}", "a:string?", ""},
		{
			"default of a list", "{type: array, items: {type: string}, default: [x]}", `a:list of string? default=["x"]`,
			"an empty list differs from an absent one",
		},
		{
			"default of a set", "{type: array, x-kubernetes-list-type: set, items: {type: string}, default: [x, z]}",
			`a:list of string? set default='["x","z"]'`, "",
		},
		{
			"default of a map", "{type: object, additionalProperties: {type: string}, default: {k: v}}",
			`a:map of string? default={"k":"v"}`, "",
		},
		{"default of bytes", "{type: string, format: byte, default: YQ==}", "a:bytes default=YQ==", ""},
		{"default of free JSON", "{x-kubernetes-preserve-unknown-fields: true, default: {b: 1.0}}", `a:json default={"b":1}`, ""},
		{
			"empty default of free JSON", "{x-kubernetes-preserve-unknown-fields: true, default: {}}", "a:json default={}",
			"in free JSON everything counts",
		},
		{
			"empty default of an object", "{type: object, properties: {b: {type: string, default: x}}, default: {}}",
			"a:object b:string? default=x?", "an absent object means the same already",
		},
		{"empty default of a list", "{type: array, items: {type: string}, default: []}", "a:list of string", "as no list does"},
		{
			"default of an object whose members have it", "{type: object, properties: {b: {type: string, default: x}}, default: {b: x}}",
			"a:object b:string? default=x?", "it fills in nothing more",
		},
		{
			"default of an object", "{type: object, properties: {b: {type: string}}, default: {b: x}}",
			`a:object b:string?? default={"b":"x"}`, "",
		},
		{
			"default of a time", "{type: string, format: date-time, default: '2020-01-01T00:00:00Z'}",
			"a:hintedTime? default=2020-01-01T00:00:00Z", "",
		},
		{
			"members of free JSON with defaults",
			"{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: integer, default: 1}, c: {type: object, properties: {d: {default: x}}}}}",
			`a:json fills {"b":1,"c":{"d":"x"}}`, "they are told when they change",
		},
		{"unknown members", "{type: object, x-kubernetes-preserve-unknown-fields: true}", "a:json", ""},
		{
			"unknown members beside known ones",
			"{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: integer}}}", "a:json", "as a whole",
		},
		{"anything", "{x-kubernetes-preserve-unknown-fields: true}", "a:json", ""},
		{
			"object of another kind", "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
			"a:json", "",
		},
		{
			"pruned object of another kind", "{type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}",
			"a:json", "metadata is kept",
		},
		{
			"validation", "{type: string, enum: [b], minLength: 1, oneOf: [{pattern: b}], x-kubernetes-validations: [{rule: self != ''}]}",
			"a:string?", "what may be set is not what a change means",
		},
		{"a rule", "{type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}", "a:string? immutable", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan, err := crd.Compile(withField(t, tc.schema), "v1", nil)
			require.NoError(t, err)
			assert.Equal(t, "object "+tc.want, said(exported(t, plan).Root), tc.reason)
		})
	}
}

// TestMeaningsOfOverrides: the option as wins over formats and patterns, where the type of the values can have the meaning.
func TestMeaningsOfOverrides(t *testing.T) {
	for _, tc := range []struct{ name, schema, tag, want, reason string }{
		{"a duration", "{type: string}", "false,as=duration", "a:durationText? immutable as=duration", "the CRD says nothing"},
		{
			"a list of networks", "{type: array, x-kubernetes-list-type: set, items: {type: string}}", "false,as=cidr",
			"a:list of cidrText immutable set as=cidr", "options of the CRD stay",
		},
		{
			"a map of lists", "{type: object, additionalProperties: {type: array, items: {type: string, format: cidr}}}", "true,as=dns",
			"a:map of list of dnsText hot as=dns", "its innermost elements",
		},
		{
			"a default stays", "{type: string, default: 60m}", "false,as=duration", "a:durationText? immutable default=1h0m0s as=duration",
			"by its meaning",
		},
		{
			"another meaning than that of the pattern", "{type: string, pattern: '^[0-9]+h$'}", "false,as=text", "a:string? immutable",
			"taken back",
		},
		{
			"text in place of a duration", "{type: string, format: duration, default: 60m}", "false,as=text",
			"a:string? immutable default=60m", "taken back",
		},
		{"text in place of a time", "{type: string, format: date-time}", "false,as=text", "a:string? immutable", "the offset counts"},
		{"text in place of bytes", "{type: string, format: byte}", "false,as=text", "a:string? immutable", "base64 has one spelling"},
		{"text in place of a quantity", "{type: string, pattern: " + quantity + "}", "false,as=text", "a:string? immutable", "taken back"},
		{
			"integer or text in place of a quantity", "{x-kubernetes-int-or-string: true, pattern: " + quantity + "}", "true,as=text",
			"a:intOrString? hot", "taken back",
		},
		{
			"a quantity in place of an integer or text", "{x-kubernetes-int-or-string: true, default: 1Gi}", "inplace,as=quantity",
			"a:hintedQuantity? in-place default=1073741824", "",
		},
		{
			"quantities in place of integers or texts", "{type: object, additionalProperties: {x-kubernetes-int-or-string: true}}",
			"true,as=quantity", "a:map of hintedQuantity hot", "",
		},
		{"a class alone", "{type: string, pattern: '^[0-9]+h$'}", "true", "a:durationText? hot as=duration", "what was recognized stays"},
	} {
		plan, err := crd.Compile(withField(t, tc.schema), "v1", []fieldplan.Override{{Path: "a", Tag: tc.tag}})
		require.NoError(t, err, tc.name)
		assert.Equal(t, "object "+tc.want, said(exported(t, plan).Root), "%s: %s", tc.name, tc.reason)
	}
	for _, schema := range []string{
		"{type: integer}", "{x-kubernetes-int-or-string: true}", "{type: object, properties: {b: {type: string}}}",
		"{x-kubernetes-preserve-unknown-fields: true}",
	} {
		_, err := crd.Compile(withField(t, schema), "v1", []fieldplan.Override{{Path: "a", Tag: "false,as=cidr"}})
		assert.Equal(t, []string{"misplaced-option a"}, problemsOf(t, err), schema)
	}
}

// TestRequired: a field that is required is a value, unless it may be null or is filled in.
func TestRequired(t *testing.T) {
	plan, err := crd.Compile(definition(t, `
type: object
required: [a, b, c, d, e, f]
properties:
  a: {type: string}
  b: {type: string, nullable: true}
  c: {type: string, default: x}
  d: {type: object, properties: {x: {type: string}}}
  e: {type: object, nullable: true, properties: {x: {type: string}}}
  f: {type: array, nullable: true, items: {type: string}}
  g: {type: object, properties: {x: {type: string}}}`), "v1", nil)
	require.NoError(t, err)
	assert.Equal(
		t, "object a:string b:string? c:string? default=x d:object x:string? e:object x:string?? f:list of string g:object x:string??",
		said(exported(t, plan).Root),
	)
	assert.False(t, plan.Root.Lookup("a").Optional)
	assert.True(t, plan.Root.Lookup("g").Optional)
}

// TestSpecWithUnknownMembers: where the spec itself keeps unknown members, they are Immutable fields.
func TestSpecWithUnknownMembers(t *testing.T) {
	for _, spec := range []string{
		"{x-kubernetes-preserve-unknown-fields: true}",
		"{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}",
	} {
		plan, err := crd.Compile(definition(t, spec), "v1", nil)
		require.NoError(t, err)
		assert.True(t, plan.Open)
		assert.Equal(t, "immutable", exported(t, plan).Unknown)
	}
}

// TestRules: a rule that compares a field with its former value makes it immutable, wherever the rule stands.
func TestRules(t *testing.T) {
	for _, tc := range []struct{ name, spec, want, reason string }{
		{
			"at the field",
			"{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}, b: {type: string}}}",
			"a:string? immutable b:string?", "",
		},
		{
			"turned round", "{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: ' oldSelf==self '}]}}}",
			"a:string? immutable", "",
		},
		{
			"one of several",
			"{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self != ''}, {rule: self == oldSelf}]}}}",
			"a:string? immutable", "",
		},
		{
			"above the field",
			"{type: object, x-kubernetes-validations: [{rule: self.a == oldSelf.a}], properties: {a: {type: string}, b: {type: string}}}",
			"a:string? immutable b:string?", "",
		},
		{
			"two steps above",
			"{type: object, x-kubernetes-validations: [{rule: self.b.a == oldSelf.b.a}], properties: {b: {type: object, properties: {a: {type: string}}}}}",
			"b:object a:string? immutable?", "",
		},
		{
			"several at once",
			"{type: object, x-kubernetes-validations: [{rule: self.a == oldSelf.a && self.b == oldSelf.b}], properties: {a: {type: string}, b: {type: string}}}",
			"a:string? immutable b:string? immutable", "",
		},
		{
			"the whole spec",
			"{type: object, x-kubernetes-validations: [{rule: self == oldSelf}], properties: {a: {type: string}, b: {type: string}}}",
			"a:string? immutable b:string? immutable", "",
		},
		{
			"elements",
			"{type: object, properties: {l: {type: array, items: {type: object, x-kubernetes-validations: [{rule: self == oldSelf}], properties: {a: {type: string}}}}}}",
			"l:list of object a:string? immutable", "elements may come and go",
		},
		{
			"an alternative",
			"{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self == oldSelf || self == ''}]}}}",
			"a:string?", "it may change",
		},
		{
			"a condition",
			"{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: \"self == 'x' ? self == oldSelf : true\"}]}}}",
			"a:string?", "it may change",
		},
		{
			"a condition of conjunctions",
			"{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: 'self.size() > 1 && self == oldSelf'}]}}}",
			"a:string?", "no part of a call is read",
		},
		{
			"another field",
			"{type: object, x-kubernetes-validations: [{rule: self.a == oldSelf.b}], properties: {a: {type: string}, b: {type: string}}}",
			"a:string? b:string?", "",
		},
		{
			"no former value", "{type: object, x-kubernetes-validations: [{rule: self.a == self.a}], properties: {a: {type: string}}}",
			"a:string?", "",
		},
		{
			"unequal", "{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: self != oldSelf}]}}}", "a:string?",
			"",
		},
		{
			"a text that looks like one",
			`{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'x&&self==oldSelf&&'"}]}}}`,
			"a:string?", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan, err := crd.Compile(definition(t, tc.spec), "v1", nil)
			require.NoError(t, err)
			assert.Equal(t, "object "+tc.want, said(exported(t, plan).Root), tc.reason)
		})
	}
}

// problemsOf lists the codes and paths of an error.
func problemsOf(tb testing.TB, err error) (problems []string) {
	tb.Helper()
	for _, problem := range fault.All(err) {
		require.NotContains(tb, problem.Error(), "F1", "a field that was made up")
		problems = append(problems, problem.Code+" "+problem.Path)
	}
	return problems
}

// TestRuledFieldsTakeNoUpdate: whoever has machines updated by a change that the API server refuses is told, and a
// class above does not count.
func TestRuledFieldsTakeNoUpdate(t *testing.T) {
	raw := definition(t, `
type: object
x-kubernetes-validations: [{rule: self.a == oldSelf.a}]
properties:
  a: {type: object, properties: {b: {type: string}}}
  l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}`)
	for _, tc := range []struct {
		path, tag string
		want      []string
	}{
		{"a", "true", []string{"immutable-by-rule a"}},
		{"a", "inplace", []string{"immutable-by-rule a"}},
		{"a", "false", nil},
		{"a", "ignore", nil},
		{"a.b", "true", []string{"immutable-by-rule a.b"}},
		{"l[].v", "true", []string{"immutable-by-rule l[].v"}},
		{"l", "true", nil},
		{"a", "ture", []string{"unknown-class a"}},
	} {
		_, err := crd.Compile(raw, "v1", []fieldplan.Override{{Path: tc.path, Tag: tc.tag}})
		assert.Equal(t, tc.want, problemsOf(t, err), "%s %s", tc.path, tc.tag)
	}
	plan, err := crd.Compile(raw, "v1", []fieldplan.Override{{Path: "l", Tag: "true"}})
	require.NoError(t, err)
	assert.Equal(
		t, "object a:object b:string?? immutable l:list of object k:string v:string? immutable hot key=k", said(exported(t, plan).Root),
	)
}

// TestOptionsInheritTheClass: what a CRD says of a list or default does not make a class of its own.
func TestOptionsInheritTheClass(t *testing.T) {
	plan, err := crd.Compile(definition(t, `
type: object
properties:
  a:
    type: object
    properties:
      s: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      d: {type: string, default: x}`), "v1", []fieldplan.Override{{Path: "a", Tag: "true"}})
	require.NoError(t, err)
	a := plan.Root.Lookup("a")
	for _, name := range []string{"s", "d"} {
		f := a.Node.Lookup(name)
		assert.Equal(t, "hot", f.Node.Class.String(), name)
		assert.Equal(t, fieldplan.Inherited, f.Declared, name)
	}
	assert.Equal(t, fieldplan.Overridden, a.Declared)
	assert.Equal(t, "a", a.Source)

	again, err := schemajson.Load(written(t, exported(t, plan)))
	require.NoError(t, err)
	assert.Equal(t, exported(t, plan), exported(t, again), "the Schema is read back as it was written")
}

func written(tb testing.TB, d *schemajson.Document) []byte {
	tb.Helper()
	data, err := json.Marshal(d)
	require.NoError(tb, err)
	return data
}

// TestMistakes: all mistakes in a CRD and in overrides, each with its place.
func TestMistakes(t *testing.T) {
	field := func(schema string) []byte { return withField(t, schema) }
	for _, tc := range []struct {
		name      string
		raw       []byte
		overrides []fieldplan.Override
		want      []string
	}{
		{"no JSON", []byte("{"), nil, []string{"invalid-json "}},
		{"a member twice", []byte(`{"kind":1,"kind":1}`), nil, []string{"duplicate-member "}},
		{"no CRD", []byte(`[]`), nil, []string{"invalid-crd "}},
		{
			"another kind", bytes.Replace(field("{type: string}"), []byte("CustomResourceDefinition"), []byte("Pod"), 1), nil,
			[]string{"invalid-crd "},
		},
		{
			"an old CRD", bytes.Replace(field("{type: string}"), []byte("k8s.io/v1"), []byte("k8s.io/v1beta1"), 1), nil,
			[]string{"invalid-crd "},
		},
		{"an apiVersion that is no text", []byte(`{"apiVersion":1,"kind":"CustomResourceDefinition"}`), nil, []string{"invalid-crd "}},
		{
			"versions that are no list",
			[]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":{}}}`), nil,
			[]string{"invalid-crd "},
		},
		{"no version", []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}`), nil, []string{"invalid-crd "}},
		{
			"no schema",
			[]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1"}]}}`), nil,
			[]string{"invalid-crd "},
		},
		{
			"null schema",
			[]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1","schema":null}]}}`),
			nil,
			[]string{"invalid-crd "},
		},
		{"a spec that is no object", definition(t, "{type: string}"), nil, []string{"invalid-crd "}},
		{"a spec that is a map", definition(t, "{type: object, additionalProperties: {type: string}}"), nil, []string{"invalid-crd "}},
		{"no type", field("{}"), nil, []string{"invalid-crd a"}},
		{"null", field("null"), nil, []string{"invalid-crd a"}},
		{"a reference", field("{$ref: '#/definitions/x'}"), nil, []string{"invalid-crd a"}},
		{"unknown type", field("{type: text}"), nil, []string{"invalid-crd a"}},
		{"elements without a schema", field("{type: array}"), nil, []string{"invalid-crd a[]"}},
		{"elements without a type", field("{type: array, items: {}}"), nil, []string{"invalid-crd a[]"}},
		{"values without a type", field("{type: object, additionalProperties: {}}"), nil, []string{"invalid-crd a[]"}},
		{
			"properties and additionalProperties",
			field("{type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}"), nil,
			[]string{"invalid-crd a"},
		},
		{"a default of another type", field("{type: integer, default: x}"), nil, []string{"invalid-default a"}},
		{
			"a default that is too large", field("{type: object, properties: {b: {type: integer, format: int32, default: 2147483648}}}"),
			nil,
			[]string{"invalid-default a.b"},
		},
		{"a name with a comma", definition(t, "{type: object, properties: {'a,b': {type: string}}}"), nil, []string{"no-json-name a,b"}},
		{
			"a name that encoding/json does not take", definition(t, `{type: object, properties: {"a'b": {type: string}}}`), nil,
			[]string{`no-json-name a'b`},
		},
		{
			"all at once", definition(t, "{type: object, properties: {a: {type: v}, b: {type: w}}}"), nil,
			[]string{"invalid-crd a", "invalid-crd b"},
		},
		{
			"overrides", field("{type: string}"),
			[]fieldplan.Override{{Path: "b", Tag: "true"}, {Path: "a", Tag: "true,set"}, {Path: "a[", Tag: "true"}},
			[]string{"misplaced-option a", "invalid-path a[", "unknown-path b"},
		},
		{
			"an override below a set",
			field("{type: array, x-kubernetes-list-type: set, items: {type: object, properties: {b: {type: string}}}}"),
			[]fieldplan.Override{{Path: "a[].b", Tag: "true"}},
			[]string{"mixed-set a[].b"},
		},
		{
			"free JSON has no fields", field("{x-kubernetes-preserve-unknown-fields: true}"),
			[]fieldplan.Override{{Path: "a.b", Tag: "true"}},
			[]string{"unknown-path a.b"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan, err := crd.Compile(tc.raw, "v1", tc.overrides)
			assert.Nil(t, plan)
			assert.ElementsMatch(t, tc.want, problemsOf(t, err), "%v", err)
		})
	}
}

// FuzzCompile: no CRD and no override is worth a panic, every problem has its type, and what is compiled is read back as it was written.
func FuzzCompile(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],`+
		`"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}}}`, "a[].k", "true")
	f.Add(
		`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"integer","format":"int32","nullable":true}}}}`,
		"a", "false,presence",
	)
	f.Add(
		`{"type":"object","properties":{"a":{"type":"string","default":"x","x-kubernetes-validations":[{"rule":"self==oldSelf"}]}}}`, "a",
		"true",
	)
	f.Add(`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a,b":{"type":"string"}}}`, "", "")
	f.Fuzz(func(t *testing.T, spec, path, tag string) {
		plan, err := crd.Compile(enclosed(spec), "v1", []fieldplan.Override{{Path: path, Tag: tag}})
		if err != nil {
			require.NotEmpty(t, fault.All(err), "%v", err)
			require.Nil(t, plan)
			return
		}
		again, err := schemajson.Load(written(t, exported(t, plan)))
		require.NoError(t, err)
		require.Equal(t, exported(t, plan), exported(t, again))
	})
}

// TestProblemsNameTheMember: what is no CRD has a problem in the words of JSON, not of Go.
func TestProblemsNameTheMember(t *testing.T) {
	for raw, want := range map[string]string{
		`[]`:               "is not a CustomResourceDefinition: the array in place of it has another type",
		`{"apiVersion":1}`: "is not a CustomResourceDefinition: the number in apiVersion has another type",
		`{"apiVersion":"v1","kind":"CustomResourceDefinition"}`:            "has another apiVersion than a CustomResourceDefinition",
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"Pod"}`:            "has another kind than CustomResourceDefinition",
		`{"apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":{}}}`:  "is not a CustomResourceDefinition: the object in spec.versions has another type",
		`{"apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":[1]}}`: "is not a CustomResourceDefinition: the number in spec.versions has another type",
	} {
		_, err := crd.Compile([]byte(raw), "v1", nil)
		all := fault.All(err)
		require.Len(t, all, 1, raw)
		assert.Equal(t, want, all[0].What, raw)
		assert.Equal(t, "write a CustomResourceDefinition of apiextensions.k8s.io/v1", all[0].Hint, raw)
	}
}
