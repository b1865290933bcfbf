package openstackdriver_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver/openstacktest"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// flat returns the metadata of server and root volume, with the keys by which MCM finds the
// machine.
func flat(more ...map[string]string) map[string]string {
	all := map[string]string{"kubernetes.io-cluster-c": "1", "kubernetes.io-role-node": "1"}
	for _, one := range more {
		maps.Copy(all, one)
	}
	return all
}

func spec(t *testing.T, common map[string]string, hot *tags.Tags, groups ...string) string {
	t.Helper()
	raw, err := json.Marshal(openstack.ProviderSpec{Spec: openstack.MachineSpec{
		Region: "r", RootDiskSize: 20, Tags: flat(common), ResourceTags: hot, SecurityGroups: groups,
	}})
	require.NoError(t, err)
	return string(raw)
}

var secret = map[string][]byte{
	openstackdriver.AuthURL: []byte(openstacktest.AuthURL), openstackdriver.DomainName: []byte("domain-of-mcm"),
	openstackdriver.TenantName: []byte("project-of-mcm"), openstackdriver.Username: []byte("user-of-mcm"),
	openstackdriver.Password: []byte("password-of-mcm"),
}

func config(a *openstacktest.API) openstackdriver.Config {
	return openstackdriver.Config{HTTP: fleet.Transport{Handler: a}}
}

// groups returns security groups of a server, and one that a load balancer has added.
func groups(names ...string) map[string][]string {
	return map[string][]string{openstacktest.Groups: append([]string{"lb"}, names...)}
}

// TestConformance updates a machine between three provider specs, over HTTP. The volume pv belongs
// to the CSI driver.
func TestConformance(t *testing.T) {
	setup := drivertest.Setup{Rules: openstackdriver.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "openstack:///r/server", Secret: secret,
	}, Unchanged: []string{"/spec/resourceTags/network"}} // Nova's ports carry no metadata
	state := func(common map[string]string, hot *tags.Tags, names ...string) drivertest.State {
		return drivertest.State{Spec: spec(t, common, hot, names...), Resources: []driver.Resource{
			{Kind: tags.VM, ID: "server", Name: "m", Tags: flat(common, hot.Of(tags.VM)), Sets: groups(names...)},
			{Kind: tags.Disk, ID: "root-server", Tags: flat(common, hot.Of(tags.Disk))},
			{Kind: tags.Disk, ID: "pv", Name: "pvc-1", Tags: map[string]string{"team": "a"}},
		}}
	}
	var apis []*openstacktest.API
	drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (*openstackdriver.Driver, error) {
		a := openstacktest.New(cloud)
		apis = append(apis, a)
		c := config(a)
		c.Wait = cloud.Wait
		return openstackdriver.New(c)
	},
		state(nil, &tags.Tags{VM: map[string]string{"team": "a", "cost center": "1"}}, "nodes"),
		state(nil, &tags.Tags{
			VM: map[string]string{"Team": "b"}, Disk: map[string]string{"backup/daily": "yes"},
		}, "nodes", "more", "nodes"),
		state(map[string]string{"stage": "test"}, nil),
	)
	requests := sent(t, 10) // machines share reads
	for _, a := range apis {
		requests = append(requests, a.Requests()...)
	}
	cloudtable.CheckRights(t, "../../DRIVER.md", "OpenStack", requests, rightsOf)
}

// rightsOf returns the rules of OpenStack's policies that a request needs. By default these rules
// require the role member in the project.
func rightsOf(request string) []string {
	method, address, _ := strings.Cut(request, " ")
	ofServer := strings.HasPrefix(address, "compute/v2.1/servers/")
	ofVolume := strings.HasPrefix(address, "volume/v3/p/volumes/")
	hasMetadata := strings.Contains(address, "/metadata")
	switch {
	case ofServer && strings.HasSuffix(address, "/action"):
		return []string{"os_compute_api:os-security-groups:add", "os_compute_api:os-security-groups:remove"}
	case ofServer && hasMetadata && method == http.MethodPost:
		return []string{"os_compute_api:server-metadata:create"}
	case ofServer && hasMetadata && method == http.MethodDelete:
		return []string{"os_compute_api:server-metadata:delete"}
	case ofServer && strings.HasSuffix(address, "/detail"):
		return []string{"os_compute_api:servers:detail"}
	case ofServer && method == http.MethodGet:
		return []string{"os_compute_api:servers:show"}
	case ofVolume && hasMetadata && method == http.MethodGet:
		return []string{"volume:get_volume_metadata"}
	case ofVolume && hasMetadata && method == http.MethodPut:
		return []string{"volume:update_volume_metadata"}
	case ofVolume && strings.HasSuffix(address, "/detail"):
		return []string{"volume:get_all"}
	case ofVolume && method == http.MethodGet:
		return []string{"volume:get"}
	}
	return nil
}

