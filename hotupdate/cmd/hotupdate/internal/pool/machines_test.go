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

// sizedAs are edits of the pool of a Shoot with from 3 to 12 machines.
func sizedAs(minimum, maximum int) edits {
	return edits{at("minimum", minimum), at("maximum", maximum)}
}

// joinedEdits joins edits.
func joinedEdits(all ...edits) edits { return slices.Concat(all...) }

// TestUnfinishedHibernation: while hibernation is enabled and the status says that it is not finished, machines may
// still run. A change that ends hibernation then finds some of them, or none.
func TestUnfinishedHibernation(t *testing.T) {
	t.Parallel()
	status := func(state string, isHibernated bool) edit {
		return edit{"status", object{
			"lastOperation": object{"state": state, "type": "Reconcile"}, "observedGeneration": 12, "hibernated": isHibernated,
		}}
	}
	enabled := func(is bool) edit { return edit{"spec.hibernation", object{"enabled": is}} }
	begun := edits{status("Processing", false), enabled(true)}
	finished := edits{status("Succeeded", true), enabled(true)}
	// an API server always writes whether the cluster is hibernated: the status is cut
	cut := edits{{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12}}, enabled(true)}
	awake := enabled(false)
	larger := at("machine.type", "n2")
	smaller := at("maximum", 5)
	only := verdict.Only
	for name, test := range map[string]struct {
		old, change edits
		want        verdict.Verdict
		may         verdict.Set
		numbers     verdict.Numbers
	}{
		"begun, wakes up and another type": {
			begun,
			edits{awake, larger},
			verdict.Indeterminate, only(verdict.MachinesAdded, verdict.None, verdict.Roll),
			verdict.Numbers{AddedAtMost: 12},
		},
		"begun, wakes up": {
			begun, edits{awake}, verdict.MachinesAdded, only(verdict.MachinesAdded), verdict.Numbers{AddedAtMost: 12},
		},
		"begun, wakes up smaller": {
			begun,
			edits{awake, smaller},
			verdict.MachinesMayBeDeleted, only(verdict.MachinesMayBeDeleted),
			verdict.Numbers{DeletedAtMost: 7, AddedAtMost: 5},
		},
		"begun, goes on with another type": {begun, edits{larger}, verdict.None, only(verdict.None), verdict.Numbers{}},
		"begun, goes on":                   {begun, edits{smaller}, verdict.None, only(verdict.None), verdict.Numbers{}},
		"cut, wakes up and another type": {
			cut,
			edits{awake, larger},
			verdict.Indeterminate, only(verdict.MachinesAdded, verdict.None, verdict.Roll),
			verdict.Numbers{AddedAtMost: 12},
		},
		"cut, goes on with another type": {cut, edits{larger}, verdict.None, only(verdict.None), verdict.Numbers{}},
		"finished, wakes up, another type": {
			finished, edits{awake, larger}, verdict.MachinesAdded, only(verdict.MachinesAdded), verdict.Numbers{AddedAtMost: 12},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := joinedEdits(sizedAs(3, 12), test.old)
			compared := compare(
				t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, joinedEdits(old, test.change)...), knownReleases(t),
			)
			assert.Equal(t, test.want.String(), compared.Verdict.String())
			assert.Equal(t, test.may.String(), compared.Possible().String())
			assert.Equal(t, test.numbers.DeletedAtMost, compared.Numbers.DeletedAtMost)
			assert.Equal(t, test.numbers.AddedAtMost, compared.Numbers.AddedAtMost)
			if strings.HasPrefix(name, "begun") {
				assert.NotContains(t, compared.Consequence(), "none is deleted")
				assert.NotContains(t, compared.Rules, verdict.NoMachines)
				assert.NotContains(t, compared.Rules, verdict.StaysHibernated)
				for _, change := range compared.Changes {
					assert.NotEqual(t, verdict.NoMachines, change.Rule)
				}
			}
		})
	}
	// after a failure anything may wait
	failed := joinedEdits(sizedAs(3, 12), edits{status("Failed", false), enabled(true)})
	compared := compare(
		t, manifest(t, "pairs/"+onGCP, failed...), manifest(t, "pairs/"+onGCP, joinedEdits(failed, edits{awake, larger})...),
		knownReleases(t),
	)
	assert.Equal(t, verdict.Indeterminate, compared.Verdict)
	assert.False(t, compared.May.IsBounded())
	assert.NotContains(t, compared.Consequence(), "none is deleted")
	for _, change := range compared.Changes {
		assert.NotEqual(t, verdict.NoMachines, change.Rule)
	}
}

