package crd

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TestMeaningOfPattern: patterns of released CRDs, and some that look alike.
func TestMeaningOfPattern(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		want    structtag.Meaning
		reason  string
	}{
		{`^([0-9]+(s|m|h))+$`, structtag.AsDuration, "Karpenter's terminationGracePeriod"},
		{`^(([0-9]+(s|m|h))+|Never)$`, structtag.AsDuration, "Karpenter's expireAfter: a word is no duration"},
		{`^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$`, structtag.AsDuration, "Karpenter's budgets"},
		{`^([0-9]{1,5}(h|m|s|ms)){1,4}$`, structtag.AsDuration, "Gateway API"},
		{`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, structtag.AsDuration, "Flux and others"},
		{`^[0-9]+s$`, structtag.AsDuration, "seconds alone"},
		{`^[0-9]+m$`, structtag.Undeclared, "minutes, or thousandths"},
		{`^[0-9]+(h|d)$`, structtag.Undeclared, "Go has no days"},
		{`^[0-9]+(h|d|w|m|y)$`, structtag.Undeclared, "months?"},
		{`[0-9]+h`, structtag.Undeclared, "anything may stand around it"},
		{`^[0-9]+h`, structtag.Undeclared, "anything may follow"},
		{`^[A-Za-z]+$`, structtag.Undeclared, "words alone"},
		{quantityPattern, structtag.AsQuantity, "as controller-gen writes it"},
		{
			`^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$`,
			structtag.AsQuantity, "Karpenter's volumeSize",
		},
		{`^((\d{1,2}(\.\d{1,2})?|100(\.0{1,2})?)%||(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?)$`, structtag.AsQuantity, "a quantity or a share"},
		{`^[0-9]+(Mi|Gi)B?$`, structtag.Undeclared, "not Kubernetes' unit"},
		{`^[0-9]+m?$`, structtag.Undeclared, "processors, or minutes"},
		{`^[0-9]+$`, structtag.Undeclared, "digits: 007 is not 7"},
		{`^[0-9]{12}$`, structtag.Undeclared, "an account"},
		{`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`, structtag.Undeclared, "a label"},
		{`^((100|[0-9]{1,2})%|[0-9]+)$`, structtag.Undeclared, "a number or a share"},
		{`^\b[0-9]+h$`, structtag.Undeclared, "the border of a word is not understood"},
		{`(?m)^[0-9]+h$`, structtag.Undeclared, "the end of a line is not that of the text"},
		{`^[0-9]+h\n?$`, structtag.Undeclared, "a line feed"},
		{`(?i)^[0-9]+h$`, structtag.Undeclared, "H is no unit"},
		{`^(?:[0-9]+h|.)$`, structtag.Undeclared, "anything"},
		{`^[0-9]+[^g]$`, structtag.Undeclared, "any other letter"},
		{`^[`, structtag.Undeclared, "no pattern"},
		{`^x{1000}$`, structtag.Undeclared, "a text that no API server wants"},
		{``, structtag.Undeclared, "no pattern"},
	} {
		assert.Equal(t, tc.want, meaningOfPattern(tc.pattern), "%s: %s", tc.pattern, tc.reason)
	}
}

// TestPatternsAreBounded: no pattern keeps the search busy. A search visits at most a thousand states, and a pattern has at most 500 instructions.
func TestPatternsAreBounded(t *testing.T) {
	most := 0
	for _, pattern := range []string{
		`^([0-9]{1,300}h){1,3}$`, `^(a|b|[a-z]{1,200}){1,4}$`, `^(.*a.{9}|[0-9]+h)$`, `^(([0-9]*h)*(m|[0-9])*s)*$`, `^([A-Za-z]*[0-9]*)*$`,
	} {
		assert.Equal(t, structtag.Undeclared, meaningOfPattern(pattern), pattern)
		admits, err := compilePattern(pattern)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrUnsupported)
			continue
		}
		require.LessOrEqual(t, len(admits.prog.Inst), 500)
		for _, known := range []language{durations, hoursOrSeconds, quantities, binaryQuantities} {
			visited := 0
			walk(admits, known, func(bool, bool) bool {
				visited++
				return visited > 1001
			})
			require.LessOrEqual(t, visited, 1001, pattern)
			most = max(most, visited)
		}
	}
	require.Greater(t, most, 500, "the bound ends some search")
}

// TestLanguages: the search agrees with the regular expressions that it reads, text by text.
func TestLanguages(t *testing.T) {
	patterns := []string{`^a+$`, `^(a|b)*$`, `^(ab|b[^a])?$`, `a`, `^$`, `^[a-b]{2,3}$`, `b$`, `^a`, `^(?:a|)$`, `^[^b]*$`, `.`}
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom(patterns).Draw(t, "one")
		other := rapid.SampledFrom(patterns).Draw(t, "other")
		a, err := compilePattern(one)
		require.NoError(t, err)
		b, err := compilePattern(other)
		require.NoError(t, err)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 5, -1).Draw(t, "text")
		isIn := regexp.MustCompile(one).MatchString(text)
		isInOther := regexp.MustCompile(other).MatchString(text)
		at := a.start()
		for _, r := range text {
			at = a.step(at, r)
		}
		require.Equal(t, isIn, a.accepts(at), "%s %q", one, text)
		if a.only(b) {
			require.False(t, isIn && !isInOther, "%s in %s, but for %q", one, other, text)
		}
		if !a.some(b) {
			require.False(t, isIn && isInOther, "%s and %s share %q", one, other, text)
		}
	})
}