// kindOf updates a machine, and returns the kind of the error and the delay that it names.
func kindOf(t *testing.T, a *openstacktest.API) (kind machineupdate.DriverError, after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		kind, after = machineupdate.DriverErrorOf(kit.UpdateMachine(ctx, request(t, 0, "a")))
		time.Sleep(time.Hour) // the pacer's alarm ends
	})
	return kind, after
}

// answering makes the requests whose path contains a part get an answer.
func answering(part string, answer http.Handler) func(r *http.Request) http.Handler {
	return func(r *http.Request) http.Handler {
		if strings.Contains(r.URL.Path, part) {
			return answer
		}
		return nil
	}
}

// TestThrottling: the SDK's errors for too many calls, also of Keystone, are throttling, and no
// other errors are.
func TestThrottling(t *testing.T) {
	later := http.Header{"Retry-After": {"33"}}
	for name, test := range map[string]struct {
		part   string
		status int
		header http.Header
		kind   machineupdate.DriverError
		after  time.Duration
	}{
		"Nova":             {"/compute", http.StatusTooManyRequests, later, machineupdate.ErrThrottled, 33 * time.Second},
		"Cinder":           {"/volume", http.StatusTooManyRequests, later, machineupdate.ErrThrottled, 33 * time.Second},
		"Keystone":         {"/identity", http.StatusTooManyRequests, later, machineupdate.ErrThrottled, 33 * time.Second},
		"no delay":         {"/compute", http.StatusTooManyRequests, nil, machineupdate.ErrThrottled, 0},
		"rate limited":     {"/compute", 498, later, machineupdate.ErrThrottled, 33 * time.Second},
		"over a limit":     {"/compute", http.StatusRequestEntityTooLarge, later, machineupdate.ErrThrottled, 33 * time.Second},
		"over a quota":     {"/compute", http.StatusRequestEntityTooLarge, nil, "", 0},
		"no right":         {"/compute", http.StatusForbidden, later, "", 0},
		"overloaded":       {"/compute", http.StatusServiceUnavailable, later, machineupdate.ErrThrottled, 33 * time.Second},
		"a server's fault": {"/compute", http.StatusServiceUnavailable, nil, machineupdate.ErrUnavailable, 0},
		"a task under way": {"/compute", http.StatusConflict, nil, machineupdate.ErrUnavailable, 0},
		"not understood":   {"/volume", http.StatusBadRequest, nil, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := machines(1)
			a.Answers = answering(test.part, openstacktest.Refusal(test.status, test.header))
			kind, after := kindOf(t, a)
			assert.Equal(t, test.kind, kind)
			assert.Equal(t, test.after, after)
		})
	}
}

// TestToken: a token that has expired is renewed once, for all updates. A throttled renewal is
// throttling, and the error of a refused renewal does not show the secret.
func TestToken(t *testing.T) {
	a := machines(20)
	kit, err := openstackdriver.New(config(a))
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 0, "a"))
	a.Expire()
	var all []*machineupdate.UpdateMachineRequest
	for i := range 20 {
		all = append(all, request(t, i, "a"))
	}
	fleet.Update(t, kit, all...)
	assert.Equal(t, 2, a.Logins())

	a.Expire()
	a.Answers = answering("/identity", openstacktest.Refusal(http.StatusTooManyRequests, http.Header{"Retry-After": {"90"}}))
	kind, after := machineupdate.DriverErrorOf(kit.UpdateMachine(t.Context(), request(t, 0, "a")))
	assert.Equal(t, machineupdate.ErrThrottled, kind)
	assert.Equal(t, 90*time.Second, after)

	a.Answers = answering("/identity", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.Copy(w, r.Body) // a proxy that writes the request into its answer
	}))
	kit, err = openstackdriver.New(config(a))
	require.NoError(t, err)
	err = kit.UpdateMachine(t.Context(), request(t, 0, "a"))
	require.ErrorContains(t, err, "403")
	assert.NotContains(t, err.Error(), "password-of-mcm")
}

