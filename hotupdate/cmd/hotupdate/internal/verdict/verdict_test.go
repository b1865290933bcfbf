package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestOneOrder: every output lists verdicts in the order of the type, the gravest first, and no two of
// one output have the same word. Each verdict is in an output.
func TestOneOrder(t *testing.T) {
	outputs := map[string]struct {
		verdicts []verdict.Verdict
		words    string // that people and programs read: they stay
	}{
		"changes": {
			verdict.OfChanges(),
			"removed forbidden machines-deleted all-machines-may-be-deleted roll indeterminate machines-may-be-deleted in-place-update machines-added hot-update none",
		},
		"flags and plan": {
			verdict.OfPools(),
			"removed renamed forbidden machines-deleted all-machines-may-be-deleted roll indeterminate machines-may-be-deleted in-place-update added machines-added hot-update none",
		},
		"audit": {verdict.OfReleases(), "forbidden roll class-renamed indeterminate invalid becomes-readable none"},
	}
	listed := map[verdict.Verdict]bool{}
	for name, output := range outputs {
		assert.True(t, slices.IsSortedFunc(output.verdicts, func(a, b verdict.Verdict) int { return int(b) - int(a) }), name)
		var words []string
		for _, v := range output.verdicts {
			listed[v] = true
			words = append(words, v.String())
			named, isKnown := verdict.OfWord(v.String())
			assert.True(t, isKnown, v)
			assert.Equal(t, v, named)
		}
		assert.Equal(t, output.words, strings.Join(words, " "), name)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(words))), len(words), name)
	}
	for v := verdict.None; v <= verdict.Removed; v++ {
		assert.True(t, listed[v], "%d is in no output", v)
		assert.NotEmpty(t, v.String(), "%d", v)
		assert.NotEmpty(t, v.Consequence(hotupdate.AutoRollingUpdate), v)
		assert.Regexp(t, "^[a-z]+(-[a-z]+)*$", v.String(), "a flag, a shell and SARIF take it as it is")
	}
	assert.Equal(t, verdict.Indeterminate, verdict.Verdict(0), "a forgotten verdict is not taken for a harmless one")
	assert.Less(t, verdict.CompareWords("forbidden", "roll"), 0)
	assert.Greater(t, verdict.CompareWords("none", "becomes-readable"), 0)
	assert.Zero(t, verdict.CompareWords("invalid", "invalid"))
}

// TestOutcomesAreVerdicts: what follows from a class has the word of the library's outcome, and outcomes are as grave
// here as there. What is indeterminate may be a roll, so here it is graver than what is known to be milder.
func TestOutcomesAreVerdicts(t *testing.T) {
	last := verdict.None
	for class := hotupdate.Ignored; ; class-- {
		for _, strategy := range []hotupdate.Strategy{hotupdate.AutoInPlaceUpdate, hotupdate.AutoRollingUpdate, 99} {
			outcome := (hotupdate.Changes{{Class: class}}).Outcome(strategy)
			assert.Equal(t, outcome.String(), verdict.OfClass(class, strategy).String())
		}
		inPlace := verdict.OfClass(class, hotupdate.AutoInPlaceUpdate)
		assert.GreaterOrEqual(t, inPlace, last, class)
		last = inPlace
		if class == hotupdate.Immutable {
			break
		}
	}
	assert.Equal(t, verdict.Forbidden, last)
}

// TestWritten: a person may write a verdict with blanks and capitals.
func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		"roll": "roll", " Roll ": "roll", "Hot Update": "hot-update", "MACHINES  DELETED": "machines-deleted",
		"In-Place Update": "in-place-update", "": "", "rolls": "rolls",
	} {
		assert.Equal(t, want, verdict.Written(text), text)
	}
	_, isKnown := verdict.OfWord("rolled")
	assert.False(t, isKnown, "a verdict has one word")
}
