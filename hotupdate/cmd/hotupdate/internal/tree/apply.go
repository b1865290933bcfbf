package tree

import (
	"slices"
	"strconv"
)

// Removes reports whether a manifest sets a member on a path to null, which removes it from the
// cluster.
func (n *Node) Removes(path ...string) bool {
	for _, name := range path {
		if n = n.member(name); n == nil {
			return false
		}
		if n.kind == Null {
			return true
		}
	}
	return false
}

// Grafted returns a merged value in which parts that are equal in the manifest, or else in the
// cluster, have the spelling from there, because a program that merges rewrites numbers and texts.
func Grafted(merged, manifest, cluster *Node) *Node {
	for _, source := range []*Node{manifest, cluster} {
		if source != nil && sameJSON(merged, source) {
			return source
		}
	}
	switch merged.Kind() {
	case Object:
		return merged.rebuilt(func(i int) *Node {
			name := merged.below[i].name
			return Grafted(&merged.below[i], manifest.member(name), cluster.member(name))
		})
	case List:
		return merged.rebuilt(func(i int) *Node {
			name := merged.below[i].At(nameKey).Text()
			if name == "" {
				return &merged.below[i]
			}
			return Grafted(&merged.below[i], manifest.named(name), cluster.named(name))
		})
	case Null, Bool, Number, Text:
	}
	return merged
}

// named returns the element of a List with a name.
func (n *Node) named(name string) *Node {
	if n.Kind() != List {
		return nil
	}
	return n.Keyed(nameKey, name)
}

// rebuilt returns a value with other members or elements.
func (n *Node) rebuilt(part func(i int) *Node) *Node {
	changed := &Node{kind: n.kind, line: n.line, name: n.name}
	below := make([]Node, len(n.below))
	for i := range below {
		below[i] = *part(i)
		below[i].name = n.below[i].name
	}
	changed.hold(below)
	return changed
}

// sameJSON reports whether two values are the same to a program that reads numbers as floating-point
// numbers. Null members are absent.
func sameJSON(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind == Number && b.kind == Number {
		x, errX := strconv.ParseFloat(a.text, 64)
		y, errY := strconv.ParseFloat(b.text, 64)
		return errX == nil && errY == nil && x == y
	}
	if a.kind != b.kind || a.kind != Number && a.text != b.text {
		return false
	}
	switch a.kind {
	case List:
		return slices.EqualFunc(a.below, b.below, func(x, y Node) bool { return sameJSON(&x, &y) })
	case Object:
		names := manifests.names(a, b)
		return !slices.ContainsFunc(names, func(name string) bool { return !sameJSON(a.At(name), b.At(name)) })
	case Null, Bool, Number, Text:
	}
	return true
}

// Beyond returns the paths of the values that only the first of two values has, in the order of its
// text. Elements with a name are paired by it, and are name=a in a path. Any other list is compared
// as a whole.
func (n *Node) Beyond(other *Node) (paths [][]string) { return n.beyond(other, nil) }

func (n *Node) beyond(other *Node, path []string) (paths [][]string) {
	add := func(step string, below, counterpart *Node) {
		at := append(slices.Clip(path), step)
		if counterpart == nil && below.Kind() != Object {
			paths = append(paths, at)
			return
		}
		paths = append(paths, below.beyond(counterpart, at)...)
	}
	for name, member := range n.Members() {
		if member.Kind() != Null {
			add(name, member, other.At(name))
		}
	}
	for _, element := range n.Elements() {
		if name := element.At(nameKey).Text(); name != "" {
			add(nameKey+"="+name, element, other.named(name))
		}
	}
	return paths
}