// TestApplicationCredential: the secret may hold an application credential instead of a password.
func TestApplicationCredential(t *testing.T) {
	a := machines(1)
	var asked string
	a.Answers = func(r *http.Request) http.Handler {
		if strings.Contains(r.URL.Path, "/identity") {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			asked = string(body)
		}
		return nil
	}
	kit, err := openstackdriver.New(config(a))
	require.NoError(t, err)
	r := request(t, 0, "a")
	r.Secret = map[string][]byte{
		openstackdriver.AuthURL:                     []byte(openstacktest.AuthURL),
		openstackdriver.ApplicationCredentialID:     []byte("id-of-credential"),
		openstackdriver.ApplicationCredentialSecret: []byte("secret-of-credential"),
	}
	fleet.Update(t, kit, r)
	assert.JSONEq(t, `{"auth":{"identity":{"methods":["application_credential"],
		"application_credential":{"id":"id-of-credential","secret":"secret-of-credential"}}}}`, asked)
}

// TestVolume: metadata that others write between the read and the write stays, and the change is
// merged with it. Without ETags nothing is written.
func TestVolume(t *testing.T) {
	a := machines(1)
	kit, err := openstackdriver.New(config(a))
	require.NoError(t, err)
	r := request(t, 0, "b")
	r.BeforeWrite = func(ctx context.Context) error {
		all, err := a.Resources(ctx)
		at := slices.IndexFunc(all, func(r driver.Resource) bool { return r.ID == "root-s-0" })
		require.NoError(t, err)
		theirs := maps.Clone(all[at].Tags)
		theirs["owner"] = "them"
		return a.Replace(ctx, tags.Disk, all[at].ID, all[at].Version, theirs)
	}
	require.NoError(t, kit.UpdateMachine(t.Context(), r))
	all, err := a.Resources(t.Context())
	require.NoError(t, err)
	assert.Equal(t, flat(map[string]string{"team": "b", "owner": "them"}), all[1].Tags)

	r = request(t, 0, "c")
	r.BeforeWrite = func(context.Context) error { return nil }
	a.Answers = func(r *http.Request) http.Handler {
		r.Header.Del("X-OpenStack-Volume-API-Version")
		return nil
	}
	require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "has no ETag: Cinder has to serve version 3.15")
}

// TestLostAnswer: metadata of a volume was written and the answer was lost. The write counts as
// done, also if others have written since. Nothing is written twice.
func TestLostAnswer(t *testing.T) {
	for _, others := range []map[string]string{nil, {"owner": "them"}} {
		a := machines(1)
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		sent := 0
		a.Answers = func(r *http.Request) http.Handler {
			if r.Method != http.MethodPut {
				return nil
			}
			sent++
			if sent > 1 {
				return nil
			}
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				a.ServeHTTP(httptest.NewRecorder(), r) // the server requests the answer again
				sent--
				if others != nil {
					all, err := a.Resources(r.Context())
					assert.NoError(t, err)
					maps.Copy(all[1].Tags, others)
					assert.NoError(t, a.Replace(r.Context(), tags.Disk, all[1].ID, all[1].Version, all[1].Tags))
				}
				openstacktest.Refusal(http.StatusGatewayTimeout, nil).ServeHTTP(w, r)
			})
		}
		fleet.Update(t, kit, request(t, 0, "b"))
		assert.Equal(t, 1, sent)
		all, err := a.Resources(t.Context())
		require.NoError(t, err)
		want := flat(map[string]string{"team": "b"})
		maps.Copy(want, others)
		assert.Equal(t, want, all[1].Tags)
	}
}

