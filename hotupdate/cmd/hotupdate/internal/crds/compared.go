package crds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Compared is a part of the specs of a type whose edits have one class, for those who compare specs without a Schema.
type Compared struct {
	Path  string
	Class fieldclasses.Class // empty if nothing is known about the part
	Part  Part
	// Keys are the classes of single keys, for [Entries]: exact keys, and then the longest prefix first. The class of
	// the part is for all other keys.
	Keys []KeyClass
}

// Part is what of a field is compared.
type Part uint8

// The parts.
const (
	Value    Part = iota // the value of a field without fields below it
	Entries              // the entries of a map whose keys have classes
	Elements             // how many elements a list of objects has
	KeySet               // which keys a map of objects has
	Presence             // whether there is an object, which may be empty
)

// KeyClass is the class of a key of a map, or of all keys with a prefix.
type KeyClass struct {
	Key      string // or the prefix
	IsPrefix bool
	Class    fieldclasses.Class
}

// Compared lists the parts of the specs of a type, in the order of their paths. It is empty if the set does not have
// the type. Elements of a list of lists belong to the outer list.
func (s *Set) Compared(t facts.TypeMeta) ([]Compared, error) {
	schema, err := s.Schema(t)
	if schema == nil || err != nil {
		return nil, err
	}
	c := comparing{m: s.Meaning(t)}
	c.below((*schemabridge.Schema)(schema).Plan().Root, leaf{})
	slices.SortStableFunc(c.parts, func(a, b Compared) int { return strings.Compare(a.Path, b.Path) })
	return c.parts, nil
}

// comparing collects the parts.
type comparing struct {
	m     *Meaning
	parts []Compared
}

func (c *comparing) add(n *fieldplan.Node, at leaf, part Part) {
	at.class = n.Class
	outer := strings.TrimRight(at.path, "[]")
	one := Compared{Path: at.path, Class: at.classBy(c.m), Part: part, Keys: c.keysOf(n, at)}
	switch isInner := outer != at.path; {
	case !isInner:
		c.parts = append(c.parts, one)
	case part == Value, part == Entries:
		c.parts = append(c.parts, Compared{Path: outer, Class: one.Class})
		for _, key := range one.Keys {
			c.parts = append(c.parts, Compared{Path: outer, Class: key.Class})
		}
	}
}

// below adds the parts at and below a place.
func (c *comparing) below(n *fieldplan.Node, at leaf) {
	part := Elements
	if n.Kind == fieldplan.Map {
		part = KeySet
	}
	switch {
	case n.Keys != nil:
		c.add(n, at, Entries)
		return
	case !hasFields(n):
		c.add(n, at, Value)
		return
	case n.Elem != nil:
		c.add(n, at, part)
		at.path = fieldpath.Elements(at.path)
		c.below(n.Elem, at)
	}
	for _, f := range n.Fields {
		below := at.to(f)
		if f.Presence && f.Node.Kind == fieldplan.Object {
			c.add(f.Node, below, Presence)
		}
		c.below(f.Node, below)
	}
}

// hasFields reports whether a node is an object with fields, or has elements that are.
func hasFields(n *fieldplan.Node) bool {
	return len(n.Fields) > 0 || n.Elem != nil && hasFields(n.Elem)
}

// keysOf returns the classes of single keys of a map.
func (c *comparing) keysOf(n *fieldplan.Node, at leaf) (keys []KeyClass) {
	if n.Keys == nil {
		return nil
	}
	for _, rule := range n.Keys.All {
		entry := leaf{path: fieldpath.Key(at.path, rule.Pattern), class: rule.Node.Class, of: at.path}
		key, isPrefix := fieldplan.PrefixOf(rule.Pattern)
		keys = append(keys, KeyClass{key, isPrefix, entry.classBy(c.m)})
	}
	slices.SortStableFunc(keys, func(a, b KeyClass) int {
		if a.IsPrefix == b.IsPrefix {
			return cmp.Compare(len(b.Key), len(a.Key))
		}
		if a.IsPrefix {
			return 1
		}
		return -1
	})
	return keys
}
