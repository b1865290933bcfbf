package pool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
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
	asleep := edit{"status", object{
		"lastOperation": object{"state": "Succeeded", "type": "Reconcile"}, "observedGeneration": generation, "hibernated": true,
	}}
	confined := edit{"spec.maintenance.confineSpecUpdateRollout", true}
	released := edit{"spec.maintenance.confineSpecUpdateRollout", false}
	ignored := annotated("shoot.gardener.cloud/ignore", "true")
	purpose := edit{"spec.purpose", "testing"}
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	for name, test := range map[string]struct {
		old, change []edit
		want        verdict.Verdict
	}{
		"the rollout is no longer confined": {edits{succeeded, confined}, edits{released}, verdict.Indeterminate},
		"reconcile is requested": {
			edits{succeeded, confined}, edits{annotated("gardener.cloud/operation", "reconcile")}, verdict.Indeterminate,
		},
		"a change that waits too": {edits{succeeded, confined}, edits{purpose}, verdict.None},
		"a label of the Shoot":    {edits{succeeded, confined}, edits{{"metadata.labels", object{"a": "b"}}}, verdict.None},
		"an operation for the maintenance window": {
			edits{succeeded, confined}, edits{annotated("maintenance.gardener.cloud/operation", "reconcile")}, verdict.None,
		},
		"the change itself rolls":            {edits{succeeded, confined}, edits{released, at("machine.type", "n2")}, verdict.Roll},
		"confined, without a status":         {edits{{"status", nil}, confined}, edits{released}, verdict.Indeterminate},
		"confined and hibernated":            {edits{asleep, confined, hibernated}, edits{released}, verdict.None},
		"confined, hibernated, a status cut": {edits{succeeded, confined, hibernated}, edits{released}, verdict.Indeterminate},
		"it was not confined":                {edits{succeeded}, edits{confined}, verdict.None},
		"the last operation has failed":      {edits{operation("Failed", generation)}, edits{purpose}, verdict.Indeterminate},
		"a failed operation is retried": {
			edits{operation("Failed", generation)}, edits{annotated("gardener.cloud/operation", "retry")}, verdict.Indeterminate,
		},
		"reconcile does not retry": {
			edits{operation("Failed", generation)}, edits{annotated("gardener.cloud/operation", "reconcile")}, verdict.None,
		},
		"an older generation has failed": {edits{operation("Failed", generation-1)}, edits{purpose}, verdict.None},
		"the spec is being rolled out":   {edits{operation("Processing", generation)}, edits{purpose}, verdict.None},
		"the rollout has an error":       {edits{operation("Error", generation)}, edits{purpose}, verdict.None},
		"the Shoot is no longer ignored": {edits{succeeded, ignored}, edits{{"metadata.annotations", nil}}, verdict.Indeterminate},
		"it is still ignored":            {edits{succeeded, ignored}, edits{purpose}, verdict.None},
		"the API server has removed the request": {
			edits{succeeded, confined}, edits{{"metadata.generation", generation + 1}}, verdict.Indeterminate,
		},
		"a generation that stays":               {edits{succeeded, confined}, edits{{"metadata.generation", generation}}, verdict.None},
		"a later generation, all is rolled out": {edits{succeeded}, edits{{"metadata.generation", generation + 1}}, verdict.None},
		"all is rolled out":                     {edits{succeeded}, edits{purpose}, verdict.None},
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
			assert.Equal(t, test.want != verdict.None, slices.ContainsFunc(plan.Pools, asks), "what waits may be graver than a roll")
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
	hibernated := manifest(t, "pairs/"+onGCP, without, edit{"spec.hibernation", object{"enabled": true}})
	larger := manifest(t, "pairs/"+onGCP, without, edit{"spec.hibernation", object{"enabled": true}}, at("machine.type", "n2"))
	assert.Contains(t, planned(t, hibernated, larger).Rules, verdict.OldSpecRuns, "the cluster may not be hibernated yet")
}

