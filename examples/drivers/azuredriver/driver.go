// Package azuredriver updates the VMs of machine-controller-manager-provider-azure through its SDK:
// armcompute, armnetwork and armresources of azure-sdk-for-go.
//
// The infrastructure tags of the VM, of its network interface and of the disks that it was launched
// with are hot. Azure Resource Manager merges tags into the tags of a resource, and removes a tag
// only if it has the value that the call names. Keys that differ in case are one key.
//
// Attributes are not hot: the released driver's provider spec has none that Azure changes on a
// running VM. A call tags one resource, so a changed tag takes a call for each resource of each
// machine. Azure admits ten writes a second for a principal in a subscription.
package azuredriver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver implements UpdateMachine of the driver for Azure, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[azure.ProviderSpec, *machine]

// Config configures a driver. The zero value is for production.
type Config struct {
	// HTTP sends all requests, also requests for tokens, such as an [*net/http.Client]. Nil is the
	// client of the SDK.
	HTTP policy.Transporter
	// Credential returns the credential in a secret. Nil is [ClientSecret].
	Credential func(secret map[string][]byte, options policy.ClientOptions) (azcore.TokenCredential, error)
	// Wait and Count are passed to [driver.Definition].
	Wait  func(ctx context.Context, d time.Duration) error
	Count func(function, outcome string)
}

// New returns a driver.
func New(config Config) (*Driver, error) {
	schema, schemaErr := azure.ProviderSpecSchema()
	rules, rulesErr := tags.Azure.Rules(tags.VM)
	if err := errors.Join(schemaErr, rulesErr); err != nil {
		return nil, err
	}
	tagging := driver.FlatTagging[azure.ProviderSpec, *machine](rules, tags.Kinds(),
		func(spec *azure.ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags })
	tagging.Set = set
	tagging.Remove = remove
	a := &access{Config: config}
	a.clients = login.New(a.login)
	return driver.New(driver.Definition[azure.ProviderSpec, *machine]{
		Schema: schema, Connect: a.connect, Translate: translated, Wait: config.Wait, Count: config.Count,
		Tags: []driver.Tagging[azure.ProviderSpec, *machine]{tagging},
		Sharing: driver.Sharing[*machine]{
			Key: func(m *machine) []string { return m.account },
			// "Subscription reads 250, 25" and "writes 200, 10" of a region and a principal (Azure
			// Resource Manager, How Azure Resource Manager throttles requests). A read requests
			// three lists. Sets and removals are writes.
			Buckets: []driver.Bucket{
				{Name: reads, Burst: 250, Refill: 25, Requests: map[string]int{"Resources": 3}},
				{Name: "writes", Burst: 200, Refill: 10, Requests: map[string]int{"Set": 1, "Remove": 1}},
			},
			Resources: readMany, MaxMachines: 1000,
		},
	})
}

// reads is the bucket of reads.
const reads = "reads"

// machine is the machine of one update.
type machine struct {
	*clients

	class            *azure.ProviderSpec
	providerID, name string
	account          []string // calls may be shared within it: cloud, credentials and resource group
}

// parse reads a provider ID: azure:///LOCATION/NAME.
func (m *machine) parse(providerID string) error {
	location, name, _ := strings.Cut(strings.TrimPrefix(providerID, "azure:///"), "/")
	if location == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("the provider ID %q is not azure:///LOCATION/NAME", providerID)
	}
	m.providerID = providerID
	m.name = name
	return nil
}

// disks returns the names of the disks that the VM was launched with.
func (m *machine) disks() []string {
	names := []string{m.name + "-os-disk"}
	for _, disk := range m.class.Properties.StorageProfile.DataDisks {
		infix := strconv.Itoa(int(disk.LUN))
		if disk.Name != "" {
			infix = disk.Name + "-" + infix
		}
		names = append(names, m.name+"-"+infix+"-data-disk")
	}
	return names
}

// found are resources of a resource group, by their IDs in lower case. The case of an ID has no
// meaning, and Azure spells the same ID in several ways.
type found map[string]driver.Resource

func (f found) add(kind tags.Kind, id *string, live map[string]*string) {
	if id == nil {
		return
	}
	own := map[string]string{}
	for key, value := range live {
		if value != nil {
			own[key] = *value
		}
	}
	f[strings.ToLower(*id)] = driver.Resource{Kind: kind, ID: *id, Tags: own}
}

// errNoList is the error for an answer without a body, which the SDK takes for a success.
var errNoList = errors.New("the answer has no list of VMs, not even an empty one")

