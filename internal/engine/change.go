package engine

import (
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Op is what happened to a leaf.
type Op uint8

// The operations.
const (
	OpReplace Op = iota
	OpAdd
	OpRemove
)

// Origin says where the class of a change comes from.
type Origin uint8

// The origins.
const (
	OriginDefault   Origin = iota // no struct tag anywhere above
	OriginStructTag               // the field's own
	OriginInherited               // the struct tag or override of a field above
	OriginOverride                // an override of this field
	OriginHotWhen                 // the element's selector
	OriginUnknown                 // the plan does not know the member
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
