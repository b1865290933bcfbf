package crd

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// property is a structural schema. Keywords that only validate are not read.
type property struct {
	Type       string               `json:"type"`
	Format     string               `json:"format"`
	Pattern    string               `json:"pattern"`
	Nullable   bool                 `json:"nullable"`
	Default    json.RawMessage      `json:"default"`
	Properties map[string]*property `json:"properties"`
	Required   []string             `json:"required"`
	Items      *property            `json:"items"`
	Additional json.RawMessage      `json:"additionalProperties"` // a property or a bool

	ListType    string   `json:"x-kubernetes-list-type"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`
	AllOf       []struct {
		Pattern string `json:"pattern"`
	} `json:"allOf"`

	IntOrString bool `json:"x-kubernetes-int-or-string"`
	Preserve    bool `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded    bool `json:"x-kubernetes-embedded-resource"`
	Rules       []struct {
		Rule string `json:"rule"`
	} `json:"x-kubernetes-validations"`
}

// leaves are the kinds of leaves by type and format, except quantities. Any other format only
// validates. The API server reads durations and times in more forms than Go, and checks no format
// that it does not know, such as quantity.
var leaves = map[string]map[string]*schemajson.Node{
	"boolean": {"": {Kind: "bool"}},
	"integer": {"": {Kind: "int", Bits: 64}, "int32": {Kind: "int", Bits: 32}},
	"number":  {"": {Kind: "float", Bits: 64}},
	"string": {
		"": {Kind: "string"}, "byte": {Kind: "bytes"},
		"date-time": {Kind: schemajson.KindHintedTime}, "duration": {Kind: schemajson.KindHintedDuration},
	},
}

// node describes the values of a property. The rules of the properties above it have been read.
func (r *reader) node(p *property, path string) *schemajson.Node {
	r.readRules(p, path)
	if n := r.text(p, path); n != nil {
		return n
	}
	switch {
	case p.Preserve, p.Embedded:
		if grafted := r.graft(path); grafted != nil {
			return grafted
		}
		r.readFills(p, path)
		return &schemajson.Node{Kind: "json"}
	case p.Type == "array":
		return r.collection("list", p.Items, path)
	case p.Type == "object":
		return r.object(p, path)
	}
	n := cmp.Or(leaves[p.Type][p.Format], leaves[p.Type][""])
	if n == nil {
		r.reject(path, "has the unknown type "+strconv.Quote(p.Type),
			"write a structural schema, in which every value has a type")
		n = &schemajson.Node{}
	}
	return n
}

// object describes an object with properties, or a map.
func (r *reader) object(p *property, path string) *schemajson.Node {
	additional := &property{Preserve: string(p.Additional) == "true"}
	isMap := additional.Preserve || len(p.Additional) > 0 && p.Additional[0] == '{'
	switch {
	case isMap && len(p.Properties) > 0:
		r.reject(path, "has both properties and additionalProperties",
			"write a structural schema, which has one of them")
	case isMap:
		if !additional.Preserve {
			// anything but a schema leaves the type empty
			_ = sigsjson.UnmarshalCaseSensitivePreserveInts(p.Additional, additional)
		}
		n := r.collection("map", additional, path)
		n.Keys = "string"
		return n
	}
	n := &schemajson.Node{Kind: "object"}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		n.Fields = append(n.Fields, r.field(p, name, fieldpath.Join(path, name)))
	}
	return n
}

func (r *reader) collection(kind string, elem *property, path string) *schemajson.Node {
	elem = cmp.Or(elem, &property{})
	n := r.node(elem, fieldpath.Elements(path))
	return &schemajson.Node{Kind: kind, Elem: n, ElemNullable: elem.Nullable && takesPointer(n)}
}

// takesPointer reports whether a pointer is needed to tell zero from null. Lists, maps, bytes and
// free JSON have a null of their own.
func takesPointer(n *schemajson.Node) bool {
	return !slices.Contains([]string{"list", "map", "bytes", "json"}, n.Kind)
}

// field describes a member. A member that is not required may be absent, which differs from its
// zero value. With a default, an empty object, list or map differs from an absent one, too.
func (r *reader) field(above *property, name, path string) *schemajson.Field {
	p := cmp.Or(above.Properties[name], &property{})
	n := r.node(p, path)
	rule := r.rules[path]
	f := &schemajson.Field{
		Name: name, GoField: path, Class: structtag.Immutable.String(), Inherited: rule == "", Source: rule,
		Optional: !slices.Contains(above.Required, name), Default: p.defaultOf(n), Type: n,
		Recognized: r.recognized[path], Fills: r.fills[path],
	}
	isFilled := f.Default != nil && (n.Kind == "list" || n.Kind == "map")
	mayBeNil := f.Optional || p.Nullable || f.Default != nil
	f.Nullable = isFilled || takesPointer(n) && mayBeNil
	if p.Format == "password" {
		f.Sensitive = structtag.HideValues.String()
	}
	if n.Kind == "list" {
		f.Key, f.Set = p.pairing()
	}
	for _, member := range membersOf(n) {
		if member.Name == f.Key && member.Type.Kind != "int" {
			member.Type = leaves["string"][""]
			member.Recognized = "" // a key identifies by its text
		}
	}
	return f
}

// membersOf returns the fields of the elements of a list.
func membersOf(n *schemajson.Node) []*schemajson.Field {
	if n.Elem == nil {
		return nil
	}
	return n.Elem.Fields
}

// pairing says how the elements of a list are paired. A list of type map whose key may be absent,
// or that has several keys, is a set: the order of its elements has no meaning, and no two are the
// same.
func (p *property) pairing() (key string, isSet bool) {
	if p.ListType != "map" || len(p.ListMapKeys) != 1 || p.Items == nil {
		return "", p.ListType == "map" || p.ListType == "set"
	}
	key = p.ListMapKeys[0]
	if p.Items.Properties[key].mayBeKey() && slices.Contains(p.Items.Required, key) {
		return key, false
	}
	return "", true
}

// mayBeKey reports whether a required member identifies elements: a string or an integer without a
// default.
func (p *property) mayBeKey() bool {
	if p == nil || len(p.Default) > 0 {
		return false
	}
	return p.Type == "string" || p.Type == "integer"
}

// readFills finds the defaults of members in free JSON, which are no fields.
func (r *reader) readFills(p *property, path string) {
	if filled := p.fills(); filled != nil {
		text, _ := jsonpatch.Write(filled)
		r.fills[fieldOf(path)] = string(text)
	}
}

// fills returns the defaults of the members of an object that exists, at any depth; nil for none.
func (p *property) fills() any {
	filled := map[string]any{}
	for name, member := range p.Properties {
		if member == nil {
			continue
		}
		value, err := jsonpatch.Parse(member.Default)
		if err != nil || value == nil {
			value = member.fills()
		}
		if value != nil {
			filled[name] = value
		}
	}
	if len(filled) == 0 {
		return nil
	}
	return filled
}

// defaultOf returns the default of a value as the text of an option of a struct tag. It is nil if
// there is none, or if it is empty, which an absent value is as well.
func (p *property) defaultOf(n *schemajson.Node) *string {
	canonical, problem := canonjson.AppendValue(nil, p.Default)
	text := string(canonical)
	isEmpty := n.Kind != "json" && (text == "{}" || text == "[]")
	if problem != nil || text == leaf.Null || isEmpty {
		return nil
	}
	return new(schemajson.OptionText(n, text))
}
