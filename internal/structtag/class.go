// Package structtag reads one hotupdatable struct tag.
//
// It is a pure function from the text of a struct tag to a [Tag] or to problems. It knows the grammar and the near-misses; it must
// not know types, caches, plans or values. Whether an option suits the field's type is decided where types are known, in fieldplan.
package structtag

// Class says what happens to machines when a field changes. A smaller class is stricter; the zero value is the strictest.
type Class uint8

const (
	Immutable Class = iota // machines are replaced
	InPlace                // machines are drained and updated in place (GEP-31)
	Hot                    // the running machine is updated
	Ignored                // no machine is concerned
)
