package azuredriver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/azuredriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// request asks for another team on all resources of a machine.
func request(t *testing.T, i int, team string) *machineupdate.UpdateMachineRequest {
	t.Helper()
	hot := func(team string) machineupdate.HotSpec {
		text, err := json.Marshal(map[string]any{"tags": flat(map[string]string{"team": team})})
		require.NoError(t, err)
		return machineupdate.HotSpec(text)
	}
	name := fmt.Sprint("m-", i)
	r := &machineupdate.UpdateMachineRequest{
		Machine: name, ProviderID: "azure:///westeurope/" + name, Secret: secret,
		Class: machineupdate.MachineClass{ProviderSpec: []byte(spec(t, nil, nil))},
	}
	for _, kind := range tags.Kinds() {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: string(kind), Applied: hot("a"), Desired: hot(team)})
	}
	return r
}

// machines returns machines of the team a, with a network interface and a disk each.
func machines(t *testing.T, n int) *api {
	t.Helper()
	f := fleet.New(tags.Azure.Rules)
	for i := range n {
		name := fmt.Sprint("m-", i)
		own := flat(map[string]string{"team": "a"})
		f.Add(
			driver.Resource{Kind: tags.VM, ID: vmID(name), Tags: own},
			driver.Resource{Kind: tags.Network, ID: cardID(name + "-nic"), Tags: own},
			driver.Resource{Kind: tags.Disk, ID: diskID(name + "-os-disk"), Tags: own},
		)
	}
	return newAPI(f)
}

// calls counts the requests that read n machines, and those that give another team to all of them.
func calls(t *testing.T, n int) (reads, writes int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, n)
		kit, err := azuredriver.New(a.config())
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range n {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		for _, sent := range a.requests {
			if strings.HasPrefix(sent, "GET ") {
				reads++
			} else {
				writes++
			}
		}
		assert.Equal(t, 1, a.logins, "one token for all")
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, r := range live {
			assert.Equal(t, flat(map[string]string{"team": "b"}), r.Tags, r.ID)
		}
	})
	return reads, writes
}

// TestCalls: a read lists VMs, network interfaces and disks of the resource group. The first six
// machines are read at once, the others together. A write is one request for each resource.
func TestCalls(t *testing.T) {
	for n, want := range map[int][2]int{1: {3, 3}, 100: {21, 300}} {
		reads, writes := calls(t, n)
		assert.Equal(t, want, [2]int{reads, writes}, n)
	}
}
