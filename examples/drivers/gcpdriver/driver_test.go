package gcpdriver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
	"google.golang.org/api/compute/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/gcpdriver"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

const account = "nodes@p.iam.gserviceaccount.com"

// keys returns network tags as keys with empty values, with the keys by which MCM finds the
// machine.
func keys(items ...string) map[string]string {
	all := map[string]string{"kubernetes-io-cluster-c": "", "kubernetes-io-role-node": ""}
	for _, item := range items {
		all[item] = ""
	}
	return all
}

func labels(more map[string]string) map[string]string {
	all := map[string]string{"k8s-cluster-name": "c"}
	maps.Copy(all, more)
	return all
}

func spec(t *testing.T, hot *tags.Tags, scopes ...string) string {
	t.Helper()
	return specOf(t, account, nil, nil, hot, scopes...)
}

// specOf returns a provider spec with more labels and network tags. It has a service account if
// there are scopes.
func specOf(
	t *testing.T, account string, more map[string]string, networkTags []string, hot *tags.Tags, scopes ...string,
) string {
	t.Helper()
	s := gcp.ProviderSpec{
		Zone: "z", Disks: []gcp.Disk{{Boot: true, SizeGB: 20}}, Labels: labels(more),
		Tags: append([]string{"kubernetes-io-cluster-c", "kubernetes-io-role-node"}, networkTags...), ResourceTags: hot,
		ServiceAccounts: []gcp.ServiceAccount{{Email: account, Scopes: scopes}},
	}
	if len(scopes) == 0 {
		s.ServiceAccounts = nil
	}
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

// TestConformance updates a machine between three provider specs, over HTTP. The boot disk has the
// name of the VM, and pv is a volume of the CSI driver.
func TestConformance(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.GCP.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "gce:///p/z/m", Secret: secret(),
	}}
	state := func(spec, account string, vm, boot map[string]string, networkTags ...string) drivertest.State {
		return drivertest.State{Spec: spec, Resources: []driver.Resource{
			{Kind: tags.VM, ID: "m", Tags: labels(vm), Attributes: map[string]driver.Reading{
				"serviceAccount": driver.Settled(account), "status": driver.Settled("RUNNING"),
			}},
			{Kind: tags.Network, ID: "m", Tags: keys(networkTags...)},
			{Kind: tags.Disk, ID: "m", Tags: labels(boot)},
			{Kind: tags.Disk, ID: "pv", Tags: labels(map[string]string{"team": "a"})},
		}}
	}
	var apis []*api
	drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (*gcpdriver.Driver, error) {
		a := &api{Cloud: cloud}
		apis = append(apis, a)
		config := a.config()
		config.Wait = cloud.Wait
		return gcpdriver.New(config)
	},
		state(spec(t, &tags.Tags{
			VM: map[string]string{"team": "a"}, Network: map[string]string{"bastion": ""},
		}, "b", "a"), `[{"email":"`+account+`","scopes":["a","b"]}]`, map[string]string{"team": "a"}, nil, "bastion"),
		state(specOf(t, "other@p.iam.gserviceaccount.com", nil, nil, &tags.Tags{
			VM: map[string]string{"team": "b"}, Disk: map[string]string{"backup": "daily"},
		}, "c"), `[{"email":"other@p.iam.gserviceaccount.com","scopes":["c"]}]`, map[string]string{"team": "b"},
			map[string]string{"backup": "daily"}),
		state(specOf(t, account, map[string]string{"stage": "test"}, []string{"door"}, &tags.Tags{
			Network: map[string]string{"edge": ""},
		}), "[]", map[string]string{"stage": "test"}, map[string]string{"stage": "test"}, "edge", "door"),
	)
	requests := sent(t, 10) // machines share reads
	for _, a := range apis {
		requests = append(requests, a.requests...)
	}
	cloudtable.CheckRights(t, "../../DRIVER.md", "GCP", requests, rightsOf)
}

