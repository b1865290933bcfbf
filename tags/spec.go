package tags

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// spec has infrastructure tags by identity: keys that the cloud takes for the same key have one
// identity. The first spelling in the list represents the key: the identity itself if it occurs,
// else the smallest spelling.
type spec map[string][]Tag

func (r *Rules) spec(tags map[string]string) spec {
	s := make(spec, len(tags))
	for key, value := range tags {
		id := r.identity(key)
		s[id] = append(s[id], Tag{Key: key, Value: value})
	}
	for id, spellings := range s {
		slices.SortFunc(spellings, func(a, b Tag) int {
			return cmp.Or(rankOf(a.Key, id)-rankOf(b.Key, id), strings.Compare(a.Key, b.Key))
		})
	}
	return s
}

// rankOf puts the identity before the other spellings.
func rankOf(key, id string) int {
	if key == id {
		return 0
	}
	return 1
}

// identity returns the identity of a key: the cloud takes two keys for the same key if and only if
// their identities are equal.
func (r *Rules) identity(key string) string {
	if r.IgnoresCase {
		return fold(key)
	}
	return key
}

// value returns the value that counts: none where keys have no values.
func (r *Rules) value(value string) string {
	if r.KeysOnly {
		return ""
	}
	return value
}

// fold maps texts that are equal by [strings.EqualFold] to one text.
func fold(s string) string { return strings.Map(foldRune, s) }

// foldRune returns the representative of the runes that differ from r only in case: the lower-case
// ASCII letter if there is one, else the smallest rune.
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
