// Package gcpdriver updates the VMs of machine-controller-manager-provider-gcp through its SDK,
// google.golang.org/api/compute/v1.
//
// Labels of the VM and of the disks that it was launched with, and network tags of the VM, are hot:
// setLabels and setTags write all of them, on condition of a fingerprint. The service account is
// applied in place: it can be changed on a stopped VM only, so the update stops and starts the VM
// of a drained node.
//
// Network interfaces have no labels. A call tags one resource, and a write takes two requests,
// because it is an operation that ends later. A VM with local SSDs would lose them when it is
// stopped, so Compute Engine refuses to change its service account.
package gcpdriver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/compute/v1"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver implements UpdateMachine of the driver for Google Cloud, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[gcp.ProviderSpec, *machine]

// Config configures a driver. The zero value is for production.
type Config struct {
	// Endpoint is the URL of the Compute Engine API; empty is Google's.
	Endpoint string
	// HTTP sends all requests, also requests for tokens. Nil is the default of net/http.
	HTTP http.RoundTripper
	// Tokens returns the tokens of the credentials in a secret. The tokens are used after Tokens
	// has returned, and the context stays valid for them. Nil is [ServiceAccount].
	Tokens func(ctx context.Context, secret map[string][]byte) (oauth2.TokenSource, error)
	// Wait and Count are passed to [driver.Definition].
	Wait  func(ctx context.Context, d time.Duration) error
	Count func(function, outcome string)
}

// New returns a driver.
func New(config Config) (*Driver, error) {
	schema, schemaErr := gcp.ProviderSpecSchema()
	labels, labelsErr := tags.GCP.Rules(tags.VM)
	networkTags, networkTagsErr := tags.GCP.Rules(tags.Network)
	if err := errors.Join(schemaErr, labelsErr, networkTagsErr); err != nil {
		return nil, err
	}
	a := &access{Config: config}
	a.services = login.New(a.login)
	return driver.New(driver.Definition[gcp.ProviderSpec, *machine]{
		Schema: schema, Connect: a.connect, Translate: translated, Wait: config.Wait, Count: config.Count,
		Tags: []driver.Tagging[gcp.ProviderSpec, *machine]{
			{Kinds: []tags.Kind{tags.VM, tags.Disk}, Rules: labels, Project: project, Replace: setLabels},
			{
				Kinds: []tags.Kind{tags.Network}, Rules: networkTags, Project: project, Replace: setNetworkTags,
				Mandatory: func(class *gcp.ProviderSpec, _ string) map[string]string {
					return networkTags.MandatoryIn(withoutValues(class.Tags))
				},
			},
		},
		Groups: []driver.AttributeGroup[gcp.ProviderSpec, *machine]{serviceAccountGroup()},
		Lanes:  []machineupdate.Lane{{Name: accountLane, Paths: []string{"/serviceAccounts"}}},
		Sharing: driver.Sharing[*machine]{
			Key: func(m *machine) []string { return m.account },
			Buckets: []driver.Bucket{
				quota(reads, map[string]int{"Resources": usualReads}),
				quota("mutations", map[string]int{"Replace": 1, "Modify": 1}),
				quota(operations, map[string]int{"Replace": 1, "Modify": 1}),
			},
			Resources: readMany, MaxMachines: 500,
		},
	})
}

// The groups of methods of which an update may make several requests.
const (
	reads      = "reads"
	operations = "operation reads"
)

// quota returns the bucket of a group of methods in a project. By default it is "1500
// requests/minute", counted "at a per-minute interval" (Compute Engine, Rate quotas).
func quota(group string, requests map[string]int) driver.Bucket {
	burst, refill := driver.Windows(1500, time.Minute)
	return driver.Bucket{Name: group, Burst: burst, Refill: refill, Requests: requests}
}

func project(spec *gcp.ProviderSpec, kind tags.Kind) map[string]string {
	projected, _ := spec.TagsOf(kind) // every kind has rules
	return projected
}

// withoutValues returns network tags as keys with empty values, the form of package tags.
func withoutValues(keys []string) map[string]string {
	all := make(map[string]string, len(keys))
	for _, key := range keys {
		all[key] = ""
	}
	return all
}

