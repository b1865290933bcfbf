package azuredriver_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/drivers/azuredriver"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// flat returns the tags of all resources, with the keys by which MCM finds the machine.
func flat(more ...map[string]string) map[string]string {
	all := map[string]string{"Name": "c", "kubernetes.io-cluster-c": "1", "kubernetes.io-role-node": "1"}
	for _, one := range more {
		maps.Copy(all, one)
	}
	return all
}

func spec(t *testing.T, common map[string]string, hot *tags.Tags) string {
	t.Helper()
	s := azure.ProviderSpec{Location: "westeurope", ResourceGroup: "group", Tags: flat(common), ResourceTags: hot}
	s.Properties.StorageProfile.DataDisks = []azure.DataDisk{{Name: "kubelet", LUN: 0}, {LUN: 1}}
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

// TestConformance updates a machine between three provider specs, on Azure's own fake servers. The
// disk pv is a volume of the CSI driver. The interface other belongs to somebody else.
func TestConformance(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.Azure.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "azure:///westeurope/m", Secret: secret,
	}}
	state := func(common map[string]string, hot *tags.Tags) drivertest.State {
		disk := flat(common, hot.Of(tags.Disk))
		return drivertest.State{Spec: spec(t, common, hot), Resources: []driver.Resource{
			{Kind: tags.VM, ID: vmID("m"), Tags: flat(common, hot.Of(tags.VM))},
			{Kind: tags.Network, ID: cardID("m-nic"), Tags: flat(common, hot.Of(tags.Network))},
			{Kind: tags.Network, ID: cardID("other"), Tags: flat(nil)},
			{Kind: tags.Disk, ID: diskID("m-os-disk"), Tags: disk},
			{Kind: tags.Disk, ID: diskID("m-kubelet-0-data-disk"), Tags: disk},
			{Kind: tags.Disk, ID: diskID("m-1-data-disk"), Tags: disk},
			{Kind: tags.Disk, ID: diskID("pv"), Tags: map[string]string{"team": "a"}},
		}}
	}
	var apis []*api
	drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (*azuredriver.Driver, error) {
		a := newAPI(cloud)
		apis = append(apis, a)
		config := a.config()
		config.Wait = cloud.Wait
		return azuredriver.New(config)
	},
		state(nil, &tags.Tags{VM: map[string]string{"team": "a"}, Network: map[string]string{"Purpose": "nodes"}}),
		state(nil, &tags.Tags{VM: map[string]string{"Team": "b"}, Disk: map[string]string{"backup": "daily"}}),
		state(map[string]string{"stage": "test"}, nil),
	)
	var requests []string
	for _, a := range apis {
		requests = append(requests, a.requests...)
	}
	cloudtable.CheckRights(t, "../../DRIVER.md", "Azure", requests, func(request string) []string { return rights[request] })
}

// rights are the actions that Azure's roles need for the driver's requests.
var rights = map[string][]string{
	"GET virtualMachines":   {"Microsoft.Compute/virtualMachines/read"},
	"GET networkInterfaces": {"Microsoft.Network/networkInterfaces/read"},
	"GET disks":             {"Microsoft.Compute/disks/read"},
	"PATCH default":         {"Microsoft.Resources/tags/write"},
}

