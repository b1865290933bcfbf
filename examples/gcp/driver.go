package gcp

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Compute has the calls of the Compute Engine API for updates, in the zone of a machine. A write
// replaces all labels or tags, fails if the fingerprint is out of date, and returns when its
// operation is done. A throttled call returns [machineupdate.ErrThrottled].
type Compute interface {
	// instances.get; nil if there is none
	Instance(ctx context.Context, name string) (*Instance, error)
	Disk(ctx context.Context, name string) (*Labeled, error) // disks.get
	// instances.setLabels
	SetInstanceLabels(ctx context.Context, name string, labels map[string]string, fingerprint string) error
	// disks.setLabels
	SetDiskLabels(ctx context.Context, name string, labels map[string]string, fingerprint string) error
	// instances.setTags
	SetInstanceTags(ctx context.Context, name string, items []string, fingerprint string) error
}

// Labeled are the labels of a VM or of a disk.
type Labeled struct {
	Labels      map[string]string
	Fingerprint string
}

// Instance is a VM.
type Instance struct {
	Labeled

	Tags            []string
	TagsFingerprint string
	Disks           []AttachedDisk
}

// AttachedDisk is a disk of a VM. The launch numbers its disks from 0, in the order of the provider
// spec. Those of the CSI driver follow.
type AttachedDisk struct {
	Index  int
	Source string // URL; empty for a local SSD, which has no labels
}

// Driver makes UpdateMachine of the driver for GCP, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[ProviderSpec, *machine]

// machine is the machine of one update.
type machine struct {
	client Compute
	name   string
	class  *ProviderSpec
}

// NewDriver makes a driver. Connect makes a client for the zone of the class, with the credentials
// in the secret. Wait is nil except in tests.
func NewDriver(
	connect func(secret map[string][]byte, class *ProviderSpec) (Compute, error),
	wait func(ctx context.Context, d time.Duration) error,
) (*Driver, error) {
	schema, schemaErr := ProviderSpecSchema()
	labels, labelsErr := tags.GCP.Rules(tags.VM)
	networkTags, networkTagsErr := tags.GCP.Rules(tags.Network)
	if err := errors.Join(schemaErr, labelsErr, networkTagsErr); err != nil {
		return nil, err
	}
	return driver.New(driver.Definition[ProviderSpec, *machine]{
		Schema: schema, Resources: resources, Wait: wait,
		Connect: func(
			_ context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec,
		) (*machine, error) {
			client, err := connect(request.Secret, class)
			return &machine{client, path.Base(request.ProviderID), class}, err // gce:///PROJECT/ZONE/NAME
		},
		Tags: []driver.Tagging[ProviderSpec, *machine]{
			{Kinds: []tags.Kind{tags.VM, tags.Disk}, Rules: labels, Project: project, Replace: setLabels},
			{
				Kinds: []tags.Kind{tags.Network}, Rules: networkTags, Project: project, Replace: setNetworkTags,
				Mandatory: func(class *ProviderSpec, _ string) map[string]string {
					return networkTags.MandatoryIn(withoutValues(class.Tags))
				},
			},
		},
	})
}

func project(spec *ProviderSpec, kind tags.Kind) map[string]string {
	projected, _ := spec.TagsOf(kind) // every kind has rules
	return projected
}

// resources finds the VM, its network tags, and the disks that were launched with it.
func resources(ctx context.Context, m *machine) ([]driver.Resource, error) {
	vm, err := m.client.Instance(ctx, m.name)
	if err != nil || vm == nil {
		return nil, err
	}
	own := []driver.Resource{
		{Kind: tags.VM, ID: m.name, Tags: vm.Labels, Version: vm.Fingerprint},
		{Kind: tags.Network, ID: m.name, Tags: withoutValues(vm.Tags), Version: vm.TagsFingerprint},
	}
	for _, attached := range vm.Disks {
		if attached.Source == "" || attached.Index >= len(m.class.Disks) {
			continue
		}
		disk, err := m.client.Disk(ctx, path.Base(attached.Source))
		if err != nil {
			return nil, err
		}
		own = append(own, driver.Resource{
			Kind: tags.Disk, ID: path.Base(attached.Source), Tags: disk.Labels, Version: disk.Fingerprint,
		})
	}
	return own, nil
}

func setLabels(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
	if r.Kind == tags.Disk {
		return m.client.SetDiskLabels(ctx, r.ID, all, r.Version)
	}
	return m.client.SetInstanceLabels(ctx, r.ID, all, r.Version)
}

func setNetworkTags(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
	return m.client.SetInstanceTags(ctx, r.ID, slices.Sorted(maps.Keys(all)), r.Version)
}
