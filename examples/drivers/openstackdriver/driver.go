// Package openstackdriver updates the servers of machine-controller-manager-provider-openstack
// through its SDK, gophercloud.
//
// Metadata of the server and of its root volume, and the server's security groups are hot. Nova
// sets and removes single keys, whatever their value is. Cinder writes all keys of a volume at
// once, on condition of an ETag. The SDK has no call with an ETag, so these requests are raw, see
// replaceMetadata. Only servers that boot from a volume have a root volume.
//
// Ports have tags without values. The launch sets them, and nothing changes them. Security groups
// that no provider spec of the machine has named, such as groups of load balancers, stay. A group
// that the spec names by its ID is left alone, because Nova answers with names only. Nova changes
// one port of a server after the other, and answers with the groups of all ports. If Nova fails
// between two ports, a later read does not show which port lacks the group.
package openstackdriver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver implements UpdateMachine of the driver for OpenStack, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[openstack.ProviderSpec, *machine]

// Config configures a driver. The zero value is for production.
type Config struct {
	// HTTP sends all requests, also requests for tokens. Nil is the default of net/http with the
	// certificates in the secret.
	HTTP http.RoundTripper
	// Refill is the number of requests a second that the operator admits for each API; zero is 10.
	// OpenStack itself has no limit. The burst is ten times as large, as on other clouds.
	Refill float64
	// Wait and Count are passed to [driver.Definition].
	Wait  func(ctx context.Context, d time.Duration) error
	Count func(function, outcome string)
}

// Schema returns the Schema of the provider spec. Security groups are hot: a running server can
// join and leave them (Nova API, Run an action: addSecurityGroup, removeSecurityGroup).
func Schema() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[openstack.ProviderSpec](hotupdate.WithTag("spec.securityGroups", "true,set"))
}

// Rules are the rules of [tags.OpenStack]. For volumes, writes are on condition of a version.
func Rules(kind tags.Kind) (tags.Rules, error) {
	rules, err := tags.OpenStack.Rules(kind)
	if kind == tags.Disk {
		rules.Guard = tags.GuardVersion
	}
	return rules, err
}

// New returns a driver.
func New(config Config) (*Driver, error) {
	schema, schemaErr := Schema()
	server, serverErr := Rules(tags.VM)
	volume, volumeErr := Rules(tags.Disk)
	if err := errors.Join(schemaErr, serverErr, volumeErr); err != nil {
		return nil, err
	}
	if config.Refill == 0 {
		config.Refill = 10
	}
	burst := max(10*config.Refill, 4)
	// The driver also writes the flat map to volumes, and with it the keys by which MCM finds
	// servers.
	flat := func(spec *openstack.ProviderSpec) (map[string]string, *tags.Tags) {
		return spec.Spec.Tags, spec.Spec.ResourceTags
	}
	ofServer := driver.FlatTagging[openstack.ProviderSpec, *machine](server, []tags.Kind{tags.VM}, flat)
	ofServer.Set = setMetadata
	ofServer.Remove = driver.OneByOne(removeMetadatum)
	ofVolume := driver.FlatTagging[openstack.ProviderSpec, *machine](volume, []tags.Kind{tags.Disk}, flat)
	ofVolume.Replace = replaceMetadata
	a := &access{Config: config}
	a.clients = login.New(a.login)
	return driver.New(driver.Definition[openstack.ProviderSpec, *machine]{
		Schema: schema, CaseSensitive: true, // as in the codec of the released driver
		Connect: a.connect, Translate: translated, Wait: config.Wait, Count: config.Count,
		Tags: []driver.Tagging[openstack.ProviderSpec, *machine]{ofServer, ofVolume},
		Sets: []driver.Set[openstack.ProviderSpec, *machine]{securityGroups()},
		Sharing: driver.Sharing[*machine]{
			Key: func(m *machine) []string { return m.account },
			Buckets: []driver.Bucket{
				{Name: compute, Burst: burst, Refill: config.Refill, Requests: map[string]int{
					"Resources": 1, "Set": 1, "Remove": 1, "AddMember": 1, "RemoveMember": 1,
				}},
				{Name: storage, Burst: burst, Refill: config.Refill, Requests: map[string]int{
					"Resources": 1, "Replace": 2,
				}},
			},
			Resources: readMany, MaxMachines: 1000,
		},
	})
}

