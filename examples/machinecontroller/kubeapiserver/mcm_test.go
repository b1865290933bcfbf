package kubeapiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mcmapp "github.com/gardener/machine-controller-manager/cmd/machine-controller-manager/app"
	mcmoptions "github.com/gardener/machine-controller-manager/cmd/machine-controller-manager/app/options"
	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	machinescheme "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/scheme"
	coreclients "github.com/gardener/machine-controller-manager/pkg/util/clientbuilder/core"
	machineclients "github.com/gardener/machine-controller-manager/pkg/util/clientbuilder/machine"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	mcmdriver "github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubeclient "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/beside"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// isolated is a registry of metrics that forgets them: MCM registers its own globally, and runs more than once in this process.
type isolated struct{ prometheus.Registerer }

func (isolated) MustRegister(collectors ...prometheus.Collector) {
	prometheus.NewRegistry().MustRegister(collectors...)
}

// startForMCM starts a kube-apiserver that tells a version that MCM can read.
func startForMCM(t *testing.T) *server {
	t.Helper()
	klog.SetLogger(logr.Discard())
	prometheus.DefaultRegisterer = isolated{prometheus.DefaultRegisterer}
	require.NoError(t, version.SetDynamicVersion("v0.0.0-master"))
	return start(t)
}

// TestMCM: the updater runs beside the real, unmodified MCM, on one fleet. At the end no VM was created twice, every
// machine has the provider ID of its only VM, and no machine was written that MCM was creating or deleting.
func TestMCM(t *testing.T) {
	const n = 300
	l := startForMCM(t).landscape(t, "mcm")
	kubeconfig := l.kubeconfig(l.server.mcm)
	l.runDeployments()
	go func() { panic(app.Run(l.machineOptions(kubeconfig), l.driver)) }()
	l.putClass("fleet-1", `{"tags":{"owner":"alice","team":"red"}}`)
	l.createPool("fleet", "fleet-1", n, rolling(10))
	l.untilAll("fleet", n, func(m *v1alpha1.Machine) bool { return m.Status.CurrentStatus.Phase == v1alpha1.MachineRunning })

	l.testAdoption(n)
	l.testKill(n)
	l.testReplicas(n)
	l.testRollout()
	l.testSupersededVersion()
	l.testDeletions()

	total := 0
	for _, machine := range l.pool("") {
		vms := l.cloud.Of(machine.Name)
		assert.Len(t, vms, 1, machine.Name)
		assert.Contains(t, vms, machine.Spec.ProviderID, machine.Name)
		total += len(vms)
	}
	assert.Equal(t, total, l.cloud.Len(), "no VM without a machine")
	for name, count := range l.driver.created() {
		assert.Equal(t, 1, count, name)
	}
	patches, conflicts := l.server.patches(t, l.namespace)
	t.Logf("%d patches, %d conflicts", patches, conflicts)
	for request, isAllowed := range l.server.asked(t, updaterUser) {
		assert.True(t, isAllowed, request)
	}
}

// testAdoption: adoption is two patches and no write to the cloud for each machine, a tag added and one removed is one
// call of each kind and three patches. There are no conflicts. Of 20 changes the last one wins.
func (l *landscape) testAdoption(n int) {
	first := l.start()
	l.runs("fleet", n, map[string]string{"owner": "alice", "team": "red"})
	patches, conflicts := l.server.patches(l.T, l.namespace)
	sets, removes, _ := l.cloud.Calls()
	assert.Equal(l, []int{2 * n, 0, 0, 0}, []int{patches, conflicts, sets, removes})

	l.putClass("fleet-1", `{"tags":{"owner":"alice","cost-center":"0"}}`)
	l.runs("fleet", n, map[string]string{"owner": "alice", "cost-center": "0"})
	again, conflicts := l.server.patches(l.T, l.namespace)
	sets, removes, _ = l.cloud.Calls()
	assert.Equal(l, []int{3 * n, 0, n, n}, []int{again - patches, conflicts, sets, removes})

	for i := range 20 {
		l.putClass("fleet-1", fmt.Sprintf(`{"tags":{"owner":"alice","cost-center":"%d"}}`, i+1))
	}
	l.runs("fleet", n, map[string]string{"owner": "alice", "cost-center": "20"})
	first.stop()
}

