package aliclouddriver_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/drivers/aliclouddriver"
	"github.com/hotupdate/providerconfig/examples/internal/cloudtable"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// flat returns the tags of all resources, with the keys by which MCM finds the machine.
func flat(more ...map[string]string) map[string]string {
	all := map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/worker/c": "1"}
	for _, one := range more {
		maps.Copy(all, one)
	}
	return all
}

func spec(t *testing.T, common map[string]string, hot *tags.Tags) string {
	t.Helper()
	raw, err := json.Marshal(alicloud.ProviderSpec{
		Region: "cn-hangzhou", Tags: flat(common), ResourceTags: hot,
		DataDisks: []alicloud.DataDisk{{Name: "kubelet", Size: 20}},
	})
	require.NoError(t, err)
	return string(raw)
}

// TestConformance updates a machine between three provider specs, over HTTP. The disk pv is a
// volume of the CSI driver.
func TestConformance(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.AliCloud.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "cn-hangzhou.i1", Secret: secret,
	}}
	state := func(common map[string]string, hot *tags.Tags) drivertest.State {
		return drivertest.State{Spec: spec(t, common, hot), Resources: []driver.Resource{
			{Kind: tags.VM, ID: "i1", Tags: flat(common, hot.Of(tags.VM))},
			{Kind: tags.Network, ID: "eni-i1", Tags: flat(common, hot.Of(tags.Network))},
			{Kind: tags.Network, ID: "eni-pod-i1", Tags: flat(nil)}, // belongs to a CNI plugin
			{Kind: tags.Disk, ID: "sys-i1", Tags: flat(common, hot.Of(tags.Disk))},
			{Kind: tags.Disk, ID: "data-i1", Name: "m-kubelet-data-disk", Tags: flat(common, hot.Of(tags.Disk))},
			{Kind: tags.Disk, ID: "pv", Name: "m-pv", Tags: map[string]string{"team": "a"}},
		}}
	}
	var apis []*api
	drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (*aliclouddriver.Driver, error) {
		a := &api{Cloud: cloud}
		apis = append(apis, a)
		config := a.config()
		config.Wait = cloud.Wait
		return aliclouddriver.New(config)
	},
		state(nil, &tags.Tags{VM: map[string]string{"team": "a"}, Network: map[string]string{"use": "nodes"}}),
		state(nil, &tags.Tags{VM: map[string]string{"team": "b"}, Disk: map[string]string{"backup": "daily"}}),
		state(map[string]string{"stage": "test"}, nil),
	)
	var requests []string
	for _, a := range apis {
		requests = append(requests, a.requests...)
	}
	cloudtable.CheckRights(t, "../../DRIVER.md", "Alibaba Cloud", requests, func(request string) []string {
		action, _, _ := strings.Cut(request, " ") // each action of ECS is a right
		return []string{"ecs:" + action}
	})
}

// TestThrottling: the SDK's errors for too many calls, and an answer that names a delay, are
// throttling. The delay comes from the header, or from one of the SDK's types, in milliseconds.
func TestThrottling(t *testing.T) {
	wait := http.Header{"Retry-After": {"90"}}
	left := http.Header{"X-Ratelimit-User-Api": {"Limit:10,Remain:0,TimeLeft:1500,Reset:2000"}}
	for name, test := range map[string]struct {
		status int
		code   string
		header http.Header
		kind   machineupdate.DriverError
		after  time.Duration
	}{
		"of a user":        {http.StatusBadRequest, "Throttling.User", nil, machineupdate.ErrThrottled, 0},
		"of a call":        {http.StatusBadRequest, "Throttling.Api", left, machineupdate.ErrThrottled, 1500 * time.Millisecond},
		"without a type":   {http.StatusServiceUnavailable, "Throttling.Resource", nil, machineupdate.ErrThrottled, 0},
		"after a delay":    {http.StatusServiceUnavailable, "ServiceUnavailable", wait, machineupdate.ErrThrottled, 90 * time.Second},
		"of a user, later": {http.StatusBadRequest, "Throttling.User", wait, machineupdate.ErrThrottled, 90 * time.Second},
		"of a service":     {http.StatusBadRequest, "Throttling.Resource", wait, machineupdate.ErrThrottled, 90 * time.Second},
		"no right":         {http.StatusForbidden, "Forbidden.RAM", left, "", 0},
		"a server's fault": {http.StatusInternalServerError, "InternalError", nil, machineupdate.ErrUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := machines(1)
				a.always = refusal(test.status, test.code, "", test.header)
				kit, err := aliclouddriver.New(a.config())
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				kind, after := machineupdate.DriverErrorOf(kit.UpdateMachine(ctx, request(t, 0, "a")))
				assert.Equal(t, test.kind, kind)
				assert.Equal(t, test.after, after)
				if kind == "" {
					assert.Len(t, a.requests, 1, "one attempt")
				}
				time.Sleep(time.Hour) // the pacer's alarm ends
			})
		})
	}
}

