package pool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestMisspelledMembers: a missing member was probably meant by one with nearly its name. Its value is not known, so
// that no verdict rests on its absence, on whichever side it is.
func TestMisspelledMembers(t *testing.T) {
	t.Parallel()
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	for name, test := range map[string]struct {
		old, change edits
		want        verdict.Verdict
		written     string
		reason      string
	}{
		"the machine type": {
			nil,
			edits{at("machine.type", nil), at("machine.tpye", "n1-standard-4")},
			verdict.Indeterminate, "machine.tpye",
			"every machine would be replaced",
		},
		"the maximum": {
			nil,
			edits{at("maximum", nil), at("maxmum", 9)},
			verdict.Indeterminate, "maxmum",
			"without a maximum, every machine would be deleted",
		},
		"the maximum of the old": {
			edits{at("maximum", nil), at("maxmum", 9)},
			edits{at("maximum", 9), at("maxmum", nil)},
			verdict.Indeterminate, "maxmum",
			"what runs is not known",
		},
		"hibernation": {
			nil, edits{{"spec.hibernation", object{"enbled": true}}}, verdict.Indeterminate, "", "it would wake up or stay awake",
		},
		"hibernation of the old": {
			edits{hibernated},
			edits{{"spec.hibernation", object{"enbled": true}}},
			verdict.Indeterminate, "spec.hibernation.enbled",
			"it would wake up",
		},
		"beside a certain change": {
			nil,
			edits{at("maximum", nil), at("maxmum", 9), at("machine.type", "n2")},
			verdict.Roll, "maxmum",
			"the pool rolls for another reason",
		},
		"a far name": {nil, edits{at("machine.type", nil), at("machine.zzzzzz", "n1")}, verdict.Roll, "", "the member is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := manifest(t, "pairs/"+onGCP, append(edits{{"status", nil}}, test.old...)...)
			updated := manifest(t, "pairs/"+onGCP, append(append(edits{{"status", nil}}, test.old...), test.change...)...)
			plan := planned(t, old, updated)
			assert.Equal(t, test.want.String(), plan.Verdict().String(), test.reason)
			asks := func(p pool.Planned) bool {
				return slices.ContainsFunc(p.Questions, func(q verdict.Question) bool {
					return q.Rule == verdict.Misspelled && strings.HasPrefix(q.Fact, "whether "+test.written+" is meant as ")
				})
			}
			assert.Equal(t, test.written != "", slices.ContainsFunc(plan.Pools, asks), test.reason)
		})
	}
}
