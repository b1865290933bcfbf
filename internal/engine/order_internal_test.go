package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTextsThatBeginAlike: an admission webhook sorts texts of strangers. Sorting texts of which each begins with the
// one before must not cost more than sorting others. Without a bound, a thousand texts took half a million comparisons,
// each as long as the text.
func TestTextsThatBeginAlike(t *testing.T) {
	const n = 1000
	var texts []string
	for i := range n {
		texts = append(texts, strings.Repeat("a", (i*7919)%n)) // in disorder
	}
	entries := make([]entry, n)
	for i := range entries {
		entries[i].at = i
	}
	r := start()
	looks := 0
	r.sortByText(entries, 0, maxDeals, func(at int) string {
		looks++
		return texts[at]
	})
	r.end()
	assert.True(t, slices.IsSortedFunc(entries, func(a, b entry) int { return strings.Compare(texts[a.at], texts[b.at]) }))
	assert.Less(t, looks, 50*n)
}
