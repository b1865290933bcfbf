package kinds

import (
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// ignored is the class of what is unhashed, in an exported Schema.
var ignored = structtag.Ignored.String()

// IsUnhashed reports whether no name that Gardener gives to a pool depends on a member below an object, or on what is
// in the member: its class is ignored. That was measured with the newest release, and only for Shoots. The member is
// no object, and not in a list, which was measured as a whole. The paths have a name for each element of a list or
// map, too, which may be any.
func (k Kind) IsUnhashed(above, path []string) bool {
	at := k.at(above)
	for _, name := range path {
		if at.isOf(schemajson.KindList) {
			return false
		}
		at = at.inside(name)
	}
	return at.node != nil && at.node.Kind != schemajson.KindObject && at.class == ignored
}

// Describes reports whether a member is known.
func (k Kind) Describes(path []string) bool { return k.at(path).node != nil }

// IsObject reports whether a member is an object with members that are known.
func (k Kind) IsObject(path []string) bool {
	at := k.at(path)
	return at.isOf(schemajson.KindObject)
}

// Unhashed returns the paths of the members below an object for which [Kind.IsUnhashed] holds. A path that ends with
// .* stands for all members of a map or of free JSON.
func (k Kind) Unhashed(above []string) []string {
	at := k.at(above)
	if at.node == nil {
		return nil
	}
	return unhashedBelow(at.node, "")
}

func unhashedBelow(above *schemajson.Node, path string) (paths []string) {
	for _, f := range above.Fields {
		below := fieldpath.Join(path, f.Name)
		switch {
		case f.Type.Kind == schemajson.KindObject:
			paths = append(paths, unhashedBelow(f.Type, below)...)
		case f.Class != ignored:
		case f.Type.Kind == schemajson.KindJSON:
			paths = append(paths, below, below+".*")
		case f.Type.Kind == schemajson.KindMap:
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

// inside is the place of a member, as [place.member]. What is in a value without members, such as free JSON or behind
// a dot in the key of a map, has the place of that.
func (p place) inside(name string) place {
	isLeaf := p.node != nil && p.node.Kind != schemajson.KindObject && p.node.Elem == nil
	if isLeaf {
		return p
	}
	return p.member(name)
}

// isOf reports whether the values at the place are of a kind.
func (p place) isOf(kind string) bool { return p.node != nil && p.node.Kind == kind }