// testKill: a process is killed in the middle of a change, which is then taken back. The next process waits for the lease.
func (l *landscape) testKill(n int) {
	killed := l.start()
	before, _, _ := l.cloud.Calls()
	l.putClass("fleet-1", `{"tags":{"owner":"alice","team":"blue"}}`)
	l.until("some machines are updated", func() bool {
		sets, _, _ := l.cloud.Calls()
		return sets > before+5
	})
	killed.kill()
	l.putClass("fleet-1", `{"tags":{"owner":"alice"}}`)
	next := l.start()
	l.runs("fleet", n, map[string]string{"owner": "alice"})
	next.stop()
}

// testReplicas: one of two processes leads. When it is killed, the other one takes over.
func (l *landscape) testReplicas(n int) {
	one := l.start()
	l.until("it leads", func() bool { return one.leads(l.T) })
	two := l.start()
	l.putClass("fleet-1", `{"tags":{"owner":"bob"}}`)
	l.runs("fleet", n, map[string]string{"owner": "bob"})
	assert.False(l, two.leads(l.T))
	one.kill()
	l.putClass("fleet-1", `{"tags":{"owner":"carol"}}`)
	l.runs("fleet", n, map[string]string{"owner": "carol"})
	assert.True(l, two.leads(l.T))
	two.stop()
}

// testRollout: a pool rolls out another class, while both classes change, and the updater restarts.
func (l *landscape) testRollout() {
	const n = 8
	first := l.start()
	l.putClass("rolled-1", `{"tags":{"a":"1"}}`)
	l.createPool("rolled", "rolled-1", n, rolling(4))
	l.runs("rolled", n, map[string]string{"a": "1"})
	l.putClass("rolled-2", `{"tags":{"b":"1"},"kernel":"6"}`)
	l.changePool("rolled", func(spec *v1alpha1.MachineDeploymentSpec) { spec.Template.Spec.Class.Name = "rolled-2" })
	l.until("the rollout has begun", func() bool { return len(l.pool("rolled")) > n })
	l.putClass("rolled-1", `{"tags":{"a":"2"}}`)
	l.until("old machines are updated", func() bool {
		return slices.ContainsFunc(l.pool("rolled"), func(m v1alpha1.Machine) bool {
			return m.Spec.Class.Name == "rolled-1" && l.cloud.TagsOf(m.Name)["a"] == "2"
		})
	})
	first.stop()
	last := l.start()
	l.putClass("rolled-2", `{"tags":{"c":"1"},"kernel":"6"}`)
	l.runs("rolled", n, map[string]string{"c": "1"})
	for _, machine := range l.pool("rolled") {
		assert.Equal(l, "rolled-2", machine.Spec.Class.Name)
	}
	last.stop()
}

// testSupersededVersion: VMs are created with a version of the class that two others supersede before the machines are
// adopted. The process is killed meanwhile. What the first version has set is removed.
func (l *landscape) testSupersededVersion() {
	const n = 5
	killed := l.start()
	proceed := make(chan struct{})
	begun := make(chan struct{}, n)
	l.driver.between.Store(func(string) {
		begun <- struct{}{}
		<-proceed
	})
	l.putClass("superseded-1", `{"tags":{"gone":"1","owner":"alice"}}`)
	l.createPool("superseded", "superseded-1", n, rolling(1))
	for range n {
		<-begun
	}
	l.putClass("superseded-1", `{"tags":{"later":"1","owner":"bob"}}`)
	l.putClass("superseded-1", `{"tags":{"owner":"bob"}}`)
	killed.kill()
	next := l.start()
	close(proceed)
	l.runs("superseded", n, map[string]string{"owner": "bob"})
	next.stop()
}

// testDeletions: machines are deleted while their class changes.
func (l *landscape) testDeletions() {
	l.start()
	l.putClass("rolled-2", `{"tags":{"d":"1"},"kernel":"6"}`)
	l.changePool("rolled", func(spec *v1alpha1.MachineDeploymentSpec) { spec.Replicas = 3 })
	l.until("the others are gone", func() bool { return len(l.pool("rolled")) == 3 })
	l.runs("rolled", 3, map[string]string{"d": "1"})
}

