package tree

// Applied returns what kubectl apply makes of a value of the cluster, with the number of values that
// it leaves as they are there because the manifest does not set them.
//
//   - Objects are merged member by member. A List, as every other value, is replaced as a whole.
//   - A member that the manifest sets to null is removed, and so is one that only the manifest had
//     that was applied last, which may be nil.
//
// Source: kubectl v1.34, the three-way JSON merge patch for objects whose type kubectl does not know.
func Applied(cluster, manifest, last *Node) (merged *Node, kept int) {
	if manifest == nil {
		return cluster, cluster.leaves()
	}
	if cluster.Kind() != Object || manifest.Kind() != Object {
		return manifest, 0
	}
	merged = &Node{kind: Object, line: manifest.line, name: manifest.name}
	for name, member := range cluster.Members() {
		wanted := manifest.member(name)
		isLeftOut := wanted == nil && last.member(name) != nil
		isNull := wanted != nil && wanted.kind == Null
		if isLeftOut || isNull {
			continue
		}
		below, count := Applied(member, wanted, last.member(name))
		named := *below
		named.name = name
		merged.below = append(merged.below, named)
		kept += count
	}
	for name, member := range manifest.Members() {
		if cluster.member(name) == nil {
			merged.below = append(merged.below, *member)
		}
	}
	return merged, kept
}

// leaves counts the values in an object that are not objects; an empty object counts as 1.
func (n *Node) leaves() (count int) {
	if n.Kind() != Object || n.Len() == 0 {
		return 1
	}
	for _, member := range n.Members() {
		count += member.leaves()
	}
	return count
}

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