// rightsOf returns the permissions of Google Cloud that a request needs.
func rightsOf(request string) []string {
	method, address, _ := strings.Cut(request, " ")
	parts := strings.Split(address, "/") // zone, resources, name, function
	switch {
	case len(parts) < 2:
		return nil
	case parts[1] == "operations":
		return []string{"compute.zoneOperations.get"}
	case method == http.MethodGet && len(parts) == 2:
		return []string{"compute." + parts[1] + ".list"}
	case method == http.MethodGet && len(parts) == 3:
		return []string{"compute." + parts[1] + ".get"}
	case len(parts) < 4:
		return nil
	case parts[3] == "setServiceAccount":
		return []string{"compute.instances.setServiceAccount", "iam.serviceAccounts.actAs"}
	case parts[3] == "start":
		return []string{"compute.instances.start", "iam.serviceAccounts.actAs"}
	}
	return []string{"compute." + parts[1] + "." + parts[3]}
}

// TestThrottling: the SDK's errors for too many calls, and no others, are throttling.
func TestThrottling(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.Handler
		kind   machineupdate.DriverError
		after  time.Duration
	}{
		"a quota of calls": {refusal(http.StatusForbidden, "rateLimitExceeded", "", nil), machineupdate.ErrThrottled, 0},
		"one of a user":    {refusal(http.StatusForbidden, "userRateLimitExceeded", "", nil), machineupdate.ErrThrottled, 0},
		"too many requests": {
			refusal(http.StatusTooManyRequests, "", "", http.Header{"Retry-After": {"33"}}),
			machineupdate.ErrThrottled, 33 * time.Second,
		},
		"overloaded": {
			refusal(http.StatusServiceUnavailable, "backendError", "", http.Header{"Retry-After": {"33"}}),
			machineupdate.ErrThrottled, 33 * time.Second,
		},
		"no right":         {refusal(http.StatusForbidden, "forbidden", "", nil), "", 0},
		"a quota of CPUs":  {refusal(http.StatusForbidden, "quotaExceeded", "", nil), "", 0},
		"a server's fault": {refusal(http.StatusInternalServerError, "backendError", "", nil), machineupdate.ErrUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := machines(t, 1)
			a.always = test.answer
			kind, after := kindOf(t, a.config())
			assert.Equal(t, test.kind, kind)
			assert.Equal(t, test.after, after)
		})
	}
}

// kindOf updates a machine, and returns the kind of the error and the delay that it names.
func kindOf(t *testing.T, config gcpdriver.Config) (kind machineupdate.DriverError, after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kit, err := gcpdriver.New(config)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		kind, after = machineupdate.DriverErrorOf(kit.UpdateMachine(ctx, request(t, 0, "a")))
		time.Sleep(time.Hour) // the pacer's alarm ends
	})
	return kind, after
}

// TestRepeated: a throttled write is repeated in the same update, after the delay that the cloud
// names.
func TestRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 1)
		kit, err := gcpdriver.New(a.config())
		require.NoError(t, err)
		r := request(t, 0, "b")
		began := time.Now()
		r.BeforeWrite = func(context.Context) error {
			a.fails = []http.Handler{refusal(http.StatusTooManyRequests, "", "", http.Header{"Retry-After": {"7"}})}
			return nil
		}
		fleet.Update(t, kit, r)
		assert.GreaterOrEqual(t, time.Since(began), 7*time.Second)
		assert.Len(t, a.requests, 2+6+1)
		assert.Equal(t, []string{"GET z/instances/m-0", "GET z/disks/m-0"}, a.requests[:2], "a single machine is read alone")
	})
}

// TestLogin: the error of a failed login does not show the secret, and a login that the server of
// tokens throttles is throttling.
func TestLogin(t *testing.T) {
	a := machines(t, 1)
	kit, err := gcpdriver.New(a.config())
	require.NoError(t, err)
	for _, account := range []string{"", "private", `{"type":"authorized_user","refresh_token":"private"}`} {
		r := request(t, 0, "a")
		r.Secret = map[string][]byte{gcpdriver.AlternativeServiceAccountJSON: []byte(account)}
		err := kit.UpdateMachine(t.Context(), r)
		require.ErrorContains(t, err, "serviceAccountJSON cannot be read")
		assert.NotContains(t, err.Error(), "private")
	}
	config := a.config()
	config.HTTP = fleet.Transport{Handler: refusal(http.StatusTooManyRequests, "", "", http.Header{"Retry-After": {"3"}})}
	kind, after := kindOf(t, config)
	assert.Equal(t, machineupdate.ErrThrottled, kind)
	assert.Equal(t, 3*time.Second, after)
	assert.Empty(t, a.requests)
}