// TestMCMGate: the real MCM updates a pool in place. It reports no node as ready before the driver has applied the
// InPlace part, which it does once for each machine. Hot fields follow the class of the deployment, also when the first
// class is being deleted. The updater uses exactly the verbs of its role.
func TestMCMGate(t *testing.T) {
	const n = 4
	l := startForMCM(t).landscape(t, "gate")
	l.runDeployments()
	l.runGated(l.start())
	l.putClass("in-place-1", `{"tags":{"owner":"alice"},"kernel":"5"}`)
	l.createPool("pool", "in-place-1", n, v1alpha1.MachineDeploymentStrategy{
		Type: v1alpha1.InPlaceUpdateMachineDeploymentStrategyType, InPlaceUpdate: &v1alpha1.InPlaceUpdateMachineDeployment{
			UpdateConfiguration: updates(0, 1), OrchestrationType: v1alpha1.OrchestrationTypeAuto,
		},
	})
	l.runs("pool", n, map[string]string{"owner": "alice"})
	l.putClass("in-place-2", `{"tags":{"owner":"bob"},"kernel":"6"}`)
	l.changePool("pool", func(spec *v1alpha1.MachineDeploymentSpec) { spec.Template.Spec.Class.Name = "in-place-2" })
	require.NoError(t, l.machines.MachineClasses(l.namespace).Delete(t.Context(), "in-place-1", metav1.DeleteOptions{}))
	updated := map[string]bool{}
	l.until("all nodes are updated", func() bool {
		l.updateNodes(updated)
		return len(updated) == n
	})
	l.runs("pool", n, map[string]string{"owner": "bob"})
	assert.Equal(t, n, l.cloud.Kernels)
	l.putClass("in-place-2", `{"tags":{"owner":"carol"},"kernel":"6"}`)
	l.runs("pool", n, map[string]string{"owner": "carol"})
	assert.Equal(t, n, l.cloud.Kernels)
	for name, count := range l.driver.created() {
		assert.Equal(t, 1, count, name)
	}
	l.server.patches(t, l.namespace)
	role, _ := publishedRights(t, l.namespace)
	assert.Equal(t, allowed(role.Rules), l.server.asked(t, updaterUser), "the role is enough, and nothing more than needed")
}

// runGated runs MCM's controller of machines as a main function does that hands out clients with a gate. It ends with the test.
func (l *landscape) runGated(hot *hotUpdater) {
	l.Helper()
	server := l.machineOptions(l.kubeconfig(l.server.mcm))
	control := rest.CopyConfig(l.server.mcm)
	control.QPS = server.KubeAPIQPS
	control.Burst = int(server.KubeAPIBurst)
	target := rest.CopyConfig(control)
	target.Wrap(hot.WrapTransport)
	recorder := record.NewBroadcaster().NewRecorder(machinescheme.Scheme, corev1.EventSource{})
	stop := make(chan struct{})
	l.Cleanup(func() { close(stop) })
	go func() {
		panic(app.StartControllers(
			server, control, target, machineclients.SimpleClientBuilder{ClientConfig: control},
			coreclients.SimpleControllerClientBuilder{ClientConfig: control},
			coreclients.SimpleControllerClientBuilder{ClientConfig: target}, l.driver, recorder, stop,
		))
	}()
}

// updateNodes updates nodes that are ready for that, as a node agent does. The InPlace part is applied to each of them.
func (l *landscape) updateNodes(updated map[string]bool) {
	l.Helper()
	nodes, err := l.kube.CoreV1().Nodes().List(l.Context(), metav1.ListOptions{})
	require.NoError(l, err)
	for _, node := range nodes.Items {
		if inPlaceReason(&node) != inplace.ReadyForUpdate || updated[node.Name] {
			continue
		}
		updated[node.Name] = true
		for _, vm := range l.cloud.Of(node.Name) {
			assert.Equal(l, "6", vm.Kernel, node.Name)
		}
		label := fmt.Appendf(
			nil, `{"metadata":{"labels":{%q:%q}}}`, v1alpha1.LabelKeyNodeUpdateResult, v1alpha1.LabelValueNodeUpdateSuccessful,
		)
		_, err := l.kube.CoreV1().Nodes().Patch(l.Context(), node.Name, types.MergePatchType, label, metav1.PatchOptions{})
		require.NoError(l, err)
	}
}

// inPlaceReason returns how far the update of a node has come.
func inPlaceReason(node *corev1.Node) string {
	for _, condition := range node.Status.Conditions {
		if condition.Type == inplace.ConditionType {
			return condition.Reason
		}
	}
	return ""
}

// rolling is the strategy of a pool that rolls.
func rolling(surge int) v1alpha1.MachineDeploymentStrategy {
	return v1alpha1.MachineDeploymentStrategy{
		Type:          v1alpha1.RollingUpdateMachineDeploymentStrategyType,
		RollingUpdate: &v1alpha1.RollingUpdateMachineDeployment{UpdateConfiguration: updates(surge, 0)},
	}
}

