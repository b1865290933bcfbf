package azuredriver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake/server"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"
	computefake "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4"
	networkfake "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v4/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"
	resourcesfake "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources/fake"

	"github.com/hotupdate/providerconfig/examples/drivers/azuredriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// scope is the resource group of the tests.
const scope = "/subscriptions/subscription/resourceGroups/group/providers/"

func vmID(name string) string   { return scope + "Microsoft.Compute/virtualMachines/" + name }
func cardID(name string) string { return scope + "Microsoft.Network/networkInterfaces/" + name }
func diskID(name string) string { return scope + "Microsoft.Compute/disks/" + name }

// api is Azure Resource Manager on a fake cloud, with the fake servers of Azure's SDK, and Azure's
// login. A network interface or a disk belongs to the VM whose name stands in its own name before a
// suffix. Other resources are attached to each VM.
type api struct {
	fleet.Cloud

	page  int    // the length of a page; 0 is endless
	hides string // the ID of a disk that its list does not show

	mutex    sync.Mutex
	requests []string                                      // without the requests of the login
	logins   int                                           // tokens that were issued
	always   func(r *http.Request) (*http.Response, error) // answers all requests, unless it is nil
	token    func(r *http.Request) (*http.Response, error) // answers requests for tokens, unless it is nil
	servers  map[string]policy.Transporter

	shown map[string]bool // the lists that have shown the read below
	live  []driver.Resource
	err   error
}

// read returns one state of the cloud for the three lists that the driver reads at once.
func (a *api) read(ctx context.Context, list string) error {
	if len(a.shown) == 0 || a.shown[list] {
		a.shown = map[string]bool{}
		a.live, a.err = a.Resources(ctx)
	}
	a.shown[list] = true
	return a.err
}

func newAPI(cloud fleet.Cloud) *api {
	a := &api{Cloud: cloud}
	a.servers = a.fresh()
	return a
}

// fresh returns servers that have no open lists.
func (a *api) fresh() map[string]policy.Transporter {
	return map[string]policy.Transporter{
		"VirtualMachinesClient": computefake.NewVirtualMachinesServerTransport(&computefake.VirtualMachinesServer{
			NewListPager: a.vms,
		}),
		"DisksClient": computefake.NewDisksServerTransport(&computefake.DisksServer{
			NewListByResourceGroupPager: a.disks,
		}),
		"InterfacesClient": networkfake.NewInterfacesServerTransport(&networkfake.InterfacesServer{
			NewListPager: a.cards,
		}),
		"TagsClient": resourcesfake.NewTagsServerTransport(&resourcesfake.TagsServer{UpdateAtScope: a.tag}),
	}
}

// Do answers a request. Azure's fake servers share the pages of a list between all callers, so Do
// answers one request at a time.
func (a *api) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if r.URL.Host == "login.microsoftonline.com" {
		return a.login(r)
	}
	if r.Header.Get("Authorization") != "Bearer token" {
		return answer(r, http.StatusUnauthorized, nil, map[string]any{})
	}
	a.requests = append(a.requests, r.Method+" "+path.Base(r.URL.Path))
	if a.always != nil {
		return a.always(r)
	}
	client := "TagsClient"
	if r.Method == http.MethodGet {
		list := server.SanitizePagerPollerPath(r.URL.Path)
		client = clients[path.Base(list)]
		if list == r.URL.Path { // the first page of the list
			if a.page > 0 {
				a.servers[client] = a.fresh()[client]
			}
			if err := a.read(r.Context(), list); err != nil {
				status, code := problem(err)
				return answer(r, status, http.Header{"X-Ms-Error-Code": {code}}, nil)
			}
		}
	}
	response, err := a.servers[client].Do(r)
	if ended := r.Context().Err(); ended != nil {
		return nil, ended
	}
	return response, err
}

// clients are the SDK's clients by the kinds of resources that they list.
var clients = map[string]string{
	"virtualMachines": "VirtualMachinesClient", "disks": "DisksClient", "networkInterfaces": "InterfacesClient",
}