// TestTokenExpires: a token that has expired is renewed, long after the update that got it.
func TestTokenExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 1)
		a.expires = 600
		kit, err := gcpdriver.New(a.config())
		require.NoError(t, err)
		fleet.Update(t, kit, request(t, 0, "a"))
		time.Sleep(20 * time.Minute)
		fleet.Update(t, kit, request(t, 0, "a"))
		assert.Equal(t, 2, a.logins)
	})
}

// TestTokenRevoked: a token is refused before it expires. The updates that use it fail, and the
// next updates log in once, for all of them.
func TestTokenRevoked(t *testing.T) {
	a := machines(t, 5)
	kit, err := gcpdriver.New(a.config())
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 0, "a"))
	a.revoked = 1
	for i := range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := kit.UpdateMachine(ctx, request(t, i, "a"))
		cancel()
		if i == 0 {
			require.ErrorContains(t, err, "no token")
		} else {
			require.NoError(t, err)
		}
	}
	assert.Equal(t, 2, a.logins)
}

// TestLastLabel: if the last label of a VM or a disk is removed, an empty set of labels is written.
func TestLastLabel(t *testing.T) {
	f := fleet.New(tags.GCP.Rules)
	own := map[string]string{"team": "a"}
	f.Add(
		driver.Resource{Kind: tags.VM, ID: "m-0", Tags: own},
		driver.Resource{Kind: tags.Network, ID: "m-0", Tags: map[string]string{"a": ""}},
		driver.Resource{Kind: tags.Disk, ID: "m-0", Tags: own},
	)
	a := &api{Cloud: f}
	kit, err := gcpdriver.New(a.config())
	require.NoError(t, err)
	r := request(t, 0, "a")
	r.Class.ProviderSpec = []byte(`{"disks":[{"boot":true}]}`)
	r.Parts = nil
	for _, kind := range tags.Kinds() {
		r.Parts = append(r.Parts, machineupdate.Part{
			Kind: string(kind), Applied: `{"labels":{"team":"a"},"tags":["a"]}`, Desired: "{}",
		})
	}
	fleet.Update(t, kit, r)
	live, err := f.Resources(t.Context())
	require.NoError(t, err)
	for _, one := range live {
		assert.Empty(t, one.Tags, one.Kind)
	}
}

// TestTokens: a driver with workload identities has its own function for tokens.
func TestTokens(t *testing.T) {
	a := machines(t, 1)
	config := a.config()
	var lasting context.Context
	config.Tokens = func(ctx context.Context, secret map[string][]byte) (oauth2.TokenSource, error) {
		if len(secret) == 0 {
			return nil, errors.New("no file")
		}
		lasting = ctx
		return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "token"}), nil
	}
	kit, err := gcpdriver.New(config)
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 0, "a"))
	assert.Zero(t, a.logins)
	assert.NoError(t, lasting.Err(), "it does not end with the login")
}

// TestProviderIDs: an ID of another form is refused before a login.
func TestProviderIDs(t *testing.T) {
	a := machines(t, 1)
	kit, err := gcpdriver.New(a.config())
	require.NoError(t, err)
	for _, id := range []string{"", "gce:///p/z", "gce:///p//m", "gce:///p/z/m/x", "m"} {
		r := request(t, 0, "a")
		r.ProviderID = id
		require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "gce:///PROJECT/ZONE/NAME")
	}
	assert.Zero(t, a.logins)
}

