package pool_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

const (
	shootsPool  = "spec.provider.workers.0."
	workersPool = "spec.pools.0."
)

// TestTriggersOfGEP31: each line of triggers.txt, under each strategy.
func TestTriggersOfGEP31(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/triggers.txt")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		n++
		columns := strings.Split(line, " |")
		require.Len(t, columns, 7, line)
		t.Run(columns[0], func(t *testing.T) {
			t.Parallel()
			for _, strategy := range strategies {
				checkTrigger(t, columns, strategy)
			}
		})
	}
	require.Equal(t, 54, n)
}

func checkTrigger(t *testing.T, columns []string, strategy hotupdate.Strategy) {
	t.Helper()
	file := strings.TrimSpace(columns[1]) + ".yaml"
	at := map[string]string{" shoot": shootsPool, " worker": workersPool}[columns[1]]
	before := append([]edit{{at + "updateStrategy", strategy.String()}}, editsOf(t, columns[2])...)
	old := manifest(t, file, before...)
	updated := manifest(t, file, append(before, editsOf(t, columns[3])...)...)
	wanted := func(strategy hotupdate.Strategy) verdict.Verdict {
		column := columns[5]
		if strategy == hotupdate.AutoRollingUpdate {
			column = columns[4]
		}
		want, known := words[strings.TrimSpace(column)]
		require.True(t, known, column)
		return want
	}
	got := compare(t, old, updated, options(t))
	assert.Equal(t, wanted(strategy), got.Verdict, strategy)
	assert.Equal(t, strategy, got.Strategy)
	if want := strings.TrimSpace(columns[6]); got.Verdict != verdict.Forbidden || want != "" {
		assert.Equal(t, want, strings.Join(paths(triggersOf(got.Changes)), " "), strategy)
	}
	// With another strategy in the options, the pools are compared as if they had it.
	for _, asked := range strategies {
		o := options(t)
		o.Strategy = &asked
		assert.Equal(t, wanted(asked), compare(t, old, updated, o).Verdict, "%s asked as %s", strategy, asked)
	}
}

// triggersOf returns the changes that have a class: those of triggers and provider configs.
func triggersOf(changes []judge.Finding) []judge.Finding {
	none := []verdict.Rule{
		verdict.NotHashed, verdict.PatchVersion, verdict.NameStays, verdict.SameMeaning, verdict.AsLeftOut,
		verdict.ReservationsStay,
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c judge.Finding) bool { return slices.Contains(none, c.Rule) })
}

func TestSpellingIsNoTrigger(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"shoot.yaml", "worker.yaml"} {
		raw := manifest(t, file)
		var spread bytes.Buffer
		require.NoError(t, json.Indent(&spread, raw, " ", "\t"))
		for name, other := range map[string][]byte{"white space": spread.Bytes(), "key order": reversed(t, raw)} {
			require.NotEqual(t, string(raw), string(other))
			got := compare(t, raw, other, options(t))
			assert.Equal(t, verdict.None, got.Verdict, "%s: %s", file, name)
			assert.Empty(t, got.Changes, "%s: %s", file, name)
			got = compare(t, raw, other, judge.Options{Providers: extensions.All()})
			assert.Empty(t, got.Changes, "also where the provider config is compared as a whole")
		}
	}
}

// reversed writes every object's members in the opposite order.
func reversed(tb testing.TB, raw []byte) []byte {
	tb.Helper()
	var value any
	require.NoError(tb, json.Unmarshal(raw, &value))
	return appendReversed(tb, nil, value)
}

func appendReversed(tb testing.TB, dst []byte, value any) []byte {
	tb.Helper()
	switch v := value.(type) {
	case map[string]any:
		members := [][]byte{}
		for _, name := range sortedKeys(v) {
			member := append(mustJSON(tb, name), ':')
			members = append([][]byte{appendReversed(tb, member, v[name])}, members...)
		}
		return append(append(append(dst, '{'), bytes.Join(members, []byte(","))...), '}')
	case []any:
		elements := [][]byte{}
		for _, element := range v {
			elements = append(elements, appendReversed(tb, nil, element))
		}
		return append(append(append(dst, '['), bytes.Join(elements, []byte(","))...), ']')
	default:
		return append(dst, mustJSON(tb, value)...)
	}
}

func mustJSON(tb testing.TB, value any) []byte {
	tb.Helper()
	raw, err := json.Marshal(value)
	require.NoError(tb, err)
	return raw
}

// TestImagesOfNewPools: Gardener takes the newest machine image that can be updated in place where a new pool leaves it out.
func TestImagesOfNewPools(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(profileOfPairs)), today)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		image   any
		profile *facts.CloudProfile
		want    verdict.Verdict
	}{
		"left out":                       {nil, profile, verdict.Added},
		"without a version":              {object{"name": "gardenlinux"}, profile, verdict.Added},
		"a part of a version":            {object{"name": "gardenlinux", "version": "1592"}, profile, verdict.Added},
		"a part without one":             {object{"name": "gardenlinux", "version": "1443"}, profile, verdict.Forbidden},
		"of another name":                {object{"name": "flatcar"}, profile, verdict.Forbidden},
		"not supported":                  {object{"name": "gardenlinux", "version": "1592.1.0"}, profile, verdict.Forbidden},
		"left out, without CloudProfile": {nil, nil, verdict.Indeterminate},
	} {
		added := read(t, manifest(t, "pairs/"+onAWS, inPlaceAuto, at("machine.image", test.image)))
		o := judge.Options{Providers: extensions.All(), CloudProfile: test.profile}
		got, err := o.ReceiverOf(added).Added(&added.Pools[0])
		require.NoError(t, err, name)
		assert.Equal(t, test.want.String(), got.Verdict.String(), name)
	}
}
