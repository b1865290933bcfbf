package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

const (
	lag      = 10 * time.Second
	patience = 30 * time.Second
)

// fixture is a cloud behind HTTP, with one instance: i-1, vol-1, eni-1.
type fixture struct {
	t      *testing.T
	clock  *clock.Clock
	cloud  *cloud.Cloud
	client *cloudapi.Client
}

func start(t *testing.T, configure ...func(*cloud.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clock.New(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))}
	config := cloud.Config{Clock: f.clock, AccessKeys: []string{"key"}, ReadLag: lag}
	for _, c := range configure {
		c(&config)
	}
	f.cloud = cloud.New(config)
	server := httptest.NewServer(f.cloud)
	t.Cleanup(server.Close)
	f.client = &cloudapi.Client{
		Endpoint: server.URL, AccessKey: "key", HTTP: server.Client(),
		Timeout: patience, WithTimeout: f.clock.WithTimeout, Wait: f.clock.Wait,
	}
	_, err := cloudapi.Call[cloudapi.InstancesResponse](t.Context(), f.client, cloudapi.RunInstances, cloudapi.RunInstancesRequest{
		ClientToken: "token", BlockDevices: []string{"/dev/sda1"}, NetworkInterfaces: []int{0},
		TagSpecifications: []cloudapi.TagSpecification{{ResourceType: cloudapi.Instance, Tags: list("Name", "m")}},
	})
	require.NoError(t, err)
	return f
}

// list makes infrastructure tags of keys and values.
func list(pairs ...string) []cloudapi.Tag {
	var all []cloudapi.Tag
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, cloudapi.Tag{Key: pairs[i], Value: &pairs[i+1]})
	}
	return all
}

func (f *fixture) tag(action cloudapi.Action, id string, all ...cloudapi.Tag) error {
	_, err := cloudapi.Call[cloudapi.Empty](f.t.Context(), f.client, action, cloudapi.TagsRequest{Resources: []string{id}, Tags: all})
	return err
}

func (f *fixture) live(id string) map[string]string {
	live, _ := f.cloud.Tags(id)
	return live
}

// read is what the API tells of the tags of the instance.
func (f *fixture) read() map[string]string {
	f.t.Helper()
	response, err := cloudapi.Call[cloudapi.TagsResponse](f.t.Context(), f.client, cloudapi.DescribeTags,
		cloudapi.DescribeRequest{Filters: []cloudapi.Filter{{Name: "resource-id", Values: []string{"i-1"}}}})
	require.NoError(f.t, err)
	got := map[string]string{}
	for _, tag := range response.Tags {
		assert.Equal(f.t, "i-1", tag.ResourceID)
		got[tag.Key] = tag.Value
	}
	return got
}

func (f *fixture) instances(filters ...cloudapi.Filter) []cloudapi.InstanceDescription {
	f.t.Helper()
	response, err := cloudapi.Call[cloudapi.InstancesResponse](f.t.Context(), f.client, cloudapi.DescribeInstances, cloudapi.DescribeRequest{Filters: filters})
	require.NoError(f.t, err)
	return response.Instances
}

func (f *fixture) pass(d time.Duration) { f.clock.AdvanceTo(f.clock.Now().Add(d)) }

func TestReadsLagBehindWrites(t *testing.T) {
	f := start(t)
	assert.Empty(t, f.instances(), "not even the instance is visible yet")
	f.pass(lag)
	require.Len(t, f.instances(), 1)

	require.NoError(t, f.tag(cloudapi.CreateTags, "i-1", list("a", "1")...))
	assert.Equal(t, map[string]string{"Name": "m"}, f.read())
	assert.Equal(t, map[string]string{"Name": "m", "a": "1"}, f.live("i-1"))
	f.pass(lag)
	assert.Equal(t, map[string]string{"Name": "m", "a": "1"}, f.read())

	f.cloud.Inject(cloud.Fault{Action: cloudapi.DescribeTags, Effect: cloud.Stale, Delay: time.Nanosecond})
	assert.Equal(t, map[string]string{"Name": "m"}, f.read(), "a replica that lags more")
	assert.Equal(t, map[string]string{"Name": "m", "a": "1"}, f.read())
}