// TestIgnoredShoots: gardenlet heeds the annotation shoot.gardener.cloud/ignore if respectSyncPeriodOverwrite in its
// configuration says so, and in the namespace garden always (ShouldIgnoreShoot). Where that is not known and decides,
// the verdict is indeterminate, and names the key that states it.
func TestIgnoredShoots(t *testing.T) {
	t.Parallel()
	annotated := func(value string) edit {
		return edit{"metadata.annotations", object{"shoot.gardener.cloud/ignore": value}}
	}
	const generation = 12
	operation := func(state string) edit {
		return edit{"status", object{"lastOperation": object{"state": state, "type": "Reconcile"}, "observedGeneration": generation}}
	}
	released := edit{"metadata.annotations", nil}
	garden := edit{"metadata.namespace", "garden"}
	purpose := edit{"spec.purpose", "testing"}
	succeeded := operation("Succeeded")
	failed := operation("Failed")
	yes := verdict.Known(true, "a.yaml:2")
	no := verdict.Known(false, "a.yaml:2")
	var open verdict.Fact[bool]
	for name, test := range map[string]struct {
		heeds       verdict.Fact[bool]
		old, change edits
		want        verdict.Verdict
		asksKey     bool
		reason      string
	}{
		"it ends, not known": {
			open,
			edits{succeeded, annotated("true")},
			edits{released},
			verdict.Indeterminate, true,
			"an earlier change waits only if gardenlet heeds it",
		},
		"it ends, heeded": {
			yes, edits{succeeded, annotated("true")}, edits{released}, verdict.Indeterminate, false, "an earlier change may wait",
		},
		"it ends, not heeded": {
			no, edits{succeeded, annotated("true")}, edits{released}, verdict.None, false, "nothing has waited",
		},
		"it ends, written as 1": {
			open, edits{succeeded, annotated("1")}, edits{released}, verdict.Indeterminate, true, "strconv.ParseBool reads it",
		},
		"it ends, written as True": {
			yes, edits{succeeded, annotated("True")}, edits{released}, verdict.Indeterminate, false, "strconv.ParseBool reads it",
		},
		"it ends, written as yes": {
			yes, edits{succeeded, annotated("yes")}, edits{released}, verdict.None, false, "strconv.ParseBool does not read it",
		},
		"it becomes false": {
			yes, edits{succeeded, annotated("true")}, edits{annotated("false")}, verdict.Indeterminate, false, "it ends",
		},
		"in the namespace garden": {
			no,
			edits{succeeded, garden, annotated("true")},
			edits{released},
			verdict.Indeterminate, false,
			"gardenlet always heeds it there",
		},
		"it stays, not known": {
			open, edits{succeeded, annotated("true")}, edits{purpose}, verdict.None, false, "nothing waits, or nothing is rolled out",
		},
		"it stays, failed, not known": {
			open,
			edits{failed, annotated("true")},
			edits{purpose},
			verdict.Indeterminate, true,
			"if it is not heeded, the failed operation is retried with what waits",
		},
		"it stays, failed, heeded": {
			yes, edits{failed, annotated("true")}, edits{purpose}, verdict.None, false, "nothing is rolled out",
		},
		"it stays, failed, not heeded": {
			no,
			edits{failed, annotated("true")},
			edits{purpose},
			verdict.Indeterminate, false,
			"the failed operation is retried with what waits",
		},
		"it ends, failed, not known": {
			open,
			edits{failed, annotated("true")},
			edits{released},
			verdict.Indeterminate, true,
			"if it is not heeded, its end is no change of the spec",
		},
		"it begins": {open, edits{succeeded}, edits{annotated("true")}, verdict.None, false, "all is rolled out"},
		"the change itself rolls": {
			open,
			edits{succeeded, annotated("true")},
			edits{released, at("machine.type", "n2")},
			verdict.Roll, true,
			"the pool rolls, and what waits may be graver",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
			o.Landscape.RespectsSyncPeriod = test.heeds
			old := manifest(t, "pairs/"+onGCP, test.old...)
			updated := manifest(t, "pairs/"+onGCP, append(slices.Clone(test.old), test.change...)...)
			plan, err := planOf(t, knowing{name, old, updated, o})
			require.NoError(t, err)
			assert.Equal(t, test.want.String(), plan.Verdict().String(), test.reason)
			asks := func(p pool.Planned) bool {
				return slices.ContainsFunc(p.Questions, func(q verdict.Question) bool {
					return strings.Contains(q.Answer, "landscape.respectSyncPeriodOverwrite")
				})
			}
			assert.Equal(t, test.asksKey, slices.ContainsFunc(plan.Pools, asks), test.reason)
		})
	}
}

