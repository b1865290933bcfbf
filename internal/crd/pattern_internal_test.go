package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
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
		{
			`^((\d{1,2}(\.\d{1,2})?|100(\.0{1,2})?)%||(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?)$`,
			structtag.AsQuantity, "a quantity or a share",
		},
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
		meaning, ok := newRecognizer().meaningOf(tc.pattern)
		assert.True(t, ok, tc.pattern)
		assert.Equal(t, tc.want, meaning, "%s: %s", tc.pattern, tc.reason)
	}
}

// TestPatternsAreBounded: no pattern keeps the search busy. A search visits at most a thousand states, and a pattern
// has at most 500 instructions.
func TestPatternsAreBounded(t *testing.T) {
	most := 0
	for _, pattern := range []string{
		`^([0-9]{1,300}h){1,3}$`, `^(a|b|[a-z]{1,200}){1,4}$`, `^(.*a.{9}|[0-9]+h)$`, `^(([0-9]*h)*(m|[0-9])*s)*$`, `^([A-Za-z]*[0-9]*)*$`,
	} {
		meaning, _ := newRecognizer().meaningOf(pattern)
		assert.Equal(t, structtag.Undeclared, meaning, pattern)
		admits, err := compilePattern(pattern)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrUnsupported)
			continue
		}
		require.LessOrEqual(t, len(admits.prog.Inst), 500)
		for _, known := range []language{durations(), hoursOrSeconds(), quantities(), binaryQuantities()} {
			visited := 0
			newRecognizer().walk(admits, known, func(bool, bool) bool {
				visited++
				return visited > 1001
			})
			require.LessOrEqual(t, visited, 1001, pattern)
			most = max(most, visited)
		}
	}
	require.Greater(t, most, 500, "the bound ends some search")
}

// hostileCRD is a CRD whose properties have patterns of 30 bytes, each of which needs as much work as a pattern may.
func hostileCRD(properties int) []byte {
	all := map[string]any{}
	for i := range properties {
		all[fmt.Sprintf("p%04d", i)] = map[string]any{"type": "string", "pattern": "^([0-9]h.{12}|.*h[0-9].{11})$"}
		all[fmt.Sprintf(
			"q%04d", i,
		)] = map[string]any{"type": "string", "pattern": fmt.Sprintf("^(%c[0-9]h.{12}|.*h[0-9].{11})$", 'A'+rune(i))}
	}
	raw, _ := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"spec": map[string]any{"versions": []any{map[string]any{
			"name": "v1",
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"properties": map[string]any{"spec": map[string]any{"type": "object", "properties": all}},
			}},
		}}},
	})
	return raw
}

// TestPatternsOfACRDAreBounded: the patterns of one CRD have one budget of steps. Beyond it, each pattern that was not
// read is an error with a remedy: what a pattern means does not depend on the others. A pattern that many properties
// have is read once.
func TestPatternsOfACRDAreBounded(t *testing.T) {
	allocated := func(properties int) uint64 {
		raw := hostileCRD(properties)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Compile(raw, "v1", nil)
		runtime.ReadMemStats(&after)
		for _, problem := range fault.All(err) {
			require.Equal(t, "invalid-crd", problem.Code)
			require.Contains(t, problem.Hint, "as=text")
			require.Regexp(t, "^q", problem.Path, "the pattern of the p is read once")
		}
		require.Equal(t, properties > 20, err != nil)
		return after.Mallocs - before.Mallocs
	}
	few := allocated(2)
	some := allocated(40)
	many := allocated(80)
	require.Less(t, many, some+few, "40 more patterns cost less than 2 within the budget")

	overrides := make([]fieldplan.Override, 40)
	for i := range overrides {
		overrides[i] = fieldplan.Override{Path: fmt.Sprintf("q%04d", i), Tag: "false,as=text"}
	}
	_, err := Compile(hostileCRD(40), "v1", overrides)
	require.NoError(t, err, "the remedy")
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
		if newRecognizer().only(a, b) {
			require.False(t, isIn && !isInOther, "%s in %s, but for %q", one, other, text)
		}
		if !newRecognizer().some(a, b) {
			require.False(t, isIn && isInOther, "%s and %s share %q", one, other, text)
		}
	})
}
