package tags

import (
	"strings"
	"unicode"
)

// identity returns what the cloud takes key for: two keys are one if and only if their identities are equal.
func (r *Rules) identity(key string) string {
	if r.IgnoresCase {
		return fold(key)
	}
	return key
}

// fold maps texts that are equal by [strings.EqualFold] to one text. It allocates only if it changes something.
func fold(s string) string { return strings.Map(foldRune, s) }

// isFolded reports whether folding changes nothing.
func isFolded(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return foldRune(r) != r })
}

// foldRune returns the representative of the runes that differ from r only in case: the small letter if ASCII has one of them, else
// the smallest.
func foldRune(r rune) rune {
	representative := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		representative = min(representative, other)
	}
	if 'A' <= representative && representative <= 'Z' {
		representative += 'a' - 'A'
	}
	return representative
}

// hasPrefixFold reports whether s begins with prefix, in any case.
func hasPrefixFold(s, prefix string) bool {
	return strings.HasPrefix(fold(s), fold(prefix))
}
