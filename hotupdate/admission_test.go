package hotupdate_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/net"
	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// admitted has fields of every class.
type admitted struct {
	Volume  *volume           `json:"volume,omitempty"`
	Data    []dataVolume      `json:"data,omitempty"    hotupdatable:"false,key=name"`
	Account string            `json:"account,omitempty" hotupdatable:"inplace"`
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	Hint    string            `json:"hint,omitempty"    hotupdatable:"ignore"`
	Token   string            `json:"token,omitempty"   hotupdatable:"false,sensitive"`
	Secrets map[string]string `json:"secrets,omitempty" hotupdatable:"false,sensitive=keys"`
	Dotted  map[string]string `json:"a.b,omitempty"`
	NICs    []dataVolume      `json:"nics,omitempty"    hotupdatable:"true,key=name"`
	Sets    []mountSet        `json:"sets,omitempty"    hotupdatable:"false,set"`
}

type mountSet struct {
	Data []mount `json:"data,omitempty" hotupdatable:"false,key=name"`
}

type mount struct {
	Name string `json:"name"`
}

func lines(errs k8sfield.ErrorList) []string {
	found := []string{}
	for _, err := range errs {
		found = append(found, fmt.Sprintf("%s %s", string(err.Type), err.Field))
	}
	return found
}

