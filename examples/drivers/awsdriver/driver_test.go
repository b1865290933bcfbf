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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// fixture is a driver on Amazon's SDK, and a cloud behind HTTP.
type fixture struct {
	t       *testing.T
	cloud   *ec2test.Cloud
	config  awsdriver.Config
	driver  *awsdriver.Driver
	machine string
	vm      string // the provider ID
	spec    *awsdriver.ProviderSpec
	calls   []string // the actions that wrote
	asked   []string // all requested actions
	updates machineupdate.Driver
}

func newFixture(t *testing.T, config ec2test.Config, spec *awsdriver.ProviderSpec) *fixture {
	t.Helper()
	f := &fixture{t: t, spec: spec, machine: "m"}
	config.AccessKeys = []string{"key"}
	config.Observe = func(r ec2test.Request) {
		f.asked = append(f.asked, r.Action)
		if !ec2test.Reads(r.Action) && r.Outcome == "ok" {
			f.calls = append(f.calls, r.Action)
		}
	}
	f.cloud = ec2test.New(config)
	server := httptest.NewServer(f.cloud)
	t.Cleanup(server.Close)
	f.config = awsdriver.Config{
		Endpoint: server.URL, HTTP: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}}, Wait: briefly,
	}
	var err error
	f.driver, err = awsdriver.New(f.config)
	require.NoError(t, err)
	f.updates = f.driver.Driver()
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

func (*fixture) secret() map[string][]byte {
	return map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")}
}

func (f *fixture) client() *ec2.Client {
	return f.config.Client(f.spec.Region, f.secret(), aws.NopRetryer{})
}

// launch launches the VM of the machine.
func (f *fixture) launch() {
	f.t.Helper()
	rules, err := awsdriver.Rules()
	require.NoError(f.t, err)
	launch := f.spec.Launch(&rules, f.machine, "token-"+f.machine, ec2test.RootDeviceName)
	made, err := f.client().RunInstances(f.t.Context(), launch)
	require.NoError(f.t, err)
	require.Len(f.t, made.Instances, 1)
	f.vm = awsdriver.ProviderIDScheme + f.spec.Region + "/" + aws.ToString(made.Instances[0].InstanceId)
}

// update calls UpdateMachine with flat tags that differ from the tags of the launch. The
// last-applied tag is owner=alice.
func (f *fixture) update(desired string) error {
	const applied = `{"tags":{"owner":"alice"}}`
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	request := &machineupdate.UpdateMachineRequest{
		Machine: f.machine, ProviderID: f.vm,
		Class:  machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: raw},
		Secret: f.secret(), BeforeWrite: func(context.Context) error { return nil },
	}
	for _, kind := range f.updates.Kinds {
		request.Parts = append(request.Parts, machineupdate.Part{Kind: kind, Applied: applied, Desired: machineupdate.HotSpec(desired)})
	}
	return f.driver.UpdateMachine(f.t.Context(), request)
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

