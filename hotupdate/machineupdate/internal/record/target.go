package record

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// What a record may hold. All annotations of an object together may have 256 KiB.
const (
	maxHotPart = 64 << 10       // bytes of a hot part; 50 infrastructure tags of the largest size on three kinds are 57,600 characters
	maxLeaf    = maxEntries / 3 // bytes of a leaf with its pointer: the bound always holds what is applied, what was before, and what is new
	maxEntries = 32 << 10       // bytes of the entries of one content
	maxWritten = 240 << 10      // bytes of a record to which something is added
	maxRecord  = 256 << 10      // bytes of a record that is read
)

// nothing is the hot part without leaves.
const nothing = "{}"

// IsHot reports whether a leaf at an RFC 6901 pointer is Hot. The shape is the first byte of the JSON that stands there: '{' of an empty
// object, '[' of a list, another of a scalar, and 0 if nothing does.
type IsHot func(pointer string, shape byte) bool

// Target is what the machines of a class should have, computed once for all of them. It is immutable.
type Target struct {
	hot    string // canonical JSON
	schema string // what is Hot and what the driver applies; a change means one pass
	kinds  []string
	isHot  IsHot
	bound  int

	wanted string // digest of hot
	leaves leaves
}

// NewTarget returns the target with a hot part in canonical JSON, for a driver that covers the kinds, in any order. The bound is how many bytes
// entries may take; zero is what records have.
func NewTarget(hot, schema string, kinds []string, isHot IsHot, bound int) *Target {
	if bound == 0 {
		bound = maxEntries
	}
	kinds = slices.Clone(kinds)
	for i, kind := range kinds {
		kinds[i] = strings.ToValidUTF8(kind, replacement) // as it is written
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	sum := sha256.Sum256([]byte(hot))
	wanted := base64.RawURLEncoding.EncodeToString(sum[:16])
	return &Target{hot: hot, schema: schema, kinds: kinds, isHot: isHot, bound: bound, wanted: wanted, leaves: leavesOf(hot)}
}

// Hot returns the hot part.
func (t *Target) Hot() string { return t.hot }

// TooLarge says why a record cannot hold the hot part; empty if it can.
func (t *Target) TooLarge() string {
	if len(t.hot) > maxHotPart {
		return fmt.Sprintf("has a hot part of %d bytes, more than %d", len(t.hot), maxHotPart)
	}
	for _, l := range t.leaves.sorted() {
		if n := l.cost(); n > maxLeaf {
			return fmt.Sprintf("has a hot leaf of %d bytes with its path, more than %d", n, maxLeaf)
		}
	}
	return ""
}

// Wants reports whether a record of this header was written for the target.
func (t *Target) Wants(h *Header) (sameHot, sameSchema bool) {
	return h.Wanted == t.wanted, h.Schema == t.schema
}