func TestLaunchIsRepeatable(t *testing.T) {
	f := start(t)
	launch := func() (*cloudapi.InstancesResponse, error) {
		return cloudapi.Call[cloudapi.InstancesResponse](t.Context(), f.client, cloudapi.RunInstances, cloudapi.RunInstancesRequest{ClientToken: "token"})
	}
	again, err := launch()
	require.NoError(t, err)
	assert.Equal(t, "i-1", again.Instances[0].ID)
	assert.Equal(t, []string{"eni-1", "i-1", "vol-1"}, f.cloud.Resources())

	_, err = cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.TerminateInstances, cloudapi.TerminateInstancesRequest{InstanceIDs: []string{"i-1"}})
	require.NoError(t, err)
	_, err = launch()
	assert.Equal(t, cloudapi.IdempotentTerminated, cloudapi.CodeOf(err))
	assert.Empty(t, f.cloud.Resources())
}

func TestInstancesBootAndAreFiltered(t *testing.T) {
	f := start(t, func(c *cloud.Config) { c.BootTime = time.Minute })
	f.pass(lag)
	assert.Equal(t, cloudapi.Pending, f.instances()[0].State)
	f.pass(time.Minute)
	vm := f.instances(cloudapi.Filter{Name: "tag:Name", Values: []string{"m"}}, cloudapi.Filter{Name: "instance-state-name", Values: []string{"running"}})
	require.Len(t, vm, 1)
	assert.Equal(t, []cloudapi.BlockDevice{{DeviceName: "/dev/sda1", VolumeID: "vol-1"}}, vm[0].BlockDevices)
	assert.Empty(t, f.instances(cloudapi.Filter{Name: "instance-id", Values: []string{"i-2"}}))
	assert.Empty(t, f.instances(cloudapi.Filter{Name: "tag:Name", Values: []string{"n"}}))

	_, err := cloudapi.Call[cloudapi.InstancesResponse](t.Context(), f.client, cloudapi.DescribeInstances,
		cloudapi.DescribeRequest{Filters: []cloudapi.Filter{{Name: "color"}}})
	assert.Equal(t, cloudapi.InvalidParameterValue, cloudapi.CodeOf(err))
}

func TestAttachedResourcesAreListedAndSurvive(t *testing.T) {
	f := start(t)
	volume, err := cloudapi.Call[cloudapi.CreateResourceResponse](t.Context(), f.client, cloudapi.CreateVolume, cloudapi.CreateResourceRequest{Tags: list("pv", "1")})
	require.NoError(t, err)
	card, err := cloudapi.Call[cloudapi.CreateResourceResponse](t.Context(), f.client, cloudapi.CreateNetworkInterface, cloudapi.CreateResourceRequest{})
	require.NoError(t, err)
	attach := func(device string) error {
		_, err := cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.AttachVolume,
			cloudapi.AttachVolumeRequest{VolumeID: volume.ID, InstanceID: "i-1", Device: device})
		return err
	}
	assert.Equal(t, cloudapi.InvalidParameterValue, cloudapi.CodeOf(attach("/dev/sda1")), "in use")
	require.NoError(t, attach("/dev/xvdba"))
	_, err = cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.AttachNetworkInterface,
		cloudapi.AttachNetworkInterfaceRequest{NetworkInterfaceID: card.ID, InstanceID: "i-1", DeviceIndex: 1})
	require.NoError(t, err)
	_, err = cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.AttachNetworkInterface,
		cloudapi.AttachNetworkInterfaceRequest{NetworkInterfaceID: card.ID, InstanceID: "i-1", DeviceIndex: 1})
	assert.Equal(t, cloudapi.InvalidParameterValue, cloudapi.CodeOf(err))

	f.pass(lag)
	vm := f.instances()[0]
	assert.Equal(t, "vol-2", vm.BlockDevices[1].VolumeID)
	assert.Equal(t, "eni-2", vm.NetworkInterfaces[1].NetworkInterfaceID)
	_, err = cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.TerminateInstances, cloudapi.TerminateInstancesRequest{InstanceIDs: []string{"i-1"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"eni-2", "vol-2"}, f.cloud.Resources())
	assert.Equal(t, cloudapi.InvalidInstanceNotFound, cloudapi.CodeOf(f.tag(cloudapi.CreateTags, "i-1", list("a", "1")...)))
	assert.Equal(t, cloudapi.InvalidID, cloudapi.CodeOf(f.tag(cloudapi.CreateTags, "vol-1", list("a", "1")...)))
}

