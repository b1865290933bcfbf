package record

// What the tests know of the bounds.
const (
	MaxHotPart = maxHotPart
	MaxLeaf    = maxEntries / 3
	MaxEntries = maxEntries
	MaxWritten = maxWritten
	MaxRecord  = maxRecord
)

// Cost is what an entry of the leaf takes of the bound.
func Cost(pointer, value string) int { return leaf{place{pointer: pointer}, value}.cost() }

// EntriesCost is what the entries of a kind take of the bound, without frozen ones.
func (r *Record) EntriesCost(kind string, t *Target) int {
	hot, _ := r.of(kind).entries.frozen(t.isHot)
	return hot.cost()
}

// New returns the record of a VM of which nothing is known.
func New(providerID string) Record { return Record{Header: Header{ProviderID: providerID}} }
