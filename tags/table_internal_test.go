package tags

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEveryRowIsComplete(t *testing.T) {
	for _, cloud := range Clouds() {
		for _, kind := range Kinds() {
			if cloud == OpenStack && kind == Network {
				continue // see TestNoRules
			}
			r, err := cloud.Rules(kind)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.check(); err != nil || r.TagsPerCall <= 0 {
				t.Errorf("%v/%v: incomplete: %+v: %v", cloud, kind, r, err)
			}
		}
	}
}

// A caller that changes what it was given, for another quota, must not change it for others.
func TestRulesAreNotShared(t *testing.T) {
	of := func() Rules {
		rules, err := AWS.Rules(VM)
		if err != nil {
			t.Fatal(err)
		}
		return rules
	}
	rules := of()
	rules.ReservedKeys[0] = "changed"
	rules.uncounted[0] = "changed"
	fresh := of()
	if fresh.ReservedKeys[0] == "changed" || fresh.uncounted[0] == "changed" {
		t.Error("rules share memory")
	}
}

const astralLetter = "𠀋" // one code point, two UTF-16 code units

func TestUnitLength(t *testing.T) {
	for _, test := range []struct {
		text              string
		utf16, codePoints int
	}{
		{"", 0, 0}, {"abc", 3, 3}, {"ä", 1, 1}, {"漢", 1, 1}, {astralLetter, 2, 1}, {"\uFFFF", 1, 1}, {"a" + astralLetter + "ä", 4, 3},
	} {
		for text, want := range map[Text]int{{utf16: true}: test.utf16, {}: test.codePoints} {
			if got, unit := text.length(test.text); got != want {
				t.Errorf("%q has %d %s, want %d", test.text, got, unit, want)
			}
		}
	}
}

func TestUnitLengthAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got, want := first((&Text{utf16: true}).length(s)), len(utf16.Encode([]rune(s))); got != want {
			t.Fatalf("%q has %d UTF-16 code units, want %d", s, got, want)
		}
		if got, want := first((&Text{}).length(s)), utf8.RuneCountInString(s); got != want {
			t.Fatalf("%q has %d code points, want %d", s, got, want)
		}
	})
}

func first(n int, _ string) int { return n }