// readMany reads machines of one resource group by the lists of its VMs, network interfaces and
// disks. Reads lag, so it does not answer for a machine whose resources are not all shown.
func readMany(
	ctx context.Context, machines []*machine, answer func(providerID string, live []driver.Resource),
) error {
	group := machines[0].class.ResourceGroup
	c := machines[0].clients
	var vms []*armcompute.VirtualMachine
	cards := found{}
	disks := found{}
	err := driver.AtOnce(ctx,
		func(ctx context.Context) error {
			vms = nil
			isWhole := true
			err := each(ctx, c.vms.NewListPager(group, nil), func(page *armcompute.VirtualMachinesClientListResponse) {
				vms = append(vms, page.Value...)
				isWhole = isWhole && page.Value != nil
			})
			if err == nil && !isWhole {
				return errNoList
			}
			return err
		},
		func(ctx context.Context) error {
			return each(ctx, c.cards.NewListPager(group, nil), func(page *armnetwork.InterfacesClientListResponse) {
				for _, card := range page.Value {
					cards.add(tags.Network, card.ID, card.Tags)
				}
			})
		},
		func(ctx context.Context) error {
			return each(ctx, c.disks.NewListByResourceGroupPager(group, nil),
				func(page *armcompute.DisksClientListByResourceGroupResponse) {
					for _, disk := range page.Value {
						disks.add(tags.Disk, disk.ID, disk.Tags)
					}
				})
		},
	)
	if err != nil {
		return err
	}
	byName := map[string]*armcompute.VirtualMachine{}
	for _, vm := range vms {
		if vm.Name != nil && vm.ID != nil {
			byName[strings.ToLower(*vm.Name)] = vm
		}
	}
	for _, m := range machines {
		vm := byName[strings.ToLower(m.name)]
		if vm == nil {
			answer(m.providerID, nil)
		} else if own, isWhole := m.own(vm, cards, disks); isWhole {
			answer(m.providerID, own)
		}
	}
	return nil
}

// each reads all pages of a list.
func each[T any](ctx context.Context, pages *runtime.Pager[T], add func(page *T)) error {
	for isFirst := true; pages.More(); isFirst = false {
		if !isFirst {
			driver.Spend(ctx, reads, 1)
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		add(&page)
	}
	return nil
}

// own returns the VM, its network interface and the disks of its launch, and whether all of them
// are shown. Disks of the CSI driver and interfaces of others have other names.
func (m *machine) own(vm *armcompute.VirtualMachine, cards, disks found) (own []driver.Resource, isWhole bool) {
	all := found{}
	all.add(tags.VM, vm.ID, vm.Tags)
	own = append(own, all[strings.ToLower(*vm.ID)])
	isWhole = true
	add := func(id string, shown found, names ...string) {
		isName := func(name string) bool { return strings.EqualFold(name, path.Base(id)) }
		if slices.ContainsFunc(names, isName) {
			r, isShown := shown[strings.ToLower(id)]
			own = append(own, r)
			isWhole = isWhole && isShown
		}
	}
	for _, id := range cardsOf(vm) {
		add(id, cards, m.name+"-nic")
	}
	for _, id := range disksOf(vm) {
		add(id, disks, m.disks()...)
	}
	return own, isWhole
}

// cardsOf returns the IDs of the network interfaces of a VM.
func cardsOf(vm *armcompute.VirtualMachine) (ids []string) {
	if vm.Properties == nil || vm.Properties.NetworkProfile == nil {
		return nil
	}
	for _, card := range vm.Properties.NetworkProfile.NetworkInterfaces {
		if card.ID != nil {
			ids = append(ids, *card.ID)
		}
	}
	return ids
}

// disksOf returns the IDs of the disks of a VM.
func disksOf(vm *armcompute.VirtualMachine) (ids []string) {
	if vm.Properties == nil || vm.Properties.StorageProfile == nil {
		return nil
	}
	add := func(disk *armcompute.ManagedDiskParameters) {
		if disk != nil && disk.ID != nil {
			ids = append(ids, *disk.ID)
		}
	}
	if disk := vm.Properties.StorageProfile.OSDisk; disk != nil {
		add(disk.ManagedDisk)
	}
	for _, disk := range vm.Properties.StorageProfile.DataDisks {
		add(disk.ManagedDisk)
	}
	return ids
}

// set merges tags into the tags of a resource. The Rules say that a call names one resource.
func set(ctx context.Context, m *machine, resources []string, set []tags.Tag) error {
	return m.patch(ctx, resources[0], armresources.TagsPatchOperationMerge, set)
}

// remove removes the tags that still have the machine's value.
func remove(ctx context.Context, m *machine, resources []string, remove []tags.Tag) error {
	return m.patch(ctx, resources[0], armresources.TagsPatchOperationDelete, remove)
}

func (m *machine) patch(
	ctx context.Context, id string, operation armresources.TagsPatchOperation, changed []tags.Tag,
) error {
	values := map[string]*string{}
	for _, tag := range changed {
		values[tag.Key] = new(tag.Value)
	}
	_, err := m.tags.UpdateAtScope(ctx, strings.TrimPrefix(id, "/"), armresources.TagsPatchResource{
		Operation: &operation, Properties: &armresources.Tags{Tags: values},
	}, nil)
	return err
}
