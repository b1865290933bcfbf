package record

// Access of the tests to the bounds.
const (
	MaxHotPart = maxHotPart
	MaxLeaf    = maxEntries / 3
	MaxEntries = maxEntries
	MaxWritten = maxWritten
	MaxRecord  = maxRecord
)

// Cost returns the size of the leaf's entry in the bound.
func Cost(pointer, value string) int { return leaf{place{pointer: pointer}, value}.cost() }

// EntriesCost returns the size of a kind's entries in the bound, without frozen ones.
func (r *Record) EntriesCost(kind string, t *Target) int {
	hot, _ := r.of(kind).entries.frozen(t.isHot)
	return hot.cost()
}

// New returns the record of an unknown VM.
func New(providerID string) Record { return Record{Header: Header{ProviderID: providerID}} }