// The buckets of the two APIs.
const (
	compute = "compute"
	storage = "block storage"
)

// machine is the machine of one update.
type machine struct {
	*clients

	class      *openstack.ProviderSpec
	providerID string
	name, id   string   // of the server
	account    []string // calls may be shared within it: region and credentials
}

// parse reads a provider ID: openstack:///REGION/ID.
func (m *machine) parse(providerID string) error {
	region, id, _ := strings.Cut(strings.TrimPrefix(providerID, "openstack:///"), "/")
	if region == "" || id == "" || strings.Contains(id, "/") {
		return fmt.Errorf("the provider ID %q is not openstack:///REGION/ID", providerID)
	}
	m.providerID = providerID
	m.id = id
	return nil
}

// server has the members of a server that an update reads. The SDK's type does not have which
// volumes are deleted with the server.
type server struct {
	ID       string            `json:"id"`
	Metadata map[string]string `json:"metadata"`
	// Groups are the security groups of each port. Nova leaves out an empty list.
	Groups []struct {
		Name string `json:"name"`
	} `json:"security_groups"`
	Volumes []struct {
		ID string `json:"id"`
		// DeleteOnTermination is true for a volume that Nova has created. Volumes of the CSI driver
		// outlive the server.
		DeleteOnTermination bool `json:"delete_on_termination"`
	} `json:"os-extended-volumes:volumes_attached"`
}

// readMany reads machines of one region and project. It reads a single machine alone, and more
// machines by lists of the project. Reads lag, so it does not answer for a machine whose root
// volume is not shown.
func readMany(
	ctx context.Context, machines []*machine, answer func(providerID string, live []driver.Resource),
) error {
	read := listed
	if len(machines) == 1 {
		read = alone
	}
	found, disks, err := read(ctx, machines)
	if err != nil {
		return err
	}
	for _, m := range machines {
		own := found[m.id]
		if own == nil {
			answer(m.providerID, nil)
			continue
		}
		live := []driver.Resource{{
			Kind: tags.VM, ID: m.id, Tags: own.Metadata, Sets: map[string][]string{groupsSet: own.groups()},
		}}
		if m.class.Spec.RootDiskSize == 0 {
			answer(m.providerID, live)
		} else if root := m.root(own, disks); root != nil {
			answer(m.providerID, append(live, driver.Resource{Kind: tags.Disk, ID: root.ID, Tags: root.Metadata}))
		}
	}
	return nil
}

// root returns the volume that the server boots from. If the driver created this volume, it has the
// machine's name. Otherwise Nova created it.
func (m *machine) root(own *server, disks map[string]*volumes.Volume) *volumes.Volume {
	for _, a := range own.Volumes {
		disk := disks[a.ID]
		isNamed := m.class.Spec.RootDiskType != nil && disk != nil && disk.Name == m.name
		if isNamed || m.class.Spec.RootDiskType == nil && a.DeleteOnTermination {
			return disk
		}
	}
	return nil
}

