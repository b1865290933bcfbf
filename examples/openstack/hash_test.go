package openstack_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestPoolsKeepTheirNames checks existing pools of each kind, with the strings that name them today.
func TestPoolsKeepTheirNames(t *testing.T) {
	const immutable = `"serverGroup":{"policy":"affinity"},"additionalSecurityGroups":["z","y"],` +
		`"machineLabels":[{"name":"n","value":"2","triggerRollingOnUpdate":true},{"name":"m","value":"1","triggerRollingOnUpdate":true}]`
	const all = `"serverGroup":{"policy":"affinity"},"additionalSecurityGroups":["z","y"],"nodeTemplate":{"capacity":{"cpu":"1"}},` +
		`"machineLabels":[{"name":"n","value":"2","triggerRollingOnUpdate":true},{"name":"hot","value":"x"},` +
		`{"name":"m","value":"1","triggerRollingOnUpdate":true}],"tags":{"vm":{"a":"1"}}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "allow-list, no config", Version: "1.36.1", Reason: "no string"},
		{Name: "allow-list, no version", Raw: provider.Config(immutable), Want: []string{"m=1", "n=2", "y", "z"}, Reason: "the first era"},
		{
			Name: "allow-list", Version: "1.30.1", Raw: provider.Config(all), Want: []string{"m=1", "n=2", "y", "z"},
			Reason: "sorted, and nothing else",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{Name: "canonical", Version: "1.37.0", Raw: provider.Config(all), Sum: new(immutable), Reason: "one sum"},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(all), Reason: "nothing"},
		{
			Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(all),
			Sum: new(immutable), Reason: "one sum",
		},
	})
}

// TestYesterday shows where the allow-list is wrong: it hashes values without their names.
func TestYesterday(t *testing.T) {
	const list = "1.36.0"
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed("label to security group", list,
			`"machineLabels":[{"name":"a","value":"b","triggerRollingOnUpdate":true}]`, `"additionalSecurityGroups":["a=b"]`, "values have no names"),
		exampletest.Missed("end of a label's name", list,
			`"machineLabels":[{"name":"a","value":"b=c","triggerRollingOnUpdate":true}]`,
			`"machineLabels":[{"name":"a=b","value":"c","triggerRollingOnUpdate":true}]`, "joined"),
		exampletest.Needless("security group given twice", list,
			`"additionalSecurityGroups":["a"]`, `"additionalSecurityGroups":["a","a"]`, "a list, not a set"),
	})
}

// TestServerGroup gives the pool another server group, like the extension after a change of the policy.
func TestServerGroup(t *testing.T) {
	raw := provider.Config(`"serverGroup":{"policy":"affinity"}`)
	for version, want := range map[string][]string{"1.36.0": {"group-1"}, "1.37.0": {provider.Sum(t, raw), "group-1"}} {
		got, err := openstack.GenerateWorkerPoolHash(exampletest.Pool(version, raw), new("group-1"))
		require.NoError(t, err)
		assert.Equal(t, want, exampletest.Data(got), version)
	}
}