func updates(surge, unavailable int) v1alpha1.UpdateConfiguration {
	return v1alpha1.UpdateConfiguration{
		MaxSurge: new(intstr.FromInt32(int32(surge))), MaxUnavailable: new(intstr.FromInt32(int32(unavailable))),
	}
}

// landscape is a cluster with an unmodified machine-controller-manager (MCM), and a driver whose cloud is in memory.
type landscape struct {
	*cluster

	cloud  *beside.Cloud
	driver *mcmDriver
}

func (s *server) landscape(t *testing.T, namespace string) *landscape {
	t.Helper()
	secret := map[string][]byte{"userData": []byte("<<BOOTSTRAP_TOKEN>>"), "token": []byte("one")}
	l := &landscape{cluster: s.cluster(t, namespace, secret), cloud: beside.NewCloud()}
	s.bindUpdater(t, l.kube, namespace)
	schema, err := hotupdate.SchemaOf[beside.Spec]()
	require.NoError(t, err)
	provider, err := beside.NewProvider(schema, l.cloud)
	require.NoError(t, err)
	l.driver = &mcmDriver{Provider: provider, nodes: l.kube}
	provider.Creating = func(ctx context.Context, machine, class metav1.Object, spec []byte) {
		l.driver.hot.Load().Creating(ctx, machine, class, spec)
	}
	provider.Between = func(machine string, _ *beside.Spec) {
		if between, ok := l.driver.between.Load().(func(string)); ok {
			between(machine)
		}
	}
	return l
}

// runsDeployments is the environment variable of a process of this program that runs the release of MCM's controllers
// of deployments and sets.
const runsDeployments = "MCM_DEPLOYMENTS"

// TestMain runs the tests, or MCM's controllers of deployments and sets. These need a process of their own, as in a
// cluster: MCM writes to the global scheme of client-go when it starts.
func TestMain(m *testing.M) {
	if os.Getenv(runsDeployments) == "" {
		os.Exit(m.Run())
	}
	klog.SetLogger(logr.Discard())
	server := mcmoptions.NewMCMServer()
	flags := pflag.NewFlagSet("", pflag.PanicOnError)
	server.AddFlags(flags)
	_ = flags.Parse(os.Args[1:]) // it panics
	panic(mcmapp.Run(server))
}

// mcmDriver is a driver of MCM.
type mcmDriver struct {
	*beside.Provider
	creations

	nodes kubeclient.Interface
	hot   atomic.Pointer[updater.Updater] // that of this process; nil before

	between atomic.Value // of type func(machine string)
}

// creations counts the VMs that were made for each machine.
type creations struct {
	mutex  sync.Mutex
	counts map[string]int
}

func (c *creations) count(machine string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[machine]++
}

func (c *creations) created() map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.counts)
}

func (d *mcmDriver) CreateMachine(ctx context.Context, r *mcmdriver.CreateMachineRequest) (*mcmdriver.CreateMachineResponse, error) {
	id, err := d.Provider.CreateMachine(ctx, r.Machine, r.MachineClass, r.MachineClass.ProviderSpec.Raw)
	d.count(r.Machine.Name)
	return &mcmdriver.CreateMachineResponse{ProviderID: id, NodeName: r.Machine.Name}, err
}