// listed reads all servers and volumes of the project.
func listed(ctx context.Context, machines []*machine) (map[string]*server, map[string]*volumes.Volume, error) {
	c := machines[0].clients
	found := map[string]*server{}
	disks := map[string]*volumes.Volume{}
	err := driver.AtOnce(ctx, func(ctx context.Context) error {
		return each(ctx, compute, servers.List(c.compute, nil), func(page pagination.Page) error {
			var all []server
			err := servers.ExtractServersInto(page, &all)
			for i := range all {
				found[all[i].ID] = &all[i]
			}
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	err = driver.AtOnce(ctx, func(ctx context.Context) error {
		return each(ctx, storage, volumes.List(c.storage, nil), func(page pagination.Page) error {
			shown, err := volumes.ExtractVolumes(page)
			for i := range shown {
				disks[shown[i].ID] = &shown[i]
			}
			return err
		})
	})
	return found, disks, err
}

// each reads all pages of a list. The first page is already taken from the bucket.
func each(ctx context.Context, bucket string, pages pagination.Pager, add func(page pagination.Page) error) error {
	isFirst := true
	return pages.EachPage(ctx, func(ctx context.Context, page pagination.Page) (bool, error) {
		if !isFirst {
			driver.Spend(ctx, bucket, 1)
		}
		isFirst = false
		return true, add(page)
	})
}

// alone reads a server, and its root volume if it has one.
func alone(ctx context.Context, machines []*machine) (map[string]*server, map[string]*volumes.Volume, error) {
	m := machines[0]
	own := &server{}
	err := servers.Get(ctx, m.compute, m.id).ExtractIntoStructPtr(own, "server")
	if isNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found := map[string]*server{m.id: own}
	disks := map[string]*volumes.Volume{}
	if m.class.Spec.RootDiskSize > 0 && m.class.Spec.RootDiskType != nil {
		pages, err := volumes.List(m.storage, volumes.ListOpts{Name: m.name}).AllPages(ctx)
		if err != nil {
			return nil, nil, err
		}
		shown, err := volumes.ExtractVolumes(pages)
		for i := range shown {
			disks[shown[i].ID] = &shown[i]
		}
		return found, disks, err
	}
	read := 0
	for _, a := range own.Volumes {
		if m.class.Spec.RootDiskSize == 0 || !a.DeleteOnTermination {
			continue
		}
		if read > 0 {
			driver.Spend(ctx, storage, 1)
		}
		read++
		disk, err := volumes.Get(ctx, m.storage, a.ID).Extract()
		if err != nil {
			return nil, nil, err
		}
		disks[a.ID] = disk
	}
	return found, disks, nil
}

// setMetadata adds or changes keys of a server.
func setMetadata(ctx context.Context, m *machine, resources []string, set []tags.Tag) error {
	all := servers.MetadataOpts{}
	for _, tag := range set {
		all[tag.Key] = tag.Value
	}
	_, err := servers.UpdateMetadata(ctx, m.compute, resources[0], all).Extract()
	return err
}

// removeMetadatum removes a key of a server. A key that does not exist counts as removed.
func removeMetadatum(ctx context.Context, m *machine, server string, tag tags.Tag) error {
	err := servers.DeleteMetadatum(ctx, m.compute, server, tag.Key).ExtractErr()
	if isNotFound(err) {
		return nil
	}
	return err
}

var (
	errChanged = errors.New("the metadata of the volume has changed since it was read")
	errNoETag  = errors.New("the volume's metadata has no ETag: Cinder has to serve version " + storageVersion +
		" of its API, or a newer one")
)

// replaceMetadata writes all metadata of a volume, on condition of its ETag. The SDK has no such
// call: volumes.Update takes no condition, and leaves out an empty map. A DELETE of a single key
// takes no condition either, and cannot name a key with a slash.
func replaceMetadata(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
	type body struct {
		Metadata map[string]string `json:"metadata"`
	}
	url := m.storage.ServiceURL("volumes", r.ID, "metadata")
	var live body
	shown, err := m.storage.Get(ctx, url, &live, nil)
	if err != nil {
		return err
	}
	tag := shown.Header.Get("ETag")
	switch {
	case tag == "":
		return errNoETag
	case maps.Equal(live.Metadata, all): // an earlier attempt whose answer was lost has written it
		return nil
	case !maps.Equal(live.Metadata, r.Tags):
		return driver.Outdated(errChanged)
	}
	_, err = m.storage.Put(ctx, url, body{all}, nil, &gophercloud.RequestOpts{
		OkCodes: []int{http.StatusOK}, MoreHeaders: map[string]string{"If-Match": tag},
	})
	return err
}
