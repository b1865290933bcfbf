package pool_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestReleaseOfGardener: the release of Gardener that a landscape states decides which members a Shoot has. What the
// release does not have, its API server drops or refuses.
func TestReleaseOfGardener(t *testing.T) {
	t.Parallel()
	reserved := func(cpu string) edit {
		return at("kubernetes", object{"kubelet": object{
			"kubeReserved": object{"cpu": "80m", "memory": "1Gi", "pid": "20k"}, "systemReserved": object{"cpu": cpu},
		}})
	}
	inPlace := at("updateStrategy", "AutoInPlaceUpdate")
	for name, test := range map[string]struct {
		release     string
		old, change edits
		want        verdict.Verdict
		assumes     []verdict.Rule
		reason      string
	}{
		"reservations, not stated": {
			"",
			edits{reserved("20m")},
			edits{reserved("30m")},
			verdict.Roll,
			[]verdict.Rule{verdict.GardenerIsKnown, verdict.ReservationsBySum},
			"today's v1.150 does not have systemReserved",
		},
		"reservations, before": {
			"v1.139.1",
			edits{reserved("20m")},
			edits{reserved("30m")},
			verdict.Roll,
			[]verdict.Rule{verdict.OtherGardener},
			"the release has both, and adds them up",
		},
		"reservations, between": {
			"v1.140.9",
			edits{reserved("20m")},
			edits{reserved("30m")},
			verdict.Roll,
			[]verdict.Rule{verdict.OtherGardener, verdict.ReservationsBySum},
			"the table does not have the release",
		},
		"reservations, after": {
			"v1.150.0", edits{reserved("20m")}, edits{reserved("30m")}, verdict.None, nil, "the release drops systemReserved",
		},
		"in place, not stated": {
			"",
			edits{inPlace},
			edits{at("machine.type", "n2")},
			verdict.Forbidden,
			[]verdict.Rule{verdict.GardenerIsKnown},
			"a pool that is updated in place keeps its machines",
		},
		"in place, before the strategies": {
			"v1.110.0",
			edits{inPlace},
			edits{at("machine.type", "n2")},
			verdict.Roll,
			[]verdict.Rule{verdict.OtherGardener},
			"the release does not have updateStrategy",
		},
		"in place, with the strategies": {
			"v1.120.0",
			edits{inPlace},
			edits{at("machine.type", "n2")},
			verdict.Forbidden,
			[]verdict.Rule{verdict.OtherGardener},
			"the release has it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
			if test.release != "" {
				o.Landscape = facts.Landscape{Gardener: verdict.Known(test.release, "a.yaml:3")}
			}
			noStatus := edits{{"status", nil}}
			old := manifest(t, "pairs/"+onGCP, slices.Concat(noStatus, test.old)...)
			updated := manifest(t, "pairs/"+onGCP, slices.Concat(noStatus, test.old, test.change)...)
			plan, err := planOf(t, knowing{name, old, updated, o})
			require.NoError(t, err)
			assert.Equal(t, test.want.String(), plan.Verdict().String(), test.reason)
			assert.ElementsMatch(t, test.assumes, assumptionsOf(plan), test.reason)
		})
	}
}

// assumptionsOf returns the assumptions about releases, and those that a release decides.
func assumptionsOf(plan *pool.Plan) (found []verdict.Rule) {
	all := slices.Clone(plan.Rules)
	for _, p := range plan.Pools {
		all = append(all, p.Rules...)
	}
	for _, rule := range verdict.Sorted(all) {
		if slices.Contains([]verdict.Rule{
			verdict.GardenerIsKnown, verdict.OtherGardener, verdict.ReservationsBySum, verdict.ExtensionIsKnown, verdict.OtherExtension,
		}, rule) {
			found = append(found, rule)
		}
	}
	return found
}

// TestReleaseOfExtension: a stated release that is the one of the recorded answers decides what names a pool; another
// one, and none, is an assumption of a change that the extension judges.
func TestReleaseOfExtension(t *testing.T) {
	t.Parallel()
	volume := edits{at("dataVolumes.0.size", "123Gi")}
	machine := edits{at("machine.type", "n2")}
	for name, test := range map[string]struct {
		release string
		change  edits
		want    []verdict.Rule
	}{
		"not stated":                    {"", volume, []verdict.Rule{verdict.ExtensionIsKnown}},
		"the recorded release":          {"v1.54.1", volume, nil},
		"a patch of it":                 {"v1.54.9", volume, nil},
		"another release":               {"v1.40.0", volume, []verdict.Rule{verdict.OtherExtension}},
		"not a change of the extension": {"v1.40.0", machine, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Both}
			o.Landscape.Gardener = verdict.Known("v1.150.0", "a.yaml:3")
			if test.release != "" {
				o.Landscape.Extensions = map[string]facts.Extension{"gcp": {Release: verdict.Known(test.release, "a.yaml:4")}}
			}
			old := manifest(t, "pairs/"+onGCP, edit{"status", nil})
			updated := manifest(t, "pairs/"+onGCP, append(edits{{"status", nil}}, test.change...)...)
			plan, err := planOf(t, knowing{name, old, updated, o})
			require.NoError(t, err)
			assert.Equal(t, verdict.Roll.String(), plan.Verdict().String())
			assert.ElementsMatch(t, test.want, assumptionsOf(plan))
		})
	}
}