// TestFailedOperation: a write whose operation fails is an error with the cloud's code. Some codes
// mean that the cloud had no time for the operation.
func TestFailedOperation(t *testing.T) {
	for code, want := range map[string]machineupdate.DriverError{
		"RESOURCE_NOT_READY": "", "INTERNAL_ERROR": machineupdate.ErrUnavailable, "SERVICE_UNAVAILABLE": machineupdate.ErrUnavailable,
		"RATE_LIMIT_EXCEEDED": machineupdate.ErrThrottled,
	} {
		t.Run(code, func(t *testing.T) {
			a := machines(t, 1)
			a.opFails = code
			config := a.config()
			config.Wait = func(context.Context, time.Duration) error { return context.Canceled } // no repetition
			kit, err := gcpdriver.New(config)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r := request(t, 0, "b")
			r.Parts = r.Parts[:1]
			r.BeforeWrite = func(context.Context) error { return nil }
			err = kit.UpdateMachine(ctx, r)
			require.ErrorContains(t, err, code)
			kind, _ := machineupdate.DriverErrorOf(err)
			assert.Equal(t, want, kind)
		})
	}
}

// TestDetachedDisk: a volume of the CSI driver may get the number of a detached disk of the launch.
// Its name shows that it is not a disk of the launch.
func TestDetachedDisk(t *testing.T) {
	a := machines(t, 1) // it has the boot disk, and pv-0 as number 1
	kit, err := gcpdriver.New(a.config())
	require.NoError(t, err)
	r := request(t, 0, "b")
	var class gcp.ProviderSpec
	require.NoError(t, json.Unmarshal(r.Class.ProviderSpec, &class))
	class.Disks = append(class.Disks, gcp.Disk{SizeGB: 20})
	r.Class.ProviderSpec, err = json.Marshal(class)
	require.NoError(t, err)
	fleet.Update(t, kit, r)
	live, err := a.Resources(t.Context())
	require.NoError(t, err)
	for _, one := range live {
		if one.ID == "pv-0" {
			assert.Empty(t, one.Tags)
		}
	}
}

// TestServiceAccount: while the VM changes its state, the update waits. A suspended VM is an error,
// and so is more than one account.
func TestServiceAccount(t *testing.T) {
	const hot = `{"serviceAccounts":[{"email":"a@p","scopes":["x"]}%s]}`
	for status, want := range map[string]string{
		"STOPPING": machineupdate.ErrPending.Error(), "STAGING": machineupdate.ErrPending.Error(),
		"REPAIRING": machineupdate.ErrPending.Error(), "": machineupdate.ErrPending.Error(),
		"SUSPENDED": "the VM is suspended; resume it",
	} {
		t.Run(status, func(t *testing.T) {
			a := machines(t, 1)
			a.status = status
			kit, err := gcpdriver.New(a.config())
			require.NoError(t, err)
			r := request(t, 0, "a")
			r.Lane = "service-account"
			r.BeforeWrite = func(context.Context) error { return nil }
			r.Parts = []machineupdate.Part{{Kind: "vm", Desired: machineupdate.HotSpec(fmt.Sprintf(hot, ""))}}
			require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), want)
			stops := strings.Count(strings.Join(a.requests, "\n"), "/stop")
			assert.Equal(t, map[string]int{"": 1}[status], stops, "only a VM that runs is stopped")

			r.Parts[0].Desired = machineupdate.HotSpec(fmt.Sprintf(hot, `,{"email":"b@p","scopes":[]}`))
			a.status = "RUNNING"
			require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "must be one account at the most")
		})
	}
}

// TestPages: VMs and disks of all pages of a list are read, in each zone, also over a network.
func TestPages(t *testing.T) {
	a := machines(t, 40)
	a.page = 7
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	kit, err := gcpdriver.New(gcpdriver.Config{
		Endpoint: server.URL + "/compute/v1/",
		Tokens: func(context.Context, map[string][]byte) (oauth2.TokenSource, error) {
			return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "token"}), nil
		},
	})
	require.NoError(t, err)
	var all []*machineupdate.UpdateMachineRequest
	for i := range 20 {
		r := request(t, i, "a")
		if i%2 == 0 {
			r.ProviderID = strings.Replace(r.ProviderID, "/z/", "/z2/", 1)
		}
		all = append(all, r)
	}
	fleet.Update(t, kit, all...)
	assert.Contains(t, a.requests, "GET z/disks")
	assert.Contains(t, a.requests, "GET z2/disks")
}

