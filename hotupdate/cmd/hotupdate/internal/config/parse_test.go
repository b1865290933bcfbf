package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// whole has every member.
const whole = `formatVersion: 1
landscape:
  gardener: v1.150.0
  featureGates:
    InPlaceNodeUpdates: true
  respectSyncPeriodOverwrite: false
  useGKEFormula:
    selector:
      matchLabels: {tier: large}
      matchExpressions:
      - {key: team, operator: NotIn, values: [a, b]}
  extensions:
    aws: {release: v1.73, adopted: true}
    gcp:
      adopted: false
apply: server=flux
accept: gate/accept.yaml
cloudProfile: profiles.yaml
failOn: [removed, roll]
undecided: pass
exclude:
- charts
- "*.tpl.yaml"
`

func TestParse(t *testing.T) {
	t.Parallel()
	file, err := config.Parse([]byte(whole), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, verdict.Known("v1.150.0", "a.yaml:3"), file.Landscape.Gardener)
	assert.Equal(t, map[string]verdict.Fact[bool]{"InPlaceNodeUpdates": verdict.Known(true, "a.yaml:5")}, file.Landscape.FeatureGates)
	assert.Equal(t, verdict.Known(false, "a.yaml:6"), file.Landscape.RespectsSyncPeriod)
	formula, isKnown := file.Landscape.GKEFormula.Value()
	require.True(t, isKnown)
	assert.True(t, formula.Selector.Matches(labels.Set{"tier": "large"}))
	assert.False(t, formula.Selector.Matches(labels.Set{"tier": "large", "team": "a"}))
	_, source := file.Landscape.GKEFormula.Origin()
	assert.Equal(t, "a.yaml:7", source)
	assert.Equal(t, verdict.Known("v1.73", "a.yaml:13"), file.Landscape.Extensions["aws"].Release)
	assert.Equal(t, verdict.Known(true, "a.yaml:13"), file.Landscape.Extensions["aws"].Adopted)
	assert.Equal(t, verdict.Known(false, "a.yaml:15"), file.Landscape.Extensions["gcp"].Adopted)
	assert.Equal(t, verdict.Fact[string]{}, file.Landscape.Extensions["gcp"].Release, "not stated")
	assert.Equal(t, "server=flux", file.Apply)
	assert.Equal(t, "gate/accept.yaml", file.Accept)
	assert.Equal(t, "profiles.yaml", file.CloudProfile)
	assert.Equal(t, []string{"removed", "roll"}, file.FailOn)
	assert.True(t, file.UndecidedPasses)
	assert.Equal(t, []string{"charts", "*.tpl.yaml"}, file.Exclude)

	file, err = config.Parse([]byte("formatVersion: 1\n"), "a.yaml")
	require.NoError(t, err)
	_, isKnown = file.Landscape.GKEFormula.Value()
	assert.False(t, isKnown, "what is not stated is not known")
	assert.False(t, file.UndecidedPasses)

	for text, want := range map[string]bool{"true": true, "false": false, "{selector: {}}": true} {
		file, err = config.Parse([]byte("formatVersion: 1\nlandscape: {useGKEFormula: "+text+"}\n"), "a.yaml")
		require.NoError(t, err)
		formula, isKnown = file.Landscape.GKEFormula.Value()
		assert.True(t, isKnown, text)
		assert.Equal(t, want, formula.Selector != nil && formula.Selector.Matches(labels.Set{}), text)
	}
}

