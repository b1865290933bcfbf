// Package compare lists how two configurations differ, leaf by leaf.
//
// It owns the pairing of two values and what becomes a change. Equal means equal in meaning: two leaves with one canonical text, two
// values that are both absent. It must not know update strategies or how changes are shown.
package compare

import (
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Op is what happened to a leaf.
type Op uint8

// The operations.
const (
	Replace Op = iota
	Add
	Remove
)

// Origin says where the class of a change comes from.
type Origin uint8

// The origins.
const (
	Default   Origin = iota // no struct tag anywhere above
	StructTag               // the field's own
	Inherited               // the struct tag or override of a field above
	Override                // an override of this field
	HotWhen                 // the element's selector
	Unknown                 // the plan does not know the member
)

// Change is one difference.
type Change struct {
	Path      fieldpath.Path
	Op        Op
	Class     structtag.Class
	Origin    Origin
	Source    string // Go field or override that declares the class; empty for Default
	Old, New  string // canonical text; empty where absent or hidden
	Sensitive bool
	Omitted   bool // a field that one side leaves to a default that is not declared
}
