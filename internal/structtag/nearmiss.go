package structtag

import "strings"

// likeness says how much a word looks like the key.
type likeness uint8

const (
	unlike  likeness = iota
	related          // an English word that is easily taken for the key
	alike            // the key itself, or at most two typing errors away
)

// liken compares without regard to case, underscores and hyphens.
func liken(word string) likeness {
	switch folded := fold(word); {
	case folded == "updatable", folded == "updateable", folded == "hotupdate":
		return related
	case similar([]rune(folded), []rune(key), 2):
		return alike
	}
	return unlike
}

func fold(word string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(word))
}

// nearest returns the candidate that is one typing error away, or two if it is long; "" if there is none.
func nearest(word string, candidates []string) string {
	folded := []rune(fold(word))
	for limit := range 3 {
		for _, c := range candidates {
			if limit <= (len(c)+1)/3 && similar(folded, []rune(c), limit) {
				return c
			}
		}
	}
	return ""
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
