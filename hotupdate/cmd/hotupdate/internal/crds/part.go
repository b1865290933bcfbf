package crds

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// schema is a structural schema of a CRD.
type schema map[string]any

// at returns the schema below a member, such as items; nil if there is none.
func (s schema) at(names ...string) schema {
	for _, name := range names {
		s, _ = s[name].(map[string]any)
	}
	return s
}

func (s schema) isTrue(name string) bool { return s[name] == true }

// freeKeyword makes a value free JSON: what its schema does not describe is kept.
const freeKeyword = "x-kubernetes-preserve-unknown-fields"

// specMember is the member of an object that is compared, if its version has one.
const specMember = "spec"

// typeAndMeta are the members that an embedded resource keeps even if its schema does not describe them.
var typeAndMeta = []string{"apiVersion", "kind", "metadata"}

// aside are the members that do not belong to the configuration.
var aside = append(slices.Clone(typeAndMeta), "status")

// part is the part of the objects of a version that is compared: their spec, or, if the version has
// none, all but their type, metadata and status.
type part struct {
	schema  schema
	object  schema // around it; nil if the part is the whole object
	isWhole bool
}

// partOf returns the compared part of a version of a CRD, which has no schema if nothing is compared.
func partOf(version *tree.Node) part {
	object, _ := jsonpatch.Parse(version.At("schema", "openAPIV3Schema").JSON())
	whole, _ := object.(map[string]any)
	properties := schema(whole).at("properties")
	_, hasSpec := properties[specMember]
	keeps := schema(whole).isTrue(freeKeyword)
	rest := maps.Clone(properties)
	maps.DeleteFunc(rest, func(name string, _ any) bool { return slices.Contains(aside, name) })
	switch {
	case hasSpec:
		return part{schema: properties.at(specMember), object: whole}
	case len(rest) == 0 && !keeps:
		return part{}
	}
	own := maps.Clone(whole)
	own["properties"] = map[string]any(rest)
	return part{schema: own, isWhole: true}
}

// definition is a CRD in JSON with one version, in which the part is the spec.
func (p part) definition(version string) []byte {
	object := map[string]any{"type": "object", "properties": map[string]any{specMember: map[string]any(p.schema)}}
	text, _ := json.Marshal(map[string]any{ // which came from JSON
		"apiVersion": definitionVersion, "kind": definitionKind,
		"spec": map[string]any{"versions": []any{map[string]any{
			"name": version, "schema": map[string]any{"openAPIV3Schema": object},
		}}},
	})
	return text
}

// definition is the CRD in JSON that has the compared part as its spec.
func (r *resource) definition() []byte {
	if r.part.isWhole {
		return r.part.definition(r.version)
	}
	return r.raw
}

// of returns the part of an object.
func (p part) of(object *tree.Node) *tree.Node {
	if !p.isWhole {
		return object.At(specMember)
	}
	for _, name := range aside {
		object = object.With([]string{name}, nil)
	}
	return object
}

// withoutDefaults returns a schema without its defaults.
func (s schema) withoutDefaults() schema {
	if s == nil {
		return nil
	}
	plain := maps.Clone(s)
	delete(plain, "default")
	for _, below := range []string{"items", "additionalProperties"} {
		if inner := s.at(below); inner != nil {
			plain[below] = map[string]any(inner.withoutDefaults())
		}
	}
	if properties := s.at("properties"); properties != nil {
		plainOnes := map[string]any{}
		for name := range properties {
			plainOnes[name] = map[string]any(properties.at(name).withoutDefaults())
		}
		plain["properties"] = plainOnes
	}
	return plain
}

// returned returns a value as an API server returns it: without the members that the schema does not
// have, and with its defaults. The value is changed. Source: packages pruning and defaulting of
// k8s.io/apiextensions-apiserver v0.34.
func (s schema) returned(value any) any {
	value = s.withoutNulls(value)
	s.prune(value)
	s.fill(value)
	return value
}

// isNull reports whether a value is a null that the schema does not permit.
func (s schema) isNull(value any) bool { return value == nil && s != nil && !s.isTrue("nullable") }

// withoutNulls removes the members with a null that the schema does not permit and has no default for.
func (s schema) withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			inner := s.member(name)
			if inner.isNull(member) && inner["default"] == nil && inner.isProperty(s, name) {
				delete(value, name)
				continue
			}
			inner.withoutNulls(member)
		}
	case []any:
		for _, element := range value {
			s.at("items").withoutNulls(element)
		}
	}
	return value
}

// isProperty reports whether the schema describes the property of another schema, not the values of
// its map.
func (s schema) isProperty(above schema, name string) bool {
	return above.at("properties", name) != nil
}

