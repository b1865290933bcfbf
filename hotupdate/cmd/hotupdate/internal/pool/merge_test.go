package pool_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

const asked = verdict.Gardener("v1.150.0")

// merged returns the plan of a changed Shoot with Gardener's answer in it.
func merged(t *testing.T, a gardenerplugin.Answer, edits ...edit) *pool.Plan {
	t.Helper()
	old := read(t, manifest(t, "shoot.yaml"))
	updated := read(t, manifest(t, "shoot.yaml", edits...))
	plan, err := pool.NewPlan(old, updated, options(t))
	require.NoError(t, err)
	require.Contains(t, plan.Rules, verdict.AdmissionUnjudged)
	plan.Merge(a, string(asked), old, updated)
	return plan
}

func kept(change gardenerplugin.Change) gardenerplugin.Outcome {
	return gardenerplugin.Outcome{Pools: []gardenerplugin.Pool{
		{Name: "cpu-worker", State: gardenerplugin.Kept, Change: change},
		{Name: "other", State: gardenerplugin.Added, Change: gardenerplugin.NoChange},
	}}
}

func answer(outcomes ...gardenerplugin.Outcome) gardenerplugin.Answer {
	return gardenerplugin.Answer{Outcomes: outcomes, DependsOn: []string{"a flag"}}
}

// TestMergeKeys: what Gardener does to the key of a pool counts if it is graver, and a difference is
// told.
func TestMergeKeys(t *testing.T) {
	t.Parallel()
	scaled := at("maximum", 9)
	rolled := at("machine.type", "m5.huge")
	for name, test := range map[string]struct {
		answer gardenerplugin.Answer
		edit   edit
		want   verdict.Verdict
		rule   verdict.Rule // that is told; NoRule if both agree
	}{
		"both leave it":  {answer(kept(gardenerplugin.NoChange)), scaled, verdict.MachinesAdded, verdict.NoRule},
		"both change it": {answer(kept(gardenerplugin.Roll)), rolled, verdict.Roll, verdict.NoRule},
		"only Gardener":  {answer(kept(gardenerplugin.Roll)), scaled, verdict.Roll, asked.KeyChanges()},
		"only in place":  {answer(kept(gardenerplugin.InPlace)), scaled, verdict.InPlaceUpdate, asked.KeyChanges()},
		"only plan":      {answer(kept(gardenerplugin.NoChange)), rolled, verdict.Roll, asked.KeyStays()},
		"undecided":      {answer(kept(gardenerplugin.Undecided)), scaled, verdict.MachinesAdded, verdict.NoRule},
		"a flag decides": {
			answer(kept(gardenerplugin.NoChange), kept(gardenerplugin.Roll)), scaled, verdict.Indeterminate,
			asked.DependsOn([]string{"a flag"}),
		},
		"a flag, still graver": {
			answer(kept(gardenerplugin.NoChange), kept(gardenerplugin.Roll)), rolled, verdict.Roll, asked.DependsOn([]string{"a flag"}),
		},
		"a later word": {answer(kept("melted")), rolled, verdict.Roll, verdict.NoRule},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := merged(t, test.answer, test.edit)
			planned := plan.Pools[0]
			assert.Equal(t, test.want, planned.Verdict)
			assert.Equal(t, test.want, plan.Verdict())
			assert.NotContains(t, plan.Rules, verdict.AdmissionUnjudged)
			assert.Contains(t, plan.Rules, asked.Admits(nil))
			for _, rule := range []verdict.Rule{
				asked.KeyChanges(), asked.KeyStays(), asked.Decides(), asked.DependsOn([]string{"a flag"}),
			} {
				if rule == test.rule {
					assert.Contains(t, planned.Rules, rule)
				} else {
					assert.NotContains(t, planned.Rules, rule)
				}
			}
			for _, change := range planned.Changes {
				isEffect := change.Verdict != verdict.None && slices.Contains(planned.Effects(), change.Verdict)
				assert.Equal(t, isEffect, change.Decides, change.Path)
			}
		})
	}
}