func TestValidateUpdate(t *testing.T) {
	schema := schemaFor[admitted](t)
	spec := k8sfield.NewPath("spec", "pools").Index(2).Child("providerConfig")
	const (
		rolling = hotupdate.AutoRollingUpdate
		auto    = hotupdate.AutoInPlaceUpdate
		manual  = hotupdate.ManualInPlaceUpdate
		at      = "spec.pools[2].providerConfig"
	)
	for _, tc := range []struct {
		name         string
		old, updated string
		strategy     hotupdate.Strategy
		want         []string
		reason       string
	}{
		{"immutable, rolling", `{"volume":{"iops":1}}`, `{"volume":{"iops":2}}`, rolling, []string{}, "the pool rolls"},
		{
			"immutable, in place", `{"volume":{"iops":1}}`, `{"volume":{"iops":2}}`, auto,
			[]string{"FieldValueForbidden " + at + ".volume.iops"},
			"the exact field",
		},
		{
			"immutable, manually", `{"volume":{"iops":1}}`, `{}`, manual,
			[]string{"FieldValueForbidden " + at + ".volume.iops"},
			"a removal is a change",
		},
		{"in place", `{"account":"a"}`, `{"account":"b"}`, auto, []string{}, "that is what the strategy is for"},
		{"hot and ignored", `{}`, `{"tags":{"a":"b"},"hint":"x"}`, auto, []string{}, "applied to running machines, or to none"},
		{
			"only what is to blame", `{"account":"a"}`, `{"account":"b","tags":{"a":"b"},"volume":{"iops":2}}`, auto,
			[]string{"FieldValueForbidden " + at + ".volume.iops"},
			"the others are allowed",
		},
		{"every one", `{}`, `{"volume":{"iops":2,"type":"x"},"data":[{"name":"a"}]}`, auto, []string{
			"FieldValueForbidden " + at + ".data[name=a]", "FieldValueForbidden " + at + ".volume.iops",
			"FieldValueForbidden " + at + ".volume.type",
		}, "all at once"},
		{
			"a name with a dot", `{}`, `{"a.b":{"k":"v"}}`, auto,
			[]string{"FieldValueForbidden " + at + `["a.b"][k]`},
			"nobody takes it for two names",
		},
		{
			"a hidden key", `{}`, `{"secrets":{"hunter2":"hunter2"}}`, auto,
			[]string{"FieldValueForbidden " + at + ".secrets[(sensitive)]"},
			"the path has no secret",
		},
		{"equal by meaning", `{"volume":{"size":"1Gi"}}`, `{"volume":{"size":"1024Mi"}}`, auto, []string{}, "no change"},
		{"equal bytes", `{"old":true}`, `{"old":true}`, auto, []string{}, "what was stored under older rules stays"},
		{
			"unknown member", `{}`, `{"volume":{"x":"hunter2"}}`, rolling,
			[]string{"FieldValueInvalid " + at + ".volume.x"},
			"also where nothing is forbidden",
		},
		{
			"wrong type", `{}`, `{"volume":{"iops":"hunter2"},"account":1}`, auto,
			[]string{"FieldValueTypeInvalid " + at + ".account", "FieldValueTypeInvalid " + at + ".volume.iops"},
			"all at once",
		},
		{"missing key", `{}`, `{"data":[{},{"name":"a"}]}`, rolling, []string{}, "a key like any other"},
		{
			"missing keys", `{}`, `{"data":[{},{"name":""}]}`, rolling,
			[]string{"FieldValueDuplicate " + at + `.data[name=""]#2`},
			"absent and empty are one key",
		},
		{
			"repeated key, rolling", `{}`, `{"data":[{"name":"a"},{"name":"a"}]}`, rolling,
			[]string{"FieldValueDuplicate " + at + ".data[name=a]#2"},
			"who adds it can mend it",
		},
		{"repeated key, in place", `{}`, `{"data":[{"name":"a"},{"name":"a"}]}`, auto, []string{
			"FieldValueDuplicate " + at + ".data[name=a]#2", "FieldValueForbidden " + at + ".data[name=a]",
			"FieldValueForbidden " + at + ".data[name=a]#2",
		}, "all at once"},
		{
			"one more, rolling", `{"data":[{"name":"a"},{"name":"a"}]}`,
			`{"data":[{"name":"a"},{"name":"b"},{"name":"a"},{"name":"b"},{"name":"a"}]}`, rolling,
			[]string{
				"FieldValueDuplicate " + at + ".data[name=a]#3", "FieldValueDuplicate " + at + ".data[name=b]#2",
			},
			"what was there may stay",
		},
		{
			"an old repetition, rolling", `{"data":[{"name":"a"},{"name":"a"}]}`, `{"tags":{"a":"b"},"data":[{"name":"a"},{"name":"a"}]}`,
			rolling,
			[]string{},
			"it was admitted",
		},
		{
			"an old repetition, in place", `{"data":[{"name":"a"},{"name":"a"}]}`, `{"tags":{"a":"b"},"data":[{"name":"a"},{"name":"a"}]}`,
			auto,
			[]string{},
			"it was admitted",
		},
		{
			"mended, rolling", `{"data":[{"name":"a"},{"name":"a"}]}`, `{"data":[{"name":"a"},{"name":"b"}]}`, rolling,
			[]string{},
			"the way out",
		},
		{
			"mended, in place", `{"data":[{"name":"a"},{"name":"a"}]}`, `{"data":[{"name":"a"}]}`, auto,
			[]string{"FieldValueForbidden " + at + ".data[name=a]#2"},
			"a removal is a change",
		},
		{
			"a hot repetition mended, in place", `{"nics":[{"name":"a"},{"name":"a"}]}`, `{"nics":[{"name":"a"}]}`, auto,
			[]string{},
			"the document is the same",
		},
		{
			"a hot repetition", `{"nics":[{"name":"a"}]}`, `{"nics":[{"name":"a"},{"name":"a"}]}`, auto,
			[]string{"FieldValueDuplicate " + at + ".nics[name=a]#2"},
			"a driver cannot tell them apart",
		},
		{
			"a repetition in a new element of a set", `{"sets":[{"data":[{"name":"b"},{"name":"b"}]}]}`,
			`{"sets":[{"data":[{"name":"b"},{"name":"b"}]},{"data":[{"name":"a"},{"name":"a"}]}]}`, rolling,
			[]string{
				"FieldValueDuplicate " + at + ".sets[1].data[name=a]#2",
			},
			"elements of sets are found by value",
		},
		{
			"unreadable before, repeated key", `{`, `{"data":[{"name":"a"},{"name":"a"}]}`, rolling,
			[]string{"FieldValueDuplicate " + at + ".data[name=a]#2"},
			"nobody knows that it is old",
		},
		{
			"duplicate member", `{}`, `{"account":"a","account":"b"}`, rolling,
			[]string{"FieldValueDuplicate " + at + ".account"},
			"the decoder would take the last",
		},
		{"no JSON", `{}`, `{`, rolling, []string{"FieldValueInvalid " + at}, "as a whole"},
		{"unreadable before, rolling", `{`, `{}`, rolling, []string{}, "the way out of a bad config"},
		{
			"unreadable before, in place", `{"x":"hunter2"}`, `{}`, auto,
			[]string{"FieldValueForbidden " + at},
			"it is not known what changes",
		},
		{"unknown strategy", `{}`, `{}`, 9, []string{"InternalError " + at}, "a mistake of the caller, not of the user"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			errs := schema.ValidateUpdateRaw([]byte(tc.old), []byte(tc.updated), tc.strategy, spec)
			assert.ElementsMatch(t, tc.want, lines(errs), tc.reason)
			assertNoValues(t, errs)
		})
	}
}