// reset breaks the first connection of a read of the disks of a machine that is not the first of
// its list.
type reset struct {
	http.RoundTripper

	mutex  sync.Mutex
	second string // the machine
	count  int
}

func (b *reset) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.isHit(actionOf(r), r.URL.Query()) {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return b.RoundTripper.RoundTrip(r)
}

func (b *reset) isHit(action string, values url.Values) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	ids := strings.Split(strings.Trim(values.Get("InstanceIds"), "[]"), ",")
	if action == "DescribeInstances" && len(ids) > 1 {
		b.second = strings.Trim(ids[1], `"`)
	}
	isOfSecond := b.second != "" && values.Get("InstanceId") == b.second
	if action != "DescribeDisks" || !isOfSecond || b.count > 0 {
		return false
	}
	b.count++
	return true
}

// TestResetOfAnother: machines share a read, and a connection breaks while the disks of one machine
// are read. The read is repeated, whichever machine it is.
func TestResetOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(9) // the first machines are read alone, and the last ones together
		config := a.config()
		broken := &reset{RoundTripper: config.HTTP}
		config.HTTP = broken
		kit, err := aliclouddriver.New(config)
		require.NoError(t, err)
		var all []*machineupdate.UpdateMachineRequest
		for i := range 9 {
			all = append(all, request(t, i, "b"))
		}
		fleet.Update(t, kit, all...)
		assert.Equal(t, 1, broken.count)
		time.Sleep(time.Hour) // the pacer's alarms end
	})
}

// TestDisks: disks without the tags of the cluster, and disks that a list does not show, are read
// by calls for their VM. All pages of a list are read.
func TestDisks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := machines(20)
		a.page = 7
		all, err := a.Resources(t.Context())
		require.NoError(t, err)
		at := slices.IndexFunc(all, func(r driver.Resource) bool { return r.ID == "sys-i19" })
		require.NoError(t, a.Replace(t.Context(), tags.Disk, "sys-i19", all[at].Version, map[string]string{}))
		kit, err := aliclouddriver.New(a.config())
		require.NoError(t, err)
		var requests []*machineupdate.UpdateMachineRequest
		for i := range 20 {
			requests = append(requests, request(t, i, "a"))
		}
		fleet.Update(t, kit, requests...)
		all, err = a.Resources(t.Context())
		require.NoError(t, err)
		assert.Equal(t, flat(map[string]string{"team": "a"}), all[at].Tags)
		isDisks := func(sent string) bool { return !strings.HasPrefix(sent, "DescribeDisks") }
		lists := len(slices.DeleteFunc(slices.Clone(a.requests), isDisks))
		assert.LessOrEqual(t, lists, 6+6+1, "six machines alone, six pages of the list, and the disk that it does not show")
	})
}

// TestUnusableAnswers: a VM that does not exist is reported as such. A VM whose network interface
// or disk is not shown is read again, and an answer without a list is an error.
func TestUnusableAnswers(t *testing.T) {
	for action, want := range map[string]string{
		"DescribeInstances": "the answer has no list", "DescribeDisks": "the answer has no list",
		"DescribeNetworkInterfaces": "the answer has no list",
	} {
		a := machines(1)
		a.spoils = func(of string, body map[string]any) {
			if of == action {
				clear(body)
			}
		}
		kit, err := aliclouddriver.New(a.config())
		require.NoError(t, err)
		require.ErrorContains(t, kit.UpdateMachine(t.Context(), request(t, 0, "a")), want, action)
	}
	a := machines(1)
	a.hides = "eni-i0"
	kit, err := aliclouddriver.New(a.config())
	require.NoError(t, err)
	err = kit.UpdateMachine(t.Context(), request(t, 0, "a"))
	require.ErrorContains(t, err, "is not answered")
	require.NotErrorIs(t, err, machineupdate.ErrNotFound)
	require.ErrorIs(t, kit.UpdateMachine(t.Context(), request(t, 1, "a")), machineupdate.ErrNotFound)
}

