package hotupdate

import "github.com/hotupdate/providerconfig/internal/structtag"

// Class says what happens to machines when a field changes. A smaller class is stricter, and the
// zero value is the strictest.
type Class uint8

// The classes, with the words that stand for them in a struct tag. The numbers equal those of
// package structtag.
const (
	// Immutable fields need replacement: a change rolls the machines. It is the default. Struct
	// tag: false.
	Immutable Class = 0
	// InPlace fields are applied by a drained in-place update of the node (GEP-31), and need
	// replacement in pools that roll. Struct tag: inplace.
	InPlace Class = 1
	// Hot fields are applied to the running machine. Struct tag: true.
	Hot Class = 2
	// Ignored fields concern no machine, such as hints for the autoscaler: they are neither hashed
	// nor applied. Struct tag: ignore.
	Ignored Class = 3
)

// String returns the class in words: immutable, in-place, hot or ignored.
func (c Class) String() string { return structtag.Class(c).String() }
