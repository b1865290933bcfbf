package awsdriver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// fixture is a driver on Amazon's SDK, and a cloud behind HTTP.
type fixture struct {
	t       *testing.T
	cloud   *cloud.Cloud
	driver  *awsdriver.Driver
	machine *api.Machine
	spec    *awsdriver.ProviderSpec
	calls   []string // the actions that wrote
	asked   []string // all actions
	updates machineupdate.Driver
}

func newFixture(t *testing.T, config cloud.Config, spec *awsdriver.ProviderSpec) *fixture {
	t.Helper()
	f := &fixture{t: t, spec: spec, machine: &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "u"}}}
	config.AccessKeys = []string{"key"}
	config.Observe = func(r cloud.Request) {
		f.asked = append(f.asked, r.Action)
		if !cloud.Reads(r.Action) && r.Outcome == "ok" {
			f.calls = append(f.calls, r.Action)
		}
	}
	f.cloud = cloud.New(config)
	server := httptest.NewServer(f.cloud)
	t.Cleanup(server.Close)
	var err error
	f.driver, err = awsdriver.New(awsdriver.Config{
		Endpoint: server.URL, HTTP: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}}, MaxBackoff: 20 * time.Millisecond, Poll: 10 * time.Millisecond, Wait: briefly,
	})
	require.NoError(t, err)
	f.updates = f.driver.Kit.Driver()
	return f
}

// briefly waits for 20 ms at the longest: the fake cloud names no delays.
func briefly(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(min(d, 20*time.Millisecond)):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// specWith returns a changed spec with a root volume, a data volume and an interface.
func specWith(change func(*awsdriver.ProviderSpec)) *awsdriver.ProviderSpec {
	spec := &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:      []awsdriver.BlockDevice{{DeviceName: "/root"}, {DeviceName: "/dev/sdf"}},
		NetworkInterfaces: []awsdriver.NetworkInterface{{SubnetID: "subnet-1"}},
		Tags:              map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/node": "1", "owner": "alice"},
		ResourceTags:      &tags.Tags{VM: map[string]string{"pool": "z1"}},
	}
	if change != nil {
		change(spec)
	}
	return spec
}

func (f *fixture) request() *driver.Request {
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	class := &api.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}}
	class.ProviderSpec.Raw = raw
	return &driver.Request{Machine: f.machine, MachineClass: class, Secret: &corev1.Secret{Data: f.secret()}}
}

func (*fixture) secret() map[string][]byte {
	return map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")}
}

// launch creates the machine.
func (f *fixture) launch() {
	f.t.Helper()
	made, err := f.driver.CreateMachine(f.t.Context(), f.request())
	require.NoError(f.t, err)
	f.machine.Spec.ProviderID = made.ProviderID
}

// update calls UpdateMachine with other flat tags than those of the launch. The last-applied tag is owner=alice.
func (f *fixture) update(desired string) error {
	const applied = `{"tags":{"owner":"alice"}}`
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	request := &machineupdate.UpdateMachineRequest{
		Machine: f.machine.Name, ProviderID: f.machine.Spec.ProviderID, Class: machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: raw},
		Secret: f.secret(), BeforeWrite: func(context.Context) error { return nil },
	}
	for _, kind := range f.updates.Kinds {
		request.Parts = append(request.Parts, machineupdate.Part{Kind: kind, Applied: applied, Desired: machineupdate.HotSpec(desired)})
	}
	return f.driver.Kit.UpdateMachine(f.t.Context(), request)
}

