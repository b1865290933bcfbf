package awsdriver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

const providerID = "aws:///eu-west-1/i-1"

// fixture is a cloud behind HTTP, and a driver.
type fixture struct {
	t       *testing.T
	clock   *clock.Clock
	cloud   *cloud.Cloud
	driver  *awsdriver.Driver
	request *driver.Request
}

func start(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clock.New(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))}
	f.cloud = cloud.New(cloud.Config{Clock: f.clock, AccessKeys: []string{"key"}})
	server := httptest.NewServer(f.cloud)
	t.Cleanup(server.Close)
	f.driver = &awsdriver.Driver{
		Endpoint: server.URL, HTTP: server.Client(), Timeout: 30 * time.Second, WithTimeout: f.clock.WithTimeout, Wait: f.clock.Wait,
	}
	f.request = &driver.Request{
		Machine:      &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "uid"}},
		MachineClass: classOf(t, spec()),
		Secret:       &api.Secret{Data: map[string][]byte{awsdriver.SecretAccessKey: []byte("key")}},
	}
	return f
}

func spec() *awsdriver.ProviderSpec {
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:      []awsdriver.BlockDevice{{DeviceName: "/dev/sda1"}},
		NetworkInterfaces: []awsdriver.NetworkInterface{{}},
		Tags:              map[string]string{"kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1", "owner": "secret-alice"},
		ResourceTags:      &tags.Tags{Disk: map[string]string{"backup": "daily"}},
	}
}

func classOf(t *testing.T, s *awsdriver.ProviderSpec) *api.MachineClass {
	t.Helper()
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return &api.MachineClass{ProviderSpec: runtime.RawExtension{Raw: raw}}
}

// launched is a machine whose VM exists.
func launched(t *testing.T) *fixture {
	t.Helper()
	f := start(t)
	made, err := f.driver.CreateMachine(t.Context(), f.request)
	require.NoError(t, err)
	require.Equal(t, &driver.Response{ProviderID: providerID, NodeName: awsdriver.NodeName("m")}, made)
	f.request.Machine.Spec.ProviderID = providerID
	f.cloud.TakeRequests()
	return f
}

// hot is the hot part of a spec.
func hot(t *testing.T, s *awsdriver.ProviderSpec) machineupdate.Hot {
	t.Helper()
	schema, err := awsdriver.Schema()
	require.NoError(t, err)
	part, err := schema.HotDocument(s)
	require.NoError(t, err)
	return machineupdate.Hot(part)
}

// update asks for the change from the spec of the launch to another.
func (f *fixture) update(desired *awsdriver.ProviderSpec) *machineupdate.UpdateMachineRequest {
	f.t.Helper()
	request := &machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: providerID, Class: machineupdate.MachineClass{ProviderSpec: classOf(f.t, desired).ProviderSpec.Raw},
		Secret:      f.request.Secret.Data,
		BeforeWrite: func(context.Context) error { return nil },
	}
	for _, kind := range awsdriver.Updates().Kinds {
		request.Parts = append(request.Parts, machineupdate.Part{
			Kind: kind, Applied: hot(f.t, spec()), Attempted: []machineupdate.Hot{hot(f.t, desired)}, Desired: hot(f.t, desired),
		})
	}
	return request
}

// writes are the requests since last time that change something.
func (f *fixture) writes() []string {
	var all []string
	for _, r := range f.cloud.TakeRequests() {
		if !r.Action.Reads() {
			all = append(all, string(r.Action))
		}
	}
	return all
}

func (f *fixture) live(id string) map[string]string {
	live, _ := f.cloud.Tags(id)
	return live
}

