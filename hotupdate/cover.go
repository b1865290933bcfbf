package hotupdate

import (
	"maps"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// Coverage says how much of an update can be applied without replacing machines.
type Coverage struct {
	// Patch is a JSON patch (RFC 6902) for the whole current object. It holds the values of
	// sensitive fields.
	Patch []byte
	// Covered lists what the patch changes: Hot, InPlace and Ignored fields. The patch drains nodes
	// if the [Changes.Outcome] of Covered, for a pool that is updated in place, is
	// [OutcomeInPlaceUpdate].
	Covered Changes
	// Left lists the differences between the patched object and the desired one: Immutable changes,
	// and changes below them.
	Left Changes
}

// Cover returns the part of the update from current to desired that machines can take without being
// replaced. It is for callers that compare objects as JSON, such as Cluster API's in-place update
// hooks. Both are whole objects; pointer is the RFC 6901 pointer of the configuration in them, such
// as /spec, and empty if the object is the configuration.
//
// The patch keeps the meaning of everything Immutable. Everything else in the patched configuration
// equals the desired one exactly, including order, spelling, declared defaults, null, empty objects
// and TypeMeta. So the two differ only in what replaces machines:
//
//   - An Immutable field whose meaning changes stays as it is. A set counts as one field, and so
//     does an array in which everything is Immutable.
//   - An added Immutable element is left out with everything in it, and so is an added Immutable
//     field with the option presence. An added field without presence is left out if nothing else
//     is added with it.
//   - A removed value that is Immutable or holds something Immutable stays, reduced to its
//     Immutable parts and to the fields that identify it in its collection. In a list that is
//     paired by position, empty elements before it keep its position.
//
// An element is Immutable if hotwhen makes it so on either side; then its selector stays, too.
// Elements with the same key are paired as by [Schema.Diff]. If a list repeats a key, an element
// without a partner counts as added or removed, and parts of it that stay are appended to the list.
// Nothing outside of the configuration is patched, except that missing objects on the way to it are
// created. The objects and the configurations are read as by [Schema.Decode]: empty input, white
// space, null and an absent configuration are the empty configuration. If current is empty or white
// space, the patch applies to the document null. Additional error codes are malformed-pointer, and
// wrong-json-type if pointer leads through a value that is not an object.
func (s *Schema) Cover(current, desired []byte, pointer string) (Coverage, error) {
	if s.isMissing() {
		return Coverage{}, noSchema()
	}
	if pointer != "" && pointer[0] != '/' {
		return Coverage{}, &fault.Error{
			Kind: fault.Misuse, Code: "malformed-pointer", Where: "pointer", What: "does not begin with a slash",
			Hint: "write it as RFC 6901 has it, such as /spec",
		}
	}
	names := fieldpath.Names(pointer)
	before, err := s.whole(current, names)
	if err != nil {
		return Coverage{}, err
	}
	wanted, err := s.whole(desired, names)
	if err != nil {
		return Coverage{}, err
	}
	covered, err := engine.Overlay(s.plan(), before.config, wanted.config)
	if err != nil {
		return Coverage{}, err
	}
	return s.coverage(before, wanted, names, covered)
}

// coverage lists the changes from the current to the covered configuration, and from the covered to
// the desired one.
func (s *Schema) coverage(before, wanted whole, names []string, covered any) (c Coverage, err error) {
	after, err := s.side(covered)
	if c.Covered, err = s.changes(before.config.Value, after.Value, err); err != nil {
		return c, err
	}
	if c.Left, err = s.changes(after.Value, wanted.config.Value, nil); err != nil {
		return c, err
	}
	patched := before.object
	if !isSameNone(before.config.Tree, covered) {
		patched = replaced(patched, names, covered)
	}
	c.Patch, err = jsonpatch.Diff(before.object, patched)
	return c, err
}

// isSameNone reports whether both trees are absent, or both are null.
func isSameNone(a, b any) bool {
	areNull := a == nil && b == nil
	areAbsent := a == (engine.Absent{}) && b == (engine.Absent{})
	return areNull || areAbsent
}

// whole is an object that contains the configuration.
type whole struct {
	object any
	config engine.Side
}

func (s *Schema) whole(raw []byte, names []string) (w whole, err error) {
	if w.object, err = rawjson.Tree(raw); err != nil {
		return w, err
	}
	config, problem := member(w.object, names)
	if problem != nil {
		return w, problem
	}
	w.config, err = s.side(config)
	return w, err
}

// member returns the value at a pointer into an object.
func member(object any, names []string) (any, *fault.Error) {
	if object == nil && len(names) > 0 {
		return engine.Absent{}, nil
	}
	if object == nil {
		return nil, nil // the configuration is null
	}
	members, problem := membersOf(object, "")
	value := object
	above := ""
	for i, name := range names {
		if problem != nil {
			return nil, problem
		}
		below, isThere := members[name]
		if !isThere {
			return engine.Absent{}, nil
		}
		value = below
		isLast := i == len(names)-1
		if isLast || value == nil { // if an object around the configuration is null, so is the configuration
			return value, nil
		}
		above = fieldpath.Join(above, name)
		members, problem = membersOf(value, above)
	}
	return value, problem
}

// membersOf returns the members of an object, which stands at a path.
func membersOf(value any, at string) (map[string]any, *fault.Error) {
	members, isObject := value.(map[string]any)
	if !isObject {
		return nil, &fault.Error{
			Kind: fault.Invalid, Code: fault.WrongJSONType, Path: at, What: "must be an object",
			Hint: "pass whole objects, and the pointer of the configuration in them",
		}
	}
	return members, nil
}

// side reads a configuration from its tree.
func (s *Schema) side(tree any) (side engine.Side, err error) {
	var raw []byte
	if tree != (engine.Absent{}) {
		if raw, err = jsonpatch.Write(tree); err != nil {
			return side, err
		}
	}
	config, err := s.read(raw)
	return engine.Side{Value: config, Tree: tree}, err
}

// replaced returns an object with another value at a pointer.
func replaced(tree any, names []string, value any) any {
	if len(names) == 0 {
		return value
	}
	old, _ := tree.(map[string]any)
	members := map[string]any{}
	maps.Copy(members, old)
	if below := replaced(members[names[0]], names[1:], value); below == (engine.Absent{}) {
		delete(members, names[0])
	} else {
		members[names[0]] = below
	}
	return members
}