// assertNoValues checks that errors neither hold nor show a value.
func assertNoValues(t *testing.T, errs k8sfield.ErrorList) {
	t.Helper()
	for _, err := range errs {
		assert.Contains(t, []any{"", k8sfield.OmitValueType{}}, err.BadValue)
		assert.NotContains(t, fmt.Sprintf("%s %+v %#v", err.Error(), *err, *err), "hunter2")
	}
}

// TestValidateUpdateAtRoot: without fldPath the configuration is the root, and its paths are those of the changes.
func TestValidateUpdateAtRoot(t *testing.T) {
	schema := schemaFor[admitted](t)
	config := []byte(`{"token":"hunter2","volume":{"iops":1}}`)
	errs := schema.ValidateUpdateRaw(nil, config, hotupdate.ManualInPlaceUpdate, nil)
	assert.Equal(
		t, []string{"FieldValueForbidden token", "FieldValueForbidden volume.iops"}, lines(errs),
		"without fldPath the configuration is the root",
	)
	assertNoValues(t, errs)
	assert.EqualError(
		t, errs[1], "volume.iops: Forbidden: is immutable: ManualInPlaceUpdate does not replace machines, which this change needs",
	)
	assert.Equal(
		t, []string{"InternalError "}, lines((*hotupdate.Schema)(nil).ValidateUpdateRaw(nil, nil, hotupdate.AutoInPlaceUpdate, nil)),
		"there is no Schema",
	)
}

// TestValidateUpdateFollowsOutcome: an update is refused exactly if its outcome is forbidden, with an error for each change that causes it.
func TestValidateUpdateFollowsOutcome(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		old, updated := s.drawPair(t)
		changes := s.diff(t, old, updated)
		for _, strategy := range []hotupdate.Strategy{
			hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate,
		} {
			want := []string{}
			if changes.Outcome(strategy) == hotupdate.OutcomeForbidden {
				for _, c := range changes.Of(hotupdate.Immutable) {
					want = append(want, "FieldValueForbidden "+c.Path)
				}
			}
			require.Equal(
				t, want, lines(s.schema.ValidateUpdateRaw(toJSON(t, old), toJSON(t, updated), strategy, nil)), "%s",
				s.describe(old, updated),
			)
		}
	})
}

// TestValidateUpdateRefusesNewRepetitions: an element is refused for its key exactly if the same list of the old
// configuration does not have this key as often. What is refused without an old configuration is every element but the
// first of each key.
func TestValidateUpdateRefusesNewRepetitions(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		old, updated := s.drawPair(t)
		refused := func(old []byte) (count int) {
			for _, err := range s.schema.ValidateUpdateRaw(old, toJSON(t, updated), hotupdate.AutoRollingUpdate, nil) {
				require.Equal(t, k8sfield.ErrorTypeDuplicate, err.Type, "%v\n%s", err, s.describe(updated))
				count++
			}
			return count
		}
		require.Equal(t, repetitionsIn(s.root, updated), refused(nil), "%s", s.describe(updated))
		require.LessOrEqual(t, refused(toJSON(t, old)), refused(nil), "%s", s.describe(old, updated))
		require.Zero(t, refused(toJSON(t, respelled(t, fullView, s.root, updated))), "%s", s.describe(updated))
	})
}

// repetitionsIn counts the elements of keyed lists that have the key of another one, but for one of each key. Of equal
// elements of a set it counts one.
func repetitionsIn(p modelNode, v reflect.Value) (count int) {
	if v = behind(v); !v.IsValid() {
		return 0
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			if field := m.of(v); field.IsValid() {
				count += repetitionsIn(m, field)
			}
		}
	case listShape, arrayShape:
		seen := map[any]bool{}
		for i := range v.Len() {
			if p.set {
				tree, _, _ := fullView.element(p, v.Index(i))
				if seen[canonical(tree)] {
					continue
				}
				seen[canonical(tree)] = true
			}
			count += repetitionsIn(p.elemOf(v.Index(i)), v.Index(i))
			if p.key != "" {
				if seen[keyOf(p, v.Index(i))] {
					count++
				}
				seen[keyOf(p, v.Index(i))] = true
			}
		}
	case mapShape:
		for key, elem := range v.Seq2() {
			count += repetitionsIn(p.entryOf(key, elem), elem)
		}
	case leafShape:
	}
	return count
}

