package record

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Limits are limits of a record in bytes.
type Limits struct {
	HotPart int // a hot part
	// of the entries of one content; a leaf with its pointer may take a third: its applied, former
	// and new value have to fit
	Entries int
	Record  int // of a record to which something is added
}

// All annotations of an object together may have 256 KiB.
const (
	maxHotPart = 64 << 10  // 50 infrastructure tags of maximal size on three kinds are 57,600 characters
	maxEntries = 32 << 10  // of one content
	maxWritten = 240 << 10 // of all lanes' records
	maxRecord  = 256 << 10 // of a record to read

	// MaxLanes is the number of lanes that a machine may have besides the first. The first lane's
	// record keeps room for a hot part of maximal size with its entries.
	MaxLanes = 8
)

// LimitsOf returns the limits of the first lane's record beside this number of other lanes, and
// the limits of each other lane.
func LimitsOf(others int) (first, other Limits) {
	other = Limits{HotPart: 3 << 10, Entries: 9 << 10, Record: 16 << 10}
	return Limits{maxHotPart, maxEntries, maxWritten - others*other.Record}, other
}

// nothing is the hot part without leaves.
const nothing = "{}"

// IsHot reports whether a leaf at an RFC 6901 pointer is Hot, and can be read. The text is the JSON at the
// pointer: an empty object, a list or a scalar. Of a list of scalars it has one element. It is empty if
// nothing is there.
type IsHot func(pointer, text string) bool

// Target is the wanted part of a class, computed once for all of its machines. It is immutable.
type Target struct {
	hot    string // canonical JSON
	schema string // identifies the Schema and the driver; a change causes one pass
	kinds  []string
	isHot  IsHot
	limits Limits

	wanted string // digest of hot
	leaves leaves
}

// NewTarget returns the target with a hot part in canonical JSON, for a driver that covers the
// kinds, in any order.
func NewTarget(hot, schema string, kinds []string, isHot IsHot, limits Limits) *Target {
	kinds = slices.Clone(kinds)
	for i, kind := range kinds {
		kinds[i] = strings.ToValidUTF8(kind, replacement) // as written in records
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	sum := sha256.Sum256([]byte(hot))
	wanted := base64.RawURLEncoding.EncodeToString(sum[:16])
	return &Target{
		hot: hot, schema: schema, kinds: kinds, isHot: isHot, limits: limits, wanted: wanted, leaves: leavesOf(hot),
	}
}

// Hot returns the hot part.
func (t *Target) Hot() string { return t.hot }

// TooLarge says why a record cannot hold the hot part; empty if it can.
func (t *Target) TooLarge() string {
	if len(t.hot) > t.limits.HotPart {
		return fmt.Sprintf("has a hot part of %d bytes, more than %d", len(t.hot), t.limits.HotPart)
	}
	maxLeaf := t.limits.Entries / 3
	for _, l := range t.leaves.sorted() {
		if n := l.cost(); n > maxLeaf {
			return fmt.Sprintf("has a hot leaf of %d bytes with its path, more than %d", n, maxLeaf)
		}
	}
	return ""
}

// Wants reports whether a record of this header was written for the target.
func (t *Target) Wants(h *Header) (sameHot, sameSchema bool) {
	sameHot = strings.TrimPrefix(h.Wanted, full) == t.wanted
	sameSchema = h.Schema == t.schema
	return sameHot, sameSchema
}
