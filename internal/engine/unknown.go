package engine

import (
	"reflect"
	"sort"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Unknown are members of an object that its plan does not know, in the order of their names. A walk
// removes them one by one, in order with the known members.
type Unknown []Element

// UnknownMembers returns the unknown members of object v of node n. The object may be missing.
func UnknownMembers(t *Trail, n *fieldplan.Node, v reflect.Value) Unknown {
	if n.Rest == nil || !v.IsValid() {
		return nil
	}
	return Entries(t, n.Rest.Node, Member(v, n.Rest))
}

// Before removes and returns the members whose names sort before name.
func (u *Unknown) Before(name string) []Element {
	at := sort.Search(len(*u), func(i int) bool { return (*u)[i].Key >= name })
	before := (*u)[:at]
	*u = (*u)[at:]
	return before
}

// Left removes and returns all members that are left.
func (u *Unknown) Left() []Element {
	left := *u
	*u = nil
	return left
}

// unknown returns an op for one unknown member, where o is the op of the field that holds all
// unknown members. The member is free JSON, and null counts as unset.
func (o *op) unknown(e Element) op {
	name, _ := canonjson.AppendString(nil, e.Key) // Entries has checked the name
	elem := o.node.elem
	return op{
		node: elem, kind: elem.kind, header: headerOf(string(name) + ":"),
		field: &fieldplan.Field{Name: e.Key, Node: elem.plan},
	}
}

// afterNames sorts after all names, which are UTF-8.
const afterNames = "\xff"
