package crd

import (
	"cmp"
	"encoding/json"
	"slices"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
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
	Additional additional           `json:"additionalProperties"`

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

// additional is additionalProperties: a property, or true for any values, or else nil.
type additional struct{ *property }

// UnmarshalJSON reads a property or a bool.
func (a *additional) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "true":
		a.property = &property{Preserve: true}
	case raw[0] == '{':
		a.property = &property{}
		// anything but a schema leaves the type empty
		_ = sigsjson.UnmarshalCaseSensitivePreserveInts(raw, a.property)
	}
	return nil
}

// isFree reports whether the values are free JSON.
func (p *property) isFree() bool { return p.Preserve || p.Embedded }

// isObject reports whether the values are objects with properties.
func (p *property) isObject() bool {
	isMap := p.Additional.property != nil && len(p.Properties) == 0
	return p.Type == "object" && !p.isFree() && !isMap
}

// elem returns the elements of a list or map, and nil for other values.
func (p *property) elem() *property {
	switch {
	case p.isFree():
		return nil
	case p.Type == "array":
		return cmp.Or(p.Items, &property{})
	case p.Type == "object":
		return p.Additional.property
	}
	return nil
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

// fills returns the defaults of members in free JSON, which are no fields, in the field at a path or
// in its elements.
func (r *reader) fills(p *property, path string) string {
	if elem := p.elem(); elem != nil {
		return r.fills(elem, fieldpath.Elements(path))
	}
	filled := p.filled()
	if !p.isFree() || r.grafts[path] != nil || filled == nil {
		return ""
	}
	text, _ := jsonpatch.Write(filled) // was parsed
	return string(text)
}

// filled returns the defaults of the members of an object that exists, at any depth; nil for none.
func (p *property) filled() any {
	filled := map[string]any{}
	for name, member := range p.Properties {
		if member == nil {
			continue
		}
		value, err := jsonpatch.Parse(member.Default)
		if err != nil || value == nil {
			value = member.filled()
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

// defaultOf returns the default of leaves of a kind, or of other values, as the text of an option of a
// struct tag. It is nil if there is none, or if it is empty, which an absent value is as well.
func (p *property) defaultOf(kind leaf.Kind) *string {
	canonical, problem := canonjson.AppendValue(nil, p.Default)
	text := string(canonical)
	isEmpty := kind != leaf.RawMessage && (text == "{}" || text == "[]")
	if problem != nil || text == leaf.Null || isEmpty {
		return nil
	}
	return new(leaf.OptionText(kind, text))
}
