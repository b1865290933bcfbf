package pool_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// sized is the part of a Shoot that decides how many machines its pool has.
type sized struct {
	minimum, maximum, zones int
	hibernated              bool
}

func (s sized) String() string {
	text := fmt.Sprintf("%d to %d in %d zones", s.minimum, s.maximum, s.zones)
	if s.hibernated {
		text += ", hibernated"
	}
	return text
}

// shoot is a Shoot with one pool of this size.
func (s sized) shoot(t *testing.T, machineType string) *facts.Manifest {
	t.Helper()
	zones := list{}
	for i := range s.zones {
		zones = append(zones, fmt.Sprintf("zone-%d", i))
	}
	m, err := facts.Read(tree.Of(mustJSON(t, object{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": object{"name": "web", "namespace": "garden-dev"},
		"spec": object{
			"hibernation": object{"enabled": s.hibernated}, "kubernetes": object{"version": "1.33.2"},
			"provider": object{"type": "aws", "workers": list{object{
				"name": "a", "minimum": s.minimum, "maximum": s.maximum, "zones": zones, "machine": object{"type": machineType},
			}}},
		},
	})))
	require.NoError(t, err)
	return m
}

// deployments are the machine deployments of a pool, one a zone: Gardener hands out the total in turn.
func (s sized) deployments(total int) []int {
	deployments := make([]int, max(1, s.zones))
	for i := range total {
		deployments[i%len(deployments)]++
	}
	return deployments
}

// replicas returns every state in which the pool of a size may be: a number of replicas for each zone.
func (s sized) replicas() (states [][]int) {
	minima := s.deployments(s.minimum)
	maxima := s.deployments(s.maximum)
	if s.hibernated {
		return [][]int{make([]int, len(minima))}
	}
	states = [][]int{nil}
	for zone := range minima {
		var longer [][]int
		for _, state := range states {
			for n := minima[zone]; n <= maxima[zone]; n++ {
				longer = append(longer, append(append([]int{}, state...), n))
			}
		}
		states = longer
	}
	return states
}

// reconciled is the switch in Gardener's deployMachineDeployments, for one deployment. A hibernated pool
// without replicas wakes up with its minimum.
func (s sized) reconciled(zone, replicas int) int {
	minimum := s.deployments(s.minimum)[zone]
	maximum := s.deployments(s.maximum)[zone]
	switch {
	case s.hibernated:
		return 0
	case replicas < minimum:
		return minimum
	case replicas > maximum:
		return maximum
	}
	return replicas
}

// ran is what happens to a pool in the states in which it may be.
type ran struct {
	least, most int  // machines that are deleted
	adds        bool // machines are added at once, or there is room for more
}

// run lets Gardener reconcile every state of the old pool.
func run(old, updated sized) (times ran) {
	times.least = 1 << 30
	for _, state := range old.replicas() {
		deleted := 0
		for zone := range max(len(state), len(updated.deployments(0))) {
			before := 0
			if zone < len(state) {
				before = state[zone]
			}
			after := updated.reconciled(zone, before)
			deleted += max(0, before-after)
			times.adds = times.adds || after > before
		}
		times.least = min(times.least, deleted)
		times.most = max(times.most, deleted)
	}
	for zone, maximum := range updated.deployments(updated.maximum) {
		before := 0
		if zone < len(old.deployments(0)) && !old.hibernated {
			before = old.deployments(old.maximum)[zone]
		}
		times.adds = times.adds || maximum > before && !updated.hibernated
	}
	return times
}

// want states the verdict in the words of the rules.
func (r ran) want(updated sized) verdict.Verdict {
	isEmpty := updated.hibernated || updated.maximum == 0
	switch {
	case r.least > 0:
		return verdict.MachinesDeleted
	case r.most > 0 && isEmpty:
		return verdict.AllMachinesMayBeDeleted
	case r.most > 0:
		return verdict.MachinesMayBeDeleted
	case r.adds:
		return verdict.MachinesAdded
	}
	return verdict.None
}

// sizes are all sizes with some machines in up to 3 zones.
func sizes() (pairs []sized) {
	most := 3
	if effort.All() {
		most = 5
	}
	for maximum := range most + 1 {
		for minimum := range maximum + 1 {
			for zones := range 4 {
				for _, hibernated := range []bool{false, true} {
					pairs = append(pairs, sized{minimum, maximum, zones, hibernated})
				}
			}
		}
	}
	return pairs
}

