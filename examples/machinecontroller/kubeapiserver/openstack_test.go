package kubeapiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	mcmdriver "github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"github.com/gophercloud/gophercloud/v2"
	sdk "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeclient "k8s.io/client-go/kubernetes"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver/openstacktest"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
	"github.com/hotupdate/providerconfig/tags"
)

// openStackDriver is a driver of MCM for OpenStack. Servers are created as by the released driver: with the flat
// metadata, and with a root volume that Nova creates, which has none. It has no InitializeMachine.
type openStackDriver struct {
	*openstackdriver.Driver
	creations

	compute *gophercloud.ServiceClient
	nodes   kubeclient.Interface
	hot     atomic.Pointer[updater.Updater]
}

func (d *openStackDriver) CreateMachine(ctx context.Context, r *mcmdriver.CreateMachineRequest) (*mcmdriver.CreateMachineResponse, error) {
	d.hot.Load().Creating(ctx, r.Machine, r.MachineClass, r.MachineClass.ProviderSpec.Raw)
	var spec openstack.ProviderSpec
	if err := json.Unmarshal(r.MachineClass.ProviderSpec.Raw, &spec); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	metadata, err := spec.TagsOf(tags.VM)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	made, err := servers.Create(ctx, d.compute, servers.CreateOpts{
		Name: r.Machine.Name, FlavorRef: "f", ImageRef: "i", Metadata: metadata, SecurityGroups: spec.Spec.SecurityGroups,
		Networks: []servers.Network{{UUID: "n"}}, BlockDevice: []servers.BlockDevice{{
			UUID: "i", VolumeSize: int(spec.Spec.RootDiskSize), SourceType: servers.SourceImage,
			DestinationType: servers.DestinationVolume, DeleteOnTermination: true,
		}},
	}, nil).Extract()
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	d.count(r.Machine.Name)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: r.Machine.Name}}
	if _, err = d.nodes.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err == nil {
		ready := []byte(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`)
		_, err = d.nodes.CoreV1().Nodes().PatchStatus(ctx, node.Name, ready)
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &mcmdriver.CreateMachineResponse{ProviderID: "openstack:///r/" + made.ID, NodeName: r.Machine.Name}, nil
}

func (*openStackDriver) InitializeMachine(
	context.Context, *mcmdriver.InitializeMachineRequest,
) (*mcmdriver.InitializeMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not implemented")
}

// find returns the IDs of the servers with a machine's name.
func (d *openStackDriver) find(ctx context.Context, machine string) (ids []string, err error) {
	pages, err := servers.List(d.compute, servers.ListOpts{Name: machine}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := servers.ExtractServers(pages)
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	return ids, err
}

func (d *openStackDriver) GetMachineStatus(
	ctx context.Context, r *mcmdriver.GetMachineStatusRequest,
) (*mcmdriver.GetMachineStatusResponse, error) {
	ids, err := d.find(ctx, r.Machine.Name)
	switch {
	case err != nil:
		return nil, status.Error(codes.Internal, err.Error())
	case len(ids) == 0:
		return nil, status.Error(codes.NotFound, "no such server")
	}
	return &mcmdriver.GetMachineStatusResponse{ProviderID: "openstack:///r/" + ids[0], NodeName: r.Machine.Name}, nil
}

func (d *openStackDriver) DeleteMachine(ctx context.Context, r *mcmdriver.DeleteMachineRequest) (*mcmdriver.DeleteMachineResponse, error) {
	ids, err := d.find(ctx, r.Machine.Name)
	for _, id := range ids {
		err = errors.Join(err, servers.Delete(ctx, d.compute, id).ExtractErr())
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &mcmdriver.DeleteMachineResponse{}, nil
}

func (*openStackDriver) ListMachines(context.Context, *mcmdriver.ListMachinesRequest) (*mcmdriver.ListMachinesResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not implemented")
}

func (*openStackDriver) GetVolumeIDs(context.Context, *mcmdriver.GetVolumeIDsRequest) (*mcmdriver.GetVolumeIDsResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not implemented")
}

// openStackSecret holds credentials of the OpenStack of the test.
var openStackSecret = map[string][]byte{
	"userData": []byte("<<BOOTSTRAP_TOKEN>>"), openstackdriver.AuthURL: []byte(openstacktest.AuthURL),
	openstackdriver.DomainName: []byte("domain"), openstackdriver.TenantName: []byte("project"),
	openstackdriver.Username: []byte("user"), openstackdriver.Password: []byte("password"),
}

// openStackLandscape is a namespace with an unmodified MCM, and a driver for OpenStack by HTTP.
type openStackLandscape struct {
	*landscape

	cloud  *openstacktest.API
	driver *openStackDriver
}

func (s *server) openStack(t *testing.T, namespace string) *openStackLandscape {
	t.Helper()
	l := &openStackLandscape{landscape: s.landscape(t, namespace), cloud: openstacktest.New(fleet.New(openstackdriver.Rules))}
	secrets := l.kube.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(t.Context(), "cloudprovider", metav1.GetOptions{})
	require.NoError(t, err)
	secret.Data = openStackSecret
	_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
	kit, err := openstackdriver.New(openstackdriver.Config{HTTP: fleet.Transport{Handler: l.cloud}, Refill: 1000})
	require.NoError(t, err)
	provider, err := sdk.NewClient(openstacktest.AuthURL)
	require.NoError(t, err)
	provider.HTTPClient.Transport = fleet.Transport{Handler: l.cloud}
	require.NoError(t, sdk.Authenticate(t.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: openstacktest.AuthURL, Username: "user", Password: "password", DomainName: "domain", AllowReauth: true,
	}))
	compute, err := sdk.NewComputeV2(provider, gophercloud.EndpointOpts{Region: "r"})
	require.NoError(t, err)
	l.driver = &openStackDriver{Driver: kit, compute: compute, nodes: l.kube}
	return l
}

// startUpdater starts an updater, which ends with the test. The driver tells it of creations.
func (l *openStackLandscape) startUpdater() *hotUpdater {
	l.Helper()
	u := l.landscape.startUpdater(updater.Options{Driver: l.driver.Driver})
	l.driver.hot.Store(u.Updater)
	return u
}

// mcmKeys are the keys by which MCM finds servers.
func mcmKeys(more map[string]string) map[string]string {
	all := map[string]string{"kubernetes.io-cluster-c": "1", "kubernetes.io-role-node": "1"}
	maps.Copy(all, more)
	return all
}

// spec returns a provider spec.
func (l *openStackLandscape) spec(team string, hot *tags.Tags, groups ...string) string {
	l.Helper()
	raw, err := json.Marshal(openstack.ProviderSpec{Spec: openstack.MachineSpec{
		Region: "r", RootDiskSize: 20, SecurityGroups: groups, ResourceTags: hot, Tags: mcmKeys(map[string]string{"team": team}),
	}})
	require.NoError(l, err)
	return string(raw)
}

// has waits until all machines of the pool run and are settled, and their servers and root volumes have metadata, and
// the servers security groups.
func (l *openStackLandscape) has(n int, server, volume map[string]string, groups ...string) {
	l.Helper()
	l.untilAll("pool", n, func(m *v1alpha1.Machine) bool {
		var record struct{ ProviderID, State string }
		err := json.Unmarshal([]byte(m.Annotations[machineupdate.AnnotationRecord]), &record)
		isSettled := err == nil && record.State == "" && record.ProviderID == m.Spec.ProviderID
		if !isSettled || m.Status.CurrentStatus.Phase != v1alpha1.MachineRunning {
			return false
		}
		own := l.resources()
		id := strings.TrimPrefix(m.Spec.ProviderID, "openstack:///r/")
		hasMetadata := maps.Equal(own[id].Tags, server) && maps.Equal(own["root-"+id].Tags, volume)
		return hasMetadata && slices.Equal(slices.Sorted(slices.Values(own[id].Sets[openstacktest.Groups])), groups)
	})
}

// resources returns servers and volumes by ID.
func (l *openStackLandscape) resources() map[string]driver.Resource {
	l.Helper()
	all, err := l.cloud.Resources(context.Background())
	require.NoError(l, err)
	found := map[string]driver.Resource{}
	for _, r := range all {
		found[r.ID] = r
	}
	return found
}

// TestMCMOpenStack: the updater runs beside the real, unmodified MCM, with the driver for OpenStack on gophercloud.
// Metadata of servers and volumes and the servers' security groups follow the class, also when a process is killed
// meanwhile. There is one login for all updates of a process, and no server is created twice.
func TestMCMOpenStack(t *testing.T) {
	const n = 40
	l := startForMCM(t).openStack(t, "openstack")
	kubeconfig := l.kubeconfig(l.server.mcm)
	first := l.startUpdater()
	l.runDeployments()
	go func() { panic(app.Run(l.machineOptions(kubeconfig), l.driver)) }()
	l.putClass("class", l.spec("a", &tags.Tags{VM: map[string]string{"gone": "1"}}, "nodes"))
	l.createPool("pool", "class", n, rolling(10))
	l.has(n, mcmKeys(map[string]string{"team": "a", "gone": "1"}), mcmKeys(map[string]string{"team": "a"}), "nodes")

	logins := l.cloud.Logins()
	requests := len(l.cloud.Requests())
	began := time.Now()
	l.putClass("class", l.spec("b", &tags.Tags{Disk: map[string]string{"backup/daily": "1"}}, "nodes", "more"))
	l.has(n, mcmKeys(map[string]string{"team": "b"}), mcmKeys(map[string]string{"team": "b", "backup/daily": "1"}), "more", "nodes")
	t.Logf(
		"%d machines: %d requests, %s until they were confirmed", n, len(l.cloud.Requests())-requests, time.Since(began).Round(time.Second),
	)
	assert.Equal(t, logins, l.cloud.Logins(), "the token is reused")

	for _, r := range l.resources() { // a load balancer joins servers to its group
		if r.Kind == tags.VM {
			require.NoError(t, l.cloud.AddMember(t.Context(), tags.VM, r.ID, openstacktest.Groups, "lb"))
		}
	}
	l.putClass("class", l.spec("c", nil, "nodes"))
	l.until("some servers are updated", func() bool {
		updated := 0
		for _, r := range l.resources() {
			if r.Kind == tags.VM && r.Tags["team"] == "c" {
				updated++
			}
		}
		return updated > 2
	})
	first.kill()
	l.cloud.Expire()
	l.startUpdater()
	l.has(n, mcmKeys(map[string]string{"team": "c"}), mcmKeys(map[string]string{"team": "c"}), "lb", "nodes")

	for name, count := range l.driver.created() {
		assert.Equal(t, 1, count, name)
	}
	l.changePool("pool", func(spec *v1alpha1.MachineDeploymentSpec) { spec.Replicas = n - 5 })
	l.until("servers and volumes of deleted machines are gone", func() bool { return len(l.resources()) == 2*(n-5) })
	for request, isAllowed := range l.server.asked(t, updaterUser) {
		assert.True(t, isAllowed, request)
	}
}
