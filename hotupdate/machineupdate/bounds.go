package machineupdate

import (
	"fmt"
	"slices"
)

// What a record may hold. The API server gives all annotations of an object together 256 KiB.
const (
	// maxAttempted is how many bytes the attempts of a record take.
	maxAttempted = 32 << 10
	// maxHotPart is how many bytes one hot part takes. 50 infrastructure tags of the largest size on each of three kinds of resources are
	// 57,600 characters.
	maxHotPart = 96 << 10
	// maxLeaves is how many leaves, such as infrastructure tags, one hot part has. Two hot parts of this size can always be attempted, as
	// digests.
	maxLeaves = 600
	// maxLastApplied is how many bytes the mirrored provider spec takes.
	maxLastApplied = 64 << 10
)

// tooLarge says why a hot part cannot be recorded.
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

// size returns the bytes that attempts take in a record.
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

// attempt adds hot parts to what was attempted. It reports false, and adds nothing, if that is more than can be kept.
//
// What is too long to be kept as it was sent is kept in a form that owns the same leaves, and differs from applied wherever an attempt
// did: first laid together in as few hot parts as possible, then as digests. Both forms begin with an attempt to remove everything, which
// makes every applied leaf differ, as the ones that they replace may have.
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

// hasAttempted reports whether the hot part was attempted. Of attempts that were laid together nobody knows: there everything counts that
// consists of their leaves. Digests of what was attempted before, or of what an attempt to remove everything precedes, are taken so.
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

// merged lays attempts together: each leaf of each of them is in one, and no other leaf.
func merged(attempted []Hot) []Hot {
	var layers []*tree
	for _, hot := range attempted {
		rest := treeOf(hot.JSON())
		for i := 0; rest != nil && rest.count() > 0; i++ {
			if rest.members == nil { // Nothing
				break
			}
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

// digested turns attempts into the digests of their leaves, sorted and without duplicates, beside those that are there.
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