// login answers the requests of Microsoft's login: two discoveries, and a token.
func (a *api) login(r *http.Request) (*http.Response, error) {
	const authority = "https://login.microsoftonline.com/id-of-org"
	switch {
	case strings.HasSuffix(r.URL.Path, "/discovery/instance"):
		return answer(r, http.StatusOK, nil, map[string]any{
			"tenant_discovery_endpoint": authority + "/v2.0/.well-known/openid-configuration",
			"metadata": []any{map[string]any{
				"preferred_network": r.URL.Host, "preferred_cache": r.URL.Host, "aliases": []string{r.URL.Host},
			}},
		})
	case strings.HasSuffix(r.URL.Path, "/openid-configuration"):
		return answer(r, http.StatusOK, nil, map[string]any{
			"authorization_endpoint": authority + "/oauth2/v2.0/authorize",
			"token_endpoint":         authority + "/oauth2/v2.0/token", "issuer": authority + "/v2.0",
		})
	}
	a.logins++
	if a.token != nil {
		return a.token(r)
	}
	return answer(r, http.StatusOK, nil, map[string]any{
		"access_token": "token", "token_type": "Bearer", "expires_in": 3600, "ext_expires_in": 3600,
	})
}

func answer(r *http.Request, status int, header http.Header, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	all := http.Header{"Content-Type": {"application/json"}}
	for name := range header {
		all.Set(name, header.Get(name))
	}
	return &http.Response{
		StatusCode: status, Header: all, Body: io.NopCloser(bytes.NewReader(text)), Request: r,
	}, err
}

// problem returns the status and the code with which Azure reports an error of the fake cloud.
func problem(err error) (status int, code string) {
	if errors.Is(err, machineupdate.ErrThrottled) {
		return http.StatusTooManyRequests, "TooManyRequests"
	}
	return http.StatusInternalServerError, err.Error()
}

// paged fills a pager with what a list returns of the resources of a kind.
func paged[T, R any](
	a *api, kind tags.Kind, convert func(r *driver.Resource, all []driver.Resource) T, pageOf func(page []T) R,
) (pages fake.PagerResponder[R]) {
	var items []T
	for i := range a.live {
		if a.live[i].Kind == kind && a.live[i].ID != a.hides {
			items = append(items, convert(&a.live[i], a.live))
		}
	}
	length := max(len(items), 1)
	if a.page > 0 {
		length = a.page
	}
	for page := range slices.Chunk(items, length) {
		pages.AddPage(http.StatusOK, pageOf(page), nil)
	}
	if len(items) == 0 {
		pages.AddPage(http.StatusOK, pageOf([]T{}), nil) // Azure writes an empty list, not null
	}
	return pages
}

func pointers(all map[string]string) map[string]*string {
	live := map[string]*string{}
	for key, value := range all {
		live[key] = &value
	}
	return live
}

func (a *api) vms(
	string, *armcompute.VirtualMachinesClientListOptions,
) fake.PagerResponder[armcompute.VirtualMachinesClientListResponse] {
	convert := func(r *driver.Resource, all []driver.Resource) *armcompute.VirtualMachine {
		name := path.Base(r.ID)
		profile := &armcompute.VirtualMachineProperties{
			NetworkProfile: &armcompute.NetworkProfile{}, StorageProfile: &armcompute.StorageProfile{},
		}
		for _, other := range all {
			owner := vmNameOf(other.ID)
			id := new(strings.ToUpper(other.ID)) // Azure spells an ID here in another case than in the list
			switch {
			case owner != "" && owner != name:
			case other.Kind == tags.Network:
				card := &armcompute.NetworkInterfaceReference{ID: id}
				profile.NetworkProfile.NetworkInterfaces = append(profile.NetworkProfile.NetworkInterfaces, card)
			case strings.HasSuffix(other.ID, "-os-disk"):
				profile.StorageProfile.OSDisk = &armcompute.OSDisk{ManagedDisk: &armcompute.ManagedDiskParameters{ID: id}}
			case other.Kind == tags.Disk:
				disk := &armcompute.DataDisk{ManagedDisk: &armcompute.ManagedDiskParameters{ID: id}}
				profile.StorageProfile.DataDisks = append(profile.StorageProfile.DataDisks, disk)
			}
		}
		return &armcompute.VirtualMachine{ID: &r.ID, Name: &name, Tags: pointers(r.Tags), Properties: profile}
	}
	return paged(a, tags.VM, convert, func(page []*armcompute.VirtualMachine) armcompute.VirtualMachinesClientListResponse {
		return armcompute.VirtualMachinesClientListResponse{
			VirtualMachineListResult: armcompute.VirtualMachineListResult{Value: page},
		}
	})
}