// TestStructTags: tags are hot, everything else replaces the machine, an API version alone does nothing.
func TestStructTags(t *testing.T) {
	schema, err := awsdriver.Schema()
	require.NoError(t, err)
	for _, tc := range []struct {
		name   string
		change func(*awsdriver.ProviderSpec)
		want   hotupdate.Outcome
	}{
		{"nothing", func(*awsdriver.ProviderSpec) {}, hotupdate.NoUpdate},
		{"apiVersion", func(s *awsdriver.ProviderSpec) { s.APIVersion = "v2" }, hotupdate.NoUpdate},
		{"tags", func(s *awsdriver.ProviderSpec) { s.Tags["owner"] = "bob" }, hotupdate.HotUpdate},
		{"tags per kind", func(s *awsdriver.ProviderSpec) { s.ResourceTags = nil }, hotupdate.HotUpdate},
		{"image", func(s *awsdriver.ProviderSpec) { s.AMI = "ami-2" }, hotupdate.Roll},
		{"check", func(s *awsdriver.ProviderSpec) { s.SrcAndDstChecksEnabled = new(false) }, hotupdate.Roll},
		{"volume", func(s *awsdriver.ProviderSpec) { s.BlockDevices[0].VolumeSize = 1 }, hotupdate.Roll},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changed := spec()
			tc.change(changed)
			changes, err := schema.Diff(spec(), changed)
			require.NoError(t, err)
			assert.Equal(t, tc.want, changes.Outcome(hotupdate.AutoRollingUpdate))
		})
	}
}

func TestLaunchTagsEveryResource(t *testing.T) {
	f := launched(t)
	want := map[string]string{"Name": "m", "kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1", "owner": "secret-alice"}
	assert.Equal(t, want, f.live("i-1"))
	assert.Equal(t, want, f.live("eni-1"))
	want["backup"] = "daily"
	assert.Equal(t, want, f.live("vol-1"))

	again, err := f.driver.CreateMachine(t.Context(), f.request)
	require.NoError(t, err)
	assert.Equal(t, providerID, again.ProviderID, "a launch that is repeated finds the VM")
}

func TestStatus(t *testing.T) {
	f := start(t)
	_, err := f.driver.MachineStatus(t.Context(), f.request)
	assert.Equal(t, driver.NotFound, driver.CodeOf(err))
	require.ErrorIs(t, err, machineupdate.ErrNotFound)

	f.request.MachineClass = classOf(t, withoutChecks())
	_, err = f.driver.CreateMachine(t.Context(), f.request)
	require.NoError(t, err)
	_, err = f.driver.MachineStatus(t.Context(), f.request)
	assert.Equal(t, driver.Initialization, driver.CodeOf(err), "found by its tags, but not initialized")

	f.request.Machine.Spec.ProviderID = providerID
	_, err = f.driver.InitializeMachine(t.Context(), f.request)
	require.NoError(t, err)
	found, err := f.driver.MachineStatus(t.Context(), f.request)
	require.NoError(t, err)
	assert.Equal(t, providerID, found.ProviderID)

	f.request.Machine.Spec.ProviderID = ""
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request), "a VM whose ID is not known is found by its tags")
	assert.Empty(t, f.cloud.Resources())
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request), "no VM is no error")
	f.request.Machine.Spec.ProviderID = "aws:///eu-west-1/i-9"
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request))
	_, err = f.driver.CreateMachine(t.Context(), f.request)
	assert.Equal(t, driver.Internal, driver.CodeOf(err), "a machine gets one VM")
}

func withoutChecks() *awsdriver.ProviderSpec {
	s := spec()
	s.SrcAndDstChecksEnabled = new(false)
	return s
}

func TestInitializationThatIsNotNeededCallsNothing(t *testing.T) {
	f := launched(t)
	_, err := f.driver.InitializeMachine(t.Context(), f.request)
	require.NoError(t, err)
	assert.Empty(t, f.writes())
}

