package tags

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// spec is a map of infrastructure tags that is looked up by identity: keys that the cloud takes for
// the same key have one identity.
//
// The map is the caller's. An index holds the keys that are not their own identity. Where case
// counts, or where no key has capitals, there is no index and no allocation.
type spec struct {
	tags     map[string]string
	variants []variant // sorted by identity, then by key
}

// variant is a key that is not its own identity.
type variant struct{ id, key string }

func (r *Rules) spec(tags map[string]string) spec {
	s := spec{tags: tags}
	if !r.IgnoresCase {
		return s
	}
	for key := range tags {
		if isFolded(key) {
			continue
		}
		if s.variants == nil {
			s.variants = make([]variant, 0, len(tags))
		}
		s.variants = append(s.variants, variant{id: fold(key), key: key})
	}
	slices.SortFunc(s.variants,
		func(a, b variant) int { return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.key, b.key)) })
	return s
}

// key returns the spelling that represents an identity: the identity itself, else the smallest
// spelling. It reports whether there is one.
func (s *spec) key(id string) (string, bool) {
	for tag := range s.spellings(id) {
		return tag.Key, true
	}
	return id, false
}

func (s *spec) has(id string) bool {
	_, ok := s.key(id)
	return ok
}

func (s *spec) count(id string) int {
	n := 0
	for range s.spellings(id) {
		n++
	}
	return n
}

func (s *spec) all(yield func(id, key string) bool) {
	for key := range s.tags {
		if (len(s.variants) == 0 || isFolded(key)) && !yield(key, key) {
			return
		}
	}
	for _, v := range s.variants {
		if !yield(v.id, v.key) {
			return
		}
	}
}

// ids yields every identity once, with the spelling that represents it.
func (s *spec) ids(yield func(id, key string) bool) {
	if len(s.variants) == 0 {
		s.all(yield)
		return
	}
	s.all(func(id, key string) bool {
		stands, _ := s.key(id)
		return stands != key || yield(id, key)
	})
}

// spellings yields every infrastructure tag whose key has the identity, the identity itself first.
func (s *spec) spellings(id string) iter.Seq[Tag] {
	return func(yield func(Tag) bool) {
		if value, ok := s.tags[id]; ok && !yield(Tag{Key: id, Value: value}) {
			return
		}
		first, _ := slices.BinarySearchFunc(s.variants, id,
			func(v variant, id string) int { return strings.Compare(v.id, id) })
		for _, v := range s.variants[first:] {
			if v.id != id || !yield(Tag{Key: v.key, Value: s.tags[v.key]}) {
				return
			}
		}
	}
}

// identity returns the identity of a key: the cloud takes two keys for the same key if and only if
// their identities are equal.
func (r *Rules) identity(key string) string {
	if r.IgnoresCase {
		return fold(key)
	}
	return key
}

// fold maps texts that are equal by [strings.EqualFold] to one text. It allocates only if it
// changes something.
func fold(s string) string { return strings.Map(foldRune, s) }

func isFolded(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return foldRune(r) != r })
}

// foldRune returns the representative of the runes that differ from r only in case: the lower-case
// ASCII letter if there is one, else the smallest rune.
func foldRune(r rune) rune {
	if r <= unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	representative := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		representative = min(representative, other)
	}
	if 'A' <= representative && representative <= 'Z' {
		representative += 'a' - 'A'
	}
	return representative
}
