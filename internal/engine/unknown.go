package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/canonjson"
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
		field: &fieldplan.Field{Name: e.Key, Node: elem.plan},
	}
}

// afterNames sorts after all names, which are UTF-8.
const afterNames = "\xff"