// having returns the IDs of resources with a key, sorted.
func (f *fixture) having(key string) []string {
	var ids []string
	for _, r := range f.cloud.Resources() {
		if _, ok := r.Tags[key]; ok {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// TestPoolLabelName: MCM finds VMs by the tag Name, which the driver sets to the machine's name. A pool label of this name, in the flat map,
// changes it neither at the launch nor later.
func TestPoolLabelName(t *testing.T) {
	label := func(spec *awsdriver.ProviderSpec) { spec.Tags["Name"] = "label" }
	for name, launched := range map[string]*awsdriver.ProviderSpec{"added": specWith(nil), "removed": specWith(label)} {
		f := newFixture(t, cloud.Config{}, launched)
		f.launch()
		f.spec = specWith(nil)
		if name == "added" {
			f.spec = specWith(label)
		}
		require.NoError(t, f.update(`{"tags":{"owner":"bob"}}`), name)
		for _, r := range f.cloud.Resources() {
			assert.Equal(t, "m", r.Tags["Name"], "%s: %s", name, r.ID)
			assert.Equal(t, "bob", r.Tags["owner"], "%s: %s", name, r.ID)
		}
	}
}

// TestLaunch: each kind of resource gets its tags, the root volume has the image's device name, and a repetition finds the VM.
func TestLaunch(t *testing.T) {
	f := newFixture(t, cloud.Config{ReadLag: 50 * time.Millisecond}, specWith(nil))
	f.launch()
	assert.Equal(t, "aws:///eu-west-1/i-1", f.machine.Spec.ProviderID)
	flat := map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/node": "1", "owner": "alice", "Name": "m"}
	devices := map[string]string{}
	for _, r := range f.cloud.Resources() {
		want := maps.Clone(flat)
		if r.Kind == cloud.Instance {
			want["pool"] = "z1"
		}
		assert.Equal(t, want, r.Tags, r.ID)
		devices[r.ID] = r.Device
	}
	assert.Equal(t, map[string]string{"i-1": "", "eni-1": "", "vol-1": cloud.RootDeviceName, "vol-2": "/dev/sdf"}, devices)

	f.machine.Spec.ProviderID = ""
	f.launch()
	assert.Equal(t, "aws:///eu-west-1/i-1", f.machine.Spec.ProviderID)
	f.machine.Spec.ProviderID = ""
	found, err := f.driver.GetMachineStatus(t.Context(), f.request())
	require.NoError(t, err)
	assert.Equal(t, &driver.Response{ProviderID: "aws:///eu-west-1/i-1", NodeName: "ip-1.ec2.internal"}, found)
	assert.Len(t, f.cloud.Resources(), 4)
}

// TestOwnResources: only the resources of the launch are updated, and no other attached resource.
func TestOwnResources(t *testing.T) {
	for _, test := range []struct {
		name   string
		spec   func(*awsdriver.ProviderSpec)
		attach cloud.Resource
		own    []string
	}{
		{"a volume at another name", nil, cloud.Resource{Kind: cloud.Volume, Device: "/dev/xvdba"}, []string{"eni-1", "i-1", "vol-1", "vol-2"}},
		{
			"a volume in the place of a detached one", func(s *awsdriver.ProviderSpec) { s.BlockDevices[1].DeviceName = "/dev/sdg" },
			cloud.Resource{Kind: cloud.Volume, Device: "/dev/sdg"},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"a volume that stays when the VM goes", func(s *awsdriver.ProviderSpec) { s.BlockDevices[1].Ebs.DeleteOnTermination = new(false) },
			cloud.Resource{Kind: cloud.Volume, Device: "/dev/xvdba"},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"a single volume is the root device, whatever its name", func(s *awsdriver.ProviderSpec) { s.BlockDevices = s.BlockDevices[1:] },
			cloud.Resource{Kind: cloud.Volume, Device: "/dev/sdf", DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1"},
		},
		{
			"an interface at the next index", nil,
			cloud.Resource{Kind: cloud.NetworkInterface, DeviceIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"an interface at the same index of another card", nil,
			cloud.Resource{Kind: cloud.NetworkInterface, NetworkCardIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"interfaces on several cards", func(s *awsdriver.ProviderSpec) {
				s.NetworkInterfaces = []awsdriver.NetworkInterface{{}, {DeviceIndex: new(int32(1)), NetworkCardIndex: new(int32(1))}}
			},
			cloud.Resource{Kind: cloud.NetworkInterface, DeviceIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "eni-2", "i-1", "vol-1", "vol-2"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, cloud.Config{PageSize: 1}, specWith(test.spec))
			f.launch()
			test.attach.Instance = "i-1"
			test.attach.Tags = map[string]string{"owner": "alice"}
			foreign := f.cloud.Attach(test.attach)
			require.NoError(t, f.update(`{"tags":{"team":"red"}}`))
			assert.Equal(t, test.own, f.having("team"))
			assert.Equal(t, []string{foreign}, f.having("owner"))
			require.NoError(t, f.update(`{"tags":{"team":"red"}}`))
			assert.Equal(t, []string{"RunInstances", "CreateTags", "DeleteTags"}, slices.Compact(f.calls), "the second update finds nothing to do")
		})
	}
}

// TestInitialize: the check of source and destination is off, and each interface gets its IPv6 prefixes once, although reads lag.
func TestInitialize(t *testing.T) {
	f := newFixture(t, cloud.Config{ReadLag: 100 * time.Millisecond}, specWith(func(s *awsdriver.ProviderSpec) {
		s.SrcAndDstChecksEnabled = new(false)
		s.NetworkInterfaces = []awsdriver.NetworkInterface{{Ipv6PrefixCount: new(int32(2))}, {}}
	}))
	f.launch()
	found, err := f.driver.GetMachineStatus(t.Context(), f.request())
	assert.Equal(t, driver.Uninitialized, driver.CodeOf(err))
	assert.Equal(t, f.machine.Spec.ProviderID, found.ProviderID)
	f.cloud.Inject(cloud.Fault{Action: "AssignIpv6Addresses", Effect: cloud.Refused, Code: "InsufficientFreeAddressesInSubnet"})
	_, err = f.driver.InitializeMachine(t.Context(), f.request())
	assert.Equal(t, driver.Uninitialized, driver.CodeOf(err))
	time.Sleep(200 * time.Millisecond)
	_, err = f.driver.InitializeMachine(t.Context(), f.request())
	require.NoError(t, err)
	_, err = f.driver.InitializeMachine(t.Context(), f.request())
	require.NoError(t, err)
	_, err = f.driver.GetMachineStatus(t.Context(), f.request())
	require.NoError(t, err)
	first, _ := f.cloud.Resource("eni-1")
	second, _ := f.cloud.Resource("eni-2")
	assert.Len(t, first.Ipv6Prefixes, 2)
	assert.Empty(t, second.Ipv6Prefixes)
	assert.False(t, first.SourceDestCheck || second.SourceDestCheck)
}

// TestGone: the status of a deleted VM is NotFound, and its deletion is no error.
func TestGone(t *testing.T) {
	f := newFixture(t, cloud.Config{}, specWith(nil))
	f.launch()
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request()))
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request()))
	kind, _ := machineupdate.DriverErrorOf(f.update(`{}`))
	assert.Equal(t, machineupdate.ErrNotFound, kind)
	_, err := f.driver.GetMachineStatus(t.Context(), f.request())
	assert.Equal(t, driver.NotFound, driver.CodeOf(err))
	assert.Empty(t, f.cloud.Resources())
	f.machine.Spec.ProviderID = ""
	require.NoError(t, f.driver.DeleteMachine(t.Context(), f.request()))
}

// TestCodes: errors of the cloud have codes of machine-controller-manager.
func TestCodes(t *testing.T) {
	f := newFixture(t, cloud.Config{}, specWith(nil))
	for code, want := range map[string]driver.Code{
		"AuthFailure": driver.Unauthenticated, "InvalidParameterValue": driver.InvalidArgument, "TagLimitExceeded": driver.InvalidArgument,
		"UnauthorizedOperation": driver.Internal,
	} {
		f.cloud.Inject(cloud.Fault{Action: "RunInstances", Effect: cloud.Refused, Code: code})
		_, err := f.driver.CreateMachine(t.Context(), f.request())
		assert.Equal(t, want, driver.CodeOf(err), code)
	}
	f.machine.Spec.ProviderID = "azure:///x"
	require.Error(t, f.update(`{}`))
}

// inVolumeLane calls UpdateMachine for the performance of the data volume.
func (f *fixture) inVolumeLane(performance string) error {
	const device = `{"blockDevices":[{"deviceName":"/dev/sdf","ebs":%s}]}`
	return f.driver.Kit.UpdateMachine(f.t.Context(), f.inLane("volume", "disk", fmt.Sprintf(device, performance)))
}

// inLane returns a request for a lane without a last-applied part.
func (f *fixture) inLane(lane, kind, desired string) *machineupdate.UpdateMachineRequest {
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	return &machineupdate.UpdateMachineRequest{
		Machine: f.machine.Name, ProviderID: f.machine.Spec.ProviderID, Class: machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: raw}, Lane: lane,
		Secret: f.secret(), BeforeWrite: func(context.Context) error { return nil },
		Parts: []machineupdate.Part{{Kind: kind, Applied: "{}", Desired: machineupdate.HotSpec(desired)}},
	}
}