// TestPoolsThatKeepNoMachine: of a pool that ends hibernated or at 0, machines are deleted and none is replaced.
func TestPoolsThatKeepNoMachine(t *testing.T) {
	t.Parallel()
	larger := at("machine.type", "n2")
	hibernated := edit{"spec.hibernation", object{"enabled": true}}
	for name, test := range map[string]struct {
		old, change edits
		want        verdict.Verdict
	}{
		"hibernation":      {sizedAs(3, 12), edits{hibernated, larger}, verdict.MachinesDeleted},
		"a maximum of 0":   {sizedAs(0, 50), edits{at("maximum", 0), larger}, verdict.AllMachinesMayBeDeleted},
		"a maximum of 1":   {sizedAs(0, 50), edits{at("maximum", 1), larger}, verdict.MachinesMayBeDeleted},
		"the type alone":   {sizedAs(3, 12), edits{larger}, verdict.Roll},
		"0 before the end": {sizedAs(0, 0), edits{larger}, verdict.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			succeeded := edit{
				"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12, "hibernated": false},
			}
			old := joinedEdits(edits{succeeded, {"spec.hibernation", object{"enabled": false}}}, test.old)
			compared := compare(
				t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, joinedEdits(old, test.change)...), knownReleases(t),
			)
			keepsSome := name == "a maximum of 1" || name == "the type alone"
			assert.Equal(t, keepsSome, slices.Contains(compared.Effects(), verdict.Roll))
			if !keepsSome {
				assert.Equal(t, test.want.String(), compared.Verdict.String())
				assert.NotContains(t, compared.Consequence(), "every machine is replaced")
			}
		})
	}
}

// TestInPlaceWithoutMachines: whether the image of an empty pool can be updated in place is for admission alone.
func TestInPlaceWithoutMachines(t *testing.T) {
	t.Parallel()
	succeeded := func(isHibernated bool) edit {
		return edit{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12, "hibernated": isHibernated}}
	}
	surging := edits{
		at("updateStrategy", "AutoInPlaceUpdate"), at("maxSurge", 1),
		at("machine.image", object{"name": "gardenlinux", "version": "1592.9.0"}),
	}
	hibernated := edits{succeeded(true), {"spec.hibernation", object{"enabled": true}}}
	awake := edits{succeeded(false), {"spec.hibernation", object{"enabled": false}}}
	newer := at("machine.image", object{"name": "gardenlinux", "version": "1592.10.0"})
	for name, test := range map[string]struct {
		old  edits
		may  string
		asks string
	}{
		"0 machines": {joinedEdits(awake, sizedAs(0, 0)), "forbidden or none", "(yes gives none, no gives forbidden)"},
		"hibernated": {joinedEdits(hibernated, sizedAs(3, 12)), "forbidden or none", "(yes gives none, no gives forbidden)"},
		"with others": {
			joinedEdits(awake, sizedAs(3, 12)), "forbidden or in-place-update", "(yes gives in-place-update, no gives forbidden)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := joinedEdits(surging, test.old)
			compared := compare(
				t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, append(slices.Clone(old), newer)...), knownReleases(t),
			)
			assert.Equal(t, verdict.Indeterminate.String(), compared.Verdict.String())
			assert.Equal(t, test.may, compared.May.String())
			require.Len(t, compared.Questions, 1)
			assert.Contains(t, compared.Questions[0].String(), test.asks)
			assert.Equal(t, name == "with others", slices.Contains(compared.Rules, verdict.SurgeReplaces))
		})
	}
}