// InitializeMachine lets the VM join as well.
func (d *mcmDriver) InitializeMachine(
	ctx context.Context, r *mcmdriver.InitializeMachineRequest,
) (*mcmdriver.InitializeMachineResponse, error) {
	d.Provider.InitializeMachine(ctx, r.Machine, r.MachineClass, r.MachineClass.ProviderSpec.Raw)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: r.Machine.Name}}
	if _, err := d.nodes.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, status.Error(codes.Internal, err.Error())
	}
	ready := []byte(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`)
	_, err := d.nodes.CoreV1().Nodes().PatchStatus(ctx, r.Machine.Name, ready)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &mcmdriver.InitializeMachineResponse{NodeName: r.Machine.Name}, nil
}

func (d *mcmDriver) GetMachineStatus(_ context.Context, r *mcmdriver.GetMachineStatusRequest) (*mcmdriver.GetMachineStatusResponse, error) {
	id, err := d.Provider.GetMachineStatus(r.Machine.Name)
	found := &mcmdriver.GetMachineStatusResponse{ProviderID: id, NodeName: r.Machine.Name}
	switch {
	case errors.Is(err, beside.ErrNotFound):
		err = status.Error(codes.NotFound, err.Error())
	case errors.Is(err, beside.ErrUninitialized):
		err = status.Error(codes.Uninitialized, err.Error())
	}
	return found, err
}

func (d *mcmDriver) DeleteMachine(_ context.Context, r *mcmdriver.DeleteMachineRequest) (*mcmdriver.DeleteMachineResponse, error) {
	d.Provider.DeleteMachine(r.Machine.Name)
	return &mcmdriver.DeleteMachineResponse{}, nil
}

func (d *mcmDriver) ListMachines(context.Context, *mcmdriver.ListMachinesRequest) (*mcmdriver.ListMachinesResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not implemented")
}

func (d *mcmDriver) GetVolumeIDs(context.Context, *mcmdriver.GetVolumeIDsRequest) (*mcmdriver.GetVolumeIDsResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not implemented")
}

// hotUpdater is an updater as in a process of its own.
type hotUpdater struct {
	*updater.Updater

	stop   context.CancelFunc
	killed atomic.Bool // its requests fail
}

var errKilled = errors.New("the process was killed")

type killable struct {
	next http.RoundTripper
	of   *hotUpdater
}

func (k *killable) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.of.killed.Load() {
		return nil, errKilled
	}
	return k.next.RoundTrip(r)
}

// start starts an updater, which ends with the test. The driver tells it of creations.
func (l *landscape) start() *hotUpdater {
	l.Helper()
	u := l.startUpdater(updater.Options{Driver: l.driver.Provider})
	l.driver.hot.Store(u.Updater)
	return u
}

// startUpdater starts an updater of the driver in the options, which ends with the test.
func (c *cluster) startUpdater(options updater.Options) *hotUpdater {
	c.Helper()
	u := &hotUpdater{}
	config := rest.CopyConfig(c.server.updaters)
	config.QPS = 200
	config.Burst = 400
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &killable{next, u} })
	var err error
	options.Control = config
	options.Namespace = c.namespace
	options.Settings = machineupdate.Settings{ConfirmAfter: 3 * time.Second, RetryAfter: time.Second, CallTimeout: time.Minute}
	u.Updater, err = updater.New(options)
	require.NoError(c, err)
	ctx, cancel := context.WithCancel(c.Context())
	ended := make(chan struct{})
	go func() {
		u.Run(ctx)
		close(ended)
	}()
	u.stop = func() {
		cancel()
		<-ended
	}
	c.Cleanup(u.stop)
	return u
}

// kill ends an updater in the middle of what it does. The lease is not released.
func (p *hotUpdater) kill() {
	p.killed.Store(true)
	p.stop()
}

// leads reports whether a process has the lease.
func (p *hotUpdater) leads(t *testing.T) (leads bool) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(p)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		leads = leads || family.GetName() == "hot_update_leads" && family.GetMetric()[0].GetGauge().GetValue() == 1
	}
	return leads
}

// runs waits until a pool has n machines, which all run and have settled records, and their VMs exactly these tags.
func (l *landscape) runs(pool string, n int, tags map[string]string) {
	l.Helper()
	l.untilAll(pool, n, func(m *v1alpha1.Machine) bool {
		var record struct{ ProviderID, State string }
		err := json.Unmarshal([]byte(m.Annotations[machineupdate.AnnotationRecord]), &record)
		isSettled := err == nil && record.State == "" && record.ProviderID == m.Spec.ProviderID
		isRunning := m.Status.CurrentStatus.Phase == v1alpha1.MachineRunning
		return isSettled && isRunning && maps.Equal(l.cloud.TagsOf(m.Name), tags)
	})
}

// untilAll waits until a pool has n machines for which a condition holds.
func (l *landscape) untilAll(pool string, n int, holds func(m *v1alpha1.Machine) bool) {
	l.Helper()
	began := time.Now()
	left := n
	assert.Eventually(l, func() bool {
		machines := l.pool(pool)
		left = max(n, len(machines))
		for i := range machines {
			if holds(&machines[i]) {
				left--
			}
		}
		return left == 0
	}, 4*time.Minute, 200*time.Millisecond)
	if left != 0 {
		m := l.pool(pool)[0]
		require.FailNow(l, "not all machines", "%d left, such as %+v, %v", left, m, l.cloud.TagsOf(m.Name))
	}
	l.Logf("pool %s: %s", pool, time.Since(began).Round(100*time.Millisecond))
}
