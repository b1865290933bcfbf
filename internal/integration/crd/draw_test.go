package crd_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// generator draws schemas, changes of schemas, and objects.
type generator struct{ *rand.Rand }

type props = map[string]any

func (a generator) oneOf(texts ...string) string { return texts[a.IntN(len(texts))] }

func (a generator) often() bool { return a.IntN(3) > 0 }

// texts are the values of strings. Some of them meet the constraints that are drawn.
var texts = []string{"a", "ab", "abc", "b", "x-long-text", "2026-11-29T00:00:00Z", ""}

// spec draws the schema of a spec.
func (a generator) spec() props {
	properties := props{}
	for i := range 3 + a.IntN(4) {
		properties[fmt.Sprintf("f%d", i)] = a.property(2)
	}
	return props{"type": "object", "properties": properties}
}

func (a generator) property(depth int) props {
	kinds := []string{"string", "string", "integer", "boolean", "list", "set", "byKey", "map", "object", "free", "texts", "texts"}
	if depth == 0 {
		kinds = kinds[:4]
	}
	switch kind := a.oneOf(kinds...); kind {
	case "list":
		return props{"type": "array", "items": a.property(depth - 1)}
	case "texts":
		return props{"type": "array", "items": props{"type": "string"}}
	case "set":
		return props{"type": "array", "x-kubernetes-list-type": "set", "items": props{"type": "string"}}
	case "byKey":
		return props{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"},
			"items": props{
				"type": "object", "required": []any{"k"}, "properties": props{"k": props{"type": "string"}, "v": a.property(depth - 1)},
			},
		}
	case "map":
		return props{"type": "object", "additionalProperties": a.property(depth - 1)}
	case "object":
		return props{"type": "object", "properties": props{"p": a.property(depth - 1), "q": a.property(depth - 1)}}
	case "free":
		return props{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	default:
		plain := props{"type": kind}
		switch {
		case kind == "string" && a.IntN(8) == 0:
			plain["default"] = "ab"
		case a.IntN(10) == 0:
			plain["nullable"] = true
		}
		return plain
	}
}

// cloned copies a value of JSON.
func cloned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		for name, member := range copied {
			copied[name] = cloned(member)
		}
		return copied
	case []any:
		copied := slices.Clone(value)
		for i := range copied {
			copied[i] = cloned(copied[i])
		}
		return copied
	}
	return value
}

// below returns a schema and the schemas below it.
func below(s props) []props {
	all := []props{s}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		all = append(all, below(properties[name].(map[string]any))...)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, has := s[name].(map[string]any); has {
			all = append(all, below(inner)...)
		}
	}
	return all
}

// release returns a copy of a schema with some constraints changed.
func (a generator) release(old props) props {
	updated := cloned(old).(map[string]any)
	for range 1 + a.IntN(3) {
		all := below(updated)
		a.change(all[a.IntN(len(all))])
	}
	return updated
}

func (a generator) change(s props) {
	rule := func(rule string) {
		one := props{"rule": rule}
		if a.often() {
			one["message"] = "the rule " + rule
		} else if s["type"] == "string" {
			one["messageExpression"] = "'it is ' + self"
		}
		s["x-kubernetes-validations"] = []any{one}
	}
	isKey := s["isKey"] == true
	switch s["type"] {
	case "string":
		switch a.IntN(7) {
		case 0:
			s["enum"] = []any{"a", "ab"}
		case 1:
			s["pattern"] = "^a"
		case 2:
			s["maxLength"] = 2
		case 3:
			s["minLength"] = 2
		case 4:
			s["format"] = "date-time"
		case 5:
			rule("self == 'a' || self == 'b'")
		case 6:
			if !isKey {
				s["default"] = "ab"
			}
		}
	case "integer":
		switch a.IntN(4) {
		case 0:
			s["minimum"] = 3
		case 1:
			s["maximum"] = 3
		case 2:
			s["multipleOf"] = 2
		case 3:
			rule("self > 2")
		}
	case "boolean":
		rule("self")
	case "array":
		switch a.IntN(3) {
		case 0:
			s["maxItems"] = 1
		case 1:
			s["minItems"] = 2
		case 2:
			items, _ := s["items"].(map[string]any)
			if items["type"] == "string" && s["x-kubernetes-list-type"] == nil {
				s["x-kubernetes-list-type"] = "set"
			}
		}
	case "object":
		a.changeObject(s, rule)
	}
}

func (a generator) changeObject(s props, rule func(string)) {
	properties, _ := s["properties"].(map[string]any)
	if len(properties) == 0 {
		if s["additionalProperties"] != nil {
			s["maxProperties"] = 1
		}
		return
	}
	names := slices.Sorted(maps.Keys(properties))
	name := names[a.IntN(len(names))]
	switch a.IntN(5) {
	case 0:
		s["required"] = []any{name}
		if properties["k"] != nil {
			s["required"] = []any{"k", name}
		}
	case 1:
		rule("has(self." + name + ")")
	case 2:
		properties["added"] = props{"type": "string", "default": "filled in"}
	case 3:
		properties[name].(map[string]any)["nullable"] = true
	case 4:
		isFree := name != "k" && s["x-kubernetes-validations"] == nil
		if isFree && len(names) > 1 && !slices.Contains(fmtAll(s["required"]), name) {
			delete(properties, name)
		}
	}
}

func fmtAll(list any) (texts []string) {
	values, _ := list.([]any)
	for _, value := range values {
		texts = append(texts, fmt.Sprint(value))
	}
	return texts
}

// value draws a value for a schema.
func (a generator) value(s props) any {
	if s["nullable"] == true && a.IntN(6) == 0 {
		return nil
	}
	switch s["type"] {
	case "string":
		return a.oneOf(texts...)
	case "integer":
		return int64(a.IntN(6))
	case "boolean":
		return a.IntN(2) == 0
	case "array":
		items := s["items"].(map[string]any)
		list := []any{}
		for i := range a.IntN(4) {
			value := a.value(items)
			if object, isObject := value.(map[string]any); isObject && s["x-kubernetes-list-type"] == "map" {
				object["k"] = fmt.Sprintf("k%d", i)
			}
			if s["x-kubernetes-list-type"] != "set" || !slices.Contains(list, value) {
				list = append(list, value)
			}
		}
		return list
	}
	object := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch {
		case a.IntN(20) == 0 && name != "k":
			object[name] = nil
		case a.often():
			object[name] = a.value(properties[name].(map[string]any))
		}
	}
	if values, has := s["additionalProperties"].(map[string]any); has {
		for range a.IntN(3) {
			object[a.oneOf("x", "y.z/w", "v")] = a.value(values)
		}
	}
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		object["free"] = a.oneOf(texts...)
	}
	return object
}

// edit draws a change at any place of a value.
func (a generator) edit(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			return value
		}
		names := slices.Sorted(maps.Keys(value))
		name := names[a.IntN(len(names))]
		copied := maps.Clone(value)
		if a.IntN(6) == 0 {
			delete(copied, name)
		} else {
			copied[name] = a.edit(value[name])
		}
		return copied
	case []any:
		if len(value) == 0 {
			return value
		}
		copied := slices.Clone(value)
		i := a.IntN(len(copied))
		if a.IntN(4) == 0 {
			return slices.Delete(copied, i, i+1)
		}
		copied[i] = a.edit(copied[i])
		return copied
	case string:
		return a.oneOf(texts...)
	case int64:
		return int64(a.IntN(6))
	case bool:
		return !value
	}
	return value
}