// TestErrorsHaveCodes: whatever goes wrong, a caller can tell it apart, and finds no value of the provider spec in the text.
func TestErrorsHaveCodes(t *testing.T) {
	desired := spec()
	desired.Tags["owner"] = "secret-bob"
	unreadable := &api.MachineClass{ProviderSpec: runtime.RawExtension{Raw: []byte(`{"ami":"secret-image","color":"secret-blue"}`)}}
	for _, tc := range []struct {
		name    string
		prepare func(*fixture, *machineupdate.UpdateMachineRequest)
		want    driver.Code // of UpdateMachine
	}{
		{"no provider ID", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.ProviderID = "" }, driver.InvalidArgument},
		{"provider ID of another driver", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.ProviderID = "gce:///i-1" }, driver.InvalidArgument},
		{"class cannot be read", func(_ *fixture, u *machineupdate.UpdateMachineRequest) {
			u.Class.ProviderSpec = unreadable.ProviderSpec.Raw
		}, driver.InvalidArgument},
		{"desired cannot be read", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.Parts[0].Desired = `{"tags":"secret-x"}` }, driver.InvalidArgument},
		{"applied cannot be read", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.Parts[0].Applied = `{"tags":"secret-x"}` }, driver.InvalidArgument},
		{"attempt cannot be read", func(_ *fixture, u *machineupdate.UpdateMachineRequest) {
			u.Parts[0].Attempted = []machineupdate.Hot{`{"tags":"secret-x"}`}
		}, driver.InvalidArgument},
		{"no such VM", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.ProviderID = "aws:///eu-west-1/i-9" }, driver.NotFound},
		{"unknown caller", func(_ *fixture, u *machineupdate.UpdateMachineRequest) { u.Secret = nil }, driver.Unauthenticated},
		{"instances are not told", inject(cloudapi.DescribeInstances, cloudapi.InternalError), driver.Internal},
		{"tags are not told", inject(cloudapi.DescribeTags, cloudapi.InternalError), driver.Internal},
		{"a call fails", inject(cloudapi.CreateTags, cloudapi.InternalError), driver.Internal},
		{"the VM goes meanwhile", inject(cloudapi.CreateTags, cloudapi.InvalidInstanceNotFound), driver.NotFound},
		{"the cloud refuses a tag", inject(cloudapi.CreateTags, cloudapi.TagLimitExceeded), driver.InvalidArgument},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := launched(t)
			request := f.update(desired)
			tc.prepare(f, request)
			err := f.driver.UpdateMachine(t.Context(), request)
			require.Error(t, err)
			assert.Equal(t, tc.want, driver.CodeOf(err), err)
			assert.Equal(t, tc.want == driver.NotFound, errors.Is(err, machineupdate.ErrNotFound))
			assert.NotContains(t, fmt.Sprintf("%v %+v", err, err), "secret")
		})
	}
	t.Run("other methods", func(t *testing.T) {
		f := launched(t)
		f.request.MachineClass = unreadable
		_, err := f.driver.CreateMachine(t.Context(), f.request)
		assert.Equal(t, driver.InvalidArgument, driver.CodeOf(err))
		_, err = f.driver.InitializeMachine(t.Context(), f.request)
		assert.Equal(t, driver.InvalidArgument, driver.CodeOf(err))
		_, err = f.driver.MachineStatus(t.Context(), f.request)
		assert.Equal(t, driver.InvalidArgument, driver.CodeOf(err))
		f.request.Machine.Spec.ProviderID = ""
		err = f.driver.DeleteMachine(t.Context(), f.request)
		assert.Equal(t, driver.InvalidArgument, driver.CodeOf(err))
		assert.NotContains(t, err.Error(), "secret")
	})
}

func inject(action cloudapi.Action, code cloudapi.Code) func(*fixture, *machineupdate.UpdateMachineRequest) {
	return func(f *fixture, _ *machineupdate.UpdateMachineRequest) {
		f.cloud.Inject(cloud.Fault{Action: action, Code: code})
	}
}