// TestPoolLabels: the released extension writes pool labels into the flat map. A label that Azure
// reserves, or that is Name to Azure, is left alone: the update names it and applies the other
// tags. A label with a key of another cluster and a user's tag with a reserved key refuse the
// update. The mandatory tags always stay.
func TestPoolLabels(t *testing.T) {
	a := machines(t, 1)
	kit, err := azuredriver.New(a.config())
	require.NoError(t, err)
	hot := func(labels map[string]string, perKind *tags.Tags) machineupdate.HotSpec {
		text, err := json.Marshal(map[string]any{"tags": flat(labels), "resourceTags": perKind})
		require.NoError(t, err)
		return machineupdate.HotSpec(text)
	}
	ofVM := func(key string) *tags.Tags { return &tags.Tags{VM: map[string]string{key: "x"}} }
	applied := hot(map[string]string{"team": "a"}, nil)
	for _, step := range []struct {
		name    string
		labels  map[string]string
		perKind *tags.Tags
		team    string // the machine's team after the step
		told    string
		refused bool
	}{
		{name: "a label that Azure reserves", labels: map[string]string{"azure-x": "1", "team": "b"}, team: "b", told: "azure-x"},
		{name: "is removed", labels: map[string]string{"team": "c"}, team: "c"},
		{name: "a label that is Name to Azure", labels: map[string]string{"name": "x", "team": "d"}, team: "d", told: "name"},
		{name: "is removed", labels: map[string]string{"team": "e"}, team: "e"},
		{
			name: "a label with a key of another cluster", labels: map[string]string{"kubernetes.io-cluster-other": "1", "team": "f"},
			team: "e", refused: true,
		},
		{
			name: "a user's tag that is Name to Azure", labels: map[string]string{"team": "f"}, perKind: ofVM("name"), team: "e",
			refused: true,
		},
		{
			name: "a user's tag that MCM relies on", labels: map[string]string{"team": "f"}, perKind: ofVM("kubernetes.io-role-node"),
			team: "e", refused: true,
		},
		{
			name: "a user's tag that Azure reserves", labels: map[string]string{"team": "f"}, perKind: ofVM("microsoft-x"), team: "e",
			refused: true,
		},
		{name: "is corrected", labels: map[string]string{"team": "f"}, perKind: ofVM("owner"), team: "f"},
	} {
		r := request(t, 0, "a")
		r.Class.ProviderSpec = []byte(spec(t, step.labels, step.perKind))
		desired := hot(step.labels, step.perKind)
		for i := range r.Parts {
			r.Parts[i].Applied = applied
			r.Parts[i].Desired = desired
		}
		var told []string
		r.TellClass = func(message string) { told = append(told, message) }
		r.BeforeWrite = func(context.Context) error { return nil }
		err := kit.UpdateMachine(t.Context(), r)
		if step.refused {
			problems := fault.All(err)
			require.NotEmpty(t, problems, step.name)
			assert.Equal(t, "unusable-key", problems[0].Code, step.name)
		} else {
			require.NoError(t, err, step.name)
			applied = desired
		}
		if step.told != "" {
			require.Len(t, told, 1, step.name)
			assert.Contains(t, told[0], `"`+step.told+`"`, step.name)
		} else if !step.refused {
			assert.Empty(t, told, step.name)
		}
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, resource := range live {
			want := flat(map[string]string{"team": step.team})
			if resource.Kind == tags.VM && step.name == "is corrected" {
				want["owner"] = "x"
			}
			assert.Equal(t, want, resource.Tags, "%s: %s", step.name, resource.ID)
		}
	}
}

// refusal is an answer with a status and headers.
func refusal(status int, header http.Header) func(r *http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) { return answer(r, status, header, map[string]any{}) }
}

// kindOf updates a machine, and returns the kind of the error and the delay that it names.
func kindOf(t *testing.T, a *api) (kind machineupdate.DriverError, after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kit, err := azuredriver.New(a.config())
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		kind, after = machineupdate.DriverErrorOf(kit.UpdateMachine(ctx, request(t, 0, "a")))
		time.Sleep(time.Hour) // the pacer's alarm ends
	})
	return kind, after
}

// TestThrottling: the SDK's errors for too many calls, and no others, are throttling, with the delay
// that Azure names in any of its headers.
func TestThrottling(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		header http.Header
		kind   machineupdate.DriverError
		after  time.Duration
	}{
		"seconds": {http.StatusTooManyRequests, http.Header{"Retry-After": {"33"}}, machineupdate.ErrThrottled, 33 * time.Second},
		"milliseconds": {
			http.StatusTooManyRequests, http.Header{"Retry-After-Ms": {"1500"}}, machineupdate.ErrThrottled, 1500 * time.Millisecond,
		},
		"of a service": {
			http.StatusTooManyRequests, http.Header{"X-Ms-Retry-After-Ms": {"900"}}, machineupdate.ErrThrottled, 900 * time.Millisecond,
		},
		"no delay": {http.StatusTooManyRequests, nil, machineupdate.ErrThrottled, 0},
		"no right": {http.StatusForbidden, http.Header{"Retry-After": {"33"}}, "", 0},
		"overloaded": {
			http.StatusServiceUnavailable, http.Header{"Retry-After": {"33"}}, machineupdate.ErrThrottled, 33 * time.Second,
		},
		"a server's fault": {http.StatusServiceUnavailable, nil, machineupdate.ErrUnavailable, 0},
		"another change": {
			http.StatusConflict, http.Header{"X-Ms-Error-Code": {"AnotherOperationInProgress"}}, machineupdate.ErrUnavailable, 0,
		},
		"another conflict": {http.StatusConflict, http.Header{"X-Ms-Error-Code": {"PropertyChangeNotAllowed"}}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := machines(t, 1)
			a.always = refusal(test.status, test.header)
			kind, after := kindOf(t, a)
			assert.Equal(t, test.kind, kind)
			assert.Equal(t, test.after, after)
			if kind == "" {
				assert.Len(t, a.requests, 3, "one attempt of each list")
			}
		})
	}
}

// TestLogin: a throttled login is throttling, and the error of a failed login does not show the
// secret.
func TestLogin(t *testing.T) {
	a := machines(t, 1)
	a.token = refusal(http.StatusTooManyRequests, http.Header{"Retry-After": {"3"}})
	kind, after := kindOf(t, a)
	assert.Equal(t, machineupdate.ErrThrottled, kind)
	assert.Equal(t, 3*time.Second, after)
	assert.Empty(t, a.requests)

	a.token = func(r *http.Request) (*http.Response, error) {
		return answer(r, http.StatusUnauthorized, nil, map[string]any{"error": "invalid_client", "error_description": "not password"})
	}
	kit, err := azuredriver.New(a.config())
	require.NoError(t, err)
	r := request(t, 0, "a")
	r.Secret = maps.Clone(secret)
	r.Secret["azureClientSecret"] = secret[azuredriver.ClientSecretID] // its former name
	delete(r.Secret, azuredriver.ClientSecretID)
	err = kit.UpdateMachine(t.Context(), r)
	require.ErrorContains(t, err, "invalid_client")
	assert.NotContains(t, err.Error(), "password")
}

