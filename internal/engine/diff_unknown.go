package engine

import "github.com/hotupdate/providerconfig/internal/fieldplan"

// afterNames stands behind all names, which are UTF-8.
const afterNames = "\xff"

// unknownMembers pairs the members of two objects that the plan does not know. It is nil if there must be none.
func (d *differ) unknownMembers(s sides) *pairing {
	if s[0].node.Rest == nil {
		return nil
	}
	return &pairing{left: [2][]Element{UnknownMembers(&d.trail, s[0].node, s[0].value), UnknownMembers(&d.trail, s[1].node, s[1].value)}}
}

// unknown compares the unknown members that are left and whose names stand before name.
func (d *differ) unknown(n *fieldplan.Node, members *pairing, name string) {
	for members != nil && members.first() < name && members.next() {
		f, step := UnknownField(n, *members.element())
		d.trail.Enter(step)
		from := origin{kind: OriginUnknown, depth: len(d.trail.Path)}
		d.leafMember(f, sides{{node: f.Node, from: from}, {node: f.Node, from: from}}.with(members.values()))
		d.trail.Leave()
	}
}