// TestRefusedUpdateReplacesNothing: what an update does beside the nodes is not told of one that is refused.
func TestRefusedUpdateReplacesNothing(t *testing.T) {
	t.Parallel()
	old := edits{at("updateStrategy", "AutoInPlaceUpdate"), at("maxSurge", 1), at("machine.type", "n1-standard-2"), minor("1.33")}
	for name, test := range map[string]struct {
		updated edits
		want    verdict.Verdict
	}{
		"updated": {edits{minor("1.34")}, drains},
		"refused": {edits{minor("1.34"), at("machine.type", "n1-standard-4")}, refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compared := compare(
				t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, joinedEdits(old, test.updated)...), knownReleases(t),
			)
			assert.Equal(t, test.want.String(), compared.Verdict.String())
			assert.Equal(t, test.want == drains, slices.Contains(compared.Rules, verdict.SurgeReplaces))
		})
	}
}

// knownReleases has all extensions that are built in.
func knownReleases(t *testing.T) judge.Options {
	t.Helper()
	return judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
}

// TestSchedulesOfHibernatedClusters: a cluster that is hibernated has no machines that a schedule could delete, unless
// the end of a schedule wakes it up in between.
func TestSchedulesOfHibernatedClusters(t *testing.T) {
	t.Parallel()
	night := object{"start": "0 20 * * *"}
	morning := object{"end": "0 8 * * *"}
	both := object{"start": "0 20 * * *", "end": "0 8 * * *"}
	hibernation := func(enabled bool, schedules ...any) edits {
		return edits{{"spec.hibernation", object{"enabled": enabled, "schedules": schedules}}}
	}
	for name, test := range map[string]struct {
		old, updated edits
		want         verdict.Verdict
		rule         verdict.Rule
	}{
		"a start": {hibernation(true), hibernation(true, night), verdict.None, verdict.StaysHibernated},
		"a start and an end": {
			hibernation(true), hibernation(true, both), verdict.AllMachinesMayBeDeleted, verdict.HibernatedAgain,
		},
		"a start and the end of another": {
			hibernation(true, morning), hibernation(true, morning, night), verdict.AllMachinesMayBeDeleted, verdict.HibernatedAgain,
		},
		"an end, whose start is the same": {
			hibernation(true, night), hibernation(true, night, morning), verdict.MachinesAdded, verdict.WakeUpScheduled,
		},
		"an end that goes": {hibernation(true, morning), hibernation(true, night), verdict.None, verdict.StaysHibernated},
		"the cluster is awake": {
			hibernation(false), hibernation(false, night), verdict.AllMachinesMayBeDeleted, verdict.HibernationScheduled,
		},
		"the change wakes it up": {
			hibernation(true), hibernation(false, night), verdict.AllMachinesMayBeDeleted, verdict.HibernationScheduled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := planned(t, manifest(t, "pairs/"+onGCP, test.old...), manifest(t, "pairs/"+onGCP, test.updated...))
			i := slices.IndexFunc(plan.Changes, func(c judge.Finding) bool { return c.Path == "spec.hibernation.schedules" })
			require.GreaterOrEqual(t, i, 0)
			assert.Equal(t, test.want.String(), plan.Changes[i].Verdict.String())
			assert.Equal(t, test.rule, plan.Changes[i].Rule)
		})
	}
}

