package pool_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestWhatRuns: an earlier change of a Shoot may wait. What makes gardenlet roll out the Shoot, by Gardener's
// mustIncreaseGeneration, then rolls out that change too.
func TestWhatRuns(t *testing.T) {
	t.Parallel()
	operation := func(state string, observed int) edit {
		return edit{"status", object{"lastOperation": object{"state": state, "type": "Reconcile"}, "observedGeneration": observed}}
	}
	annotated := func(name, value string) edit { return edit{"metadata.annotations", object{name: value}} }
	const generation = 12
	succeeded := operation("Succeeded", generation)
	confined := edit{"spec.maintenance.confineSpecUpdateRollout", true}
	released := edit{"spec.maintenance.confineSpecUpdateRollout", false}
	ignored := annotated("shoot.gardener.cloud/ignore", "true")
	purpose := edit{"spec.purpose", "testing"}
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	for name, test := range map[string]struct {
		old, change []edit
		want        verdict.Verdict
	}{
		"the rollout is no longer confined":       {edits{succeeded, confined}, edits{released}, verdict.Indeterminate},
		"reconcile is requested":                  {edits{succeeded, confined}, edits{annotated("gardener.cloud/operation", "reconcile")}, verdict.Indeterminate},
		"a change that waits too":                 {edits{succeeded, confined}, edits{purpose}, verdict.None},
		"a label of the Shoot":                    {edits{succeeded, confined}, edits{{"metadata.labels", object{"a": "b"}}}, verdict.None},
		"an operation for the maintenance window": {edits{succeeded, confined}, edits{annotated("maintenance.gardener.cloud/operation", "reconcile")}, verdict.None},
		"the change itself rolls":                 {edits{succeeded, confined}, edits{released, at("machine.type", "n2")}, verdict.Roll},
		"confined, without a status":              {edits{{"status", nil}, confined}, edits{released}, verdict.Indeterminate},
		"confined and hibernated":                 {edits{succeeded, confined, hibernated}, edits{released}, verdict.None},
		"it was not confined":                     {edits{succeeded}, edits{confined}, verdict.None},
		"the last operation has failed":           {edits{operation("Failed", generation)}, edits{purpose}, verdict.Indeterminate},
		"a failed operation is retried":           {edits{operation("Failed", generation)}, edits{annotated("gardener.cloud/operation", "retry")}, verdict.Indeterminate},
		"reconcile does not retry":                {edits{operation("Failed", generation)}, edits{annotated("gardener.cloud/operation", "reconcile")}, verdict.None},
		"an older generation has failed":          {edits{operation("Failed", generation-1)}, edits{purpose}, verdict.None},
		"the spec is being rolled out":            {edits{operation("Processing", generation)}, edits{purpose}, verdict.None},
		"the rollout has an error":                {edits{operation("Error", generation)}, edits{purpose}, verdict.None},
		"the Shoot is no longer ignored":          {edits{succeeded, ignored}, edits{{"metadata.annotations", nil}}, verdict.Indeterminate},
		"it is still ignored":                     {edits{succeeded, ignored}, edits{purpose}, verdict.None},
		"all is rolled out":                       {edits{succeeded}, edits{purpose}, verdict.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := manifest(t, "pairs/"+onGCP, test.old...)
			updated := manifest(t, "pairs/"+onGCP, append(slices.Clone(test.old), test.change...)...)
			plan := planned(t, old, updated)
			assert.Equal(t, test.want.String(), plan.Verdict().String())
			asks := func(p pool.Planned) bool {
				return slices.ContainsFunc(p.Questions, func(q verdict.Question) bool { return q.Rule == verdict.EarlierMayWait })
			}
			assert.Equal(t, test.want == verdict.Indeterminate, slices.ContainsFunc(plan.Pools, asks))
		})
	}
}

// TestAssumedToRun: without a status, the old spec is assumed to run, and the report says so.
func TestAssumedToRun(t *testing.T) {
	t.Parallel()
	purpose := edit{"spec.purpose", "testing"}
	without := edit{"status", nil}
	succeeded := edit{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12}}
	plan := func(status edit, more ...edit) *pool.Plan {
		return planned(t, manifest(t, "pairs/"+onGCP, status), manifest(t, "pairs/"+onGCP, append(edits{status}, more...)...))
	}
	assert.Contains(t, plan(without, purpose).Rules, verdict.OldSpecRuns)
	assert.NotContains(t, plan(succeeded, purpose).Rules, verdict.OldSpecRuns)
	assert.NotContains(t, plan(without).Rules, verdict.OldSpecRuns, "nothing is changed")
}