// TestProblems: each mistake is one typed error, which names the line, the member and what is allowed.
func TestProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, code, want string }{
		{
			"", "wrong-json-type",
			"a.yaml:1: must be an object with accept, apply, cloudProfile, exclude, failOn, formatVersion, landscape or undecided",
		},
		{"a: [\n", "malformed-config", "a.yaml: is not valid YAML or JSON: line 1: did not find expected node content"},
		{"{{ .x }}", "malformed-config", "a.yaml: is a template, since it has {{ and }}; render it first, such as by helm template"},
		{"accept: a", "missing-member", "a.yaml:1: formatVersion: is missing; write formatVersion: 1"},
		{"formatVersion: 2", "unknown-version", "a.yaml:1: formatVersion: is not a version that this command reads; write 1"},
		{"formatVersion: '1'", "unknown-version", "a.yaml:1: formatVersion: is not a version that this command reads; write 1"},
		{"formatVersion:", "unknown-version", "a.yaml:1: formatVersion: is not a version that this command reads; write 1"},
		{"formatVersion: 1\n\nfailon: [roll]", "unknown-member", "a.yaml:3: failon: is unknown; did you mean failOn?"},
		{
			"formatVersion: 1\nzone: a", "unknown-member",
			"a.yaml:2: zone: is unknown; write accept, apply, cloudProfile, exclude, failOn, formatVersion, landscape or undecided",
		},
		{
			"formatVersion: 1\nlandscape: {useGkeFormula: true}", "unknown-member",
			"a.yaml:2: landscape.useGkeFormula: is unknown; did you mean useGKEFormula?",
		},
		{
			"formatVersion: 1\nlandscape: yes", "wrong-json-type",
			"a.yaml:2: landscape: must be an object with extensions, featureGates, gardener, respectSyncPeriodOverwrite or useGKEFormula, and is the boolean true, as YAML reads yes",
		},
		{
			"formatVersion: 1\nlandscape:\n  gardener: 1.150", "wrong-json-type",
			"a.yaml:3: landscape.gardener: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape:\n  gardener: v1.0150.0", "malformed-value",
			"a.yaml:3: landscape.gardener: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {release: v01.63.0}}}", "malformed-value",
			"landscape.extensions.aws.release: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {release: v1.063.0}}}", "malformed-value",
			"landscape.extensions.aws.release: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {release: v1.63.00}}}", "malformed-value",
			"landscape.extensions.aws.release: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {release: v1.18446744073709551679.0}}}", "malformed-value",
			"landscape.extensions.aws.release: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape:\n  gardener: 1.150.0", "malformed-value",
			"a.yaml:3: landscape.gardener: must be a release, such as v1.150.0",
		},
		{
			"formatVersion: 1\nlandscape: {featureGates: {A: 'true'}}", "wrong-json-type",
			"a.yaml:2: landscape.featureGates.A: must be true or false",
		},
		{
			"formatVersion: 1\nlandscape: {respectSyncPeriodOverwrite: 1}", "wrong-json-type",
			"a.yaml:2: landscape.respectSyncPeriodOverwrite: must be true or false",
		},
		{
			"formatVersion: 1\nlandscape: {useGKEFormula: 'true'}", "wrong-json-type",
			"a.yaml:2: landscape.useGKEFormula: must be true, false or an object with the selector of the plugin",
		},
		{
			"formatVersion: 1\nlandscape: {useGKEFormula: {}}", "missing-member",
			"a.yaml:2: landscape.useGKEFormula.selector: is missing; write useGKEFormula: true if the plugin has no selector",
		},
		{
			"formatVersion: 1\nlandscape: {useGKEFormula: {selector: {matchLabels: {a/b/c: d}}}}", "malformed-value",
			"a.yaml:2: landscape.useGKEFormula.selector: is not a label selector: key: Invalid value: \"a/b/c\": a qualified name must",
		},
		{
			"formatVersion: 1\nlandscape: {useGKEFormula: {selector: {matchExpressions: [{key: a, operator: in}]}}}", "unknown-word",
			"did you mean In? The words are In, NotIn, Exists or DoesNotExist",
		},
		{
			"formatVersion: 1\nlandscape: {useGKEFormula: {selector: {matchExpressions: [{operator: Exists}]}}}", "missing-member",
			"selector.matchExpressions[0].key: is missing; write the key of a label",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {adopted: 1}}}", "wrong-json-type",
			"a.yaml:2: landscape.extensions.aws.adopted: must be true or false",
		},
		{
			"formatVersion: 1\nlandscape: {extensions: {aws: {version: v1.2.3}}}", "unknown-member",
			"landscape.extensions.aws.version: is unknown; write adopted or release",
		},
		{"formatVersion: 1\napply: Server", "malformed-value", "a.yaml:2: apply: must be client, server, server=MANAGER or replace"},
		{"formatVersion: 1\naccept: ''", "malformed-value", "a.yaml:2: accept: is empty; write the path of a file"},
		{"formatVersion: 1\nfailOn: roll", "wrong-json-type", "a.yaml:2: failOn: must be a list of verdicts"},
		{
			"formatVersion: 1\nfailOn:\n- roll\n- rol", "unknown-word",
			"a.yaml:4: failOn[1]: is unknown; did you mean roll? The words are removed, renamed, forbidden, ",
		},
		{"formatVersion: 1\nfailOn: [roll, roll]", "duplicate-value", "a.yaml:2: failOn[1]: occurs twice; leave out one of them"},
		{"formatVersion: 1\nfailOn: [none]", "unknown-word", "a.yaml:2: failOn[0]: is unknown; write removed, renamed, forbidden, "},
		{
			"formatVersion: 1\nundecided: pas", "unknown-word",
			"a.yaml:2: undecided: is unknown; did you mean pass? The words are fail or pass",
		},
		{"formatVersion: 1\nexclude: ['a[']", "malformed-value", "a.yaml:2: exclude[0]: is not a glob; write the name of a file or folder"},
		{"formatVersion: 1\nexclude: [/]", "malformed-value", "a.yaml:2: exclude[0]: is not a glob"},
	} {
		_, err := config.Parse([]byte(test.text), "a.yaml")
		all := fault.All(err)
		if assert.Len(t, all, 1, "%q: %v", test.text, err) {
			assert.Equal(t, test.code, all[0].Code, test.text)
			assert.Contains(t, all[0].Error(), test.want, test.text)
		}
	}
}