func TestWarnings(t *testing.T) {
	spec := k8sfield.NewPath("spec", "providerConfig")
	changes := hotupdate.Changes{
		{Path: "account", Class: hotupdate.InPlace}, {Path: "tags[a]", Class: hotupdate.Hot}, {Path: "volume.iops", Old: "1", New: "2"},
	}
	for _, tc := range []struct {
		name     string
		changes  hotupdate.Changes
		strategy hotupdate.Strategy
		want     []string
		reason   string
	}{
		{"nothing", nil, hotupdate.AutoRollingUpdate, nil, "nothing to warn of"},
		{"hot", changes.Of(hotupdate.Hot), hotupdate.AutoRollingUpdate, nil, "no machine is drained or replaced"},
		{"roll", changes, hotupdate.AutoRollingUpdate, []string{
			"spec.providerConfig: roll: every machine is replaced",
			"spec.providerConfig.account: is in-place, so that its change causes: roll",
			"spec.providerConfig.volume.iops: is immutable, so that its change causes: roll",
		}, "each cause at its field"},
		{"in place", changes[:2], hotupdate.AutoInPlaceUpdate, []string{
			"spec.providerConfig: in-place-update: every node is drained and updated in place, no machine is replaced",
			"spec.providerConfig.account: is in-place, so that its change causes: in-place-update",
		}, "nodes are drained"},
		{"forbidden", changes, hotupdate.ManualInPlaceUpdate, []string{
			"spec.providerConfig: forbidden: ManualInPlaceUpdate does not replace machines, which this change needs",
			"spec.providerConfig.volume.iops: is immutable, so that its change causes: forbidden",
		}, "for those who do not refuse"},
		{
			"unknown strategy", changes, 7,
			[]string{"spec.providerConfig: the update strategy is unknown, so it is not known what the change does to machines"},
			"better said than kept quiet",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.changes.Warnings(tc.strategy, spec), tc.reason)
		})
	}
	assert.Equal(
		t, "roll: every machine is replaced", changes.Warnings(hotupdate.AutoRollingUpdate, nil)[0],
		"without fldPath the configuration is the root",
	)
}

// TestWarningsAreWithinLimits: an API server cuts warnings beyond 256 characters and drops them beyond 4096 in all, and a client refuses
// control characters and invalid UTF-8.
func TestWarningsAreWithinLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom(
			[]string{"a", "\n", "\x1b[2J", "\u202e", "\xff", "\u00e9", "\U0001f40b", strings.Repeat("x", 300), "\"", `\`},
		)
		var changes hotupdate.Changes
		for range rapid.IntRange(0, 30).Draw(t, "changes") {
			changes = append(
				changes,
				hotupdate.Change{
					Path:  strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "path"), ""),
					Class: hotupdate.Class(rapid.IntRange(0, 3).Draw(t, "class")),
				},
			)
		}
		total := 0
		for _, w := range changes.Warnings(
			hotupdate.Strategy(rapid.IntRange(0, 3).Draw(t, "strategy")), k8sfield.NewPath("spec").Key(piece.Draw(t, "key")),
		) {
			_, err := net.NewWarningHeader(299, "-", w)
			require.NoError(t, err, "%q", w)
			require.Equal(t, -1, strings.IndexFunc(w, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", w)
			require.LessOrEqual(t, utf8.RuneCountInString(w), 256, "%q", w)
			total += utf8.RuneCountInString(w)
		}
		require.LessOrEqual(t, total, 4096)
	})
}

// TestCauses: without its causes an update has a milder outcome, and each cause alone has the same outcome.
func TestCauses(t *testing.T) {
	for _, strategy := range []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate} {
		for set := range 1 << 4 {
			changes, _ := changesOfSet(set)
			outcome := changes.Outcome(strategy)
			causes := changes.Causes(strategy)
			require.Equal(t, outcome == hotupdate.OutcomeNone, len(causes) == 0, "%v %v", strategy, changes)
			var rest hotupdate.Changes
			for _, c := range changes {
				if !reflect.DeepEqual(hotupdate.Changes{c}, causes.Of(c.Class)) {
					rest = append(rest, c)
					continue
				}
				require.Equal(t, outcome, hotupdate.Changes{c}.Outcome(strategy))
			}
			if len(causes) > 0 {
				require.Less(t, rest.Outcome(strategy), outcome, "%v %v", strategy, changes)
			}
		}
	}
	require.Empty(t, hotupdate.Changes{{Class: hotupdate.Immutable}}.Causes(9), "an unknown strategy decides nothing")
}