// TestNumbersOfMachines: for every change of minimum, maximum, zones and hibernation, the verdict and its numbers are what Gardener's
// code does to every state in which the pool may be. Zones that are removed are refused, and not tried.
func TestNumbersOfMachines(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	seen := map[verdict.Verdict]int{}
	for _, old := range sizes() {
		before := old.shoot(t, "m5.large")
		for _, updated := range sizes() {
			if updated.zones < old.zones || old.zones == 0 && updated.zones > 0 {
				continue
			}
			plan, err := pool.NewPlan(before, updated.shoot(t, "m5.large"), o)
			require.NoError(t, err)
			planned := plan.Pools[0]
			reason := fmt.Sprintf("%s -> %s", old, updated)
			happens := run(old, updated)
			require.Equal(t, happens.want(updated).String(), planned.Verdict.String(), reason)
			require.Equal(t, happens.least, planned.Numbers.DeletedAtLeast, reason)
			require.Equal(t, happens.most, planned.Numbers.DeletedAtMost, reason)
			require.Empty(t, planned.Also, reason)
			seen[planned.Verdict]++

			rolls, err := pool.NewPlan(before, updated.shoot(t, "m5.xlarge"), o)
			require.NoError(t, err)
			hasNone := old.hibernated || old.maximum == 0
			keepsNone := updated.hibernated || updated.maximum == 0
			isEmpty := hasNone || keepsNone
			replaces := false
			for _, v := range rolls.Pools[0].Effects() {
				replaces = replaces || v == verdict.Roll
			}
			require.Equal(
				t, !isEmpty, replaces, "%s: a pool that has or keeps no machines replaces none: %s", reason, rolls.Pools[0].Effects(),
			)
		}
	}
	for _, v := range []verdict.Verdict{
		verdict.None, verdict.MachinesAdded, verdict.MachinesMayBeDeleted, verdict.AllMachinesMayBeDeleted, verdict.MachinesDeleted,
	} {
		assert.Greater(t, seen[v], 10, v)
	}
}

// TestSharesOfZones: the rule says that a share shrinks exactly where Gardener may delete a machine in one of the old zones.
func TestSharesOfZones(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	shrinks := 0
	adds := 0
	for _, old := range sizes() {
		for _, updated := range sizes() {
			isAppended := old.zones > 0 && updated.zones > old.zones
			if !isAppended || old.hibernated || updated.hibernated {
				continue
			}
			plan, err := pool.NewPlan(old.shoot(t, "m5.large"), updated.shoot(t, "m5.large"), o)
			require.NoError(t, err)
			reason := fmt.Sprintf("%s -> %s", old, updated)
			happens := run(old, updated)
			rules := plan.Pools[0].Rules
			for _, change := range plan.Pools[0].Changes {
				rules = append(rules, change.Rule)
			}
			says := slices.Contains(rules, verdict.ZoneAppended)
			if says {
				require.Positive(t, happens.most, "%s: no machine is deleted", reason)
				shrinks++
			}
			if happens.most == 0 && happens.adds {
				require.False(t, says, reason)
				adds++
			}
		}
	}
	assert.Greater(t, shrinks, 10)
	assert.Greater(t, adds, 10)
}

// TestMinimumAboveMaximum: Gardener refuses a Shoot with a pool whose minimum is above its maximum. No machine comes or goes.
func TestMinimumAboveMaximum(t *testing.T) {
	t.Parallel()
	size := func(minimum, maximum int) sized { return sized{minimum: minimum, maximum: maximum, zones: 2} }
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	for _, c := range []struct {
		old, updated sized
		machine      string
		path         string
		want         verdict.Verdict
	}{
		{size(3, 5), size(3, 2), "m5.large", "maximum", verdict.Forbidden},
		{size(3, 5), size(6, 5), "m5.large", "minimum", verdict.Forbidden},
		{size(3, 5), size(6, 4), "m5.xlarge", "maximum", verdict.Forbidden},
		{size(3, 5), size(3, 0), "m5.large", "maximum", verdict.Forbidden},
		{sized{3, 5, 2, true}, sized{6, 5, 2, true}, "m5.large", "minimum", verdict.Forbidden},
		{size(6, 5), size(6, 5), "m5.xlarge", "", verdict.Roll}, // Gardener has no such pool before the change
		{size(6, 5), size(6, 5), "m5.large", "", verdict.None},
		{size(6, 5), size(3, 5), "m5.large", "", verdict.None},
		{size(3, 5), size(5, 5), "m5.large", "", verdict.MachinesAdded},
	} {
		name := fmt.Sprintf("%s -> %s, %s", c.old, c.updated, c.machine)
		plan, err := pool.NewPlan(c.old.shoot(t, "m5.large"), c.updated.shoot(t, c.machine), o)
		require.NoError(t, err)
		planned := plan.Pools[0]
		assert.Equal(t, c.want.String(), planned.Effect().String(), name)
		assert.Equal(t, c.want == verdict.Forbidden, slices.Contains(planned.Rules, verdict.MinimumAboveMaximum), name)
		for _, change := range planned.Changes {
			if change.Path == c.path {
				assert.Equal(t, verdict.Forbidden, change.Verdict, name)
			}
		}
		if c.want == verdict.Forbidden {
			assert.Empty(t, planned.Also, name)
			assert.Equal(t, verdict.Numbers{}, planned.Numbers, name)
		}
	}
	added := pool.OneSided(size(6, 5).shoot(t, "m5.large"), pool.Added, o).Pools[0]
	assert.Equal(t, verdict.Forbidden, added.Effect())
	assert.Contains(t, added.Rules, verdict.MinimumAboveMaximum)
	unknown := judge.Options{}
	plan, err := pool.NewPlan(size(3, 5).shoot(t, "m5.large"), size(3, 2).shoot(t, "m5.large"), unknown)
	require.NoError(t, err)
	assert.Equal(t, verdict.Forbidden, plan.Pools[0].Effect(), "Gardener's rule holds for every extension")
}
