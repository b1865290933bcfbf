package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// unknownMembers returns the members of object v that the plan does not know, in the order of their
// names. The object may be missing.
func (n *routine) unknownMembers(t *Trail, v reflect.Value) []Element {
	if n.rest == nil || !v.IsValid() {
		return nil
	}
	return n.rest.routine.entries(t, Member(v, n.rest.field))
}

// unknown returns an op for one unknown member, where o is the op of the field that holds all
// unknown members. The member is free JSON, and null counts as unset.
func (o *op) unknown(e Element) op {
	name, _ := canonjson.AppendString(nil, e.Key) // entries has checked the name
	elem := o.routine.elem
	return op{
		routine: elem, kind: elem.kind, header: headerOf(string(name) + ":"),
		field: &fieldplan.Field{Name: e.Key, Node: elem.plan}, unknownIn: o.routine.plan,
	}
}

// step is the step from an object to the member that an op writes. An unknown member is an entry of the
// field that holds all of them.
func (o *op) step() fieldpath.Step {
	s := fieldpath.Step{Kind: fieldpath.Member, Name: o.field.Name}
	if o.unknownIn != nil {
		s.Hidden = o.unknownIn.Step(fieldpath.Step{Kind: fieldpath.MapKey}).Hidden
	}
	return s
}

// afterNames sorts after all names, which are UTF-8.
const afterNames = "\xff"