// TestRootVolume: a volume that the driver created has the machine's name, and a server with a
// local disk has no root volume.
func TestRootVolume(t *testing.T) {
	f := fleet.New(openstackdriver.Rules)
	f.Add(
		driver.Resource{Kind: tags.VM, ID: "s-0", Name: "m-0", Sets: groups("nodes")},
		driver.Resource{Kind: tags.Disk, ID: "root-s-0", Name: "m-0"},
		driver.Resource{Kind: tags.Disk, ID: "pv", Name: "pvc"},
	)
	for disk, want := range map[string][]string{
		`"rootDiskSize":20,"rootDiskType":"fast"`: {"s-0", "root-s-0"},
		`"rootDiskSize":0`:                        {"s-0"},
	} {
		a := openstacktest.New(f)
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		r := request(t, 0, "a")
		r.Class.ProviderSpec = []byte(strings.Replace(string(r.Class.ProviderSpec), `"rootDiskSize":20`, disk, 1))
		fleet.Update(t, kit, r)
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		var tagged []string
		for _, one := range live {
			if one.Tags["team"] != "" {
				tagged = append(tagged, one.ID)
			}
		}
		assert.ElementsMatch(t, want, tagged, disk)
		require.NoError(t, f.Replace(t.Context(), tags.Disk, "root-s-0", versionOf(t, f), nil))
	}
}

// versionOf returns the version of the root volume.
func versionOf(t *testing.T, f *fleet.Fleet) string {
	t.Helper()
	all, err := f.Resources(t.Context())
	require.NoError(t, err)
	return all[1].Version
}

// TestGroups: groups that the spec names by ID are left alone, and groups of others stay. A
// throttled change continues at the same group.
func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(1)
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		const id = "2c6bd3cd-8d1e-4f32-9a1a-0f4d4b0e5b61"
		r := request(t, 0, "a")
		r.Class.ProviderSpec = []byte(spec(t, nil, nil, "more", id))
		for i := range r.Parts {
			r.Parts[i].Desired = machineupdate.HotSpec(strings.Replace(string(r.Parts[i].Desired), `["nodes"]`, `["more","`+id+`"]`, 1))
		}
		removals := 0
		a.Answers = func(r *http.Request) http.Handler {
			if !strings.HasSuffix(r.URL.Path, "/action") {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if strings.Contains(string(body), "removeSecurityGroup") {
				removals++
				if removals == 1 {
					return openstacktest.Refusal(http.StatusTooManyRequests, nil)
				}
			}
			return nil
		}
		fleet.Update(t, kit, r)
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		assert.Equal(t, groups("more"), live[0].Sets)
		assert.Equal(t, 2, removals)
	})
}