// TestWhatWaitsIsNotBounded: an earlier change that is rolled out with this one can be any change, such as a pool that
// was removed, a smaller maximum or hibernation.
func TestWhatWaitsIsNotBounded(t *testing.T) {
	t.Parallel()
	status := func(state string, isHibernated bool) edit {
		return edit{"status", object{
			"lastOperation": object{"state": state, "type": "Reconcile"}, "observedGeneration": 12, "hibernated": isHibernated,
		}}
	}
	annotated := func(name, value string) edit { return edit{"metadata.annotations", object{name: value}} }
	confined := edit{"spec.maintenance.confineSpecUpdateRollout", true}
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	succeeded := status("Succeeded", false)
	failed := status("Failed", false)
	for name, test := range map[string]struct {
		old, change edits
		want        verdict.Verdict
	}{
		"the rollout is no longer confined": {
			edits{succeeded, confined}, edits{{"spec.maintenance.confineSpecUpdateRollout", false}}, verdict.Indeterminate,
		},
		"the last operation has failed": {edits{failed}, edits{at("labels", object{"x": "a"})}, verdict.Indeterminate},
		"the Shoot is no longer ignored": {
			edits{succeeded, annotated("shoot.gardener.cloud/ignore", "true")}, edits{{"metadata.annotations", nil}}, verdict.Indeterminate,
		},
		"ignored until now, failed": {
			edits{failed, annotated("shoot.gardener.cloud/ignore", "true")}, edits{{"spec.purpose", "testing"}}, verdict.Indeterminate,
		},
		"hibernation is retried": {
			edits{failed, hibernated}, edits{annotated("gardener.cloud/operation", "retry")}, verdict.Indeterminate,
		},
		"the change itself rolls": {edits{failed}, edits{at("machine.type", "n2")}, verdict.Roll},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := manifest(t, "pairs/"+onGCP, test.old...)
			updated := manifest(t, "pairs/"+onGCP, append(slices.Clone(test.old), test.change...)...)
			plan := planned(t, old, updated)
			for i := range plan.Pools {
				planned := &plan.Pools[i]
				assert.Equal(t, test.want.String(), planned.Effect().String())
				assert.False(t, planned.Possible().IsBounded(), "%v", planned.Possible())
				for _, graver := range []verdict.Verdict{verdict.MachinesDeleted, verdict.Removed} {
					assert.True(t, planned.Possible().Has(graver), graver.String())
				}
				for _, question := range planned.Questions {
					assert.NotContains(t, question.String(), "machines-may-be-deleted", "all verdicts in one line")
				}
			}
		})
	}
}