// TestThrottledPages: a throttled page of a list is read again alone. So a list ends that has more
// pages than requests succeed in a row.
func TestThrottledPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 40)
		a.page = 7 // 6 pages of VMs and 12 of disks
		config := a.config()
		requests := 0
		config.HTTP = &answering{
			RoundTripper: config.HTTP, with: refusal(http.StatusTooManyRequests, "", "", http.Header{"Retry-After": {"1"}}),
			isFor: func(r *http.Request) bool {
				isList := strings.HasSuffix(r.URL.Path, "/instances") || strings.HasSuffix(r.URL.Path, "/disks")
				if isList {
					requests++
				}
				return isList && requests%7 == 0
			},
		}
		kit, err := gcpdriver.New(config)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		errs := make([]error, 20)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { errs[i] = kit.UpdateMachine(ctx, request(t, i, "a")) })
		}
		all.Wait()
		for i, err := range errs {
			require.NoError(t, err, i)
		}
		assert.Positive(t, requests)
		time.Sleep(time.Hour) // the pacers' alarms end
	})
}

// TestAbsent: a VM that does not exist is reported as such, whether it is read alone or in a list.
func TestAbsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 0)
		kit, err := gcpdriver.New(a.config())
		require.NoError(t, err)
		errs := make(chan error)
		for i := range 20 {
			go func() { errs <- kit.UpdateMachine(t.Context(), request(t, i, "a")) }()
		}
		for range 20 {
			require.ErrorIs(t, <-errs, machineupdate.ErrNotFound)
		}
	})
}

// lostDisk hides the disk of a machine from requests for this disk.
type lostDisk struct {
	http.RoundTripper

	name string
}

func (l lostDisk) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/disks/"+l.name) {
		r = r.Clone(r.Context())
		r.URL.Path += "-gone"
	}
	return l.RoundTripper.RoundTrip(r)
}

// TestLostDisk: a lost disk fails the update of its machine, and not the updates of machines that
// are read with it.
func TestLostDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(t, 9) // the first machines are read alone, and the last ones share reads
		errs := make([]error, 9)
		for lost := range 9 {
			config := a.config()
			config.HTTP = lostDisk{config.HTTP, fmt.Sprint("m-", lost)}
			kit, err := gcpdriver.New(config)
			require.NoError(t, err)
			var all sync.WaitGroup
			for i := range 9 {
				all.Go(func() { errs[i] = kit.UpdateMachine(t.Context(), request(t, i, "a")) })
			}
			all.Wait()
			for i, err := range errs {
				if i == lost {
					require.ErrorContains(t, err, "is not answered")
				} else {
					require.NoError(t, err, i)
				}
			}
		}
		time.Sleep(time.Hour) // the pacers' alarms end
	})
}

// atOnce makes a driver on the fake API whose waits take no time.
func atOnce(t *testing.T, config gcpdriver.Config) *gcpdriver.Driver {
	t.Helper()
	config.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	kit, err := gcpdriver.New(config)
	require.NoError(t, err)
	return kit
}

// TestChangedLabels: labels that others write between the read and the write stay, and the change
// is merged with them.
func TestChangedLabels(t *testing.T) {
	for _, kind := range tags.Kinds() {
		a := machines(t, 1)
		written := labels(map[string]string{"team": "c", "theirs": "1"})
		want := labels(map[string]string{"team": "b", "theirs": "1"})
		if kind == tags.Network {
			written = keys("team-c")
			want = keys("team-b", "team-c")
		}
		r := request(t, 0, "b")
		r.BeforeWrite = func(ctx context.Context) error {
			found, err := a.of(ctx, kind)
			require.NoError(t, err)
			return a.Replace(ctx, kind, "m-0", found[0].Version, written)
		}
		require.NoError(t, atOnce(t, a.config()).UpdateMachine(t.Context(), r), kind)
		found, err := a.of(t.Context(), kind)
		require.NoError(t, err)
		assert.Equal(t, want, found[0].Tags, kind)
	}
}

