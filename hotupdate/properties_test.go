package hotupdate_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestTypesCompile: every type that the rules allow has a Schema.
func TestTypesCompile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { newTypeGenerator(t).subject() })
}

// TestDocumentSaysWhatTheDesignSays: the canonical document is what the oracle projects, byte for byte, the order of lists included.
func TestDocumentSaysWhatTheDesignSays(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		require.Equal(t, canonical(hashView.document(s.root, config)), s.document(t, config), "%s", s.describe(config))
	})
}

// TestEqualHashEqualDocumentEqualMeaning: two configurations have the same hash exactly if they have the same document, if
// the oracle sees no difference, and if Diff lists no Immutable and no InPlace change.
func TestEqualHashEqualDocumentEqualMeaning(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		want := reflect.DeepEqual(hashView.document(s.root, a), hashView.document(s.root, b))
		require.Equal(t, want, s.document(t, a) == s.document(t, b), "document: %s", s.describe(a, b))
		require.Equal(t, want, s.hash(t, a) == s.hash(t, b), "hash: %s", s.describe(a, b))
		changes := s.diff(t, a, b)
		kept := len(changes.Of(hotupdate.Immutable)) + len(changes.Of(hotupdate.InPlace))
		require.Equal(t, want, kept == 0, "diff: %v\n%s", changes, s.describe(a, b))
	})
}

// TestDiffIsAsStrictAsTheDifference: for each class, Diff lists a change of this class or a stricter one exactly if the
// oracle's view of these classes differs.
func TestDiffIsAsStrictAsTheDifference(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		changes := s.diff(t, a, b)
		for _, w := range []view{immutableView, hashView, hotView, fullView} {
			want := !reflect.DeepEqual(w.document(s.root, a), w.document(s.root, b))
			got := slices.ContainsFunc(changes, func(c hotupdate.Change) bool { return w.sees(c.Class) })
			require.Equal(t, want, got, "view %v: %v\n%s", hotupdate.Class(w), changes, s.describe(a, b))
		}
	})
}

// TestHotChangesKeepTheHash: Hot and Ignored fields may be added, removed and changed, and the rest spelled otherwise,
// below all kinds of parents, without another hash.
func TestHotChangesKeepTheHash(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a := s.draw(t)
		b := respelled(t, hashView, s.root, a)
		require.Equal(t, s.document(t, a), s.document(t, b), "%s", s.describe(a, b))
		require.Equal(t, s.hash(t, a), s.hash(t, b))
	})
}

// TestOnlyHotPartsHashLikeNothing: a configuration with only Hot and Ignored parts has the hash of an absent one.
func TestOnlyHotPartsHashLikeNothing(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		nothing := reflect.Zero(reflect.PointerTo(s.root.typ))
		config := respelled(t, hashView, s.root, reflect.New(s.root.typ))
		require.Equal(t, "{}", s.document(t, config), "%s", s.describe(config))
		require.Equal(t, s.hash(t, nothing), s.hash(t, config))
		sum, err := s.schema.Hash(nil)
		require.NoError(t, err)
		require.Equal(t, sum, s.hash(t, config))
	})
}

// TestOneKeptLeafChangesTheHash: another meaning of a single Immutable or InPlace leaf always gives another hash.
func TestOneKeptLeafChangesTheHash(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a := s.draw(t)
		b := respelled(t, fullView, s.root, a)
		if changed := s.changeOneLeaf(t, b); changed != "" {
			require.NotEqual(t, s.hash(t, a), s.hash(t, b), "changed %s in %s", changed, s.describe(a, b))
		}
	})
}

// TestLargeConfigurationsHashLikeTheirDocument: the hash of a configuration that is written in many pieces is that of its document.
func TestLargeConfigurationsHashLikeTheirDocument(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		inflate(s.root, config.Elem())
		s.hash(t, config)
	})
}

// inflate makes lists and texts long, in an addressable value.
func inflate(p modelNode, v reflect.Value) {
	if v = behind(v); !v.IsValid() {
		return
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			if field := m.of(v); field.IsValid() && m.fallback == nil {
				inflate(m, field)
			}
		}
	case listShape:
		for i := range v.Len() {
			inflate(p.elem(), v.Index(i))
		}
		if long := reflect.MakeSlice(v.Type(), 0, 0); p.key == "" && v.Len() > 0 && p.depth < usualDepth {
			for range 10 {
				long = reflect.AppendSlice(long, v)
			}
			v.Set(long)
		}
	case leafShape:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(strings.Repeat(v.String(), 400))
		}
	case arrayShape, mapShape:
	}
}

// changeOneLeaf gives one leaf another meaning, in place, and returns its path. It returns nothing if there is no leaf to change.
func (s subject) changeOneLeaf(t *rapid.T, config reflect.Value) string {
	var leaves []hashedLeaf
	collectHashedLeaves(&leaves, s.root, config.Elem(), func() {})
	if len(leaves) == 0 {
		return ""
	}
	chosen := among(t, leaves...)
	before := chosen.meaning()
	for range 10 {
		chosen.value.Set(valueGenerator{t, blind}.value(chosen.place))
		chosen.commit()
		_, err := s.schema.Hash(config.Interface())
		if err == nil && !reflect.DeepEqual(before, chosen.meaning()) {
			return chosen.place.path
		}
	}
	return ""
}

// hashedLeaf is a leaf in a value that is in the hash.
type hashedLeaf struct {
	place  modelNode
	value  reflect.Value // addressable
	commit func()        // to be called after a change, since elements of maps are copies
}

// meaning returns the meaning of the leaf: as a member it may be absent, as an element it is always present.
func (s hashedLeaf) meaning() [2]any {
	if s.place.name != "" {
		tree, there := hashView.member(s.place, s.value)
		return [2]any{tree, there}
	}
	if v := behind(s.value); v.IsValid() {
		return [2]any{s.place.leafTree(v), true}
	}
	return [2]any{nil, true}
}

// isTextKey reports whether a member is the key of a list, and a pointer to a text: nil and empty texts are one key.
func (p modelNode) isTextKey(list modelNode) bool {
	isKey := p.path == step(list.elem().path, list.key)
	return isKey && p.typ.Kind() == reflect.Pointer && base(p.typ).Kind() == reflect.String
}

// collectHashedLeaves finds the leaves below an addressable value.
func collectHashedLeaves(leaves *[]hashedLeaf, p modelNode, v reflect.Value, commit func()) {
	if p.shape() == leafShape {
		if hashView.sees(p.class) {
			*leaves = append(*leaves, hashedLeaf{p, v, commit})
		}
		return
	}
	if v = behind(v); !v.IsValid() {
		return
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			if field := m.of(v); field.IsValid() {
				collectHashedLeaves(leaves, m, field, commit)
			}
		}
	case listShape, arrayShape:
		if p.set && len(hashView.list(p, v)) < v.Len() {
			return // changing one of two equal elements need not change the set
		}
		for i := range v.Len() {
			collectHashedLeaves(leaves, p.elemOf(v.Index(i)), v.Index(i), commit)
		}
		*leaves = slices.DeleteFunc(*leaves, func(s hashedLeaf) bool { return p.key != "" && s.place.isTextKey(p) })
	case mapShape:
		for _, key := range sortedKeys(v) {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			collectHashedLeaves(leaves, p.entryOf(key, elem), elem, func() {
				v.SetMapIndex(key, elem)
				commit()
			})
		}
	case leafShape:
	}
}
