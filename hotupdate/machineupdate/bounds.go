package machineupdate

import (
	"fmt"
	"slices"
)

// What a record may hold. All annotations of an object together may have 256 KiB.
const (
	maxAttempted   = 32 << 10 // bytes of the attempts
	maxHotPart     = 96 << 10 // bytes of a hot part; 50 infrastructure tags of the largest size on three kinds are 57,600 characters
	maxLeaves      = 600      // leaves of a hot part, such as infrastructure tags; two such hot parts can always be attempted, as digests
	maxLastApplied = 64 << 10 // bytes of the mirrored provider spec
)

// tooLarge says why a hot part cannot be recorded; empty if it can.
func tooLarge(hot Hot) string {
	if len(hot) > maxHotPart {
		return fmt.Sprintf("has a hot part of %d bytes, more than %d", len(hot), maxHotPart)
	}
	const leastLeaf = len(`"":1,`)
	if len(hot) < leastLeaf*maxLeaves {
		return ""
	}
	if n := treeOf(hot.JSON()).count(); n > maxLeaves {
		return fmt.Sprintf("has %d hot leaves, more than %d", n, maxLeaves)
	}
	return ""
}

// size returns how many bytes attempts take in a record.
func size(attempted []Hot, attempts []Digest) int {
	n := len(attempts) * (digestLength + len(`"",`))
	for _, hot := range attempted {
		n += len(hot) + len(",")
		if hot == Nothing {
			n += len("null") - len(Nothing)
		}
	}
	return n
}

// attempt adds hot parts to the attempts. If the record cannot hold them it adds nothing and reports false.
//
// Attempts that are too long are merged into as few hot parts as possible, and if these are too long, replaced by digests. Both forms own the
// same leaves as the attempts. Both begin with an attempt to remove everything: it makes every applied leaf contested, as the attempts
// may have made it.
func (r *record) attempt(hots ...Hot) bool {
	attempted := slices.Clone(r.Attempted)
	for _, hot := range hots {
		if hot != "" && !slices.Contains(attempted, hot) {
			attempted = append(attempted, hot)
		}
	}
	digests := r.Attempts
	if size(attempted, digests) > maxAttempted {
		attempted = merged(attempted)
	}
	if size(attempted, digests) > maxAttempted {
		attempted, digests = digested(attempted, digests)
	}
	if size(attempted, digests) > maxAttempted {
		return false
	}
	r.Attempted, r.Attempts = attempted, digests
	return true
}

// hasAttempted reports whether the hot part was attempted. Merged attempts and digests lose the boundaries of attempts, so any combination of
// their leaves counts as attempted. They are known by the attempt to remove everything that precedes them.
func (r *record) hasAttempted(hot Hot) bool {
	if slices.Contains(r.Attempted, hot) {
		return true
	}
	if len(r.Attempted) == 0 || r.Attempted[0] != Nothing {
		return false
	}
	_, known := digested(r.Attempted, r.Attempts)
	return treeOf(hot.JSON()).leaves("", func(pointer, value string) bool {
		_, ok := slices.BinarySearchFunc(known, digestOf(pointer, value), Digest.compare)
		return ok
	})
}

// merged merges attempts into fewer hot parts, which together have the same leaves.
func merged(attempted []Hot) []Hot {
	var layers []*tree
	for _, hot := range attempted {
		rest := treeOf(hot.JSON())
		for i := 0; rest != nil && rest.members != nil && rest.count() > 0; i++ { // Nothing has no members
			if i == len(layers) {
				layers = append(layers, &tree{members: map[string]*tree{}})
			}
			rest = layers[i].add(rest)
		}
	}
	hots := []Hot{Nothing}
	for _, layer := range layers {
		hots = append(hots, Hot(layer.appendTo(nil)))
	}
	return hots
}

// digested adds the digests of the attempts' leaves to those of earlier ones, sorted and without duplicates.
func digested(attempted []Hot, attempts []Digest) ([]Hot, []Digest) {
	digests := slices.Clone(attempts)
	for _, hot := range attempted {
		if hot == Nothing {
			continue
		}
		treeOf(hot.JSON()).leaves("", func(pointer, value string) bool {
			digests = append(digests, digestOf(pointer, value))
			return true
		})
	}
	slices.SortFunc(digests, Digest.compare)
	return []Hot{Nothing}, slices.Compact(digests)
}