// TestRemovedWithoutMachines: of a pool that has no machines, none was deleted.
func TestRemovedWithoutMachines(t *testing.T) {
	t.Parallel()
	hibernated := func(isFinished bool) edits {
		return edits{
			{"spec.hibernation", object{"enabled": true}},
			{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12, "hibernated": isFinished}},
		}
	}
	for name, test := range map[string]struct {
		old  edits
		want string
	}{
		"machines":          {sizedAs(3, 12), "the machines are deleted"},
		"0 machines":        {sizedAs(0, 0), "the pool is removed, and has no machines"},
		"up to 1":           {sizedAs(0, 1), "the machines are deleted"},
		"hibernated":        {hibernated(true), "the pool is removed, and has no machines"},
		"falls asleep":      {hibernated(false), "the machines are deleted"},
		"not said how many": {edits{at("maximum", nil), at("minimum", nil)}, "the machines are deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := planned(
				t, manifest(t, "pairs/"+onGCP, test.old...), manifest(t, "pairs/"+onGCP, append(slices.Clone(test.old), at("name", "other"), at("machine.type", "n2"))...),
			)
			i := slices.IndexFunc(plan.Pools, func(p pool.Planned) bool { return p.State == pool.Removed })
			require.GreaterOrEqual(t, i, 0)
			assert.Equal(t, test.want, plan.Pools[i].Consequence())
		})
	}
}

// TestReasonsOfSizes: a larger minimum was said to make room for more machines.
func TestReasonsOfSizes(t *testing.T) {
	t.Parallel()
	old := sizedAs(3, 12)
	for path, rule := range map[string]verdict.Rule{"minimum": verdict.MinimumMore, "maximum": verdict.Grown} {
		compared := compare(t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, sizedAs(5, 14)...), knownReleases(t))
		i := slices.IndexFunc(compared.Changes, func(c judge.Finding) bool { return c.Path == path })
		require.GreaterOrEqual(t, i, 0, path)
		assert.Equal(t, rule, compared.Changes[i].Rule, path)
	}
}

// TestSizesAroundHibernation: a larger maximum was said to delete machines because the cluster falls asleep, and a
// smaller one to create machines because it wakes up. The field hibernation does that.
func TestSizesAroundHibernation(t *testing.T) {
	t.Parallel()
	hibernation := func(enabled, isFinished bool) edits {
		return edits{
			{"spec.hibernation", object{"enabled": enabled}},
			{"status", object{"lastOperation": object{"state": "Succeeded"}, "observedGeneration": 12, "hibernated": isFinished}},
		}
	}
	awake := hibernation(false, false)
	asleep := hibernation(true, true)
	for name, test := range map[string]struct {
		old, updated     edits
		oldMax, newMax   int
		maximum, enabled verdict.Verdict
		rule             verdict.Rule
	}{
		"a larger pool falls asleep":  {awake, asleep, 12, 20, verdict.None, verdict.MachinesDeleted, verdict.StaysHibernated},
		"a smaller pool falls asleep": {awake, asleep, 12, 5, verdict.MachinesMayBeDeleted, verdict.MachinesDeleted, verdict.Shrunk},
		"a larger pool wakes up":      {asleep, awake, 12, 20, verdict.MachinesAdded, verdict.MachinesAdded, verdict.Grown},
		"a smaller pool wakes up":     {asleep, awake, 12, 5, verdict.None, verdict.MachinesAdded, verdict.WokenUp},
		"a larger pool while it falls asleep": {
			hibernation(true, false), awake, 12, 20, verdict.MachinesAdded, verdict.MachinesAdded, verdict.Grown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := joinedEdits(test.old, sizedAs(3, test.oldMax))
			updated := joinedEdits(test.updated, sizedAs(3, test.newMax))
			compared := compare(t, manifest(t, "pairs/"+onGCP, old...), manifest(t, "pairs/"+onGCP, updated...), knownReleases(t))
			found := map[string]judge.Finding{}
			for _, change := range compared.Changes {
				found[change.Path] = change
			}
			require.Contains(t, found, "maximum")
			assert.Equal(t, test.maximum.String(), found["maximum"].Verdict.String())
			assert.Equal(t, test.rule, found["maximum"].Rule)
			assert.Equal(t, test.enabled.String(), found["spec.hibernation.enabled"].Verdict.String())
		})
	}
}