// TestCredential: a driver with workload identities has its own function for credentials, and each
// instance of Azure has its own endpoint.
func TestCredential(t *testing.T) {
	for name, host := range map[string]string{
		"": "management.azure.com", "AzureGovernment": "management.usgovcloudapi.net",
		"azurechina": "management.chinacloudapi.cn",
	} {
		var hosts []string
		a := machines(t, 1)
		a.always = func(r *http.Request) (*http.Response, error) {
			hosts = append(hosts, r.URL.Host)
			return answer(r, http.StatusForbidden, nil, nil)
		}
		config := a.config()
		config.Credential = func(map[string][]byte, policy.ClientOptions) (azcore.TokenCredential, error) {
			return tokens{}, nil
		}
		kit, err := azuredriver.New(config)
		require.NoError(t, err)
		r := request(t, 0, "a")
		if name != "" {
			spec := string(r.Class.ProviderSpec)
			r.Class.ProviderSpec = []byte(`{"cloudConfiguration":{"name":"` + name + `"},` + strings.TrimPrefix(spec, "{"))
		}
		require.Error(t, kit.UpdateMachine(t.Context(), r))
		assert.Equal(t, []string{host, host, host}, hosts, name)
		assert.Zero(t, a.logins)
	}
}

type tokens struct{ fake.TokenCredential }

func (tokens) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "token", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// TestProviderIDs: an ID of another form is refused before a login.
func TestProviderIDs(t *testing.T) {
	a := machines(t, 1)
	kit, err := azuredriver.New(a.config())
	require.NoError(t, err)
	for _, id := range []string{"", "azure:///westeurope", "azure:///westeurope/", "azure:///westeurope/m/x", "m"} {
		r := request(t, 0, "a")
		r.ProviderID = id
		require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "azure:///LOCATION/NAME")
	}
	assert.Zero(t, a.logins)
}

// TestPages: VMs, network interfaces and disks of all pages are read.
func TestPages(t *testing.T) {
	a := machines(t, 20)
	a.page = 3
	kit, err := azuredriver.New(a.config())
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 19, "a"))
	assert.Len(t, a.requests, 3*7)
}

// TestAbsent: a VM that does not exist is reported as such. A VM whose disk is not shown is read
// again.
func TestAbsent(t *testing.T) {
	a := machines(t, 1)
	kit, err := azuredriver.New(a.config())
	require.NoError(t, err)
	require.ErrorIs(t, kit.UpdateMachine(t.Context(), request(t, 1, "a")), machineupdate.ErrNotFound)
	a.hides = diskID("m-0-os-disk")
	err = kit.UpdateMachine(t.Context(), request(t, 0, "a"))
	require.ErrorContains(t, err, "is not answered")
	require.NotErrorIs(t, err, machineupdate.ErrNotFound)
}

// do makes a transport of Azure's SDK from a transport of net/http.
type do struct{ http.RoundTripper }

func (d do) Do(r *http.Request) (*http.Response, error) { return d.RoundTrip(r) }

// reversed makes a transport of net/http from a transport of Azure's SDK.
type reversed struct{ policy.Transporter }

func (r reversed) RoundTrip(request *http.Request) (*http.Response, error) { return r.Do(request) }

// TestRequests: whichever request Azure or its login fails to answer, the update continues or
// waits.
func TestRequests(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.Azure.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "azure:///westeurope/m", Secret: secret,
	}}
	state := func(common map[string]string, hot *tags.Tags) drivertest.State {
		return drivertest.State{Spec: spec(t, common, hot), Resources: []driver.Resource{
			{Kind: tags.VM, ID: vmID("m"), Tags: flat(common, hot.Of(tags.VM))},
			{Kind: tags.Network, ID: cardID("m-nic"), Tags: flat(common, hot.Of(tags.Network))},
			{Kind: tags.Disk, ID: diskID("m-os-disk"), Tags: flat(common, hot.Of(tags.Disk))},
			{Kind: tags.Disk, ID: diskID("pv"), Tags: map[string]string{"team": "a"}},
		}}
	}
	drivertest.CheckRequests(t, setup, func(
		cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
	) (*azuredriver.Driver, error) {
		a := newAPI(cloud)
		a.page = 1
		return azuredriver.New(azuredriver.Config{HTTP: do{faulty(reversed{a})}, Wait: cloud.Wait})
	},
		state(map[string]string{"gone": "1"}, &tags.Tags{VM: map[string]string{"team": "a"}}),
		state(nil, &tags.Tags{VM: map[string]string{"team": "b"}}))
}
