package fieldplan

import (
	"fmt"
	"slices"
)

// spreadClasses computes the classes below each node, to a fixed point because types may be
// recursive, and queues the checks that need them.
func (c *compiler) spreadClasses() {
	c.collectClasses()
	for _, n := range c.order {
		if n.Classes == 0 { // objects without a leaf below: only presence
			n.Classes = Of(n.Class)
		}
		c.checks = append(c.checks, func() { c.oneClass(n) })
	}
	c.collectClasses()
}

func (c *compiler) collectClasses() {
	for changed := true; changed; {
		changed = false
		for _, n := range c.order {
			classes := n.Classes | n.classesBelow()
			hides := n.hidesBelow()
			if classes != n.Classes || hides != n.HidesBelow {
				n.Classes = classes
				n.HidesBelow = hides
				changed = true
			}
		}
	}
}

func (n *Node) classesBelow() ClassSet {
	classes := Of(n.Class)
	if n.Elem != nil {
		classes |= n.Elem.Classes
	}
	if n.When != nil {
		classes |= n.When.Hot.Classes | Of(n.When.Hot.Class)
	}
	for _, rule := range n.keyRules() {
		classes |= rule.Node.Classes | Of(rule.Node.Class)
	}
	for i, f := range n.Parts() {
		if i == 0 {
			classes = 0 // an object's classes are those of its fields
		}
		classes |= f.Classes()
	}
	return classes
}

// keyRules are the classes of single keys of a map.
func (n *Node) keyRules() []*KeyRule {
	if n.Keys == nil {
		return nil
	}
	return n.Keys.All
}

// hidesBelow reports whether n is sensitive or holds something sensitive. Unknown members do not
// count: they are never part of another text.
func (n *Node) hidesBelow() bool {
	if n.HidesValues() || n.Elem != nil && n.Elem.HidesBelow {
		return true
	}
	return slices.ContainsFunc(n.Fields, func(f *Field) bool { return f.Node.HidesBelow })
}

// Classes are the classes of the field's presence, if it counts, and of everything below.
func (f *Field) Classes() ClassSet {
	if f.marksPresence() {
		return f.Node.Classes | Of(f.Node.Class)
	}
	return f.Node.Classes
}

// HasPresence reports whether an empty object, list or map at f differs from a missing one: with
// the presence option, behind a pointer to a type without fields, and with a default that is not
// empty. A nil list or map, which is null in JSON, counts as missing, with or without a pointer to
// it.
func (f *Field) HasPresence() bool { return f.marksPresence() || f.Filled != 0 }

// marksPresence reports whether a member is written for its presence alone.
func (f *Field) marksPresence() bool {
	return f.Presence || f.Pointer && f.Node.isObjectWithoutFields()
}

func (n *Node) isObjectWithoutFields() bool { return n.Kind == Object && len(n.Fields) == 0 }

// HasPresenceOf reports whether an empty object, list or map at f differs from a missing one in what
// is written with the given classes.
func (f *Field) HasPresenceOf(classes ClassSet) bool {
	return f.marksPresence() && classes.Any(Of(f.Node.Class)) || classes.Any(f.Filled)
}

// oneClass refuses other classes where added and removed elements would make the pairing of the
// others ambiguous: below a Hot or Ignored list that is paired by position, and in a set.
func (c *compiler) oneClass(n *Node) {
	switch {
	case n.Pairing == ByValue:
		c.refuseOthers(n, n.Elem, "mixed-set", "a set", map[*Node]bool{})
	case n.isUnprojectedList():
		c.refuseOthers(n, n.Elem, "non-hot-below-list",
			"a list whose elements are paired by position", map[*Node]bool{})
	}
}

func (n *Node) isUnprojectedList() bool { return n.isPositional() && !IsProjected(n.Class) }

func (n *Node) isPositional() bool {
	return (n.Kind == List || n.Kind == Array) && n.Pairing == ByPosition
}

// refuseOthers names every field below list that was given another class.
func (c *compiler) refuseOthers(list, below *Node, code, kind string, seen map[*Node]bool) {
	if below == nil || seen[below] || below.Classes == Of(list.Class) {
		return
	}
	seen[below] = true
	for _, f := range below.Fields {
		if f.Declared != Inherited && f.Node.Class != list.Class {
			c.faults.Add(mistake(f.place, code,
				fmt.Sprintf("is %s below %s that is %s", f.Node.Class, kind, list.Class),
				fmt.Sprintf("give it the class %s as well, or pair the list's elements with `key=`", list.Class)))
			continue
		}
		c.refuseOthers(list, f.Node, code, kind, seen)
	}
	c.refuseOthers(list, below.Elem, code, kind, seen)
	for _, rule := range below.keyRules() {
		if rule.Node.Class != list.Class {
			c.refuseKey(rule, code, fmt.Sprintf("is %s below %s that is %s", rule.Node.Class, kind, list.Class))
			continue
		}
		c.refuseOthers(list, rule.Node, code, kind, seen)
	}
	if below.When != nil && below.When.Field != nil {
		what := fmt.Sprintf("has the option `hotwhen` below %s that is %s", kind, list.Class)
		c.faults.Add(mistake(below.When.place, code, what,
			"remove the option, or pair the list's elements with `key=`"))
	}
}

// refuseKey reports a class of a key at the field or at the override that it comes from.
func (c *compiler) refuseKey(rule *KeyRule, code, what string) {
	problem := mistake(rule.from.Place, code, "has a key that "+what,
		"remove the class of the key, or pair the list's elements with `key=`")
	if rule.from.override != "" {
		problem.Field = ""
		problem.Path = rule.from.override
	}
	c.faults.Add(problem)
}
