// Package aliclouddriver updates the instances of machine-controller-manager-provider-alicloud
// through the SDK ecs-20140526 of alibabacloud-go.
//
// The infrastructure tags of the instance, of its primary network interface and of the disks that
// it was launched with are hot. A call tags up to 50 resources of one type, so machines share
// calls.
//
// Attributes are not hot: a change of the bandwidth places an order, and a call replaces all
// security groups of an instance, without a version. A tag is removed whatever its value is. A call
// that reads disks names either one VM or a tag. With a tag, it returns at most a thousand disks.
package aliclouddriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	ecs "github.com/alibabacloud-go/ecs-20140526/v7/client"
	"github.com/alibabacloud-go/tea/dara"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver implements UpdateMachine of the driver for Alibaba Cloud, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[alicloud.ProviderSpec, *machine]

// Config configures a driver. The zero value is for production.
type Config struct {
	// Endpoint is the host of the ECS API; empty is the endpoint of the region.
	Endpoint string
	// HTTP sends requests. Nil is the default of the SDK.
	HTTP http.RoundTripper
	// CallsPerMinute is the number of calls per minute that Alibaba Cloud admits for each operation
	// of its API. Set it to the lowest quota of the operations that the driver calls; zero means
	// 600. The quotas are not documented; the Quota Center shows those of an account.
	CallsPerMinute int
	// Wait and Count are passed to [driver.Definition].
	Wait  func(ctx context.Context, d time.Duration) error
	Count func(function, outcome string)
}

// resourceTypes are the names that the cloud has for the kinds of resources.
var resourceTypes = map[tags.Kind]string{tags.VM: "instance", tags.Network: "eni", tags.Disk: "disk"}

// New returns a driver.
func New(config Config) (*Driver, error) {
	schema, schemaErr := alicloud.ProviderSpecSchema()
	rules, rulesErr := tags.AliCloud.Rules(tags.VM)
	if err := errors.Join(schemaErr, rulesErr); err != nil {
		return nil, err
	}
	if config.CallsPerMinute == 0 {
		config.CallsPerMinute = 600
	}
	a := &access{Config: config, rules: rules}
	definition := driver.Definition[alicloud.ProviderSpec, *machine]{
		Schema: schema, Connect: a.connect, Translate: translated, Wait: config.Wait, Count: config.Count,
		Sharing: driver.Sharing[*machine]{
			Key:       func(m *machine) []string { return m.account },
			Buckets:   buckets(config.CallsPerMinute),
			Resources: readMany, MaxMachines: 100, // DescribeInstances takes 100 IDs
		},
	}
	for _, kind := range tags.Kinds() { // each kind has separate calls
		definition.Tags = append(definition.Tags, tagging(kind, &rules))
	}
	return driver.New(definition)
}

// describeDisks is the operation that a read may call several times.
const describeDisks = "DescribeDisks"

// buckets are the quotas of the operations: "the number of calls to each API operation is independently
// calculated", by the minute (Alibaba Cloud ECS, API call throttling).
func buckets(calls int) (quotas []driver.Bucket) {
	burst, refill := driver.Windows(calls, time.Minute)
	for operation, function := range map[string]string{
		"DescribeInstances": "Resources", "DescribeNetworkInterfaces": "Resources", describeDisks: "Resources",
		"TagResources": "Set", "UntagResources": "Remove",
	} {
		quotas = append(quotas, driver.Bucket{
			Name: operation, Burst: burst, Refill: refill, Requests: map[string]int{function: 1},
		})
	}
	return quotas
}

func tagging(kind tags.Kind, rules *tags.Rules) driver.Tagging[alicloud.ProviderSpec, *machine] {
	of := resourceTypes[kind]
	flat := func(spec *alicloud.ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags }
	made := driver.FlatTagging[alicloud.ProviderSpec, *machine](*rules, []tags.Kind{kind}, flat)
	made.Set = func(ctx context.Context, m *machine, ids []string, set []tags.Tag) error {
		return m.set(ctx, of, ids, set)
	}
	made.Remove = func(ctx context.Context, m *machine, ids []string, remove []tags.Tag) error {
		return m.remove(ctx, of, ids, remove)
	}
	return made
}

// machine is the machine of one update.
type machine struct {
	client           *ecs.Client
	watch            *answer.Watch // of the client
	class            *alicloud.ProviderSpec
	providerID       string
	name, region, id string
	cluster          map[string]string // the tags that all resources of the cluster have
	account          []string          // calls may be shared within it: credentials, region and cluster
}

