package kubeminor_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kubeversion "k8s.io/apimachinery/pkg/util/version"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want, reason string }{
		{"1.34.2", "1.34", "the usual form in a Worker"},
		{"1.34", "1.34", "the patch version may be missing in a Shoot that is being created"},
		{"v1.34.2", "1.34", "the form of a kubelet's version"},
		{"0.0.0", "0.0", "zero is a number"},
		{"1.9.11", "1.9", "one digit"},
		{"1.100.0", "1.100", "three digits"},
		{"1.34.0-rc.1", "1.34", "a pre-release belongs to its minor, not to the one before"},
		{"1.34.0-alpha.0.123", "1.34", "zero is an identifier"},
		{"1.34-rc.1", "1.34", "a pre-release without patch version"},
		{"1.34.0-0a", "1.34", "a zero may lead an identifier that is no number"},
		{"1.34.0--", "1.34", "a hyphen is an identifier"},
		{"1.34.2+build.007", "1.34", "build metadata may have leading zeros"},
		{"1.34.0-rc.1+a-b", "1.34", "both"},
		{"1.34+a", "1.34", "build metadata without patch version"},
	} {
		got, err := kubeminor.Parse(test.in)
		assert.NoErrorf(t, err, "%s: %s", test.in, test.reason)
		assert.Equalf(t, test.want, got.String(), "%s: %s", test.in, test.reason)
	}
}

func TestParseRejects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, reason string }{
		{"", "nothing"},
		{"1", "the minor is missing, and 0 would be a guess"},
		{"v1", "the same"},
		{"1.", "the same"},
		{".34", "the major is missing"},
		{"v", "only the prefix"},
		{"V1.34.2", "another prefix"},
		{"vv1.34.2", "the prefix twice"},
		{" 1.34.2", "white space before it"},
		{"1.34.2\n", "white space behind it"},
		{"1.34.2.1", "a fourth number"},
		{"1.34.", "a point without a number"},
		{"1.34.x", "a wildcard"},
		{"~1.34", "a constraint"},
		{">=1.34", "a constraint"},
		{"01.34.2", "leading zero"},
		{"1.034.2", "leading zero"},
		{"1.34.02", "leading zero"},
		{"1.34.0-01", "leading zero of a numeric identifier"},
		{"1.34.0-", "a pre-release without identifier"},
		{"1.34.0-rc..1", "an empty identifier"},
		{"1.34.0+", "build metadata without identifier"},
		{"1.34.0+a+b", "two of them"},
		{"1.34gke", "garbage behind the minor"},
		{"1.-34.0", "a negative number is a pre-release of no minor"},
		{"1.٣٤.0", "digits of another script"},
		{"1.1000000000.0", "more digits than any version has"},
		{"1.34.99999999999999999999", "a patch version that overflows"},
		{"latest", "a word"},
	} {
		_, err := kubeminor.Parse(test.in)
		var e *fault.Error
		if assert.ErrorAsf(t, err, &e, "%q: %s", test.in, test.reason) {
			assert.Equalf(t, "malformed-version", e.Code, "%q: %s", test.in, test.reason)
		}
	}
}

func TestMinorIsOrderedByNumber(t *testing.T) {
	t.Parallel()
	ascending := []string{"0.0", "0.99", "1.0", "1.9", "1.10", "1.34", "1.100", "2.0", "10.0"}
	for i, low := range ascending {
		for j, high := range ascending {
			a, errA := kubeminor.Parse(low)
			b, errB := kubeminor.Parse(high)
			require.NoError(t, errA)
			require.NoError(t, errB)
			assert.Equalf(t, compareInts(i, j), a.Compare(b), "%s and %s", low, high)
			assert.Equalf(t, i == j, a == b, "%s and %s", low, high)
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestMinorOfPreReleasesIsThatOfTheRelease(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		release := rapid.StringMatching(`(0|[1-9][0-9]?)\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]?)`).Draw(t, "release")
		suffix := rapid.StringMatching(`(-(alpha|beta|rc)\.[0-9])?(\+[0-9a-z]{1,5})?`).Draw(t, "suffix")
		prefix := rapid.SampledFrom([]string{"", "v"}).Draw(t, "prefix")
		want, err := kubeminor.Parse(release)
		require.NoError(t, err)
		got, err := kubeminor.Parse(prefix + release + suffix)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

// FuzzParse compares Parse with an oracle that is a regular expression, and with Kubernetes' own parser of semantic
// versions, which knows neither a missing patch version nor limits, and is lenient about white space.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "1.34.2", "v1.34", "1.34.0-rc.1+x.y", "01.2.3", "1.2.3-01", "1.2.3-0a", "1.2.3.4", " 1.2.3", "1.2.3\n", "1.2.3+",
		"1.999999999.0",
		"1.1000000000.0", "1.2-", "1.2-a..b", "v", "1.2.3-é", "1.2.3+-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := kubeminor.Parse(text)
		want, ok := oracleMinor(text)
		if ok != (err == nil) || ok && want != got.String() {
			t.Fatalf("%q: got %s and %v, oracle %s and %v", text, got, err, want, ok)
		}
		theirs, errTheirs := kubeversion.ParseSemantic(text)
		short := len(text) <= 12 && strings.TrimSpace(text) == text
		isSmall := short && largestNumber(text) <= 9
		if errTheirs == nil && err != nil && isSmall {
			t.Errorf("%q: Kubernetes reads %s, we %v", text, theirs, err)
		}
		if err == nil && errTheirs == nil {
			isSame := theirs.Major() == uint(minorPart(t, got, 0)) && theirs.Minor() == uint(minorPart(t, got, 1))
			if !isSame {
				t.Errorf("%q: Kubernetes reads %s, we %s", text, theirs, got)
			}
		}
		if err == nil && errTheirs != nil && strings.Count(coreOf(text), ".") == 2 {
			t.Errorf("%q: Kubernetes says %v, we %s", text, errTheirs, got)
		}
	})
}

func coreOf(text string) string {
	core, _, _ := strings.Cut(text, "+")
	core, _, _ = strings.Cut(core, "-")
	return strings.TrimPrefix(core, "v")
}

func largestNumber(text string) int {
	longest := 0
	run := 0
	for _, r := range text {
		run++
		if r < '0' || r > '9' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func minorPart(t *testing.T, m kubeminor.Minor, i int) int {
	t.Helper()
	n := 0
	for _, r := range strings.Split(m.String(), ".")[i] {
		n = 10*n + int(r-'0')
	}
	return n
}

// grammar is that of semver.org with an optional v before it and an optional patch version. Its numbers have at most
// nine digits.
var grammar = regexp.MustCompile(`^v?` + decimal + `\.` + decimal + `(?:\.` + decimal + `)?` +
	`(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?` +
	`(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

const decimal = `(0|[1-9][0-9]{0,8})`

// oracleMinor reads a version by the grammar.
func oracleMinor(text string) (string, bool) {
	groups := grammar.FindStringSubmatch(text)
	if groups == nil {
		return "", false
	}
	return groups[1] + "." + groups[2], true
}

// TestGrammar: exactly the texts of the grammar are versions.
func TestGrammar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`v?[01]{1,2}(\.[01]{1,2}){1,2}(-[0a.-]{0,4})?(\+[0a.+]{0,4})?[0\n]?`).Draw(t, "text")
		got, ok := kubeminor.Read(text)
		want, isVersion := oracleMinor(text)
		require.Equal(t, isVersion, ok, "%q", text)
		if ok {
			require.Equal(t, want, got.String(), "%q", text)
		}
	})
}