// TestGroupAddedTwice: if the server already has the group, the group counts as added. No other
// refusal of Nova does.
func TestGroupAddedTwice(t *testing.T) {
	const groups = "Invalid input for security_groups. Reason: "
	for text, isAdded := range map[string]bool{
		groups + "Duplicate items in the list: '2c6bd3cd-8d1e-4f32-9a1a-0f4d4b0e5b61'.":                   true,
		groups + "'nodes' is not a valid UUID.":                                                           false,
		"Network requires port_security_enabled and subnet associated in order to apply security groups.": false,
	} {
		a := machines(1)
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		a.Answers = answering("/action", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"badRequest":{"code":400,"message":"`+text+`"}}`)
		}))
		r := request(t, 0, "a")
		r.BeforeWrite = func(context.Context) error { return nil }
		for i := range r.Parts {
			r.Parts[i].Desired = machineupdate.HotSpec(strings.Replace(string(r.Parts[i].Desired), `["nodes"]`, `["more","nodes"]`, 1))
		}
		assert.Equal(t, isAdded, kit.UpdateMachine(t.Context(), r) == nil, text)
	}
}

// TestProviderIDs: an ID of another form is refused before a login.
func TestProviderIDs(t *testing.T) {
	a := machines(1)
	kit, err := openstackdriver.New(config(a))
	require.NoError(t, err)
	for _, id := range []string{"", "openstack:///r", "openstack:///r/", "openstack:///r/s/x", "s"} {
		r := request(t, 0, "a")
		r.ProviderID = id
		require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "openstack:///REGION/ID")
	}
	assert.Zero(t, a.Logins())
}

// TestPages: servers and volumes of all pages of a list are read, and servers that do not exist are
// reported as such.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(20)
		a.Page = 7
		kit, err := openstackdriver.New(config(a))
		require.NoError(t, err)
		var errs [24]error
		var all sync.WaitGroup
		for i := range errs {
			r := request(t, i, "a")
			all.Go(func() { errs[i] = kit.UpdateMachine(t.Context(), r) })
		}
		all.Wait()
		for i, err := range errs {
			if i < 20 {
				assert.NoError(t, err, i)
			} else {
				assert.ErrorIs(t, err, machineupdate.ErrNotFound, i)
			}
		}
		assert.Contains(t, a.Requests(), "GET compute/v2.1/servers/detail")
	})
}

// TestCertificates: exactly the certificates in the secret are trusted, and the error for unusable
// certificates does not show them.
func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(openstacktest.Refusal(http.StatusForbidden, nil))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log clients that do not trust it
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, test := range map[string]struct {
		key, value, want string
	}{
		"trusted":        {openstackdriver.CACert, string(trusted), "got 403"},
		"not verified":   {openstackdriver.Insecure, "true", "got 403"},
		"not trusted":    {"", "", "certificate"},
		"no certificate": {openstackdriver.CACert, "private-text", "caCert holds no certificate"},
		"no pair":        {openstackdriver.ClientCert, "private-text", "clientCert and clientKey are not a pair"},
	} {
		t.Run(name, func(t *testing.T) {
			kit, err := openstackdriver.New(openstackdriver.Config{})
			require.NoError(t, err)
			r := request(t, 0, "a")
			r.Secret = maps.Clone(secret)
			r.Secret[openstackdriver.AuthURL] = []byte(server.URL + "/v3")
			r.Secret[test.key] = []byte(test.value)
			err = kit.UpdateMachine(t.Context(), r)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "private-text")
		})
	}
}

// expiring is an OpenStack whose token expires after each answer.
type expiring struct{ *openstacktest.API }

func (e expiring) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.API.ServeHTTP(w, r)
	if !strings.HasPrefix(r.URL.Path, "/identity/") {
		e.Expire()
	}
}

// TestRequests: whichever request OpenStack or Keystone fails to answer, the update continues or
// waits. Tokens that expire at once are renewed after each call.
func TestRequests(t *testing.T) {
	t.Run("tokens that last", func(t *testing.T) {
		checkRequests(t, func(a *openstacktest.API) http.Handler { return a })
	})
	t.Run("tokens that expire", func(t *testing.T) {
		checkRequests(t, func(a *openstacktest.API) http.Handler { return expiring{a} })
	})
}

func checkRequests(t *testing.T, handler func(a *openstacktest.API) http.Handler) {
	t.Helper()
	setup := drivertest.Setup{Rules: openstackdriver.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "openstack:///r/server", Secret: secret,
	}}
	state := func(common map[string]string, hot *tags.Tags, names ...string) drivertest.State {
		return drivertest.State{Spec: spec(t, common, hot, names...), Resources: []driver.Resource{
			{Kind: tags.VM, ID: "server", Name: "m", Tags: flat(common, hot.Of(tags.VM)), Sets: groups(names...)},
			{Kind: tags.Disk, ID: "root-server", Tags: flat(common, hot.Of(tags.Disk))},
		}}
	}
	drivertest.CheckRequests(t, setup, func(
		cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
	) (*openstackdriver.Driver, error) {
		a := openstacktest.New(cloud)
		c := config(a)
		c.HTTP = faulty(fleet.Transport{Handler: handler(a)})
		c.Wait = cloud.Wait
		return openstackdriver.New(c)
	},
		state(map[string]string{"gone": "1"}, &tags.Tags{VM: map[string]string{"team": "a"}, Disk: map[string]string{"x": "y"}}, "nodes"),
		state(nil, &tags.Tags{VM: map[string]string{"team": "b"}}, "more"))
}
