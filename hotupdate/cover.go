package hotupdate

import (
	"maps"
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Coverage says how far an update goes without replacing machines.
type Coverage struct {
	// Patch is a JSON patch (RFC 6902) for the whole current object. It holds the values of sensitive fields.
	Patch []byte
	// Covered is what the patch changes: Hot, InPlace and Ignored fields. The update drains nodes if its [Changes.Outcome] in a pool that is
	// updated in place is [InPlaceUpdate].
	Covered Changes
	// Left is what remains between the patched object and the desired one: Immutable changes, and what is below them.
	Left Changes
}

// Cover returns how far machines can take the update from current to desired without being replaced. It is for those who compare objects as
// JSON, such as Cluster API's in-place update hooks. Both are whole objects; pointer is the RFC 6901 pointer of the configuration in them,
// such as /spec, and empty if the object is the configuration.
//
// Everything Immutable keeps its meaning, and the rest of the patched configuration is the desired one to the letter: order, spelling,
// declared defaults, null, empty objects and TypeMeta included. So the two differ exactly in what replaces machines:
//
//   - An Immutable field whose meaning changes stays as it is. A set is one field, and so is an array in which everything is Immutable.
//   - An Immutable element, or an Immutable field with the option presence, that comes is left out with all that is in it. A field without
//     presence that comes with nothing else is left out, too.
//   - Whatever goes, but is Immutable or holds something Immutable, stays with that alone and with what identifies it in its collection. Before
//     a kept place of a list empty ones are kept.
//
// An element is Immutable if hotwhen makes it so on either side; then its selector stays, too. Outside of the configuration nothing is patched,
// except that objects on the way to it are made. The configurations are read as by [Schema.Decode]; one that is not there, or null, is empty.
// The code of an error for an object is also malformed-pointer, or wrong-json-type if pointer leads through something else than objects.
func (s *Schema) Cover(current, desired []byte, pointer string) (Coverage, error) {
	if s.isMissing() {
		return Coverage{}, noSchema()
	}
	if pointer != "" && pointer[0] != '/' {
		return Coverage{}, &fault.Error{Kind: fault.Misuse, Code: "malformed-pointer", Where: "pointer", What: "does not begin with a slash", Hint: "write it as RFC 6901 has it, such as /spec"}
	}
	names := fieldpath.Names(pointer)
	before, err := s.whole(current, names)
	if err != nil {
		return Coverage{}, err
	}
	before.config.Old = true
	wanted, err := s.whole(desired, names)
	if err != nil {
		return Coverage{}, err
	}
	covered, err := engine.Overlay(s.plan, structtag.Immutable, wanted.config, before.config)
	if err != nil {
		return Coverage{}, err
	}
	return s.coverage(before, wanted, names, covered)
}

// coverage describes the way to a covered configuration, and from there to the desired one.
func (s *Schema) coverage(before, wanted whole, names []string, covered any) (c Coverage, err error) {
	after, err := s.side(covered)
	if err != nil {
		return c, err
	}
	if c.Covered, err = s.changes(before.config.Value, after.Value); err != nil {
		return c, err
	}
	if c.Left, err = s.changes(after.Value, wanted.config.Value); err != nil {
		return c, err
	}
	patched := before.object
	if before.config.Tree != (engine.Absent{}) || covered != (engine.Absent{}) {
		patched = replaced(patched, names, covered)
	}
	c.Patch, err = jsonpatch.Diff(before.object, patched)
	return c, err
}

// whole is an object with the configuration in it.
type whole struct {
	object any
	config engine.Side
}

func (s *Schema) whole(raw []byte, names []string) (w whole, err error) {
	if _, problem := canonjson.AppendValue(nil, raw); problem != nil {
		return w, problem
	}
	if w.object, err = jsonpatch.Parse(raw); err != nil {
		return w, err
	}
	config, problem := member(w.object, names)
	if problem != nil {
		return w, problem
	}
	w.config, err = s.side(config)
	return w, err
}

// member returns what stands at a pointer into an object.
func member(object any, names []string) (any, *fault.Error) {
	value, above := object, ""
	for i := 0; i == 0 || i < len(names) && value != nil; i++ {
		members, isObject := value.(map[string]any)
		if !isObject {
			return nil, &fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", Path: above, What: "is no object", Hint: "pass whole objects, and the pointer of the configuration in them"}
		}
		if i < len(names) {
			var ok bool
			if value, ok = members[names[i]]; !ok {
				return engine.Absent{}, nil
			}
			above = fieldpath.Join(above, names[i])
		}
	}
	return value, nil
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
	return engine.Side{Value: reflect.ValueOf(config), Tree: tree}, err
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