// TestPoolLabelName: MCM finds VMs by the tag Name, which the driver sets to the machine's name. A
// pool label Name in the flat map changes this tag neither at the launch nor later.
func TestPoolLabelName(t *testing.T) {
	label := func(spec *awsdriver.ProviderSpec) { spec.Tags["Name"] = "label" }
	for name, launched := range map[string]*awsdriver.ProviderSpec{"added": specWith(nil), "removed": specWith(label)} {
		f := newFixture(t, ec2test.Config{}, launched)
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

// TestLaunch: each kind of resource gets its tags, the root volume has the image's device name, and
// a repeated launch finds the VM.
func TestLaunch(t *testing.T) {
	f := newFixture(t, ec2test.Config{}, specWith(nil))
	f.launch()
	assert.Equal(t, "aws:///eu-west-1/i-1", f.vm)
	flat := map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/node": "1", "owner": "alice", "Name": "m"}
	devices := map[string]string{}
	for _, r := range f.cloud.Resources() {
		want := maps.Clone(flat)
		if r.Kind == ec2test.Instance {
			want["pool"] = "z1"
		}
		assert.Equal(t, want, r.Tags, r.ID)
		devices[r.ID] = r.Device
	}
	assert.Equal(t, map[string]string{"i-1": "", "eni-1": "", "vol-1": ec2test.RootDeviceName, "vol-2": "/dev/sdf"}, devices)
	f.launch()
	assert.Equal(t, "aws:///eu-west-1/i-1", f.vm)
	assert.Len(t, f.cloud.Resources(), 4)
}

// TestOwnResources: only the resources of the launch are updated, and no other attached resource.
func TestOwnResources(t *testing.T) {
	for _, test := range []struct {
		name   string
		spec   func(*awsdriver.ProviderSpec)
		attach ec2test.Resource
		own    []string
	}{
		{
			"a volume at another name", nil,
			ec2test.Resource{Kind: ec2test.Volume, Device: "/dev/xvdba"},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"a volume in the place of a detached one", func(s *awsdriver.ProviderSpec) { s.BlockDevices[1].DeviceName = "/dev/sdg" },
			ec2test.Resource{Kind: ec2test.Volume, Device: "/dev/sdg"},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"a volume that stays when the VM goes",
			func(s *awsdriver.ProviderSpec) { s.BlockDevices[1].Ebs.DeleteOnTermination = new(false) },
			ec2test.Resource{Kind: ec2test.Volume, Device: "/dev/xvdba"},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"a single volume is the root device, whatever its name",
			func(s *awsdriver.ProviderSpec) { s.BlockDevices = s.BlockDevices[1:] },
			ec2test.Resource{Kind: ec2test.Volume, Device: "/dev/sdf", DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1"},
		},
		{
			"an interface at the next index", nil,
			ec2test.Resource{Kind: ec2test.NetworkInterface, DeviceIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"an interface at the same index of another card", nil,
			ec2test.Resource{Kind: ec2test.NetworkInterface, NetworkCardIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "i-1", "vol-1", "vol-2"},
		},
		{
			"interfaces on several cards", func(s *awsdriver.ProviderSpec) {
				s.NetworkInterfaces = []awsdriver.NetworkInterface{{}, {DeviceIndex: new(int32(1)), NetworkCardIndex: new(int32(1))}}
			},
			ec2test.Resource{Kind: ec2test.NetworkInterface, DeviceIndex: 1, DeleteOnTermination: true},
			[]string{"eni-1", "eni-2", "i-1", "vol-1", "vol-2"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, ec2test.Config{PageSize: 1}, specWith(test.spec))
			f.launch()
			test.attach.Instance = "i-1"
			test.attach.Tags = map[string]string{"owner": "alice"}
			foreign := f.cloud.Attach(test.attach)
			require.NoError(t, f.update(`{"tags":{"team":"red"}}`))
			assert.Equal(t, test.own, f.having("team"))
			assert.Equal(t, []string{foreign}, f.having("owner"))
			require.NoError(t, f.update(`{"tags":{"team":"red"}}`))
			assert.Equal(
				t, []string{"RunInstances", "CreateTags", "DeleteTags"}, slices.Compact(f.calls), "the second update finds nothing to do",
			)
		})
	}
}

// TestGone: an update of a deleted VM reports that it does not exist, and a machine of another
// cloud is refused.
func TestGone(t *testing.T) {
	f := newFixture(t, ec2test.Config{}, specWith(nil))
	f.launch()
	_, err := f.client().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{"i-1"}})
	require.NoError(t, err)
	kind, _ := machineupdate.DriverErrorOf(f.update(`{}`))
	assert.Equal(t, machineupdate.ErrNotFound, kind)
	f.vm = "azure:///x"
	require.Error(t, f.update(`{}`))
}

// inVolumeLane calls UpdateMachine for the performance of the data volume.
func (f *fixture) inVolumeLane(performance string) error {
	const device = `{"blockDevices":[{"deviceName":"/dev/sdf","ebs":%s}]}`
	return f.driver.UpdateMachine(f.t.Context(), f.inLane("volume", "disk", fmt.Sprintf(device, performance)))
}

// inLane returns a request for a lane, without a last-applied part.
func (f *fixture) inLane(lane, kind, desired string) *machineupdate.UpdateMachineRequest {
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	return &machineupdate.UpdateMachineRequest{
		Machine: f.machine, ProviderID: f.vm,
		Class: machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: raw}, Lane: lane,
		Secret: f.secret(), BeforeWrite: func(context.Context) error { return nil },
		Parts: []machineupdate.Part{{Kind: kind, Applied: "{}", Desired: machineupdate.HotSpec(desired)}},
	}
}

// TestVolume: EC2 accepts a modification, and completes it later. A failed modification is
// repeated. If EC2 refuses a modification as too early, the driver returns the time.
func TestVolume(t *testing.T) {
	f := newFixture(t, ec2test.Config{ModifyTime: 200 * time.Millisecond, Cooldown: time.Second}, specWith(nil))
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
	f.cloud.Inject(ec2test.Fault{Action: "ModifyVolume", Effect: ec2test.FailsLater})
	require.ErrorIs(t, f.inVolumeLane(`{"iops":4000,"throughput":200}`), machineupdate.ErrPending)
	time.Sleep(time.Second)
	require.Error(t, f.inVolumeLane(`{"iops":4000,"throughput":200}`), "failed, and is made again")
	require.Eventually(
		t, func() bool { return f.inVolumeLane(`{"iops":4000,"throughput":200}`) == nil }, 10*time.Second, 10*time.Millisecond,
	)
	assert.Equal(t, [2]int{4000, 200}, performance())

	calls := len(f.calls)
	require.Error(t, f.inVolumeLane(`{"iops":100}`), "less than the cloud has")
	assert.Len(t, f.calls, calls)
	r, _ := f.cloud.Resource("vol-1")
	assert.Equal(t, 3000, r.Iops, "the root volume is left alone")
}

// TestAttributes: attributes of interfaces are updated together with the tags. Attributes of the VM
// are updated while the node is drained; until then they are only read.
func TestAttributes(t *testing.T) {
	f := newFixture(t, ec2test.Config{}, specWith(nil))
	f.launch()
	require.NoError(t, f.update(`{"tags":{"owner":"alice"},"srcAndDstChecksEnabled":false}`))
	card, _ := f.cloud.Resource("eni-1")
	assert.False(t, card.SourceDestCheck)
	require.NoError(t, f.update(`{"tags":{"owner":"alice"}}`))
	tokens := func() string { r, _ := f.cloud.Resource("i-1"); return r.HTTPTokens }
	const desired = `{"instanceMetadataOptions":{"httpTokens":"required"}}`
	request := f.inLane("metadata", "vm", desired)
	request.ReadOnly = true
	require.ErrorIs(t, f.driver.UpdateMachine(t.Context(), request), machineupdate.ErrDiffers)
	assert.Equal(t, "optional", tokens())
	require.NoError(t, f.driver.UpdateMachine(t.Context(), f.inLane("metadata", "vm", desired)))
	assert.Equal(t, "required", tokens())
	assert.Equal(
		t, []string{"RunInstances", "ModifyNetworkInterfaceAttribute", "ModifyInstanceMetadataOptions"}, slices.Compact(f.calls),
		"a default that nobody of ours set is not restored",
	)
}
