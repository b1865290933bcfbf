package structtag

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

const key = "hotupdatable"

// related are English words that are easily taken for the key.
var related = []string{"updatable", "updateable", "hotupdate"}

// isLikeKey reports whether a word is the key, at most two typing errors away from it, or related.
func isLikeKey(word string) bool {
	return slices.Contains(related, fold(word)) || fieldpath.Differences(fold(word), key) <= 2
}

// fold removes what people spell differently: case, underscores, hyphens and spaces.
func fold(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}