// TestWhatIsReconciledAtOnce: a change waits for the maintenance window unless Gardener reconciles the Shoot at once:
// mustIncreaseGeneration, which also decides whether earlier changes are rolled out.
func TestWhatIsReconciledAtOnce(t *testing.T) {
	t.Parallel()
	operation := func(name string) edit { return edit{"metadata.annotations", object{"gardener.cloud/operation": name}} }
	later := edit{"metadata.annotations", object{"maintenance.gardener.cloud/operation": "reconcile"}}
	confined := edit{"spec.maintenance.confineSpecUpdateRollout", true}
	free := edit{"spec.maintenance.confineSpecUpdateRollout", false}
	hibernated := func(is bool) edit { return edit{"spec.hibernation", object{"enabled": is}} }
	purpose := edit{"spec.purpose", "testing"}
	rolls := at("machine.type", "n2")
	noSSH := edit{"spec.provider.workersSettings.sshAccess.enabled", false}
	ignored := edit{"metadata.annotations", object{"shoot.gardener.cloud/ignore": "true"}}
	for name, test := range map[string]struct {
		old, change edits
		waits       bool
	}{
		"a confined change":                 {edits{confined}, edits{rolls}, true},
		"the change that confines":          {nil, edits{confined, rolls}, true},
		"the end of the confinement":        {edits{confined}, edits{free}, false},
		"reconcile":                         {edits{confined}, edits{rolls, operation("reconcile")}, false},
		"retry":                             {edits{confined}, edits{rolls, operation("retry")}, false},
		"maintain":                          {edits{confined}, edits{rolls, operation("maintain")}, false},
		"rotate-ssh-keypair":                {edits{confined}, edits{rolls, operation("rotate-ssh-keypair")}, false},
		"rotate-ssh-keypair, no SSH access": {edits{confined, noSSH}, edits{rolls, operation("rotate-ssh-keypair")}, true},
		"and reconcile, no SSH access":      {edits{confined, noSSH}, edits{rolls, operation("reconcile;rotate-ssh-keypair")}, false},
		"rollout-workers":                   {edits{confined}, edits{rolls, operation("rollout-workers=general")}, false},
		"force-in-place-update":             {edits{confined}, edits{rolls, operation("force-in-place-update")}, true},
		"hibernation begins":                {edits{confined, hibernated(false)}, edits{hibernated(true)}, false},
		"hibernation ends":                  {edits{confined, hibernated(true)}, edits{hibernated(false)}, false},
		"hibernation is as before":          {edits{confined, hibernated(false)}, edits{purpose}, true},
		"an operation for later":            {nil, edits{later}, true},
		"an operation for later, a change":  {nil, edits{later, purpose}, false},
		"gardenlet may ignore the Shoot":    {edits{confined, ignored}, edits{rolls}, false},
		"not confined":                      {nil, edits{purpose}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := manifest(t, "pairs/"+onGCP, test.old...)
			updated := manifest(t, "pairs/"+onGCP, append(slices.Clone(test.old), test.change...)...)
			assert.Equal(t, test.waits, slices.Contains(planned(t, old, updated).Rules, verdict.WaitsForMaintenance))
		})
	}
}

// TestRotationOfSSHKeys: where SSH access is off, the API server removes the annotation and nothing is reconciled, so
// what waits goes on waiting. With SSH access, the Shoot is reconciled.
func TestRotationOfSSHKeys(t *testing.T) {
	t.Parallel()
	status := edit{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12, "hibernated": false}}
	confined := edit{"spec.maintenance.confineSpecUpdateRollout", true}
	rotate := edit{"metadata.annotations", object{"gardener.cloud/operation": "rotate-ssh-keypair"}}
	for name, test := range map[string]struct {
		ssh  edit
		want verdict.Verdict
		says bool
	}{
		"no SSH access":       {edit{"spec.provider.workersSettings.sshAccess.enabled", false}, verdict.None, true},
		"SSH access":          {edit{"spec.provider.workersSettings.sshAccess.enabled", true}, verdict.Indeterminate, false},
		"SSH access, default": {edit{"spec.provider.workersSettings", nil}, verdict.Indeterminate, false},
	} {
		old := manifest(t, "pairs/"+onGCP, status, confined, test.ssh)
		updated := manifest(t, "pairs/"+onGCP, status, confined, test.ssh, rotate)
		plan := planned(t, old, updated)
		assert.Equal(t, test.want.String(), plan.Verdict().String(), name)
		says := false
		for _, one := range plan.Pools {
			says = says || slices.ContainsFunc(one.Changes, func(c judge.Finding) bool { return c.Rule == verdict.SSHAccessOff })
		}
		assert.Equal(t, test.says, says, name)
	}
}
