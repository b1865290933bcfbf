package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// located puts the place in front of every problem of an object: the file and, where the problem names a field, the line of the field.
func located(o *manifests.Object, err error) error {
	all := fault.All(err)
	if len(all) == 0 {
		return inFile(o.String(), err)
	}
	var root any
	_ = json.Unmarshal(o.Raw, &root) // it was read before
	problems := make([]error, len(all))
	for i, problem := range all {
		problems[i] = inFile(placeOf(o, stepsOf(root, problem)), problem)
	}
	return errors.Join(problems...)
}

// placeOf names the line of the last field of a path that stands in the file.
func placeOf(o *manifests.Object, steps []string) string {
	for ; len(steps) > 0; steps = steps[:len(steps)-1] {
		if line := o.LineOf(steps...); line > 0 {
			return o.At(line)
		}
	}
	return o.String()
}

// stepsOf returns the names and positions that lead from the root of an object to what a problem is about. The path of a problem of a pool
// begins in the pool.
func stepsOf(root any, problem *fault.Error) []string {
	name, ofPool := strings.CutPrefix(problem.Where, "pool ")
	if !ofPool {
		return steps(root, problem.Path)
	}
	for _, path := range []string{"spec.provider.workers", "spec.pools"} {
		list := steps(root, path)
		pools, _ := valueAt(root, list).([]any)
		for i, one := range pools {
			if members, ok := one.(map[string]any); ok && strconv.Quote(fmt.Sprint(members["name"])) == name {
				return append(append(list, strconv.Itoa(i)), steps(one, problem.Path)...)
			}
		}
	}
	return nil
}

// valueAt returns the value that steps lead to.
func valueAt(value any, steps []string) any {
	for _, step := range steps {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, _ := strconv.Atoi(step)
			value = v[i]
		}
	}
	return value
}

// steps takes a path apart along the value that it leads through, as far as it does: members behind dots or in brackets, elements by position
// or by their keys.
func steps(value any, path string) []string {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return nil
	}
	step, rest := "", ""
	switch v := value.(type) {
	case map[string]any:
		step, rest = memberOf(v, path)
		value = v[step]
	case []any:
		inside, behind, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i := elementOf(v, inside)
		if i < 0 {
			return nil
		}
		step, rest, value = strconv.Itoa(i), behind, v[i]
	}
	if step == "" {
		return nil
	}
	return append([]string{step}, steps(value, rest)...)
}

// memberOf returns the longest name with which a path begins, and what of the path follows it.
func memberOf(object map[string]any, path string) (name, rest string) {
	for member := range object {
		for _, spelled := range []string{member, "[" + member + "]", "[" + strconv.Quote(member) + "]"} {
			behind, ok := strings.CutPrefix(path, spelled)
			if ok && (behind == "" || behind[0] == '.' || behind[0] == '[') && len(member) > len(name) {
				name, rest = member, behind
			}
		}
	}
	return name, rest
}

// elementOf finds an element by its position or, as in name=a, by a member; -1 if there is none.
func elementOf(list []any, inside string) int {
	key, text, byKey := strings.Cut(inside, "=")
	if !byKey {
		if i, err := strconv.Atoi(inside); err == nil && i >= 0 && i < len(list) {
			return i
		}
		return -1
	}
	for i, element := range list {
		value := element
		if object, ok := element.(map[string]any); ok {
			value = object[key]
		}
		if shown := fmt.Sprint(value); shown == text || strconv.Quote(shown) == text {
			return i
		}
	}
	return -1
}

// suggest gives the problems about members that a provider config has and its Schema has not the name that was probably meant.
func suggest(err error, schema func(pool string) *hotupdate.Schema) {
	for _, problem := range fault.All(err) {
		if problem.Code != "unknown-member" {
			continue
		}
		path := strings.TrimPrefix(strings.TrimPrefix(problem.Path, configMember), ".")
		cut := strings.LastIndexAny(path, ".[")
		if names := fieldsAt(schema(problem.Where), path[:max(0, cut)]); len(names) > 0 {
			if meant := members.Nearest(strings.Trim(path[cut+1:], `"]`), names); meant != "" {
				problem.Hint = "did you mean " + meant + "?"
			}
		}
	}
}

// configMember is the member of a pool that holds its provider config.
const configMember = "providerConfig"

// fieldsAt lists the fields of the object at a path of a Schema.
func fieldsAt(schema *hotupdate.Schema, path string) (names []string) {
	text, err := json.Marshal(schema)
	var document schemajson.Document
	if schema == nil || err != nil || json.Unmarshal(text, &document) != nil {
		return nil
	}
	node := document.Root
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' }) {
		node = below(node, step)
	}
	if node != nil {
		for _, field := range node.Fields {
			names = append(names, field.Name)
		}
	}
	return names
}

// below returns the node of a member, or of the elements of a collection.
func below(node *schemajson.Node, step string) *schemajson.Node {
	switch {
	case node == nil:
		return nil
	case node.Elem != nil:
		return node.Elem
	}
	for _, field := range node.Fields {
		if field.Name == step {
			return field.Type
		}
	}
	return nil
}

// unknownMembers finds the members that the kind of a manifest does not have. One that has nearly the name of a member that is missing is an
// error; the others are warnings: a later release of Gardener may have them.
func unknownMembers(o *manifests.Object, kind pool.Kind) (warnings []string, err error) {
	if kind == pool.NoKind {
		return nil, nil
	}
	var problems fault.List
	for _, unknown := range members.Unknowns(members.Type(kind), o.Raw) {
		problem := &fault.Error{Kind: fault.Unknown, Code: "unknown-member", Path: unknown.Path, What: "is no member of a " + string(kind)}
		if unknown.Meant != "" {
			problem.Hint = "did you mean " + unknown.Meant + "?"
			problems.Add(problem)
			continue
		}
		problem.What = "is no member of a " + string(kind) + " that this command knows, and is not judged"
		warnings = append(warnings, located(o, problem).Error())
	}
	return warnings, located(o, problems.Err())
}
