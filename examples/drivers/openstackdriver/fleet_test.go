package openstackdriver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver/openstacktest"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// request asks for another team on server and root volume of a machine.
func request(t *testing.T, i int, team string) *machineupdate.UpdateMachineRequest {
	t.Helper()
	hot := func(team string) machineupdate.HotSpec {
		text, err := json.Marshal(map[string]any{"spec": map[string]any{
			"tags": flat(map[string]string{"team": team}), "securityGroups": []string{"nodes"},
		}})
		require.NoError(t, err)
		return machineupdate.HotSpec(text)
	}
	r := &machineupdate.UpdateMachineRequest{
		Machine: fmt.Sprint("m-", i), ProviderID: fmt.Sprint("openstack:///r/s-", i), Secret: secret,
		Class: machineupdate.MachineClass{ProviderSpec: []byte(spec(t, nil, nil, "nodes"))},
	}
	for _, kind := range []string{"vm", "disk"} {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: kind, Applied: hot("a"), Desired: hot(team)})
	}
	return r
}

// machines returns machines of the team a, each with a root volume and a volume of the CSI driver.
func machines(n int) *openstacktest.API {
	f := fleet.New(openstackdriver.Rules)
	for i := range n {
		own := flat(map[string]string{"team": "a"})
		f.Add(
			driver.Resource{Kind: tags.VM, ID: fmt.Sprint("s-", i), Name: fmt.Sprint("m-", i), Tags: own, Sets: groups("nodes")},
			driver.Resource{Kind: tags.Disk, ID: fmt.Sprint("root-s-", i), Tags: own},
			driver.Resource{Kind: tags.Disk, ID: fmt.Sprint("pv-", i), Name: "pvc"},
		)
	}
	return openstacktest.New(f)
}

// sent returns the requests that set another team on n machines.
func sent(t *testing.T, n int) (requests []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := machines(n)
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range n {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		requests = a.Requests()
		assert.Equal(t, 1, a.Logins(), "one token for all")
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, r := range live {
			if r.Name == "pvc" {
				assert.Empty(t, r.Tags, r.ID)
			} else {
				assert.Equal(t, flat(map[string]string{"team": "b"}), r.Tags, r.ID)
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
		if strings.HasPrefix(request, "GET ") && !strings.HasSuffix(request, "/metadata") {
			reads++
		} else {
			writes++
		}
	}
	return reads, writes
}

// TestCalls: the first six machines are read at once, by two requests each. The others share one
// list of servers and one list of volumes. A write of a server's metadata is one request, and a
// write of a volume's metadata is two.
func TestCalls(t *testing.T) {
	for n, want := range map[int][2]int{1: {2, 3}, 100: {14, 300}} {
		reads, writes := calls(t, n)
		assert.Equal(t, want, [2]int{reads, writes}, n)
	}
}
