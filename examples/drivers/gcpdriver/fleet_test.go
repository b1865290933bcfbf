package gcpdriver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/gcpdriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// request asks for another team on the VM, its network tags and the disk of a machine.
func request(t *testing.T, i int, team string) *machineupdate.UpdateMachineRequest {
	t.Helper()
	hot := func(team string) machineupdate.HotSpec {
		own := map[string]string{"team": team}
		text, err := json.Marshal(map[string]any{
			"labels": labels(nil), "tags": []string{"kubernetes-io-cluster-c", "kubernetes-io-role-node"},
			"resourceTags": tags.Tags{VM: own, Disk: own, Network: map[string]string{"team-" + team: ""}},
		})
		require.NoError(t, err)
		return machineupdate.HotSpec(text)
	}
	name := fmt.Sprint("m-", i)
	r := &machineupdate.UpdateMachineRequest{
		Machine: name, ProviderID: "gce:///p/z/" + name, Secret: secret(),
		Class: machineupdate.MachineClass{ProviderSpec: []byte(spec(t, nil))},
	}
	for _, kind := range tags.Kinds() {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: string(kind), Applied: hot("a"), Desired: hot(team)})
	}
	return r
}

// machines returns machines of the team a, with a boot disk and a volume of the CSI driver each.
func machines(t *testing.T, n int) *api {
	t.Helper()
	f := fleet.New(tags.GCP.Rules)
	for i := range n {
		name := fmt.Sprint("m-", i)
		own := labels(map[string]string{"team": "a"})
		f.Add(
			driver.Resource{Kind: tags.VM, ID: name, Tags: own, Attributes: map[string]driver.Reading{
				"serviceAccount": driver.Settled("[]"), "status": driver.Settled("RUNNING"),
			}},
			driver.Resource{Kind: tags.Network, ID: name, Tags: keys("team-a")},
			driver.Resource{Kind: tags.Disk, ID: name, Tags: own},
			driver.Resource{Kind: tags.Disk, ID: fmt.Sprint("pv-", i)},
		)
	}
	return &api{Cloud: f}
}

// sent returns the requests that set another team on n machines.
func sent(t *testing.T, n int) (requests []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, n)
		kit, err := gcpdriver.New(a.config())
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range n {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		requests = a.requests
		assert.Equal(t, 1, a.logins, "one login for all")
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, r := range live {
			switch {
			case r.Kind == tags.Network:
				assert.Equal(t, keys("team-b"), r.Tags, r.ID)
			case strings.HasPrefix(r.ID, "pv"):
				assert.Empty(t, r.Tags, r.ID)
			default:
				assert.Equal(t, labels(map[string]string{"team": "b"}), r.Tags, r.ID)
			}
		}
	})
	return requests
}

// calls counts the requests that read n machines, and the requests that set another team on all of
// them.
func calls(t *testing.T, n int) (reads, writes int) {
	t.Helper()
	for _, request := range sent(t, n) {
		if strings.HasPrefix(request, "GET ") {
			reads++
		} else {
			writes++
		}
	}
	return reads, writes
}

// TestCalls: the first six machines are read at once, by two requests each. The others share one
// list of VMs and one list of disks. A write is two requests.
func TestCalls(t *testing.T) {
	for n, want := range map[int][2]int{1: {2, 6}, 100: {14, 600}} {
		reads, writes := calls(t, n)
		assert.Equal(t, want, [2]int{reads, writes}, n)
	}
}