func TestConditionalDeletes(t *testing.T) {
	empty := ""
	for _, tc := range []struct {
		name      string
		condition *string
		live      string
		gone      bool
	}{
		{"the value is live", new("mine"), "mine", true},
		{"another value is live", new("mine"), "theirs", false},
		{"the empty value is a condition too", &empty, "theirs", false},
		{"the empty value is live", &empty, "", true},
		{"without a condition", nil, "theirs", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list("a", tc.live)...))
			require.NoError(t, f.tag(cloudapi.DeleteTags, "vol-1", cloudapi.Tag{Key: "a", Value: tc.condition}))
			_, ok := f.live("vol-1")["a"]
			assert.Equal(t, tc.gone, !ok)
		})
	}
}

func TestLimits(t *testing.T) {
	f := start(t)
	var fifty, cloudsOwn []string
	for i := range 50 {
		fifty = append(fifty, fmt.Sprintf("k%d", i), "v")
	}
	require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list(fifty...)...))
	require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list("k1", "w")...), "overwriting takes no place")
	cloudsOwn = append(cloudsOwn, "AWS:x", "v")
	for _, tc := range []struct {
		name   string
		action cloudapi.Action
		tags   []cloudapi.Tag
		want   cloudapi.Code
	}{
		{"one too many", cloudapi.CreateTags, list("k50", "v"), cloudapi.TagLimitExceeded},
		{"key too long", cloudapi.CreateTags, list(strings.Repeat("k", 129), "v"), cloudapi.InvalidParameterValue},
		{"key empty", cloudapi.CreateTags, list("", "v"), cloudapi.InvalidParameterValue},
		{"value too long", cloudapi.CreateTags, list("k1", strings.Repeat("v", 257)), cloudapi.InvalidParameterValue},
		{"reserved", cloudapi.CreateTags, list(cloudsOwn...), cloudapi.InvalidParameterValue},
		{"no value", cloudapi.CreateTags, []cloudapi.Tag{{Key: "k1"}}, cloudapi.InvalidParameterValue},
		{"a key twice", cloudapi.CreateTags, list("k1", "a", "k1", "b"), cloudapi.InvalidParameterValue},
		{"a key twice", cloudapi.DeleteTags, list("k1", "a", "k1", "b"), cloudapi.InvalidParameterValue},
		{"too many deletions", cloudapi.DeleteTags, list(many(1001)...), cloudapi.InvalidParameterValue},
	} {
		t.Run(string(tc.action)+" "+tc.name, func(t *testing.T) {
			before := f.live("vol-1")
			assert.Equal(t, tc.want, cloudapi.CodeOf(f.tag(tc.action, "vol-1", tc.tags...)))
			assert.Equal(t, before, f.live("vol-1"), "what is refused changes nothing")
		})
	}
	_, err := cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.CreateTags, cloudapi.TagsRequest{Tags: list("a", "1")})
	assert.Equal(t, cloudapi.InvalidParameterValue, cloudapi.CodeOf(err), "no resource")
	_, err = cloudapi.Call[cloudapi.Empty](t.Context(), f.client, cloudapi.CreateTags,
		cloudapi.TagsRequest{Resources: []string{"i-1", "vol-1"}, Tags: list("k50", "v")})
	assert.Equal(t, cloudapi.TagLimitExceeded, cloudapi.CodeOf(err))
	assert.NotContains(t, f.live("i-1"), "k50", "a call takes effect on all resources or on none")
}

func many(n int) []string {
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("d%d", i), "v")
	}
	return pairs
}

func TestThrottling(t *testing.T) {
	f := start(t, func(c *cloud.Config) { c.Writes = cloud.Rate{Burst: 2, PerSecond: 0.1} })
	require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list("a", "1")...), "the launch was the first call")
	before := f.clock.Now()
	err := f.tag(cloudapi.CreateTags, "vol-1", list("a", "2")...)
	assert.Equal(t, cloudapi.RequestLimitExceeded, cloudapi.CodeOf(err))
	assert.Equal(t, "1", f.live("vol-1")["a"])
	assert.Equal(t, 7*time.Second, f.clock.Now().Sub(before), "the client has tried again after 1, 2 and 4 seconds")
	_ = f.instances() // reads have a limit of their own
	require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list("a", "2")...), "its second try is in time")
	assert.Equal(t, 10*time.Second, f.clock.Now().Sub(before))

	ctx, stop := context.WithCancel(t.Context())
	f.cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Code: cloudapi.RequestLimitExceeded})
	f.pass(time.Hour)
	f.client.Wait = func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }
	_, err = cloudapi.Call[cloudapi.Empty](ctx, f.client, cloudapi.CreateTags, cloudapi.TagsRequest{Resources: []string{"i-1"}, Tags: list("a", "1")})
	require.ErrorIs(t, err, context.Canceled, "whoever ends while waiting makes no call any more")
	assert.NotContains(t, f.live("i-1"), "a")
}