// answering answers some requests itself, and counts them. It passes on all others.
type answering struct {
	http.RoundTripper

	with  http.Handler
	isFor func(r *http.Request) bool
	count int
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if !a.isFor(r) {
		return a.RoundTripper.RoundTrip(r)
	}
	a.count++
	return fleet.Transport{Handler: a.with}.RoundTrip(r)
}

// failed is an answer with an operation that failed.
func failed(code, message string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(&compute.Operation{Name: "operation-1", Status: "DONE", Error: &compute.OperationError{
			Errors: []*compute.OperationErrorErrors{{Code: code, Message: message}},
		}})
	})
}

// TestOutdated: only a write with a fingerprint is refused as outdated, and only if the answer is
// about the fingerprint. A violated constraint of an organization has the same status and reason.
func TestOutdated(t *testing.T) {
	const (
		labels      = "Labels fingerprint either invalid or resource labels have changed"
		networkTags = "Supplied fingerprint does not match current tags fingerprint."
		constraint  = "Constraint constraints/compute.requireShieldedVm violated for project projects/p. See the documentation."
	)
	precondition := func(message string) http.Handler {
		return refusal(http.StatusPreconditionFailed, "conditionNotMet", message, nil)
	}
	proxy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the fingerprint of the proxy's certificate", http.StatusPreconditionFailed)
	})
	for name, tc := range map[string]struct {
		call   string
		answer http.Handler
		writes int
		want   machineupdate.DriverError
	}{
		"a fingerprint of a VM":   {"instances/m-0/setLabels", precondition(labels), 4, machineupdate.ErrUnavailable},
		"a fingerprint of a disk": {"disks/m-0/setLabels", precondition(labels), 4, machineupdate.ErrUnavailable},
		"a fingerprint of tags":   {"instances/m-0/setTags", precondition(networkTags), 4, machineupdate.ErrUnavailable},
		"in an operation": {
			"instances/m-0/setTags", failed("CONDITION_NOT_MET", networkTags), 4, machineupdate.ErrUnavailable,
		},
		"a constraint":                 {"instances/m-0/setLabels", precondition(constraint), 1, ""},
		"a constraint in an operation": {"disks/m-0/setLabels", failed("CONDITION_NOT_MET", constraint), 1, ""},
		"another failure":              {"disks/m-0/setLabels", failed("RESOURCE_NOT_READY", labels), 1, ""},
		"another status":               {"disks/m-0/setLabels", refusal(http.StatusBadRequest, "conditionNotMet", labels, nil), 1, ""},
		"the page of a proxy":          {"instances/m-0/setLabels", proxy, 1, ""},
		"a call without a fingerprint": {"instances/m-0/stop", precondition(labels), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := machines(t, 1)
			config := a.config()
			isFor := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, tc.call) }
			refusing := &answering{RoundTripper: config.HTTP, with: tc.answer, isFor: isFor}
			config.HTTP = refusing
			r := request(t, 0, "b")
			if strings.HasSuffix(tc.call, "/stop") {
				r.Lane = "service-account"
				r.Parts = []machineupdate.Part{{Kind: "vm", Desired: `{"serviceAccounts":[{"email":"a@p","scopes":["x"]}]}`}}
			}
			r.BeforeWrite = func(context.Context) error { return nil }
			err := atOnce(t, config).UpdateMachine(t.Context(), r)
			require.Error(t, err)
			kind, _ := machineupdate.DriverErrorOf(err)
			if partial, ok := errors.AsType[*machineupdate.PartialError](err); ok {
				kind, _ = machineupdate.DriverErrorOf(partial.Err)
			}
			assert.Equal(t, tc.want, kind)
			assert.Equal(t, tc.writes, refusing.count)
		})
	}
}

// losing loses the first answer to each write that the cloud carries out.
type losing struct {
	http.RoundTripper

	sent      map[string]int // writes by URL
	meanwhile func()         // called after a lost answer
}

