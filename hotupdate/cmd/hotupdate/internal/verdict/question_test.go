package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// certain are all verdicts on changes and pools that can come true.
func certain() (verdicts []verdict.Verdict) {
	for _, v := range verdict.OfPools() {
		if v != verdict.Indeterminate {
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fact   verdict.Fact[int]
		values []int
		origin verdict.Origin
		source string
	}{
		{"unknown: all values are judged", verdict.Fact[int]{}, []int{1, 2}, verdict.NoOrigin, ""},
		{"known", verdict.Known(7, "--flag"), []int{7}, verdict.Stated, "--flag"},
		{"known, as the zero value", verdict.Known(0, ".hotupdate.yaml:3"), []int{0}, verdict.Stated, ".hotupdate.yaml:3"},
		{"filled in", verdict.FilledIn(2, "SetDefaults_Shoot"), []int{2}, verdict.Default, "SetDefaults_Shoot"},
	} {
		origin, source := test.fact.Origin()
		assert.Equal(t, test.values, test.fact.Values(1, 2), test.name)
		assert.Equal(t, test.origin, origin, test.name)
		assert.Equal(t, test.source, source, test.name)
		_, isKnown := test.fact.Value()
		assert.Equal(t, test.origin != verdict.NoOrigin, isKnown, test.name)
	}
}

// Two findings give the graver verdict, whatever each can still become: all pairs of sets of two.
func TestSetsTogether(t *testing.T) {
	t.Parallel()
	for _, a := range certain() {
		for _, b := range certain() {
			one := verdict.Only(a, b)
			for _, c := range certain() {
				both := one.And(verdict.Only(c))
				assert.Equal(t, verdict.Only(max(a, c), max(b, c)), both)
				assert.Equal(t, min(max(a, c), max(b, c)), both.Mildest())
				assert.Equal(t, verdict.Only(a, b, c), one.Or(verdict.Only(c)))
				assert.True(t, both.IsBounded())
			}
			assert.Equal(t, a == b, one.IsOne())
		}
		unbounded := verdict.Any().And(verdict.Only(a))
		assert.False(t, unbounded.IsBounded())
		assert.False(t, verdict.Only(a).Or(verdict.Any()).IsBounded())
		for _, b := range certain() {
			isOfChange := verdict.Any().Has(b)
			assert.Equal(t, b == a || b > a && isOfChange, unbounded.Has(b), "%s beside what is not judged: %s", a, b)
		}
	}
	assert.True(t, verdict.Set{}.IsEmpty())
	assert.Equal(t, verdict.Only(verdict.Roll), verdict.Set{}.And(verdict.Only(verdict.Roll)))
	assert.False(t, verdict.Any().Has(verdict.Indeterminate))
	assert.Equal(t, "roll, hot-update or none", verdict.Only(verdict.None, verdict.Roll, verdict.HotUpdate).String())
	assert.Equal(t, "roll", verdict.Only(verdict.Roll).String())
	assert.Empty(t, verdict.Set{}.String())
	assert.Equal(t, "any verdict", verdict.Any().String())
	assert.Equal(t, "roll or a graver verdict", verdict.Any().And(verdict.Only(verdict.Roll)).String())
}

func formula() verdict.Question {
	return verdict.Question{
		Fact: "useGKEFormula", Owner: "the landscape", Answer: "ask",
		Values: []verdict.Value{verdict.Gives("false"), verdict.Gives("true", verdict.Roll)},
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	question := formula()
	question.Values[0] = verdict.Gives("false", verdict.None)
	assert.Equal(t, "useGKEFormula (false gives none, true gives roll), in the landscape; ask", question.String())
	assert.Equal(t, verdict.Only(verdict.None, verdict.Roll), question.Becomes())
	assert.Equal(t, verdict.Any(), verdict.Question{Fact: "x"}.Becomes(), "its values are not known")

	beside := question.Beside(verdict.HotUpdate)
	assert.Equal(t, verdict.Only(verdict.HotUpdate, verdict.Roll), beside.Becomes())
	assert.False(t, question.Beside(verdict.Forbidden).Asks(), "the change is refused, whatever the fact")
	assert.Equal(t, verdict.Only(verdict.None, verdict.Roll), question.Becomes(), "the question stays as it is")

	other := formula()
	other.Values = []verdict.Value{verdict.Gives("false", verdict.HotUpdate), verdict.Gives("true", verdict.None)}
	merged := verdict.Merged([]verdict.Question{question, {Fact: "another"}, other})
	require.Len(t, merged, 2)
	assert.Equal(t, "useGKEFormula (false gives hot-update, true gives roll), in the landscape; ask", merged[0].String())
	other.Values = other.Values[:1]
	merged = verdict.Merged([]verdict.Question{question, other})
	require.Len(t, merged, 1)
	assert.Equal(t, verdict.Any(), merged[0].Becomes(), "the values are not the same")
}
