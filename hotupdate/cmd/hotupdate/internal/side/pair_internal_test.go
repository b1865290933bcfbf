package side

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// sideOf makes manifests from words such as Shoot:ns/name. Each takes ten lines.
func sideOf(file, words string) (side []*object) {
	for i, word := range strings.Fields(words) {
		kind, full, _ := strings.Cut(word, ":")
		namespace, name, _ := strings.Cut(full, "/")
		from := manifests.Place{File: file, Line: 10*i + 1, Number: i + 1, Item: -1}.String()
		side = append(side, &object{From: from, Type: facts.TypeMeta{Kind: kind}, Namespace: namespace, Name: name})
	}
	return side
}

// shown writes pairs as old=new.
func shown(pairs []pair) string {
	word := func(m *object) string {
		if m == nil {
			return "-"
		}
		return m.Type.Kind + ":" + m.Namespace + "/" + m.Name
	}
	var words []string
	for _, p := range pairs {
		words = append(words, word(p.old)+"="+word(p.updated))
	}
	return strings.Join(words, " ")
}

func TestPairUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, old, updated string
		anyName            bool
		want, err          string
		reason             string
	}{
		{"one", "Shoot:ns/a", "Shoot:ns/a", false, "Shoot:ns/a=Shoot:ns/a", "", "the same object"},
		{
			"order", "Shoot:n/c Shoot:n/a Shoot:n/b", "Shoot:n/b Shoot:n/a", false, "Shoot:n/b=Shoot:n/b Shoot:n/a=Shoot:n/a Shoot:n/c=-",
			"", "that of the new side, then what is gone",
		},
		{"new", "", "Shoot:n/a", false, "-=Shoot:n/a", "", "nothing was there before"},
		{"gone", "Shoot:n/a", "", false, "Shoot:n/a=-", "", "nothing is there any more"},
		{
			"one name in two namespaces", "Shoot:n/a Shoot:m/a", "Shoot:m/a Shoot:n/a", false, "Shoot:m/a=Shoot:m/a Shoot:n/a=Shoot:n/a",
			"", "the namespace tells them apart",
		},
		{
			"one name of two kinds", "Shoot:n/a Worker:n/a", "Worker:n/a Shoot:n/a", false, "Worker:n/a=Worker:n/a Shoot:n/a=Shoot:n/a", "",
			"the kind tells them apart",
		},
		{"no namespace", "Shoot:n/a", "Shoot:/a", false, "Shoot:n/a=Shoot:/a", "", "a user leaves it to kubectl, a cluster has it"},
		{
			"no namespace, two candidates", "Shoot:n/a Shoot:m/a Shoot:n/b", "Shoot:/a Shoot:n/b", false, "",
			`old: Shoot n/a is not judged: it may be Shoot a in new, or another one; write the namespaces and names
old:11, document 2: Shoot m/a is not judged: it may be Shoot a in new, or another one; write the namespaces and names
new: Shoot a is not judged: it may be Shoot n/a in old, or another one; write the namespaces and names`, "nobody knows which",
		},
		{"no name", "Shoot:/", "Shoot:n/a", false, "Shoot:/=Shoot:n/a", "", "a fragment"},
		{
			"exact before missing", "Shoot:n/a Shoot:/a", "Shoot:/a Shoot:n/a", false, "Shoot:/a=Shoot:/a Shoot:n/a=Shoot:n/a", "",
			"a missing namespace takes nothing away",
		},
		{"configs", "WorkerConfig:/", "WorkerConfig:/", false, "WorkerConfig:/=WorkerConfig:/", "", "they have no names"},
		{
			"strangers", "Shoot:n/a", "Shoot:n/b", false, "",
			"new: is Shoot n/b, and old is Shoot n/a; compare one object with itself, or give --any-name",
			"two files that have nothing to do with each other",
		},
		{"strangers on purpose", "Shoot:n/a", "Shoot:n/b", true, "Shoot:n/a=Shoot:n/b", "", "a copy"},
		{
			"strangers on purpose, two of them", "Shoot:n/a Shoot:n/x", "Shoot:n/b", true, "",
			"new: is Shoot n/b, and old is Shoot n/a; compare one object with itself, or give --any-name", "nobody knows which",
		},
		{
			"other kind", "Worker:n/a", "Shoot:n/a", true, "", "new: is of another kind than old; compare manifests of one kind",
			"they cannot be compared",
		},
		{
			"twice", "Shoot:n/a", "Shoot:n/a Shoot:n/b Shoot:n/a", false, "",
			"new:21, document 3: is Shoot n/a, and so is new; leave out one of them", "which one is applied last decides",
		},
		{
			"two configs", "WorkerConfig:/ WorkerConfig:/", "WorkerConfig:/", false, "",
			"old:11, document 2: is WorkerConfig, and so is old; leave out one of them", "they cannot be told apart",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			old := sideOf("old", test.old)
			updated := sideOf("new", test.updated)
			pairs := pairUp(old, updated, test.anyName)
			withholdAmbiguous(pairs)
			err := joined(notJudged(&objects{list: old}, &objects{list: updated}))
			if err == nil {
				err = checkRelated(pairs)
			}
			if test.err != "" {
				assert.EqualError(t, err, test.err, test.reason)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, shown(pairs), test.reason)
		})
	}
}