func TestFaults(t *testing.T) {
	ended := errors.New("the process has ended")
	for _, tc := range []struct {
		name     string
		fault    cloud.Fault
		effects  []string // live right after the call, and an hour later
		code     cloudapi.Code
		patience bool
	}{
		{"refused", cloud.Fault{Code: cloudapi.InternalError}, []string{"", ""}, cloudapi.InternalError, false},
		{"answer lost", cloud.Fault{Effect: cloud.AnswerLost}, []string{"1", "1"}, "", false},
		{"lands late", cloud.Fault{Effect: cloud.LandsLate, Delay: time.Minute}, []string{"", "1"}, "", true},
		{"lands in time, but unheard", cloud.Fault{Effect: cloud.LandsLate, Delay: time.Second}, []string{"1", "1"}, "", true},
		{"never lands", cloud.Fault{Effect: cloud.NeverLands}, []string{"", ""}, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			tc.fault.Action, tc.fault.Resource = cloudapi.CreateTags, "vol-1"
			f.cloud.Inject(tc.fault)
			require.NoError(t, f.tag(cloudapi.CreateTags, "eni-1", list("a", "0")...), "another resource")
			before := f.clock.Now()
			err := f.tag(cloudapi.CreateTags, "vol-1", list("a", "1")...)
			require.Error(t, err)
			assert.Equal(t, tc.code, cloudapi.CodeOf(err))
			unanswered, ok := errors.AsType[*cloudapi.UnansweredError](err)
			assert.Equal(t, tc.code == "", ok)
			if tc.patience {
				assert.Equal(t, patience, f.clock.Now().Sub(before), "the client has waited")
				require.ErrorIs(t, unanswered, context.DeadlineExceeded)
			}
			assert.Equal(t, tc.effects[0], f.live("vol-1")["a"])
			require.NoError(t, f.tag(cloudapi.CreateTags, "vol-1", list("b", "1")...), "a fault happens once")
			f.pass(time.Hour)
			assert.Equal(t, tc.effects[1], f.live("vol-1")["a"])
		})
	}
	t.Run("the client's process ends", func(t *testing.T) {
		f := start(t)
		ctx, kill := context.WithCancelCause(t.Context())
		f.cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.AnswerLost, Then: func() { kill(ended) }})
		_, err := cloudapi.Call[cloudapi.Empty](ctx, f.client, cloudapi.CreateTags, cloudapi.TagsRequest{Resources: []string{"i-1"}, Tags: list("a", "1")})
		require.ErrorIs(t, err, ended)
		assert.Equal(t, "1", f.live("i-1")["a"])
	})
	t.Run("a late request may be refused", func(t *testing.T) {
		f := start(t)
		f.cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.LandsLate, Delay: time.Hour})
		require.Error(t, f.tag(cloudapi.CreateTags, "i-1", list("aws:a", "1")...))
		f.pass(time.Hour)
		seen := f.cloud.TakeRequests()
		assert.Contains(t, seen[len(seen)-1].Outcome, "refused")
		assert.Empty(t, f.cloud.TakeRequests())
	})
}

func TestHandlerRefusesWhatIsNoRequest(t *testing.T) {
	f := start(t)
	for _, tc := range []struct {
		name, method, path, key, body string
		want                          int
	}{
		{"no such action", http.MethodPost, "/Fly", "key", "{}", http.StatusBadRequest},
		{"wrong method", http.MethodGet, "/CreateTags", "key", "{}", http.StatusBadRequest},
		{"unknown caller", http.MethodPost, "/CreateTags", "stolen", "{}", http.StatusUnauthorized},
		{"no JSON", http.MethodPost, "/CreateTags", "key", "{", http.StatusBadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), tc.method, f.client.Endpoint+tc.path, strings.NewReader(tc.body))
			require.NoError(t, err)
			request.Header.Set("Authorization", tc.key)
			response, err := f.client.HTTP.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, tc.want, response.StatusCode)
		})
	}
}