// machine is the machine of one update.
type machine struct {
	service             *compute.Service
	services            *login.Cache[compute.Service] // the cache that keeps the service
	providerID          string
	project, zone, name string
	class               *gcp.ProviderSpec
	account             []string // calls may be shared within it: credentials and project
	wait                func(ctx context.Context, d time.Duration) error
}

// parse reads a provider ID: gce:///PROJECT/ZONE/NAME.
func (m *machine) parse(providerID string) error {
	parts := strings.Split(strings.TrimPrefix(providerID, "gce:///"), "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return fmt.Errorf("the provider ID %q is not gce:///PROJECT/ZONE/NAME", providerID)
	}
	m.providerID = providerID
	m.project = parts[0]
	m.zone = parts[1]
	m.name = parts[2]
	return nil
}

// requests is the number of requests that a read has made.
type requests int

// count counts a request. Beyond the usual number of requests it takes one from the bucket.
func (r *requests) count(ctx context.Context) {
	*r++
	if *r > usualReads {
		driver.Spend(ctx, reads, 1)
	}
}

// usualReads is the number of requests of most reads: for a VM and its disk, or for a list of VMs
// and a list of disks.
const usualReads = 2

// few is the number of machines of a zone up to which each machine is read alone. More machines are
// read by lists, which have pages of 500 and also show the disks of the CSI driver.
const few = 3

// readMany reads machines of one project. Reads lag, so it does not answer for a machine whose
// resources are not all shown.
func readMany(
	ctx context.Context, machines []*machine, answer func(providerID string, live []driver.Resource),
) error {
	var made requests
	byZone := map[string][]*machine{}
	for _, m := range machines {
		byZone[m.zone] = append(byZone[m.zone], m)
	}
	for _, zone := range slices.Sorted(maps.Keys(byZone)) {
		read := listed
		if len(byZone[zone]) <= few {
			read = alone
		}
		shown, err := read(ctx, &made, byZone[zone])
		if err != nil {
			return err
		}
		for _, m := range byZone[zone] {
			vm := shown.vms[m.name]
			if vm == nil {
				answer(m.providerID, nil)
			} else if own, isWhole := m.own(vm, shown.disks); isWhole {
				answer(m.providerID, own)
			}
		}
	}
	return nil
}

// shown has the VMs and disks of a zone that a read has shown, by name.
type shown struct {
	vms   map[string]*compute.Instance
	disks map[string]*compute.Disk
}

// The members that a read requests of a VM and of a disk.
const (
	vmFields   = "name,status,labels,labelFingerprint,tags,serviceAccounts,disks(index,source)"
	diskFields = "name,labels,labelFingerprint"
)

// listed reads all VMs and disks of a zone.
func listed(ctx context.Context, made *requests, machines []*machine) (shown, error) {
	m := machines[0]
	s := shown{map[string]*compute.Instance{}, map[string]*compute.Disk{}}
	vms := m.service.Instances.List(m.project, m.zone).Fields("nextPageToken", "items("+vmFields+")")
	err := made.pages(ctx, func(ctx context.Context) (isLast bool, err error) {
		page, err := vms.Context(ctx).Do()
		if err != nil {
			return false, err
		}
		for _, vm := range page.Items {
			s.vms[vm.Name] = vm
		}
		vms.PageToken(page.NextPageToken)
		return page.NextPageToken == "", nil
	})
	if err != nil {
		return s, err
	}
	disks := m.service.Disks.List(m.project, m.zone).Fields("nextPageToken", "items("+diskFields+")")
	err = made.pages(ctx, func(ctx context.Context) (isLast bool, err error) {
		page, err := disks.Context(ctx).Do()
		if err != nil {
			return false, err
		}
		for _, disk := range page.Items {
			s.disks[disk.Name] = disk
		}
		disks.PageToken(page.NextPageToken)
		return page.NextPageToken == "", nil
	})
	return s, err
}

