package aliclouddriver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/aliclouddriver"
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
	r := &machineupdate.UpdateMachineRequest{
		Machine: fmt.Sprint("m", i), ProviderID: fmt.Sprint("cn-hangzhou.i", i), Secret: secret,
		Class: machineupdate.MachineClass{ProviderSpec: []byte(spec(t, nil, nil))},
	}
	for _, kind := range tags.Kinds() {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: string(kind), Applied: hot("a"), Desired: hot(team)})
	}
	return r
}

// machines returns machines of the team a, with a network interface and a system disk each.
func machines(n int) *api {
	f := fleet.New(tags.AliCloud.Rules)
	for i := range n {
		id := fmt.Sprint("i", i)
		own := flat(map[string]string{"team": "a"})
		f.Add(
			driver.Resource{Kind: tags.VM, ID: id, Tags: own},
			driver.Resource{Kind: tags.Network, ID: "eni-" + id, Tags: own},
			driver.Resource{Kind: tags.Disk, ID: "sys-" + id, Tags: own},
			driver.Resource{Kind: tags.Disk, ID: "data-" + id, Name: fmt.Sprint("m", i, "-kubelet-data-disk"), Tags: own},
		)
	}
	return &api{Cloud: f}
}

// calls counts the requests that read n machines, and the requests that set another team on all of
// them.
func calls(t *testing.T, n int) (reads, writes int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := machines(n)
		kit, err := aliclouddriver.New(a.config())
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range n {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		for _, sent := range a.requests {
			if strings.HasPrefix(sent, "Describe") {
				reads++
			} else {
				writes++
			}
		}
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, r := range live {
			assert.Equal(t, flat(map[string]string{"team": "b"}), r.Tags, r.ID)
		}
	})
	return reads, writes
}

// TestCalls: the first six machines are read at once, by three requests each; the others share
// three. A call tags up to 50 resources of one type. The first calls do not wait for more
// resources, and the last ones have fewer.
func TestCalls(t *testing.T) {
	for n, want := range map[int][2]int{1: {3, 3}, 100: {21, 14}} {
		reads, writes := calls(t, n)
		assert.Equal(t, want, [2]int{reads, writes}, n)
	}
}