// TestVolume: a modification is accepted, and done later. A failed one is repeated. If it is too early, the driver returns the time.
func TestVolume(t *testing.T) {
	f := newFixture(t, cloud.Config{ModifyTime: 200 * time.Millisecond, Cooldown: time.Second}, specWith(nil))
	f.launch()
	performance := func() [2]int { r, _ := f.cloud.Resource("vol-2"); return [2]int{r.Iops, r.Throughput} }
	require.NoError(t, f.inVolumeLane(`{"iops":3000}`), "as it is")
	assert.Equal(t, []string{"RunInstances"}, f.calls)

	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000}`), machineupdate.ErrPending)
	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000}`), machineupdate.ErrPending, "on its way")
	assert.Equal(t, []string{"RunInstances", "ModifyVolume"}, f.calls)
	require.Eventually(t, func() bool { return f.inVolumeLane(`{"iops":4000}`) == nil }, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, [2]int{4000, 125}, performance())

	err := f.inVolumeLane(`{"iops":4000,"throughput":200}`)
	kind, after := machineupdate.DriverErrorOf(err)
	assert.Equal(t, 6*time.Hour, after, "%v %v", kind, err)
	time.Sleep(time.Second)
	f.cloud.Inject(cloud.Fault{Action: "ModifyVolume", Effect: cloud.FailsLater})
	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000,"throughput":200}`), machineupdate.ErrPending)
	time.Sleep(time.Second)
	require.Error(t, f.inVolumeLane(`{"iops":4000,"throughput":200}`), "failed, and is made again")
	require.Eventually(t, func() bool { return f.inVolumeLane(`{"iops":4000,"throughput":200}`) == nil }, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, [2]int{4000, 200}, performance())

	calls := len(f.calls)
	require.Error(t, f.inVolumeLane(`{"iops":100}`), "less than the cloud has")
	assert.Len(t, f.calls, calls)
	r, _ := f.cloud.Resource("vol-1")
	assert.Equal(t, 3000, r.Iops, "the root volume is left alone")
}

// TestAttributes: attributes of interfaces are updated with the tags. Those of the VM are updated while the node is drained; until then they are only
// read.
func TestAttributes(t *testing.T) {
	f := newFixture(t, cloud.Config{}, specWith(nil))
	f.launch()
	require.NoError(t, f.update(`{"tags":{"owner":"alice"},"srcAndDstChecksEnabled":false}`))
	card, _ := f.cloud.Resource("eni-1")
	assert.False(t, card.SourceDestCheck)
	require.NoError(t, f.update(`{"tags":{"owner":"alice"}}`))
	tokens := func() string { r, _ := f.cloud.Resource("i-1"); return r.HTTPTokens }
	const desired = `{"instanceMetadataOptions":{"httpTokens":"required"}}`
	request := f.inLane("metadata", "vm", desired)
	request.ReadOnly = true
	require.ErrorIs(t, f.driver.Kit.UpdateMachine(t.Context(), request), machineupdate.ErrDiffers)
	assert.Equal(t, "optional", tokens())
	require.NoError(t, f.driver.Kit.UpdateMachine(t.Context(), f.inLane("metadata", "vm", desired)))
	assert.Equal(t, "required", tokens())
	assert.Equal(t, []string{"RunInstances", "ModifyNetworkInterfaceAttribute", "ModifyInstanceMetadataOptions"}, slices.Compact(f.calls), "a default that nobody of ours set is not restored")
}
