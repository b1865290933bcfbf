package gcp_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// compute is the Compute Engine API on a fake cloud.
type compute struct{ *drivertest.Cloud }

func (c compute) Instance(ctx context.Context, _ string) (*gcp.Instance, error) {
	all, err := c.Resources(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	vm := &gcp.Instance{Labeled: gcp.Labeled{Labels: all[0].Tags, Fingerprint: all[0].Version}, Tags: slices.Sorted(maps.Keys(all[1].Tags)), TagsFingerprint: all[1].Version}
	for i, disk := range all[2:] {
		vm.Disks = append(vm.Disks, gcp.AttachedDisk{Index: i, Source: "zones/z/disks/" + disk.ID})
	}
	return vm, nil
}

func (c compute) Disk(ctx context.Context, name string) (*gcp.Labeled, error) {
	all, err := c.Resources(ctx)
	for _, r := range all {
		if r.Kind == tags.Disk && r.ID == name {
			return &gcp.Labeled{Labels: r.Tags, Fingerprint: r.Version}, err
		}
	}
	return nil, err
}

func (c compute) SetInstanceLabels(ctx context.Context, name string, labels map[string]string, fingerprint string) error {
	return c.Replace(ctx, tags.VM, name, fingerprint, labels)
}

func (c compute) SetDiskLabels(ctx context.Context, name string, labels map[string]string, fingerprint string) error {
	return c.Replace(ctx, tags.Disk, name, fingerprint, labels)
}

func (c compute) SetInstanceTags(ctx context.Context, name string, items []string, fingerprint string) error {
	return c.Replace(ctx, tags.Network, name, fingerprint, keys(items...))
}

// TestDriver takes a machine between two provider specs. The boot disk has the name of the VM, pv is a volume of the CSI driver.
func TestDriver(t *testing.T) {
	schema, err := gcp.ProviderSpecSchema()
	require.NoError(t, err)
	setup := drivertest.Setup{Schema: schema, Rules: tags.GCP.Rules, Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "gce:///p/z/m"}}
	setup.Unchanged = []string{"/labels", "/serviceAccounts/*/email", "/serviceAccounts/*/scopes", "/tags"} // the labels and tags of all machines; accounts need a stopped VM
	state := func(hot string, vm, boot map[string]string, networkTags ...string) drivertest.State {
		return drivertest.State{
			Spec: `{"disks":[{"boot":true,"sizeGb":20}],"labels":{"k8s-cluster-name":"c"},"resourceTags":` + hot +
				`,"tags":["kubernetes-io-cluster-c","kubernetes-io-role-node"]}`,
			Resources: []driver.Resource{
				{Kind: tags.VM, ID: "m", Tags: vm},
				{Kind: tags.Network, ID: "m", Tags: keys(append(networkTags, "kubernetes-io-cluster-c", "kubernetes-io-role-node")...)},
				{Kind: tags.Disk, ID: "m", Tags: boot},
				{Kind: tags.Disk, ID: "pv", Tags: map[string]string{"k8s-cluster-name": "c", "team": "a"}},
			},
		}
	}
	cluster := map[string]string{"k8s-cluster-name": "c"}
	drivertest.Check(t, setup, func(cloud *drivertest.Cloud) (*gcp.Driver, error) {
		return gcp.NewDriver(func(map[string][]byte, *gcp.ProviderSpec) (gcp.Compute, error) { return compute{cloud}, nil }, cloud.Wait)
	},
		state(`{"vm":{"team":"a"},"network":{"bastion":""}}`, map[string]string{"k8s-cluster-name": "c", "team": "a"}, cluster, "bastion"),
		state(`{"vm":{"team":"b"},"disk":{"backup":"daily"}}`, map[string]string{"k8s-cluster-name": "c", "team": "b"}, map[string]string{"k8s-cluster-name": "c", "backup": "daily"}),
		state(`{"network":{"edge":""}}`, cluster, cluster, "edge"),
	)
}

// keys are network tags as the kit has them.
func keys(items ...string) map[string]string {
	all := map[string]string{}
	for _, item := range items {
		all[item] = ""
	}
	return all
}
