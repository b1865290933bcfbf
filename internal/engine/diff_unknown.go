package engine

import (
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// unknown compares the members that the plan does not know, among those that it does. Nil has none.
type unknown struct {
	d       *differ
	node    *fieldplan.Node
	members [2]Unknown // of the old and of the new object
}

func (d *differ) unknownMembers(old, updated side) *unknown {
	if old.node.Rest == nil {
		return nil
	}
	return &unknown{d, old.node, [2]Unknown{
		UnknownMembers(&d.trail, old.node, old.value), UnknownMembers(&d.trail, updated.node, updated.value),
	}}
}

// before compares the members whose names stand before name.
func (u *unknown) before(name string) {
	if u != nil {
		u.compare(u.members[0].Before(name), u.members[1].Before(name))
	}
}

func (u *unknown) left() {
	if u != nil {
		u.compare(u.members[0].Left(), u.members[1].Left())
	}
}

func (u *unknown) compare(old, updated []Element) {
	for len(old) > 0 || len(updated) > 0 {
		switch order := compareNames(old, updated); {
		case order < 0:
			u.member(old[0], old[0].Value, reflect.Value{})
			old = old[1:]
		case order > 0:
			u.member(updated[0], reflect.Value{}, updated[0].Value)
			updated = updated[1:]
		default:
			u.member(old[0], old[0].Value, updated[0].Value)
			old, updated = old[1:], updated[1:]
		}
	}
}

func compareNames(a, b []Element) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return +1
	default:
		return strings.Compare(a[0].Key, b[0].Key)
	}
}

func (u *unknown) member(e Element, old, updated reflect.Value) {
	f, step := UnknownField(u.node, e)
	u.d.trail.Enter(step)
	from := origin{kind: OriginUnknown, depth: len(u.d.trail.Path)}
	u.d.leafMember(f, side{f.Node, old, from}, side{f.Node, updated, from})
	u.d.trail.Leave()
}
