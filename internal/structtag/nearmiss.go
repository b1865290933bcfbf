package structtag

import (
	"slices"
	"strings"
)

const key = "hotupdatable"

// related are English words that are easily taken for the key.
var related = []string{"updatable", "updateable", "hotupdate"}

// isLikeKey reports whether a word is the key, at most two typing errors away from it, or related.
func isLikeKey(word string) bool {
	return slices.Contains(related, fold(word)) || similar([]rune(fold(word)), []rune(key), 2)
}

// fold removes what people spell differently: case, underscores, hyphens and spaces.
func fold(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}

// similar reports whether at most limit insertions, deletions, replacements and swaps of neighbours turn one word into the other.
func similar(a, b []rune, limit int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 || len(b) == 0 || limit == 0 {
		return len(a)+len(b) <= limit
	}
	swapped := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	return similar(a[1:], b[1:], limit-1) || similar(a[1:], b, limit-1) || similar(a, b[1:], limit-1) || swapped && similar(a[2:], b[2:], limit-1)
}
