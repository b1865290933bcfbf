package alicloud_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ecs is Elastic Compute Service on a fake cloud.
type ecs struct{ *drivertest.Cloud }

func (e ecs) Instance(ctx context.Context, id string) (*alicloud.Instance, error) {
	all, err := e.Resources(ctx)
	for _, r := range all {
		if r.Kind == tags.VM && r.ID == id {
			return &alicloud.Instance{Tags: r.Tags}, err
		}
	}
	return nil, err
}

func (e ecs) Disks(ctx context.Context, _ string) (disks []alicloud.Disk, err error) {
	all, err := e.Resources(ctx)
	for _, r := range all {
		if r.Kind == tags.Disk {
			disks = append(disks, alicloud.Disk{ID: r.ID, Name: r.Name, IsSystem: r.ID == "d-1", Tags: r.Tags})
		}
	}
	return disks, err
}

func (e ecs) Tag(ctx context.Context, _ string, ids []string, set []tags.Tag) error {
	return e.Change(ctx, ids, set, nil)
}

func (e ecs) Untag(ctx context.Context, _ string, ids, keys []string) error {
	var remove []tags.Tag
	for _, key := range keys {
		remove = append(remove, tags.Tag{Key: key})
	}
	return e.Change(ctx, ids, nil, remove)
}

// cluster has the keys by which machine-controller-manager finds the machine.
func cluster() map[string]string {
	return map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/worker/c": "1"}
}

func with(more map[string]string) map[string]string {
	all := cluster()
	maps.Copy(all, more)
	return all
}

const specFormat = `{"dataDisks":[{"name":"kubelet","size":20}],"region":"cn-hangzhou",` +
	`"tags":{"kubernetes.io/cluster/c":"1","kubernetes.io/role/worker/c":"1"},"resourceTags":%s}`

// TestDriver takes a machine between three provider specs. The disk pv is a volume of the CSI
// driver.
func TestDriver(t *testing.T) {
	schema, err := alicloud.ProviderSpecSchema()
	require.NoError(t, err)
	setup := drivertest.Setup{
		Schema: schema, Rules: tags.AliCloud.Rules, Unchanged: []string{"/resourceTags/network", "/tags"},
		Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "cn-hangzhou.i-1"},
	}
	state := func(hot string, vm, disk map[string]string) drivertest.State {
		return drivertest.State{
			Spec: fmt.Sprintf(specFormat, hot),
			Resources: []driver.Resource{
				{Kind: tags.VM, ID: "i-1", Tags: vm},
				{Kind: tags.Disk, ID: "d-1", Tags: disk},
				{Kind: tags.Disk, ID: "d-2", Name: "m-kubelet-data-disk", Tags: maps.Clone(disk)},
				{Kind: tags.Disk, ID: "pv", Name: "pv", Tags: map[string]string{"team": "a"}},
			},
		}
	}
	drivertest.Check(t, setup, func(cloud *drivertest.Cloud) (*alicloud.Driver, error) {
		connect := func(map[string][]byte, string) (alicloud.ECS, error) { return ecs{cloud}, nil }
		return alicloud.NewDriver(connect, cloud.Wait)
	},
		state(`{"vm":{"team":"a"}}`, with(map[string]string{"team": "a"}), map[string]string{}),
		state(
			`{"vm":{"team":"b"},"disk":{"backup":"daily"}}`, with(map[string]string{"team": "b"}),
			map[string]string{"backup": "daily"},
		),
		state(`{}`, cluster(), map[string]string{}),
	)
}

// many is Elastic Compute Service with any number of machines, none of which has a tag yet.
type many struct {
	mutex sync.Mutex
	calls []string
	tells map[string]int // how many resources were tagged, by type
}

func (*many) Instance(context.Context, string) (*alicloud.Instance, error) {
	return &alicloud.Instance{Tags: cluster()}, nil
}

func (*many) Disks(_ context.Context, id string) ([]alicloud.Disk, error) {
	return []alicloud.Disk{{ID: "d-" + id, IsSystem: true}}, nil
}

func (m *many) Tag(_ context.Context, of string, ids []string, set []tags.Tag) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.calls = append(m.calls, fmt.Sprint(of, " ", len(ids), " ", set))
	m.tells[of] += len(ids)
	for _, id := range ids {
		if len(ids) > 50 || strings.HasPrefix(id, "d-") != (of == "disk") {
			return fmt.Errorf("InvalidParameter: %d of type %s", len(ids), of)
		}
	}
	return nil
}

func (*many) Untag(context.Context, string, []string, []string) error { return nil }

// TestMachinesShareCalls: machines of one account share calls, of 50 resources of one type at most.
func TestMachinesShareCalls(t *testing.T) {
	const machines = 200
	synctest.Test(t, func(t *testing.T) {
		m := &many{tells: map[string]int{}}
		connect := func(map[string][]byte, string) (alicloud.ECS, error) { return m, nil }
		kit, err := alicloud.NewDriver(connect, nil)
		require.NoError(t, err)
		marked, all := make(chan struct{}), sync.WaitGroup{}
		for i := range machines {
			hot := machineupdate.Hot(`{"resourceTags":{"disk":{"team":"a"},"vm":{"team":"a"}}}`)
			request := &machineupdate.UpdateMachineRequest{
				Machine: fmt.Sprint("m-", i), ProviderID: fmt.Sprint("cn-hangzhou.i-", i),
				Class: machineupdate.MachineClass{ProviderSpec: fmt.Appendf(nil, specFormat, "{}")},
				Parts: []machineupdate.Part{{Kind: "vm", Desired: hot}, {Kind: "disk", Desired: hot}},
				BeforeWrite: func(context.Context) error {
					<-marked
					return nil
				},
			}
			all.Go(func() { assert.NoError(t, kit.UpdateMachine(t.Context(), request)) })
		}
		time.Sleep(time.Hour) // the reads, of which five a second are sent
		close(marked)
		all.Wait()
		assert.Equal(t, map[string]int{"instance": machines, "disk": machines}, m.tells)
		assert.LessOrEqual(t, len(m.calls), 24, "200 of 50 are 8 calls; few do not wait, and the last are not full")
	})
}