// pages reads all pages of a list. It repeats a page that the cloud throttles or fails to answer,
// and not the whole list: a list may have more pages than requests succeed in a row.
func (r *requests) pages(ctx context.Context, read func(ctx context.Context) (isLast bool, err error)) error {
	for isLast := false; !isLast; {
		r.count(ctx)
		err := driver.Again(ctx, func(ctx context.Context) (err error) {
			isLast, err = read(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// alone reads each machine and its disks.
func alone(ctx context.Context, made *requests, machines []*machine) (shown, error) {
	s := shown{map[string]*compute.Instance{}, map[string]*compute.Disk{}}
	for _, m := range machines {
		made.count(ctx)
		var vm *compute.Instance
		err := driver.AtOnce(ctx, func(ctx context.Context) (err error) {
			vm, err = m.service.Instances.Get(m.project, m.zone, m.name).Fields(vmFields).Context(ctx).Do()
			return err
		})
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return s, err
		}
		s.vms[m.name] = vm
		for _, name := range m.disks(vm) {
			made.count(ctx)
			var disk *compute.Disk
			err := driver.AtOnce(ctx, func(ctx context.Context) (err error) {
				disk, err = m.service.Disks.Get(m.project, m.zone, name).Fields(diskFields).Context(ctx).Do()
				return err
			})
			if isNotFound(err) {
				continue // readMany does not answer for this machine
			}
			if err != nil {
				return s, err
			}
			s.disks[name] = disk
		}
	}
	return s, nil
}

// disks returns the names of the disks that the VM was launched with. The launch numbers its disks
// from 0, in the order of the provider spec. Disks of the CSI driver get the next numbers, and the
// numbers of detached disks. Compute Engine names a disk of the launch after the VM. A local SSD
// has no source and no labels.
func (m *machine) disks(vm *compute.Instance) []string {
	var names []string
	for _, attached := range vm.Disks {
		name := path.Base(attached.Source)
		isNamed := name == m.name || strings.HasPrefix(name, m.name+"-")
		isNumbered := attached.Index < int64(len(m.class.Disks))
		if attached.Source != "" && isNamed && isNumbered {
			names = append(names, name)
		}
	}
	return names
}

// own returns the VM, its network tags and its own disks, and whether all of them are shown.
func (m *machine) own(vm *compute.Instance, disks map[string]*compute.Disk) (own []driver.Resource, isWhole bool) {
	networkTags := cmp.Or(vm.Tags, &compute.Tags{})
	own = []driver.Resource{
		{
			Kind: tags.VM, ID: m.name, Tags: vm.Labels, Version: vm.LabelFingerprint,
			Attributes: accountReadings(vm),
		},
		{
			Kind: tags.Network, ID: m.name, Tags: withoutValues(networkTags.Items),
			Version: networkTags.Fingerprint,
		},
	}
	for _, name := range m.disks(vm) {
		disk := disks[name]
		if disk == nil {
			return nil, false
		}
		own = append(own, driver.Resource{
			Kind: tags.Disk, ID: name, Tags: disk.Labels, Version: disk.LabelFingerprint,
		})
	}
	return own, true
}

// setLabels writes all labels of a VM or of a disk, on condition of the fingerprint.
func setLabels(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
	if r.Kind == tags.Disk {
		return m.replace(ctx, m.service.Disks.SetLabels(m.project, m.zone, r.ID, &compute.ZoneSetLabelsRequest{
			Labels: all, LabelFingerprint: r.Version, ForceSendFields: []string{"Labels"},
		}).Context(ctx).Do)
	}
	return m.replace(ctx, m.service.Instances.SetLabels(m.project, m.zone, r.ID, &compute.InstancesSetLabelsRequest{
		Labels: all, LabelFingerprint: r.Version, ForceSendFields: []string{"Labels"},
	}).Context(ctx).Do)
}

// setNetworkTags writes all network tags of a VM, on condition of the fingerprint.
func setNetworkTags(ctx context.Context, m *machine, r *driver.Resource, all map[string]string) error {
	return m.replace(ctx, m.service.Instances.SetTags(m.project, m.zone, r.ID, &compute.Tags{
		Items: slices.Sorted(maps.Keys(all)), Fingerprint: r.Version, ForceSendFields: []string{"Items"},
	}).Context(ctx).Do)
}