// parse reads a provider ID: REGION.ID.
func (m *machine) parse(providerID string) error {
	region, id, _ := strings.Cut(providerID, ".")
	if region == "" || id == "" || strings.Contains(id, ".") {
		return fmt.Errorf("the provider ID %q is not REGION.ID", providerID)
	}
	m.providerID = providerID
	m.region = region
	m.id = id
	return nil
}

// set sets tags on resources of one type.
func (m *machine) set(ctx context.Context, of string, ids []string, set []tags.Tag) error {
	request := &ecs.TagResourcesRequest{RegionId: &m.region, ResourceType: &of, ResourceId: dara.StringSlice(ids)}
	for _, tag := range set {
		request.Tag = append(request.Tag, &ecs.TagResourcesRequestTag{Key: &tag.Key, Value: &tag.Value})
	}
	_, err := m.client.TagResourcesWithContext(ctx, request, &dara.RuntimeOptions{})
	return err
}

func (m *machine) remove(ctx context.Context, of string, ids []string, remove []tags.Tag) error {
	request := &ecs.UntagResourcesRequest{RegionId: &m.region, ResourceType: &of, ResourceId: dara.StringSlice(ids)}
	for _, tag := range remove {
		request.TagKey = append(request.TagKey, &tag.Key)
	}
	_, err := m.client.UntagResourcesWithContext(ctx, request, &dara.RuntimeOptions{})
	return err
}

// few is the number of machines up to which the disks of each machine are read by a separate call.
const few = 3

// readMany reads machines of one cluster. Reads lag, so it does not answer for a machine whose
// primary network interface is not shown. A disk that is not shown may have been deleted by hand;
// the kit gets it as missing.
func readMany(
	ctx context.Context, machines []*machine, answer func(providerID string, live []driver.Resource),
) error {
	first := machines[0]
	vms, err := first.instances(ctx, machines)
	if err != nil {
		return err
	}
	disks := map[string][]driver.Resource{}
	lists := 0 // of disks
	if len(machines) > few {
		lists++
		disks, err = first.disks(ctx, &ecs.DescribeDisksRequest{Tag: first.clusterTags()})
		if err != nil {
			return err
		}
	}
	for _, m := range machines {
		vm := vms[m.id]
		if len(vm) == 0 {
			answer(m.providerID, nil)
			continue
		}
		own := m.own(disks[m.id])
		if len(own) < m.launched() { // the list lacks disks that are older than the tags, and disks beyond its limit
			if lists > 0 {
				driver.Spend(ctx, describeDisks, 1)
			}
			lists++
			alone, err := first.disks(ctx, &ecs.DescribeDisksRequest{InstanceId: &m.id})
			if err != nil {
				return err
			}
			own = m.own(alone[m.id])
		}
		if len(vm) == 2 {
			answer(m.providerID, slices.Concat(vm, own, m.missing(own)))
		}
	}
	return nil
}

var errNoBody = errors.New("the answer has no list, not even an empty one")

