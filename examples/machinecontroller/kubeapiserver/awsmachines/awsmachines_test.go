package awsmachines_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/kubeapiserver/awsmachines"
)

// fixture is a driver on Amazon's SDK, and a cloud behind HTTP.
type fixture struct {
	t       *testing.T
	cloud   *ec2test.Cloud
	driver  *awsmachines.Driver
	machine *v1alpha1.Machine
	spec    *awsdriver.ProviderSpec
}

func newFixture(t *testing.T, config ec2test.Config, change func(*awsdriver.ProviderSpec)) *fixture {
	t.Helper()
	f := &fixture{t: t, machine: &v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "u"}}}
	f.spec = &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:      []awsdriver.BlockDevice{{DeviceName: "/root"}, {DeviceName: "/dev/sdf"}},
		NetworkInterfaces: []awsdriver.NetworkInterface{{SubnetID: "subnet-1"}},
		Tags:              map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/node": "1", "owner": "alice"},
	}
	change(f.spec)
	config.AccessKeys = []string{"key"}
	f.cloud = ec2test.New(config)
	server := httptest.NewServer(f.cloud)
	t.Cleanup(server.Close)
	updates := awsdriver.Config{
		Endpoint: server.URL, HTTP: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}},
	}
	var err error
	f.driver, err = awsmachines.New(awsmachines.Config{
		Config: updates, MaxBackoff: 20 * time.Millisecond, Poll: 10 * time.Millisecond,
	})
	require.NoError(t, err)
	return f
}

func unchanged(*awsdriver.ProviderSpec) {}

func (f *fixture) class() *v1alpha1.MachineClass {
	raw, err := json.Marshal(f.spec)
	require.NoError(f.t, err)
	return &v1alpha1.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, ProviderSpec: runtime.RawExtension{Raw: raw}}
}

func secret() *corev1.Secret {
	return &corev1.Secret{Data: map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")}}
}

func (f *fixture) create() (*driver.CreateMachineResponse, error) {
	return f.driver.CreateMachine(
		f.t.Context(), &driver.CreateMachineRequest{Machine: f.machine, MachineClass: f.class(), Secret: secret()},
	)
}

func (f *fixture) initialize() error {
	_, err := f.driver.InitializeMachine(
		f.t.Context(), &driver.InitializeMachineRequest{Machine: f.machine, MachineClass: f.class(), Secret: secret()},
	)
	return err
}

func (f *fixture) status() (*driver.GetMachineStatusResponse, error) {
	return f.driver.GetMachineStatus(
		f.t.Context(), &driver.GetMachineStatusRequest{Machine: f.machine, MachineClass: f.class(), Secret: secret()},
	)
}

func (f *fixture) remove() error {
	_, err := f.driver.DeleteMachine(
		f.t.Context(), &driver.DeleteMachineRequest{Machine: f.machine, MachineClass: f.class(), Secret: secret()},
	)
	return err
}

// codeOf returns the code that MCM reads of an error.
func codeOf(err error) codes.Code {
	found, _ := status.FromError(err)
	return found.Code()
}

// launch creates the machine.
func (f *fixture) launch() {
	f.t.Helper()
	made, err := f.create()
	require.NoError(f.t, err)
	f.machine.Spec.ProviderID = made.ProviderID
}

// TestCreate: a creation waits until the cloud shows the VM. Its repetition and a read without the provider ID find it.
func TestCreate(t *testing.T) {
	f := newFixture(t, ec2test.Config{ReadLag: 50 * time.Millisecond}, unchanged)
	for range 2 {
		f.machine.Spec.ProviderID = ""
		f.launch()
		assert.Equal(t, "aws:///eu-west-1/i-1", f.machine.Spec.ProviderID)
	}
	f.machine.Spec.ProviderID = ""
	found, err := f.status()
	require.NoError(t, err)
	assert.Equal(t, &driver.GetMachineStatusResponse{ProviderID: "aws:///eu-west-1/i-1", NodeName: "ip-1.ec2.internal"}, found)
	assert.Len(t, f.cloud.Resources(), 4)
}

// TestInitialize: the check of source and destination is off, and each interface gets its IPv6 prefixes once, although reads lag.
func TestInitialize(t *testing.T) {
	f := newFixture(t, ec2test.Config{ReadLag: 100 * time.Millisecond}, func(s *awsdriver.ProviderSpec) {
		s.SrcAndDstChecksEnabled = new(false)
		s.NetworkInterfaces = []awsdriver.NetworkInterface{{Ipv6PrefixCount: new(int32(2))}, {}}
	})
	f.launch()
	found, err := f.status()
	assert.Equal(t, codes.Uninitialized, codeOf(err))
	assert.Equal(t, f.machine.Spec.ProviderID, found.ProviderID)
	f.cloud.Inject(ec2test.Fault{Action: "AssignIpv6Addresses", Effect: ec2test.Refused, Code: "InsufficientFreeAddressesInSubnet"})
	assert.Equal(t, codes.Uninitialized, codeOf(f.initialize()))
	time.Sleep(200 * time.Millisecond)
	require.NoError(t, f.initialize())
	require.NoError(t, f.initialize())
	_, err = f.status()
	require.NoError(t, err)
	first, _ := f.cloud.Resource("eni-1")
	second, _ := f.cloud.Resource("eni-2")
	assert.Len(t, first.Ipv6Prefixes, 2)
	assert.Empty(t, second.Ipv6Prefixes)
	assert.False(t, first.SourceDestCheck || second.SourceDestCheck)
}

// TestGone: the status of a deleted VM is NotFound, and its deletion is no error.
func TestGone(t *testing.T) {
	f := newFixture(t, ec2test.Config{}, unchanged)
	f.launch()
	require.NoError(t, f.remove())
	require.NoError(t, f.remove())
	_, err := f.status()
	assert.Equal(t, codes.NotFound, codeOf(err))
	assert.Empty(t, f.cloud.Resources())
	f.machine.Spec.ProviderID = ""
	require.NoError(t, f.remove())
}

// TestCodes: errors of the cloud have codes of machine-controller-manager.
func TestCodes(t *testing.T) {
	f := newFixture(t, ec2test.Config{}, unchanged)
	for code, want := range map[string]codes.Code{
		"AuthFailure": codes.Unauthenticated, "InvalidParameterValue": codes.InvalidArgument, "TagLimitExceeded": codes.InvalidArgument,
		"UnauthorizedOperation": codes.Internal,
	} {
		f.cloud.Inject(ec2test.Fault{Action: "RunInstances", Effect: ec2test.Refused, Code: code})
		_, err := f.create()
		assert.Equal(t, want, codeOf(err), code)
	}
}