// TestMergeKeysOfRefused: Gardener's keys of an old Shoot that it would not create are not those of the stored Shoot. A
// difference is no defect.
func TestMergeKeysOfRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change gardenerplugin.Change
		edit   edit
		want   verdict.Verdict
		may    verdict.Set
		differ bool
	}{
		"only Gardener": {
			gardenerplugin.Roll, at("machineControllerManager", object{}), verdict.Indeterminate, verdict.Only(verdict.None, verdict.Roll),
			true,
		},
		"only plan": {gardenerplugin.NoChange, at("machine.type", "m5.huge"), verdict.Roll, verdict.Only(verdict.Roll), true},
		"both":      {gardenerplugin.Roll, at("machine.type", "m5.huge"), verdict.Roll, verdict.Only(verdict.Roll), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer(kept(test.change))
			a.OldRefusals = []gardenerplugin.Refusal{{Field: "spec.provider.workers[0].cri.name", Text: "Unsupported value"}}
			planned := merged(t, a, test.edit).Pools[0]
			assert.Equal(t, test.want, planned.Verdict)
			assert.Equal(t, test.may, planned.Possible())
			assert.Equal(t, test.differ, slices.Contains(planned.Rules, asked.KeyOfRefused()))
			assert.NotContains(t, planned.Rules, asked.KeyChanges())
			assert.NotContains(t, planned.Rules, asked.KeyStays())
		})
	}
}

// TestMergeKeysOfRotation: between two Shoots of a cluster lies a rotation of credentials, which Gardener's code is not
// told. A difference is no defect.
func TestMergeKeysOfRotation(t *testing.T) {
	t.Parallel()
	rotated := func(time string) edit {
		return edit{
			"status.credentials",
			object{"rotation": object{"certificateAuthorities": object{"phase": "Completed", "lastInitiationTime": time}}},
		}
	}
	live := edit{"metadata.resourceVersion", "4711"}
	for name, test := range map[string]struct {
		first, second string
		edit          edit
		rule, not     verdict.Rule
	}{
		"rotated": {"2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", at("maximum", 9), asked.KeyOfRotation(), asked.KeyStays()},
		"not":     {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", at("machine.type", "m5.huge"), asked.KeyStays(), asked.KeyOfRotation()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := read(t, manifest(t, "shoot.yaml", live, rotated(test.first)))
			updated := read(t, manifest(t, "shoot.yaml", live, rotated(test.second), test.edit))
			plan, err := pool.NewPlan(old, updated, options(t))
			require.NoError(t, err)
			plan.Merge(answer(kept(gardenerplugin.NoChange)), string(asked), old, updated)
			assert.Equal(t, verdict.Roll, plan.Pools[0].Verdict)
			assert.Contains(t, plan.Pools[0].Rules, test.rule)
			assert.NotContains(t, plan.Pools[0].Rules, test.not)
		})
	}
}

// TestMergeOpenKeys: Gardener decides where this command cannot.
func TestMergeOpenKeys(t *testing.T) {
	t.Parallel()
	written := edits{{"metadata.resourceVersion", nil}, {"metadata.managedFields", nil}, {"status", nil}, at("kubernetes", nil)}
	old := read(t, manifest(t, "shoot.yaml", written...))
	updated := read(t, manifest(t, "shoot.yaml", append(written, at("kubernetes.kubelet", object{}))...))
	plan, err := pool.NewPlan(old, updated, options(t))
	require.NoError(t, err)
	require.Equal(t, verdict.Indeterminate, plan.Pools[0].Verdict)
	require.Equal(t, judge.KeyOpen, plan.Pools[0].Key)
	plan.Merge(answer(kept(gardenerplugin.Roll)), string(asked), old, updated)
	assert.Equal(t, verdict.Roll, plan.Pools[0].Verdict)
	assert.Contains(t, plan.Pools[0].Rules, asked.Decides())
}

// TestMergeAdopted: the verdict after adoption is at least that of Gardener's key, too.
func TestMergeAdopted(t *testing.T) {
	t.Parallel()
	still := verdict.Roll
	for name, test := range map[string]struct {
		edit  edit
		today verdict.Verdict
		after *verdict.Verdict // adoption, with Gardener's key
	}{
		"refused today": {tagged, verdict.Forbidden, &still},
		"rolls today":   {config("volume.iops", 4000), verdict.Roll, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := read(t, manifest(t, "pairs/"+onAWS, minor("1.37")))
			updated := read(t, manifest(t, "pairs/"+onAWS, minor("1.37"), test.edit))
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Both}
			plan, err := pool.NewPlan(old, updated, o)
			require.NoError(t, err)
			require.Equal(t, verdict.HotUpdate, *plan.Pools[0].Adopted)
			outcome := gardenerplugin.Outcome{Pools: []gardenerplugin.Pool{
				{Name: "general", State: gardenerplugin.Kept, Change: gardenerplugin.Roll},
			}}
			plan.Merge(answer(outcome), string(asked), old, updated)
			assert.Equal(t, test.today, plan.Pools[0].Verdict)
			assert.Equal(t, test.after, plan.Pools[0].Adopted)
		})
	}
}

