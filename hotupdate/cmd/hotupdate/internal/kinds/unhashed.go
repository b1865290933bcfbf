package kinds

import (
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// IsUnhashed reports whether no name that Gardener gives to a pool depends on a member below an object, or on what is
// in the member: its class is ignored. That was measured with the newest release, and only for Shoots. The member is
// no object, and not in a list, which was measured as a whole. The paths have a name for each element of a list or
// map, too, which may be any.
func (k Kind) IsUnhashed(object, path []string) bool {
	at := k.at(object)
	for _, name := range path {
		if at.node != nil && at.node.Kind == fieldplan.List {
			return false
		}
		at = at.inside(name)
	}
	return at.node != nil && at.node.Kind != fieldplan.Object && at.node.Class == structtag.Ignored
}

// Describes reports whether a member is known.
func (k Kind) Describes(path []string) bool { return k.at(path).node != nil }

// IsObject reports whether a member is an object with members that are known.
func (k Kind) IsObject(path []string) bool {
	at := k.at(path)
	return at.node != nil && at.node.Kind == fieldplan.Object
}

// Unhashed returns the paths of the members below an object for which [Kind.IsUnhashed] holds. A path that ends with
// .* stands for all members of a map or of free JSON.
func (k Kind) Unhashed(object []string) []string {
	at := k.at(object)
	if at.node == nil {
		return nil
	}
	return unhashedBelow(at.node, "")
}

func unhashedBelow(object *fieldplan.Node, path string) (paths []string) {
	for _, f := range object.Fields {
		below := fieldpath.Join(path, f.Name)
		isFree := f.Node.Kind == fieldplan.Leaf && f.Node.Leaf == leaf.RawMessage
		switch {
		case f.Node.Kind == fieldplan.Object:
			paths = append(paths, unhashedBelow(f.Node, below)...)
		case f.Node.Class != structtag.Ignored:
		case isFree:
			paths = append(paths, below, below+".*")
		case f.Node.Kind == fieldplan.Map:
			paths = append(paths, below+".*")
		default:
			paths = append(paths, below)
		}
	}
	return paths
}

// at returns the place of a member.
func (k Kind) at(path []string) place {
	at := k.root()
	for _, name := range path {
		at = at.inside(name)
	}
	return at
}

// inside is the place of a member, as [place.member]. What is in free JSON has the place of that.
func (p place) inside(name string) place {
	if p.node != nil && p.node.Kind == fieldplan.Leaf {
		return p
	}
	return p.member(name)
}