func (l losing) RoundTrip(r *http.Request) (*http.Response, error) {
	isWrite := strings.Contains(r.URL.Path, "/set")
	if isWrite {
		l.sent[r.URL.Path]++
	}
	response, err := l.RoundTripper.RoundTrip(r)
	if !isWrite || err != nil || l.sent[r.URL.Path] > 1 {
		return response, err
	}
	_ = response.Body.Close()
	l.meanwhile()
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}

// TestLostAnswer: the answer to a write is lost, so the next attempt is refused because of its
// fingerprint. A read shows that the change is made, also if others have written since. Nothing is
// written twice.
func TestLostAnswer(t *testing.T) {
	for name, others := range map[string]string{"alone": "", "with others": "theirs"} {
		t.Run(name, func(t *testing.T) {
			a := machines(t, 1)
			config := a.config()
			sent := map[string]int{}
			config.HTTP = losing{config.HTTP, sent, func() {
				if others == "" {
					return
				}
				found, err := a.of(t.Context(), tags.VM)
				require.NoError(t, err)
				written := maps.Clone(found[0].Tags)
				written[others] = "1"
				require.NoError(t, a.Replace(t.Context(), tags.VM, "m-0", found[0].Version, written))
			}}
			r := request(t, 0, "b")
			r.BeforeWrite = func(context.Context) error { return nil }
			require.NoError(t, atOnce(t, config).UpdateMachine(t.Context(), r))
			assert.Len(t, sent, 3, "labels of the VM and of the disk, and network tags")
			for url, writes := range sent {
				assert.Equal(t, 2, writes, "%s: the first is carried out, and the second is refused", url)
			}
			found, err := a.of(t.Context(), tags.VM)
			require.NoError(t, err)
			want := labels(map[string]string{"team": "b"})
			if others != "" {
				want[others] = "1"
			}
			assert.Equal(t, want, found[0].Tags)
		})
	}
}

// TestEndpoint: without an endpoint, requests go to Google's endpoint.
func TestEndpoint(t *testing.T) {
	a := machines(t, 1)
	hosts := map[string]bool{}
	config := a.config()
	config.Endpoint = ""
	config.HTTP = fleet.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts[r.URL.Host] = true
		a.ServeHTTP(w, r)
	})}
	kit, err := gcpdriver.New(config)
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 0, "a"))
	assert.Equal(t, map[string]bool{"compute.test": true, "compute.googleapis.com": true}, hosts, "the first is that for tokens")
}

// TestRequests: whichever request Google Cloud or its login fails to answer, the update continues
// or waits. Tokens that expire at once are renewed before each call.
func TestRequests(t *testing.T) {
	for name, expires := range map[string]int{"tokens that last": 3600, "tokens that expire": 1} {
		t.Run(name, func(t *testing.T) {
			setup := drivertest.Setup{Rules: tags.GCP.Rules, Request: machineupdate.UpdateMachineRequest{
				Machine: "m", ProviderID: "gce:///p/z/m", Secret: secret(),
			}}
			state := func(team string) drivertest.State {
				own := map[string]string{"team": team}
				hot := &tags.Tags{VM: own, Disk: own, Network: map[string]string{"team-" + team: ""}}
				return drivertest.State{Spec: spec(t, hot), Resources: []driver.Resource{
					{Kind: tags.VM, ID: "m", Tags: labels(own), Attributes: map[string]driver.Reading{
						"serviceAccount": driver.Settled("[]"), "status": driver.Settled("RUNNING"),
					}},
					{Kind: tags.Network, ID: "m", Tags: keys("team-" + team)},
					{Kind: tags.Disk, ID: "m", Tags: labels(own)},
				}}
			}
			drivertest.CheckRequests(t, setup, func(
				cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
			) (*gcpdriver.Driver, error) {
				config := (&api{Cloud: cloud, expires: expires}).config()
				config.HTTP = faulty(config.HTTP)
				config.Wait = cloud.Wait
				return gcpdriver.New(config)
			}, state("a"), state("b"))
		})
	}
}