// TestMergeRefusals: a change that Gardener refuses does not happen. Each reason stands at its field.
func TestMergeRefusals(t *testing.T) {
	t.Parallel()
	changed := gardenerplugin.Refusal{Field: "spec.provider.workers[0].maximum", Text: "Invalid value", By: "validation"}
	absent := gardenerplugin.Refusal{Field: "spec.provider.workers[0].labels[a.b/c]", Text: "Required value", By: "validation"}
	nowhere := gardenerplugin.Refusal{Text: "quota exceeded", By: "ShootValidator"}
	refused := gardenerplugin.Outcome{Refusals: []gardenerplugin.Refusal{changed, absent, nowhere}}

	plan := merged(t, answer(refused), at("maximum", 9), at("machine.type", "m5.huge"))
	assert.Equal(t, verdict.Forbidden, plan.Verdict())
	assert.Equal(t, verdict.Roll, plan.Pools[0].Verdict)
	require.Len(t, plan.Changes, 3)
	assert.Equal(t, changed.Field, plan.Changes[0].Path)
	assert.Equal(t, "/spec/provider/workers/0/maximum", plan.Changes[0].Pointer)
	assert.Equal(t, "9", plan.Changes[0].New)
	assert.NotEqual(t, "9", plan.Changes[0].Old)
	assert.Equal(t, "/spec/provider/workers/0/labels/a.b~1c", plan.Changes[1].Pointer)
	assert.Equal(t, "null", plan.Changes[1].Old)
	assert.Equal(t, "null", plan.Changes[1].New)
	for i, refusal := range refused.Refusals {
		assert.Equal(t, verdict.Forbidden, plan.Changes[i].Verdict)
		assert.True(t, plan.Changes[i].Decides)
		assert.Equal(t, asked.Refuses(refusal.Text, refusal.By), plan.Changes[i].Rule)
		assert.Contains(t, plan.Rules, plan.Changes[i].Rule)
	}
	assert.NotContains(t, plan.Rules, asked.Admits(nil))

	plan = merged(t, answer(refused, kept(gardenerplugin.NoChange)), at("maximum", 9))
	assert.Equal(t, verdict.Indeterminate, plan.Verdict())
	assert.Equal(t, verdict.MachinesAdded, plan.Pools[0].Verdict, "where it is admitted, the key stays")
	assert.Equal(t, asked.MayRefuse(nowhere.Text, nowhere.By, []string{"a flag"}), plan.Changes[2].Rule)
	assert.NotContains(t, plan.Rules, asked.Admits(nil))

	plan = merged(t, answer(refused), edit{"spec.provider.workers", list{}})
	assert.Equal(t, verdict.Removed, plan.Pools[0].Effect())
	assert.Equal(t, verdict.Forbidden, plan.Verdict(), "the pool stays")
}

// TestMergeAboveRefusal: a refusal of a field above the pools is told at its change.
func TestMergeAboveRefusal(t *testing.T) {
	t.Parallel()
	old := read(t, manifest(t, "shoot.yaml"))
	updated := read(t, manifest(t, "shoot.yaml", edit{"spec.region", "eu-9"}))
	plan, err := pool.NewPlan(old, updated, options(t))
	require.NoError(t, err)
	before := len(plan.Changes)
	refusal := gardenerplugin.Refusal{Field: "spec.region", Text: "field is immutable", By: "validation"}
	plan.Merge(answer(gardenerplugin.Outcome{Refusals: []gardenerplugin.Refusal{refusal}}), string(asked), old, updated)
	assert.Len(t, plan.Changes, before)
	assert.Equal(t, []string{"spec.region"}, paths(plan.Changes))
	assert.Equal(t, verdict.Forbidden, plan.Changes[0].Verdict)
}

// TestMergeNotes: what Gardener's code was not given, what was assumed, and why it has no answer.
func TestMergeNotes(t *testing.T) {
	t.Parallel()
	a := answer(kept(gardenerplugin.NoChange))
	a.Missing = []gardenerplugin.Reference{{Kind: "CloudProfile", Name: "aws"}, {Kind: "Secret", Namespace: "n", Name: "s"}}
	a.Assumed = []string{"a fact"}
	a.OldRefusals = []gardenerplugin.Refusal{{Field: "spec.x", Text: "Required value"}, {Text: "more"}}
	plan := merged(t, a, at("maximum", 9))
	for _, rule := range []verdict.Rule{
		asked.Admits([]string{"CloudProfile aws", "Secret n/s"}), asked.Assumes("a fact"),
		asked.RefusesOld("spec.x", "Required value", 1),
	} {
		assert.Contains(t, plan.Rules, rule)
	}
	assert.Equal(t, verdict.MachinesAdded, plan.Verdict())

	plan = merged(
		t, gardenerplugin.Answer{Error: "it fails", Outcomes: []gardenerplugin.Outcome{kept(gardenerplugin.Roll)}}, at("maximum", 9),
	)
	assert.Contains(t, plan.Rules, asked.Fails("it fails"))
	assert.Contains(t, plan.Rules, verdict.AdmissionUnjudged)
	assert.Equal(t, verdict.MachinesAdded, plan.Verdict())
}

