package fieldplan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestLongestPrefix: the rule of a text is the one that trying every prefix finds.
func TestLongestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.StringOfN(rapid.SampledFrom([]rune("ab\U0001F600")), 0, 6, -1)
		var all []*KeyRule
		for _, prefix := range rapid.SliceOfNDistinct(texts, 1, 8, rapid.ID).Draw(t, "prefixes") {
			all = append(all, &KeyRule{Pattern: prefix + "*"})
		}
		rules := newKeyRules(all)
		text := texts.Draw(t, "text")
		var want *KeyRule
		for _, rule := range all {
			prefix, _ := rule.prefix()
			isLonger := want == nil || len(rule.Pattern) > len(want.Pattern)
			if strings.HasPrefix(text, prefix) && isLonger {
				want = rule
			}
		}
		require.Same(t, want, rules.longest(text))
	})
}

// TestPrefixesAreNotTriedOneByOne: a key tries no prefix beyond those that the nearest one begins with, however many there are.
func TestPrefixesAreNotTriedOneByOne(t *testing.T) {
	const many = 5000
	var all []*KeyRule
	for i := range many {
		all = append(all, &KeyRule{Pattern: fmt.Sprintf("team-%04d/*", i)})
	}
	all = append(all, &KeyRule{Pattern: "team-*"}, &KeyRule{Pattern: "team-0042/a*"})
	rules := newKeyRules(all)
	for i := range rules.prefixes {
		tried := 0
		for at := i; at != noRule; at = rules.prefixes[at].shorter {
			tried++
		}
		require.LessOrEqual(t, tried, 3, rules.prefixes[i].prefix)
	}
	require.Equal(t, "team-0042/*", rules.longest("team-0042/b").Pattern)
	require.Equal(t, "team-*", rules.longest("team-x").Pattern)
	require.Nil(t, rules.longest("tea"))
}