// instances returns the VMs that exist, each with its primary network interface if the cloud shows
// it. Other interfaces belong to a CNI plugin.
func (m *machine) instances(ctx context.Context, machines []*machine) (map[string][]driver.Resource, error) {
	ids := make([]string, len(machines))
	for i, one := range machines {
		ids[i] = one.id
	}
	text, _ := json.Marshal(ids) // texts are valid
	var shown *ecs.DescribeInstancesResponse
	err := driver.AtOnce(ctx, func(ctx context.Context) (err error) {
		shown, err = m.client.DescribeInstancesWithContext(ctx, &ecs.DescribeInstancesRequest{
			RegionId: &m.region, InstanceIds: new(string(text)), MaxResults: new(int32(100)),
		}, &dara.RuntimeOptions{})
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case shown.Body == nil || shown.Body.Instances == nil:
		return nil, errNoBody
	}
	vms := map[string][]driver.Resource{}
	cards := map[string]string{}
	for _, vm := range shown.Body.Instances.Instance {
		id := dara.StringValue(vm.InstanceId)
		live := map[string]string{}
		if vm.Tags != nil {
			live = mapOf(vm.Tags.Tag)
		}
		vms[id] = []driver.Resource{{Kind: tags.VM, ID: id, Tags: live}}
		if vm.NetworkInterfaces == nil {
			continue
		}
		for _, card := range vm.NetworkInterfaces.NetworkInterface {
			if dara.StringValue(card.Type) == "Primary" {
				cards[dara.StringValue(card.NetworkInterfaceId)] = id
			}
		}
	}
	return vms, m.addCards(ctx, cards, vms)
}

// addCards adds network interfaces to their VMs.
func (m *machine) addCards(ctx context.Context, cards map[string]string, vms map[string][]driver.Resource) error {
	if len(cards) == 0 {
		return nil
	}
	var shown *ecs.DescribeNetworkInterfacesResponse
	err := driver.AtOnce(ctx, func(ctx context.Context) (err error) {
		shown, err = m.client.DescribeNetworkInterfacesWithContext(ctx, &ecs.DescribeNetworkInterfacesRequest{
			RegionId: &m.region, MaxResults: new(int32(100)),
			NetworkInterfaceId: dara.StringSlice(slices.Sorted(maps.Keys(cards))),
		}, &dara.RuntimeOptions{})
		return err
	})
	switch {
	case err != nil:
		return err
	case shown.Body == nil || shown.Body.NetworkInterfaceSets == nil:
		return errNoBody
	}
	for _, card := range shown.Body.NetworkInterfaceSets.NetworkInterfaceSet {
		id := dara.StringValue(card.NetworkInterfaceId)
		live := map[string]string{}
		if card.Tags != nil {
			live = mapOf(card.Tags.Tag)
		}
		if vm, isOwn := cards[id]; isOwn {
			vms[vm] = append(vms[vm], driver.Resource{Kind: tags.Network, ID: id, Tags: live})
		}
	}
	return nil
}

// system is the name that a machine's system disk has among its resources.
const system = "system"

// disks returns the disks of a list, by the IDs of their VMs.
func (m *machine) disks(ctx context.Context, request *ecs.DescribeDisksRequest) (map[string][]driver.Resource, error) {
	found := map[string][]driver.Resource{}
	request.RegionId = &m.region
	request.MaxResults = new(int32(500))
	for isFirst := true; ; isFirst = false {
		if !isFirst {
			driver.Spend(ctx, describeDisks, 1)
		}
		var shown *ecs.DescribeDisksResponse
		err := driver.AtOnce(ctx, func(ctx context.Context) (err error) {
			shown, err = m.client.DescribeDisksWithContext(ctx, request, &dara.RuntimeOptions{})
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case shown.Body == nil || shown.Body.Disks == nil:
			return nil, errNoBody
		}
		for _, disk := range shown.Body.Disks.Disk {
			name := dara.StringValue(disk.DiskName)
			live := map[string]string{}
			if disk.Tags != nil {
				live = mapOf(disk.Tags.Tag)
			}
			if dara.StringValue(disk.Type) == system {
				name = system
			}
			vm := dara.StringValue(disk.InstanceId)
			found[vm] = append(found[vm], driver.Resource{
				Kind: tags.Disk, ID: dara.StringValue(disk.DiskId), Name: name, Tags: live,
			})
		}
		request.NextToken = shown.Body.NextToken
		if dara.StringValue(request.NextToken) == "" {
			return found, nil
		}
	}
}

// launched is the number of disks that the VM was launched with.
func (m *machine) launched() int { return 1 + len(m.class.DataDisks) }

// own selects the system disk, and the data disks that the launch named after the machine. Other
// disks belong to the CSI driver.
func (m *machine) own(attached []driver.Resource) (own []driver.Resource) {
	isOwn := map[string]bool{system: true}
	for _, disk := range m.class.DataDisks {
		isOwn[m.name+"-"+disk.Name+"-data-disk"] = true
	}
	for _, disk := range attached {
		if isOwn[disk.Name] {
			own = append(own, disk)
		}
	}
	return own
}

// missing are the disks of the launch that a read does not show.
func (m *machine) missing(shown []driver.Resource) (lacking []driver.Resource) {
	ids := map[string]string{system: "the system disk of " + m.name}
	for _, disk := range m.class.DataDisks {
		name := m.name + "-" + disk.Name + "-data-disk"
		ids[name] = name
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		isName := func(r driver.Resource) bool { return r.Name == name }
		if !slices.ContainsFunc(shown, isName) {
			lacking = append(lacking, driver.Resource{Kind: tags.Disk, ID: ids[name], IsMissing: true})
		}
	}
	return lacking
}

// clusterTags returns the tags of the cluster as a filter of a list.
func (m *machine) clusterTags() (filters []*ecs.DescribeDisksRequestTag) {
	for _, key := range slices.Sorted(maps.Keys(m.cluster)) {
		filters = append(filters, &ecs.DescribeDisksRequestTag{Key: &key, Value: new(m.cluster[key])})
	}
	return filters
}

// mapOf converts tags, for which the SDK has a separate type in each call.
func mapOf[T interface {
	GetTagKey() *string
	GetTagValue() *string
}](all []T) map[string]string {
	live := map[string]string{}
	for _, tag := range all {
		live[dara.StringValue(tag.GetTagKey())] = dara.StringValue(tag.GetTagValue())
	}
	return live
}