// TestMergeWithoutOutcomes: an answer without outcomes admits nothing.
func TestMergeWithoutOutcomes(t *testing.T) {
	t.Parallel()
	plan := merged(t, gardenerplugin.Answer{}, at("maximum", 9))
	assert.NotContains(t, plan.Rules, asked.Admits(nil))
	assert.Contains(t, plan.Rules, verdict.AdmissionUnjudged)
	assert.Contains(t, plan.Rules, asked.Fails("the answer has no outcome"))
}

// TestMergeAdded: a Shoot that is created may be refused.
func TestMergeAdded(t *testing.T) {
	t.Parallel()
	updated := read(t, manifest(t, "shoot.yaml", edit{"spec.region", "eu-central-1"}))
	refusal := gardenerplugin.Refusal{Field: "spec.region", Text: "unsupported", By: "ShootValidator"}
	plan := pool.OneSided(updated, pool.Added, options(t))
	plan.Merge(answer(gardenerplugin.Outcome{Refusals: []gardenerplugin.Refusal{refusal}}), string(asked), nil, updated)
	assert.Equal(t, verdict.Forbidden, plan.Verdict())
	assert.Equal(t, `"eu-central-1"`, plan.Changes[0].New)
	assert.Empty(t, plan.Changes[0].Old)
}

// TestMergeKeysWithoutMachines: another key of a pool replaces nothing where the pool has, or keeps, no machines.
func TestMergeKeysWithoutMachines(t *testing.T) {
	t.Parallel()
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	status := func(isHibernated bool) edit {
		return edit{"status", object{"lastOperation": object{"state": "Succeeded"}, "hibernated": isHibernated}}
	}
	larger := at("machine.type", "m5.huge")
	for name, test := range map[string]struct {
		old, updated edits
		rolls, mayDo bool
	}{
		"0 machines": {
			edits{at("minimum", 0), at("maximum", 0)}, edits{at("minimum", 0), at("maximum", 0), larger}, false, false,
		},
		"hibernated":      {edits{status(true), hibernated}, edits{status(true), hibernated, larger}, false, false},
		"ends hibernated": {edits{status(false)}, edits{status(false), hibernated, larger}, false, false},
		"ends at 0":       {nil, edits{at("minimum", 0), at("maximum", 0), larger}, false, false},
		"hibernation unfinished": {
			edits{status(false), hibernated}, edits{status(false), {"spec.hibernation", object{"enabled": false}}, larger}, false, true,
		},
		"it has machines": {nil, edits{larger}, true, true},
	} {
		for _, change := range []gardenerplugin.Change{gardenerplugin.Roll, gardenerplugin.InPlace} {
			old := read(t, manifest(t, "shoot.yaml", test.old...))
			updated := read(t, manifest(t, "shoot.yaml", test.updated...))
			plan, err := pool.NewPlan(old, updated, options(t))
			require.NoError(t, err)
			plan.Merge(answer(kept(change)), string(asked), old, updated)
			planned := &plan.Pools[0]
			assert.Equal(t, test.rolls, slices.Contains(planned.Effects(), verdict.Roll), "%s, %s: %s", name, change, planned.Effects())
			assert.Equal(t, test.mayDo, planned.Possible().Has(verdict.Roll), "%s, %s: %s", name, change, planned.Possible())
			assert.NotContains(t, planned.Effects(), verdict.InPlaceUpdate, name)
		}
	}
	landscapes := answer(kept(gardenerplugin.NoChange), kept(gardenerplugin.Roll))
	empty := edits{status(true), hibernated, larger}
	old := read(t, manifest(t, "shoot.yaml", empty[:2]...))
	updated := read(t, manifest(t, "shoot.yaml", empty...))
	plan, err := pool.NewPlan(old, updated, options(t))
	require.NoError(t, err)
	plan.Merge(landscapes, string(asked), old, updated)
	assert.Equal(t, verdict.None, plan.Pools[0].Verdict, "whatever a landscape decides")
}