// TestPartialFailureNamesResources: VM and interface need one call, the volume another, which fails.
func TestPartialFailureNamesResources(t *testing.T) {
	f := launched(t)
	desired := spec()
	desired.Tags["owner"] = "bob"
	desired.ResourceTags.Disk["backup"] = "weekly"
	f.cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Resource: "vol-1", Code: cloudapi.InternalError})
	err := f.driver.UpdateMachine(t.Context(), f.update(desired))
	problem, ok := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, ok)
	assert.Equal(t, []machineupdate.Resource{{Kind: "vm", ID: "i-1"}, {Kind: "network", ID: "eni-1"}}, problem.Done)
	assert.Equal(t, []machineupdate.Resource{{Kind: "disk", ID: "vol-1"}}, problem.NotDone)
	assert.Equal(t, "bob", f.live("i-1")["owner"])
	assert.Equal(t, "secret-alice", f.live("vol-1")["owner"])

	require.NoError(t, f.driver.UpdateMachine(t.Context(), f.update(desired)))
	assert.Equal(t, "weekly", f.live("vol-1")["backup"])
}

// TestPlanComesBeforeCalls: one key too many on the volume, and neither VM nor interface is touched.
func TestPlanComesBeforeCalls(t *testing.T) {
	f := launched(t)
	desired := spec()
	desired.Tags["owner"] = "bob"
	for i := range 50 {
		desired.ResourceTags.Disk[fmt.Sprintf("k%d", i)] = "v"
	}
	err := f.driver.UpdateMachine(t.Context(), f.update(desired))
	problem, ok := errors.AsType[*fault.Error](err)
	require.True(t, ok)
	assert.Equal(t, "over-limit", problem.Code)
	assert.Equal(t, "disk vol-1", problem.Path)
	assert.Empty(t, f.writes())
}

// TestReservedKeysAreRefused: a second cluster key could get the VM deleted.
func TestReservedKeysAreRefused(t *testing.T) {
	f := launched(t)
	desired := spec()
	desired.ResourceTags.VM = map[string]string{"kubernetes.io/cluster/other": "1"}
	err := f.driver.UpdateMachine(t.Context(), f.update(desired))
	assert.Equal(t, driver.InvalidArgument, driver.CodeOf(err))
	assert.Empty(t, f.writes())
}

// TestNothingIsWrittenWithoutLeave: the marker may not have been written.
func TestNothingIsWrittenWithoutLeave(t *testing.T) {
	f := launched(t)
	desired := spec()
	desired.Tags["owner"] = "bob"
	request := f.update(desired)
	request.BeforeWrite = func(context.Context) error { return assert.AnError }
	assert.ErrorIs(t, f.driver.UpdateMachine(t.Context(), request), assert.AnError)
	assert.Empty(t, f.writes())
}

// TestKindsHaveTheirOwnParts: what was applied to volumes alone is removed from volumes alone.
func TestKindsHaveTheirOwnParts(t *testing.T) {
	f := launched(t)
	ownerless := spec()
	delete(ownerless.Tags, "owner")
	request := f.update(ownerless)
	for i := range request.Parts {
		if request.Parts[i].Kind != "disk" {
			request.Parts[i].Applied, request.Parts[i].Attempted = request.Parts[i].Desired, nil
		}
	}
	require.NoError(t, f.driver.UpdateMachine(t.Context(), request))
	assert.NotContains(t, f.live("vol-1"), "owner")
	assert.Contains(t, f.live("i-1"), "owner")
}

// TestNothingToDo: a machine that is as it should be costs two reads.
func TestNothingToDo(t *testing.T) {
	f := launched(t)
	require.NoError(t, f.driver.UpdateMachine(t.Context(), f.update(spec())))
	var calls []cloudapi.Action
	for _, r := range f.cloud.TakeRequests() {
		calls = append(calls, r.Action)
	}
	assert.Equal(t, []cloudapi.Action{cloudapi.DescribeInstances, cloudapi.DescribeTags}, calls)
}