// TestMissingDisk: a disk was deleted by hand. The other resources of its machine and of other
// machines still get their tags. Each update of its machine fails, and names the disk.
func TestMissingDisk(t *testing.T) {
	for id, name := range map[string]string{"data-i0": "m0-kubelet-data-disk", "sys-i0": "the system disk of m0"} {
		a := machines(2)
		a.hides = id
		kit, err := aliclouddriver.New(a.config())
		require.NoError(t, err)
		r := request(t, 0, "b")
		r.BeforeWrite = func(context.Context) error { return nil }
		err = kit.UpdateMachine(t.Context(), r)
		partial, isPartial := errors.AsType[*machineupdate.PartialError](err)
		require.True(t, isPartial, err)
		assert.Equal(t, []machineupdate.ResourceID{{Kind: "disk", ID: name}}, partial.NotDone)
		assert.Len(t, partial.Done, 3)
		require.ErrorContains(t, err, "disk "+name+": the launch created the resource, and the cloud does not show it")
		fleet.Update(t, kit, request(t, 1, "b"))
		live, err := a.Resources(t.Context())
		require.NoError(t, err)
		for _, one := range live {
			if team := one.Tags["team"]; one.ID != id && team != "" {
				assert.Equal(t, "b", team, one.ID)
			}
		}
		a.requests = nil
		err = kit.UpdateMachine(t.Context(), r) // only the missing disk is left
		require.ErrorContains(t, err, name)
		require.NotErrorIs(t, err, machineupdate.ErrNotFound)
		for _, sent := range a.requests {
			assert.Contains(t, sent, "Describe")
		}
	}
}

// TestConnect: an ID of another form, or a secret without a key, is refused before a request. The
// keys of a secret may have their former names.
func TestConnect(t *testing.T) {
	a := machines(1)
	kit, err := aliclouddriver.New(a.config())
	require.NoError(t, err)
	for _, id := range []string{"", "cn-hangzhou", "cn-hangzhou.", ".i0", "a.b.c"} {
		r := request(t, 0, "a")
		r.ProviderID = id
		require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "is not REGION.ID")
	}
	r := request(t, 0, "a")
	r.Secret = map[string][]byte{aliclouddriver.AccessKeyID: []byte("key-of-mcm")}
	require.ErrorContains(t, kit.UpdateMachine(t.Context(), r), "the secret has no accessKeyID or no accessKeySecret")
	assert.Empty(t, a.requests)
	r.Secret = map[string][]byte{
		aliclouddriver.FormerAccessKeyID: []byte("key-of-mcm"), aliclouddriver.FormerAccessKeySecret: []byte("secret-of-mcm"),
	}
	fleet.Update(t, kit, r)
}

// TestEndpoint: without an endpoint, requests go to the endpoint of the region.
func TestEndpoint(t *testing.T) {
	a := machines(1)
	hosts := map[string]bool{}
	config := a.config()
	config.Endpoint = ""
	config.HTTP = fleet.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts[r.URL.Host] = true
		a.ServeHTTP(w, r)
	})}
	kit, err := aliclouddriver.New(config)
	require.NoError(t, err)
	fleet.Update(t, kit, request(t, 0, "a"))
	assert.Equal(t, map[string]bool{"ecs-cn-hangzhou.aliyuncs.com": true}, hosts)
}

// TestRequests: whichever request Alibaba Cloud fails to answer, the update continues or waits.
func TestRequests(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.AliCloud.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "cn-hangzhou.i1", Secret: secret,
	}}
	state := func(common map[string]string, hot *tags.Tags) drivertest.State {
		return drivertest.State{Spec: spec(t, common, hot), Resources: []driver.Resource{
			{Kind: tags.VM, ID: "i1", Tags: flat(common, hot.Of(tags.VM))},
			{Kind: tags.Network, ID: "eni-i1", Tags: flat(common, hot.Of(tags.Network))},
			{Kind: tags.Disk, ID: "sys-i1", Tags: flat(common, hot.Of(tags.Disk))},
			{Kind: tags.Disk, ID: "data-i1", Name: "m-kubelet-data-disk", Tags: flat(common, hot.Of(tags.Disk))},
		}}
	}
	drivertest.CheckRequests(t, setup, func(
		cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
	) (*aliclouddriver.Driver, error) {
		config := (&api{Cloud: cloud, page: 1}).config()
		config.HTTP = faulty(config.HTTP)
		config.Wait = cloud.Wait
		return aliclouddriver.New(config)
	},
		state(map[string]string{"gone": "1"}, &tags.Tags{VM: map[string]string{"team": "a"}}),
		state(nil, &tags.Tags{VM: map[string]string{"team": "b"}}))
}
