package hotupdate

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// Op is what happened to a value, in JSON Patch's words.
type Op string

// The operations.
const (
	OpReplace Op = "replace"
	OpAdd     Op = "add"
	OpRemove  Op = "remove"
)

// Change is one difference between two configurations.
type Change struct {
	// Path names the leaf for people: tags.vm[cost-center], dataVolumes[name=kubelet-dir].iops.
	// Sensitive keys read (sensitive). If several elements of a list have the same key, the second
	// one is dataVolumes[name=kubelet-dir]#2. The numbers follow the order of hashing, which may
	// differ from the positions in Pointer.
	Path string
	// Pointer is the RFC 6901 pointer of the leaf in the new configuration, or in the old one for a
	// removal. It stops before a sensitive key.
	Pointer string
	// Op is what happened to the leaf.
	Op Op
	// Class is the class of the leaf, the stricter one if the sides disagree.
	Class Class
	// Origin says where the class comes from:
	//
	//	default         no struct tag at the field or above: Immutable
	//	struct tag      the field's own struct tag
	//	inherited       the struct tag or override of a field above
	//	override        an override of the field, see [WithTag]
	//	hotwhen         the element's own selector, see the option hotwhen
	//	unknown member  the Schema does not know the member, see [Schema.AdmitUnknown]
	Origin string
	// Source names the Go field, the override or the rule of a CRD that declares the class, if any.
	// The override of a sensitive key reads labels[(sensitive)].
	Source string
	// Old and New are the leaf's canonical JSON, empty where the leaf is absent. Both are empty if
	// the leaf is Sensitive.
	Old, New string
	// Sensitive says that the values must not be shown. The Change does not hold them.
	Sensitive bool
	// Omitted says that one side omits the field and the Schema declares no default for it. If one
	// side may have been defaulted, like an object that was read from a cluster, then both sides
	// may mean the same.
	Omitted bool
}

func publicChange(c engine.Difference) Change {
	return Change{
		Path: c.Path.String(), Pointer: c.Path.Pointer(), Op: Op(c.Op), Class: Class(c.Class),
		Origin: string(c.Origin), Source: c.Source, Old: c.Old, New: c.New, Sensitive: c.Sensitive, Omitted: c.Omitted,
	}
}

// Changes are the differences between two configurations in the order of their paths: members by
// name, elements by key, value or position.
type Changes []Change

// Strictest returns the strictest class among the changes. It is false if there are none.
func (c Changes) Strictest() (Class, bool) {
	if len(c) == 0 {
		return Ignored, false
	}
	return slices.MinFunc(c, func(a, b Change) int { return int(a.Class) - int(b.Class) }).Class, true
}

// Of returns the changes of one class.
func (c Changes) Of(class Class) Changes {
	return c.only(func(change Change) bool { return change.Class == class })
}

func (c Changes) only(holds func(Change) bool) Changes {
	return slices.DeleteFunc(slices.Clone(c), func(change Change) bool { return !holds(change) })
}