// TestPairsAreComplete: whatever the sides hold, each manifest is in exactly one Pair, and one with
// its twin if it has one.
func TestPairsAreComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"Shoot:n/a", "Shoot:/a", "Shoot:n/", "Shoot:/", "Shoot:m/a", "Shoot:n/b", "Worker:n/a", "Worker:/a", "WorkerConfig:/",
		}), 0, 6, rapid.ID[string])
		old := sideOf("old", strings.Join(words.Draw(t, "old"), " "))
		updated := sideOf("new", strings.Join(words.Draw(t, "new"), " "))
		pairs := pairUp(old, updated, rapid.Bool().Draw(t, "any name"))
		seen := map[*object]int{}
		for _, p := range pairs {
			seen[p.old]++
			seen[p.updated]++
			for _, m := range old {
				if p.updated != nil && m.identity() == p.updated.identity() {
					require.Same(t, m, p.old)
				}
			}
			if p.old != nil && p.updated != nil {
				require.Equal(t, p.old.Type, p.updated.Type)
			}
		}
		delete(seen, nil)
		require.Len(t, seen, len(old)+len(updated))
		for _, n := range seen {
			require.Equal(t, 1, n)
		}
	})
}

// TestPairsLeaveNoChoice: beside those that are the same, two manifests are a pair exactly if each
// may be the other, and may be no third that is left over. The namespace * is no wildcard.
func TestPairsLeaveNoChoice(t *testing.T) {
	may := func(a, b *object) bool {
		same := func(a, b string) bool { return a == b || a == "" || b == "" }
		return a.Type == b.Type && same(a.Namespace, b.Namespace) && same(a.Name, b.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringMatching("(Shoot|Worker):[mn*]?/[ab*]?"), 0, 8, rapid.ID[string])
		old := sideOf("old", strings.Join(words.Draw(t, "old"), " "))
		updated := sideOf("new", strings.Join(words.Draw(t, "new"), " "))
		pairs := pairUp(old, updated, false)
		among := func(all, others []*object, m *object) (found []*object) {
			for _, other := range others {
				isPaired := slices.ContainsFunc(all, func(one *object) bool { return one.identity() == other.identity() })
				if !isPaired && may(m, other) {
					found = append(found, other)
				}
			}
			return found
		}
		for _, p := range pairs {
			if p.updated == nil || p.old != nil && p.old.identity() == p.updated.identity() {
				continue
			}
			var want *object
			if before := among(updated, old, p.updated); len(before) == 1 && len(among(old, updated, before[0])) == 1 {
				want = before[0]
			}
			require.Same(t, want, p.old, "%s", p.updated.title())
		}
	})
}

// TestPairingIsLinear: 6,000 Shoots a side were compared each with each.
func TestPairingIsLinear(t *testing.T) {
	t.Parallel()
	const n = 2000
	var old, updated []*object
	for i := range n {
		name := strconv.Itoa(i)
		old = append(old, &object{Name: name})
		updated = append(updated, &object{Namespace: name, Name: name})
	}
	pairs := make([]pair, n)
	looked := 0
	for i, m := range updated {
		pairs[i].updated = m
	}
	rest := pairBy(func(m *object) identity { looked++; return m.identity() }, pairs, old)
	require.Empty(t, rest)
	require.LessOrEqual(t, looked, 4*n)
	for i, p := range pairs {
		require.Same(t, updated[i], p.updated)
		require.Equal(t, p.updated.Name, p.old.Name)
	}
}
