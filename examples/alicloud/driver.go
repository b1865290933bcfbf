package alicloud

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ECS has the calls of Elastic Compute Service for updates, in the region of a machine. A throttled
// call returns [machineupdate.ErrThrottled]. The client repeats nothing by itself.
type ECS interface {
	Instance(ctx context.Context, id string) (*Instance, error)             // DescribeInstances; nil if there is none
	Disks(ctx context.Context, instanceID string) ([]Disk, error)           // DescribeDisks, of one instance
	Tag(ctx context.Context, of string, ids []string, set []tags.Tag) error // TagResources, of one type
	Untag(ctx context.Context, of string, ids, keys []string) error         // UntagResources, of one type
}

// Instance is a VM.
type Instance struct{ Tags map[string]string }

// Disk is a disk of a VM. The launch names its data disks after the machine.
type Disk struct {
	ID, Name string
	IsSystem bool
	Tags     map[string]string
}

// Driver makes UpdateMachine of the driver for Alibaba Cloud, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[ProviderSpec, *machine]

// machine is the machine of one update.
type machine struct {
	client   ECS
	name, id string
	class    *ProviderSpec
	account  []string // of whom calls may be shared: region and credentials
}

// NewDriver makes a driver. Connect makes a client for a region, with the credentials in the
// secret. Wait is nil except in tests.
func NewDriver(
	connect func(secret map[string][]byte, region string) (ECS, error),
	wait func(ctx context.Context, d time.Duration) error,
) (*Driver, error) {
	schema, schemaErr := ProviderSpecSchema()
	rules, rulesErr := tags.AliCloud.Rules(tags.VM)
	if err := errors.Join(schemaErr, rulesErr); err != nil {
		return nil, err
	}
	return driver.New(driver.Definition[ProviderSpec, *machine]{
		Schema: schema, Resources: resources, Wait: wait,
		Connect: func(
			_ context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec,
		) (*machine, error) {
			client, err := connect(request.Secret, class.Region)
			account := []string{class.Region}
			for _, name := range []string{"accessKeyID", "accessKeySecret"} {
				account = append(account, string(request.Secret[name]))
			}
			id := request.ProviderID[strings.LastIndex(request.ProviderID, ".")+1:] // REGION.ID
			return &machine{client, request.Machine, id, class, account}, err
		},
		// A call tags resources of one type, so each kind has a Tagging. It names as many resources
		// as the Rules say, which are 50. Reads are paced and not shared: DescribeDisks takes one
		// instance.
		Tags: []driver.Tagging[ProviderSpec, *machine]{
			tagging(tags.VM, "instance", rules, func(class *ProviderSpec, _ string) map[string]string {
				return rules.MandatoryIn(class.Tags)
			}),
			tagging(tags.Disk, "disk", rules, nil),
		},
		// Alibaba Cloud publishes no refill of these calls. Its Quota Center shows that of an
		// account, so a driver takes them from its operator.
		Sharing: driver.Sharing[*machine]{
			Key:    func(m *machine) []string { return m.account },
			Refill: map[string]float64{"Resources": 10, "Set": 10, "Remove": 10},
		},
	})
}

func tagging(
	kind tags.Kind, of string, rules tags.Rules, mandatory func(class *ProviderSpec, machine string) map[string]string,
) driver.Tagging[ProviderSpec, *machine] {
	return driver.Tagging[ProviderSpec, *machine]{
		Kinds: []tags.Kind{kind}, Rules: rules, Mandatory: mandatory,
		Project: func(spec *ProviderSpec, kind tags.Kind) map[string]string {
			projected, _ := spec.TagsOf(kind) // every kind has rules
			return projected
		},
		Set: func(ctx context.Context, m *machine, ids []string, set []tags.Tag) error {
			return m.client.Tag(ctx, of, ids, set)
		},
		Remove: func(ctx context.Context, m *machine, ids []string, remove []tags.Tag) error {
			var keys []string
			for _, tag := range remove {
				keys = append(keys, tag.Key)
			}
			return m.client.Untag(ctx, of, ids, keys)
		},
	}
}

// resources finds the VM, its system disk, and the data disks that were launched with it.
func resources(ctx context.Context, m *machine) ([]driver.Resource, error) {
	vm, err := m.client.Instance(ctx, m.id)
	if err != nil || vm == nil {
		return nil, err
	}
	disks, err := m.client.Disks(ctx, m.id)
	own := []driver.Resource{{Kind: tags.VM, ID: m.id, Tags: vm.Tags}}
	for _, disk := range disks {
		isNamed := func(d DataDisk) bool { return disk.Name == m.name+"-"+d.Name+"-data-disk" }
		if disk.IsSystem || slices.ContainsFunc(m.class.DataDisks, isNamed) {
			own = append(own, driver.Resource{Kind: tags.Disk, ID: disk.ID, Tags: disk.Tags})
		}
	}
	return own, err
}