// vmNameOf returns the name of the VM that a resource belongs to; empty if there is none.
func vmNameOf(id string) string {
	for _, suffix := range []string{
		"-nic", "-os-disk", "-kubelet-0-data-disk", "-containerd-0-data-disk", "-kubelet-dir-1-data-disk", "-1-data-disk",
	} {
		if name, isOwn := strings.CutSuffix(path.Base(id), suffix); isOwn {
			return name
		}
	}
	return ""
}

func (a *api) cards(
	string, *armnetwork.InterfacesClientListOptions,
) fake.PagerResponder[armnetwork.InterfacesClientListResponse] {
	convert := func(r *driver.Resource, _ []driver.Resource) *armnetwork.Interface {
		return &armnetwork.Interface{ID: &r.ID, Tags: pointers(r.Tags)}
	}
	return paged(a, tags.Network, convert, func(page []*armnetwork.Interface) armnetwork.InterfacesClientListResponse {
		return armnetwork.InterfacesClientListResponse{InterfaceListResult: armnetwork.InterfaceListResult{Value: page}}
	})
}

func (a *api) disks(
	string, *armcompute.DisksClientListByResourceGroupOptions,
) fake.PagerResponder[armcompute.DisksClientListByResourceGroupResponse] {
	convert := func(r *driver.Resource, _ []driver.Resource) *armcompute.Disk {
		return &armcompute.Disk{ID: &r.ID, Tags: pointers(r.Tags)}
	}
	return paged(a, tags.Disk, convert, func(page []*armcompute.Disk) armcompute.DisksClientListByResourceGroupResponse {
		return armcompute.DisksClientListByResourceGroupResponse{DiskList: armcompute.DiskList{Value: page}}
	})
}

// tag merges or deletes tags.
func (a *api) tag(
	ctx context.Context, scope string, patch armresources.TagsPatchResource, _ *armresources.TagsClientUpdateAtScopeOptions,
) (done fake.Responder[armresources.TagsClientUpdateAtScopeResponse], failed fake.ErrorResponder) {
	var changed []tags.Tag
	for key, value := range patch.Properties.Tags {
		changed = append(changed, tags.Tag{Key: key, Value: *value})
	}
	set := changed
	remove := []tags.Tag(nil)
	if *patch.Operation == armresources.TagsPatchOperationDelete {
		set = nil
		remove = changed
	}
	if err := a.Change(ctx, []string{"/" + scope}, set, remove); err != nil {
		failed.SetResponseError(problem(err))
		return done, failed
	}
	done.SetResponse(http.StatusOK, armresources.TagsClientUpdateAtScopeResponse{}, nil)
	return done, failed
}

// secret holds the credentials of a client.
var secret = map[string][]byte{
	azuredriver.SubscriptionID: []byte("subscription"), azuredriver.TenantID: []byte("id-of-org"),
	azuredriver.ClientID: []byte("id-of-mcm"), azuredriver.ClientSecretID: []byte("password"),
}

func (a *api) config() azuredriver.Config { return azuredriver.Config{HTTP: a} }
