package judge

// Key says whether the name that Gardener's own code gives to a pool stays the same, regardless of
// the extension's part of it.
type Key uint8

// The keys. The zero value means that the pool has no name, or that its key depends on a fact
// that is not known.
const (
	KeyOpen Key = iota
	KeyStays
	KeyChanges
)

// key compares the keys of both sides.
func (p *pair) key() (Key, error) {
	if p.updated.IsBare() || p.old.Worker.Name != p.updated.Worker.Name {
		return KeyOpen, nil
	}
	before, err := p.old.GardenerKey()
	if err != nil {
		return KeyOpen, err
	}
	after, err := p.updated.GardenerKey()
	if err != nil {
		return KeyOpen, err
	}
	if before == after {
		return KeyStays, nil
	}
	return KeyChanges, nil
}