// member returns the schema of a member; nil if there is none.
func (s schema) member(name string) schema {
	if property, has := s.at("properties")[name]; has {
		inner, _ := property.(map[string]any)
		return inner
	}
	return s.at("additionalProperties")
}

// ofUndescribed returns the schema of the members that an object keeps although they are no properties of its schema;
// nil if it keeps none.
func (s schema) ofUndescribed() schema {
	if s.isTrue(freeKeyword) {
		return schema{freeKeyword: true}
	}
	return s.ofEntries()
}

// ofEntries returns the schema of the values of a map; nil if the value is none. The schema true describes nothing: of
// such values, scalars and empty collections are kept.
func (s schema) ofEntries() schema {
	if s.isTrue("additionalProperties") {
		return schema{}
	}
	return s.at("additionalProperties")
}

// asMember returns the schema of the entries of a map for a single member: a default of entries is filled in for nulls,
// and not where the member is absent.
func (s schema) asMember() schema {
	if s == nil {
		return nil
	}
	member := maps.Clone(s)
	delete(member, "default")
	return member
}

// ofElements returns the schema of the elements of a list; nil if the value is none.
func (s schema) ofElements() schema { return s.at("items") }

// hasMember reports whether an object of the schema may have a member.
func (s schema) hasMember(name string) bool {
	_, isProperty := s.at("properties")[name]
	isMap := s.at("additionalProperties") != nil || s.isTrue("additionalProperties")
	return isProperty || isMap
}

// isMeta reports whether a member is one that each embedded object has.
func (s schema) isMeta(name string) bool {
	return s.isTrue(embeddedKeyword) && slices.Contains(typeAndMeta, name)
}

// members returns the schemas of the members of an object, also of those that an embedded object has without a
// description. Nothing in the metadata of an embedded object is dropped.
func (s schema) members() schema {
	if !s.isTrue(embeddedKeyword) {
		return s.at("properties")
	}
	all := schema{}
	maps.Copy(all, s.at("properties"))
	for _, name := range []string{"apiVersion", "kind"} {
		if all[name] == nil {
			all[name] = map[string]any{"type": "string"}
		}
	}
	metadata := schema{"type": "object"}
	maps.Copy(metadata, all.at("metadata"))
	metadata[freeKeyword] = true
	all["metadata"] = map[string]any(metadata)
	return all
}

func (s schema) prune(value any) {
	keeps := s.isTrue(freeKeyword)
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			switch {
			case s.isMeta(name):
			case s.hasMember(name):
				s.member(name).prune(member)
			case !keeps:
				delete(value, name)
			}
		}
	case []any:
		for _, element := range value {
			if items := s.at("items"); items != nil || !keeps {
				items.prune(element)
			}
		}
	}
}

func (s schema) fill(value any) {
	switch value := value.(type) {
	case map[string]any:
		s.fillProperties(value)
		for name, member := range value {
			inner := s.member(name)
			if inner.isNull(member) && !inner.isProperty(s, name) {
				value[name] = cloned(inner["default"])
			}
			inner.fill(value[name])
		}
	case []any:
		items := s.at("items")
		for i, element := range value {
			if items.isNull(element) {
				value[i] = cloned(items["default"])
			}
			items.fill(value[i])
		}
	}
}

// fillProperties sets the members of an object that have a default and are absent.
func (s schema) fillProperties(object map[string]any) {
	properties := s.at("properties")
	for name := range properties {
		property := properties.at(name)
		value, has := object[name]
		if property["default"] != nil && (!has || property.isNull(value)) {
			object[name] = cloned(property["default"])
		}
	}
}

// cloned returns a copy of a value.
func cloned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, member := range value {
			copied[name] = cloned(member)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, element := range value {
			copied[i] = cloned(element)
		}
		return copied
	}
	return value
}

// Part returns the part of an object that is compared: its spec, or all but its type, metadata and status if its
// version has no spec. The set must have the type.
func (s *Set) Part(t facts.TypeMeta, object *tree.Node) *tree.Node {
	return s.resources[t].part.of(object)
}

// IsWhole reports whether the objects of a type, which the set has, are compared as a whole.
func (s *Set) IsWhole(t facts.TypeMeta) bool { return s.resources[t].part.isWhole }

// Returned returns the compared part of an object in JSON as an API server with the CRD returns it. The set must have
// the type.
func (s *Set) Returned(t facts.TypeMeta, part []byte) []byte {
	value, err := jsonpatch.Parse(part)
	if err != nil {
		return part
	}
	text, _ := jsonpatch.Write(s.resources[t].part.schema.returned(value)) // which came from JSON
	return text
}