// TestAllProblemsAtOnce: each line of a file with a mistake in each line is named.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	text := "formatVersion: 3\naccept: 1\n\nfailOn: [x]\nundecided: x\nexclude: x\nlandscape:\n  gardener: x\n  y: z\n"
	_, err := config.Parse([]byte(text), "a.yaml")
	all := fault.All(err)
	require.Len(t, all, 7)
	for i, line := range []string{"1", "2", "4", "5", "6", "8", "9"} {
		assert.Equal(t, "a.yaml:"+line, all[i].Where)
	}
}

// FuzzParse: no text makes the parser panic, every problem is typed and has a place, and no message has a value of the
// file that is longer than a name.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("formatVersion: 1\nlandscape: {useGKEFormula: {selector: {matchExpressions: [{}]}}}"))
	f.Add([]byte("formatVersion: 1\nformatVersion: 1\n"))
	f.Add([]byte("[]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := config.Parse(text, "a.yaml")
		if err == nil {
			require.NotNil(t, file)
			return
		}
		require.Nil(t, file)
		all := fault.All(err)
		require.NotEmpty(t, all)
		for _, problem := range all {
			require.True(t, strings.HasPrefix(problem.Where, "a.yaml"), problem.Where)
			require.NotEmpty(t, problem.Code)
			require.NotEmpty(t, problem.What)
		}
	})
}

// TestNamesLikeKnownOnes: a name that a landscape may have is no error, but is told where it is like a known one.
func TestNamesLikeKnownOnes(t *testing.T) {
	t.Parallel()
	file, err := config.Parse([]byte("formatVersion: 1\nlandscape:\n  featureGates: {InPlaceNodeUpdate: true, Nosuch: true}\n"+
		"  extensions: {gcpp: {adopted: true}, metal: {adopted: true}, aws: {adopted: true}}\n"), "a.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"a.yaml:3: landscape.featureGates.InPlaceNodeUpdate is not known, and decides nothing for InPlaceNodeUpdates; did you mean InPlaceNodeUpdates?",
		"a.yaml:4: landscape.extensions.gcpp is not known, and decides nothing for gcp; did you mean gcp?",
	}, file.Notes)
}
