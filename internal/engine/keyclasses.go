package engine

import (
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// entries compiles the rules for single keys of a map.
func (c *compiler) entries(n *routine, from *fieldplan.Node) {
	if from.Keys == nil {
		return
	}
	areAlike := from.Elem.Kind == fieldplan.Leaf
	for _, rule := range from.Keys.All {
		e := entryRoutine{elem: c.element(rule.Node, from), writesPresence: c.writesPresence(rule.Node)}
		n.ruled = append(n.ruled, e)
		n.height = max(n.height, e.elem.height)
		areAlike = areAlike && e.writesPresence == n.writesPresence
	}
	if areAlike {
		n.ruled = nil
	}
}

// entry returns the routine of the entry of a map under a key, and whether its presence is written.
func (n *routine) entry(key string) (elem *routine, writesPresence bool) {
	if n.ruled == nil {
		return n.elem, n.writesPresence
	}
	if rule := n.plan.RuleOf(key); rule != nil {
		e := &n.ruled[rule.At]
		return e.elem, e.writesPresence
	}
	return n.elem, n.writesPresence
}

// leavesOut reports whether an entry of a map of leaves is not written. An invalid key is reported.
func (n *routine) leavesOut(key string) bool {
	_, writesPresence := n.entry(key)
	return !writesPresence && utf8.ValidString(key)
}
