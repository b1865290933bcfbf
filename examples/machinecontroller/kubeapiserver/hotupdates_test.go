package kubeapiserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/kubeapiserver/editedmcm"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The times of the tests. Confirmations come later than the sum of the time in which a creation or an update sends
// requests, the delay of a late request, the lag of reads, and one second, the precision of records.
const (
	readLag    = 200 * time.Millisecond
	landsAfter = 1500 * time.Millisecond
	cooldown   = 6 * time.Second
	attempt    = 500 * time.Millisecond
	joins      = 5 * time.Second // a node after the launch of its VM; MCM takes one that joins during the launch for a stale one
)

// provider has the flags of the program of the provider.
var provider = []string{
	"--attempt=" + attempt.String(), "--volume-cooldown=" + cooldown.String(), "--hot-update-confirm-after=7s",
	"--hot-update-retry-after=1s", "--hot-update-call-timeout=3s", "--hot-update-creation-timeout=3s",
}

// build builds a program of this module or of MCM, with a change of MCM.
func build(t *testing.T, change editedmcm.Change, program string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	modfile, err := change.Copy(t.Context(), dir)
	require.NoError(t, err)
	built := filepath.Join(dir, "program")
	arguments := slices.Concat([]string{"build", "-modfile", modfile, "-o", built}, flags, []string{program})
	output, err := exec.CommandContext(t.Context(), "go", arguments...).CombinedOutput()
	require.NoErrorf(t, err, "go %v: %s", arguments, output)
	return built
}

// hotCluster is a cluster whose provider is MCM with hot updates of its own, as a program, on a cloud with EC2's protocol.
type hotCluster struct {
	*cluster

	program string
	cloud   *ec2test.Cloud
	url     string
	leader  *process

	mu      sync.Mutex
	after   map[string]func() // called once after the next request with an action, before its answer is sent
	writes  int               // that the cloud got
	calls   int
	iops    *int32                       // of the data volume in the class
	foreign map[string]map[string]string // infrastructure tags of others, by resource
}

// accessKey is the provider's key of the cloud.
const accessKey = "AKIAMACHINECONTROLLER"

// hotCluster makes a cluster, in which nothing runs yet but kubelets.
func (s *server) hotCluster(t *testing.T, namespace, program string, cloud ec2test.Config) *hotCluster {
	t.Helper()
	f := &hotCluster{program: program, after: map[string]func(){}, foreign: map[string]map[string]string{}}
	f.cluster = s.cluster(t, namespace, map[string][]byte{
		awsdriver.AccessKeyID: []byte(accessKey), awsdriver.SecretAccessKey: []byte("secret"), "userData": []byte("#cloud-config"),
	})
	cloud.AccessKeys = []string{accessKey}
	cloud.Observe = f.request
	f.cloud = ec2test.New(cloud)
	endpoint := httptest.NewServer(f.cloud)
	t.Cleanup(endpoint.Close)
	f.url = endpoint.URL
	ctx, cancel := context.WithCancel(t.Context())
	var kubelets sync.WaitGroup
	kubelets.Go(func() { wait.UntilWithContext(ctx, f.runNodes, 100*time.Millisecond) })
	t.Cleanup(func() {
		cancel()
		kubelets.Wait()
		f.removeNodes()
	})
	return f
}

// removeNodes removes all nodes, so that MCM does not take them for nodes of the next cluster, whose VMs have the same
// names. MCM has given them a finalizer.
func (f *hotCluster) removeNodes() {
	ctx := context.Background() // that of the test has ended
	nodes, err := f.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	require.NoError(f, err)
	for i := range nodes.Items {
		name := nodes.Items[i].Name
		finalized := []byte(`{"metadata":{"finalizers":null}}`)
		_, err := f.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, finalized, metav1.PatchOptions{})
		require.NoError(f, err)
		require.NoError(f, f.kube.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}))
	}
}

// request is called for each request to the cloud.
func (f *hotCluster) request(r ec2test.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if !ec2test.Reads(r.Action) {
		f.writes++
	}
	if do := f.after[r.Action]; do != nil && r.AccessKey != "" {
		delete(f.after, r.Action)
		do()
	}
}

// counted returns the numbers of requests, and of those that write.
func (f *hotCluster) counted() (calls, writes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.writes
}

// onceAfter calls a function after the next request with an action, before its answer is sent.
func (f *hotCluster) onceAfter(action string, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.after[action] = do
}

// startProvider starts the program.
func (f *hotCluster) startProvider() *process {
	f.Helper()
	return f.run(f.program, f.server.controllers, append([]string{"--endpoint=" + f.url}, provider...)...)
}

// runNodes gives each VM a node that is ready, as its kubelet does.
func (f *hotCluster) runNodes(ctx context.Context) {
	for _, vm := range f.cloud.Resources() {
		if vm.Kind != ec2test.Instance || time.Since(vm.Launched) < joins {
			continue
		}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: vm.DNSName}}
		if _, err := f.kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			continue // it is there, or the next pass tries again
		}
		ready := []byte(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`)
		_, _ = f.kube.CoreV1().Nodes().PatchStatus(ctx, vm.DNSName, ready) // the test fails later
	}
}

// spec returns the provider spec of the class: immutable fields, the mandatory keys, a label of the pool for the VM, the
// performance of the data volume, and these infrastructure tags.
func (f *hotCluster) spec(pairs ...string) *awsdriver.ProviderSpec {
	flat := map[string]string{"kubernetes.io/cluster/shoot": "1", "kubernetes.io/role/node": "1"}
	for i := 0; i < len(pairs); i += 2 {
		flat[pairs[i]] = pairs[i+1]
	}
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:           []awsdriver.BlockDevice{{DeviceName: "/root"}, {DeviceName: "/dev/sdf", Ebs: awsdriver.Ebs{Iops: f.iops}}},
		NetworkInterfaces:      []awsdriver.NetworkInterface{{SubnetID: "subnet-1", Ipv6PrefixCount: new(int32(1))}},
		SrcAndDstChecksEnabled: new(false), Tags: flat, ResourceTags: &tags.Tags{VM: map[string]string{"pool": "z1"}},
	}
}

// put creates a class, or changes it.
func (f *hotCluster) put(class string, spec any) {
	f.Helper()
	raw, err := json.Marshal(spec)
	require.NoError(f, err)
	f.putClass(class, string(raw))
}

// oldest returns the machine that was created first.
func (f *hotCluster) oldest() *v1alpha1.Machine {
	f.Helper()
	machines := f.pool("")
	require.NotEmpty(f, machines)
	slices.SortFunc(machines, func(a, b v1alpha1.Machine) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return &machines[0]
}

// vm is the first VM.
func (f *hotCluster) vm() ec2test.Resource {
	f.Helper()
	r, _ := f.cloud.Resource("i-1")
	return r
}

// live waits until the first VM has an infrastructure tag.
func (f *hotCluster) live(key, value string) {
	f.Helper()
	f.until(key+"="+value, func() bool { return f.vm().Tags[key] == value })
}

// running waits until a number of machines run.
func (f *hotCluster) running(n int) {
	f.Helper()
	f.until(fmt.Sprintf("%d machines run", n), func() bool {
		machines := f.pool("")
		return len(machines) == n && !slices.ContainsFunc(machines, func(m v1alpha1.Machine) bool {
			return m.Status.CurrentStatus.Phase != v1alpha1.MachineRunning
		})
	})
}

// settle waits until there are machines, all of them run, nothing is under way, and their records have the tags. Then each
// resource of the cloud has exactly them, the mandatory tags, and foreign tags, and no machine has two VMs.
func (f *hotCluster) settle(pairs ...string) {
	f.Helper()
	want := f.spec(pairs...).Tags
	f.until(fmt.Sprintf("all machines have settled with %v", want), func() bool {
		machines := f.pool("")
		return len(machines) > 0 && !slices.ContainsFunc(machines, func(m v1alpha1.Machine) bool { return !isSettled(&m, want) })
	})
	time.Sleep(2 * readLag) // until reads show the live state
	f.expect(pairs...)
}

// isSettled reports whether a machine runs, nothing is under way that needs no drained node, and the tags are applied.
func isSettled(m *v1alpha1.Machine, want map[string]string) bool {
	if m.Status.CurrentStatus.Phase != v1alpha1.MachineRunning || isUnderWay(m, "") || isUnderWay(m, "-volume") {
		return false
	}
	var record struct {
		Parts []struct{ Applied awsdriver.ProviderSpec }
	}
	err := json.Unmarshal([]byte(m.Annotations[machineupdate.AnnotationRecord]), &record)
	return err == nil && len(record.Parts) > 0 && maps.Equal(record.Parts[0].Applied.Tags, want)
}

// isUnderWay reports whether something is under way in a lane.
func isUnderWay(m *v1alpha1.Machine, lane string) bool {
	return strings.Contains(m.Annotations[machineupdate.AnnotationRecord+lane], `"state"`)
}

// expect expects the resources of the cloud.
func (f *hotCluster) expect(pairs ...string) {
	f.Helper()
	owners := map[string]string{} // machines by VM
	for _, machine := range f.pool("") {
		owners[path.Base(machine.Spec.ProviderID)] = machine.Name
	}
	vms := 0
	for _, r := range f.cloud.Resources() {
		want := maps.Clone(f.spec(pairs...).Tags)
		switch owner := owners[r.Instance]; {
		case r.Kind == ec2test.Instance:
			vms++
			want["Name"] = owners[r.ID]
			maps.Copy(want, f.spec().ResourceTags.Of(tags.VM))
		case r.Tags["made-by"] == "others":
			want = map[string]string{}
		default:
			want["Name"] = owner
		}
		maps.Copy(want, f.foreign[r.ID])
		assert.Equal(f, want, r.Tags, r.ID)
	}
	assert.Len(f, owners, vms, "each machine has one VM")
}

// TestHotUpdatesInMCM: MCM with hot updates of its own, as a program beside MCM's controllers of deployments and sets,
// with the rights that gardenlet gives it.
func TestHotUpdatesInMCM(t *testing.T) {
	program := build(t, editedmcm.HotUpdates, "./provider", "-tags=hotupdates")
	s := startForMCM(t)
	t.Run("story", func(t *testing.T) { s.testStory(t, program) })
	t.Run("faults", func(t *testing.T) { s.testFaults(t, program) })
	t.Run("without the verb patch nothing is sent to the cloud", func(t *testing.T) { s.testWithoutPatch(t, program) })
	t.Run("where admission refuses the record nothing is sent to the cloud", func(t *testing.T) { s.testAdmission(t, program) })
}

// The resources of the first machine.
const (
	rootVolume = "vol-1"
	dataVolume = "vol-2"
)

// testStory tells what happens to one pool. Each chapter goes on where the one before has ended.
func (s *server) testStory(t *testing.T, program string) {
	t.Helper()
	f := s.hotCluster(t, "story", program, ec2test.Config{
		ReadLag: readLag, BootTime: time.Second, ModifyTime: 500 * time.Millisecond, Cooldown: cooldown, PageSize: 2,
	})
	f.allow(gardenletsRules(t))
	f.runDeployments()
	f.leader = f.startProvider()
	for _, chapter := range []struct {
		name string
		tell func()
	}{
		{"a machine is created", f.tellCreation},
		{"its tags change", f.tellChange},
		{"the process is killed in the middle of an update, and the change is taken back", f.tellCrash},
		{"a request takes effect when nobody waits for it any more", f.tellLateRequest},
		{"others use tags, too", f.tellForeignTags},
		{"two processes work at once", f.tellTwoProcesses},
		{"the cloud throttles", f.tellThrottling},
		{"what a volume can do changes", f.tellVolume},
		{"a machine that nobody has updated before", f.tellAdoption},
		{"a class that cannot be read", f.tellUnreadableClass},
		{"an in-place update in between", f.tellInPlace},
		{"nothing is left to do", f.tellQuiet},
		{"the machines are deleted", f.tellDeletion},
	} {
		began := time.Now()
		chapter.tell()
		require.False(t, t.Failed(), chapter.name)
		t.Logf("%s: %s", chapter.name, time.Since(began).Round(time.Second))
	}
	asked := s.asked(t, user)
	for request, isAllowed := range asked {
		assert.True(t, isAllowed, request)
	}
	for _, added := range []string{
		permission("patch", "machines", v1alpha1.GroupName), permission("get", "nodes", ""),
		permission("list", "machinedeployments", v1alpha1.GroupName), permission("watch", "machinedeployments", v1alpha1.GroupName),
	} {
		assert.Contains(t, asked, added)
	}
}

// tellCreation: before the VM is launched, MCM writes down what it is about to apply. Initialization fails once. From
// then on nobody knows what the VM was made with, so it is updated, but for what only a drained node allows. Others
// attach a volume and a network interface, with a tag that looks like one of the machine's.
func (f *hotCluster) tellCreation() {
	f.cloud.Inject(ec2test.Fault{Action: "AssignIpv6Addresses", Effect: ec2test.Refused, Code: "InsufficientFreeAddressesInSubnet"})
	f.put("class", f.spec("cost-center", "1000", "owner", "alice"))
	f.createPool(f.namespace, "class", 1, inPlace(v1alpha1.OrchestrationTypeAuto))
	f.running(1)
	for _, id := range []string{
		f.cloud.Attach(ec2test.Resource{Kind: ec2test.Volume, Instance: "i-1", Device: "/dev/xvdba"}),
		f.cloud.Attach(ec2test.Resource{Kind: ec2test.NetworkInterface, Instance: "i-1", DeviceIndex: 1, DeleteOnTermination: true}),
	} {
		f.foreign[id] = map[string]string{"made-by": "others", "owner": "alice"}
		f.cloud.Change(id, func(r *ec2test.Resource) { r.Tags = maps.Clone(f.foreign[id]) })
	}
	f.settle("cost-center", "1000", "owner", "alice")
	card, _ := f.cloud.Resource("eni-1")
	assert.Len(f, card.Ipv6Prefixes, 1)
}

// tellChange: the class keeps its name, so no machine is replaced. A success is not believed at once.
func (f *hotCluster) tellChange() {
	f.put("class", f.spec("cost-center", "2000"))
	f.until("the update is not confirmed yet", func() bool {
		return strings.Contains(f.oldest().Annotations[machineupdate.AnnotationRecord], `"state":"Unconfirmed"`)
	})
	f.settle("cost-center", "2000")
}

// tellCrash: the key team was to be set, and cost-center to be removed. One of the calls was made. The next process finds
// a class that wants what was last applied: only the record says that there is something to do.
func (f *hotCluster) tellCrash() {
	killed := f.kills("CreateTags")
	f.put("class", f.spec("team", "blue"))
	<-killed
	assert.Contains(f, f.oldest().Annotations[machineupdate.AnnotationRecord], `"state":"Calling"`)
	f.put("class", f.spec("cost-center", "2000"))
	f.leader = f.startProvider()
	f.settle("cost-center", "2000")
}

// kills kills the process after its next request with an action.
func (f *hotCluster) kills(action string) (killed chan struct{}) {
	killed = make(chan struct{})
	victim := f.leader
	f.onceAfter(action, func() {
		victim.kill()
		close(killed)
	})
	return killed
}

// tellLateRequest: the SDK gives up waiting, sends the request again, and that succeeds. Then the change is taken back,
// which succeeds as well; and then the first request comes through. The confirmation finds what it did.
func (f *hotCluster) tellLateRequest() {
	f.cloud.Inject(ec2test.Fault{Action: "CreateTags", Effect: ec2test.LandsLate, Delay: landsAfter})
	f.put("class", f.spec("cost-center", "3000"))
	f.live("cost-center", "3000")
	time.Sleep(2 * readLag) // otherwise the next pass reads that there is nothing to undo
	f.put("class", f.spec("cost-center", "2000"))
	f.live("cost-center", "2000")
	f.cloud.LandNow()
	f.settle("cost-center", "2000")
}

// tellForeignTags: somebody adds a key of their own to a volume, and gives the other volume's cost-center a value of
// theirs, just before the class drops that key. The driver's read does not show it yet, but the cloud removes the key
// only where it has the machine's value.
func (f *hotCluster) tellForeignTags() {
	time.Sleep(time.Second) // until no stale read shows the state before the end of the last chapter
	f.cloud.Change(rootVolume, func(r *ec2test.Resource) { r.Tags["backup"] = "nightly" })
	f.foreign[rootVolume] = map[string]string{"backup": "nightly"}
	f.cloud.Inject(ec2test.Fault{Action: "DescribeVolumes", Effect: ec2test.Stale, Delay: 500 * time.Millisecond})
	f.cloud.Change(dataVolume, func(r *ec2test.Resource) { r.Tags["cost-center"] = "9999" })
	f.foreign[dataVolume] = map[string]string{"cost-center": "9999"}
	f.put("class", f.spec("team", "red"))
	f.settle("team", "red")
}

// tellTwoProcesses: a process falls asleep before it gets the answer to its call. Another one does what the class wants
// by then. When the first one wakes up, what it writes is a conflict, since somebody wrote in between.
func (f *hotCluster) tellTwoProcesses() {
	sleeper := f.leader
	asleep := make(chan struct{})
	f.onceAfter("CreateTags", func() {
		assert.NoError(f, sleeper.Process.Signal(syscall.SIGSTOP))
		close(asleep)
	})
	f.put("class", f.spec("team", "green"))
	<-asleep
	f.put("class", f.spec("team", "blue"))
	f.leader = f.startProvider()
	f.live("team", "blue")
	require.NoError(f, sleeper.Process.Signal(syscall.SIGCONT))
	f.settle("team", "blue")
	sleeper.kill()
	f.settle("team", "blue")
}

// tellThrottling: one write in two seconds is allowed. What is left over then is done by the next update. The class says
// cost-center again: it takes over the key of somebody else.
func (f *hotCluster) tellThrottling() {
	f.cloud.Limit(nil, rate.NewLimiter(0.5, 1))
	delete(f.foreign, dataVolume)
	f.put("class", f.spec("cost-center", "5000"))
	f.settle("cost-center", "5000")
	f.cloud.Limit(nil, nil)
}

// tellVolume: the cloud accepts the change of a volume, and makes it later. Then it refuses another one for a while. The
// volume has a lane of its own, so the tags do not wait for that.
func (f *hotCluster) tellVolume() {
	has := func(iops int) func() bool {
		return func() bool {
			r, _ := f.cloud.Resource(dataVolume)
			return r.Iops == iops
		}
	}
	f.iops = new(int32(4000))
	f.put("class", f.spec("cost-center", "5000"))
	f.until("the volume has 4000 IOPS", has(4000))
	f.iops = new(int32(5000))
	f.put("class", f.spec("cost-center", "5000", "team", "gold"))
	f.live("team", "gold")
	assert.True(f, has(4000)(), "the cloud refuses to change the volume yet")
	f.until("the volume has 5000 IOPS", has(5000))
	f.settle("cost-center", "5000", "team", "gold")
}

// tellAdoption: the machine has no record when MCM starts, as all machines when hot updates arrive. What the first pass finds and the
// class does not say belongs to others, for nobody knows better.
func (f *hotCluster) tellAdoption() {
	f.leader.kill()
	f.foreign["i-1"] = map[string]string{"forgotten": "1"}
	f.cloud.Change("i-1", func(r *ec2test.Resource) { r.Tags["forgotten"] = "1" })
	remove := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, machineupdate.AnnotationRecord)
	_, err := f.machines.Machines(f.namespace).Patch(f.Context(), f.oldest().Name, types.MergePatchType, remove, metav1.PatchOptions{})
	require.NoError(f, err)
	f.leader = f.startProvider()
	f.settle("cost-center", "5000", "team", "gold")
}

// tellUnreadableClass: the tags of the class are a list, which the driver cannot read. No machine is updated, and none is
// replaced. As soon as the class can be read, the machine is updated, and the pool grows by a machine.
func (f *hotCluster) tellUnreadableClass() {
	unreadable := struct {
		*awsdriver.ProviderSpec

		Listed []string `json:"tags"`
	}{f.spec(), []string{"cost-center=6000"}}
	f.put("class", unreadable)
	time.Sleep(3 * time.Second)
	f.expect("cost-center", "5000", "team", "gold")
	f.put("class", f.spec("cost-center", "7000"))
	f.changePool(f.namespace, func(spec *v1alpha1.MachineDeploymentSpec) { spec.Replicas = 2 })
	f.running(2)
	f.settle("cost-center", "7000")
}

// tellInPlace: the pool gets another class, with another image and another tag, and the VM's metadata may be read with a
// token only. Its machines stay. The tag is set at once. The rest waits until the nodes are drained, one after the other,
// and the agent on each has installed the image. Meanwhile the old class is deleted, and the new one changes.
func (f *hotCluster) tellInPlace() {
	const required = "required"
	changed := f.spec("cost-center", "7000", "team", "red")
	changed.AMI = "ami-2"
	changed.InstanceMetadataOptions = &awsdriver.InstanceMetadataOptions{HTTPTokens: required}
	before := f.names()
	f.put("next", changed)
	f.wants("next")
	f.deleteClass("class")
	f.live("team", "red")
	owner := ""
	for n := range before {
		updating := f.readyMachine(before)
		owner = fmt.Sprintf("agent-%d", n)
		changed.Tags["owner"] = owner
		f.put("next", changed)
		f.live("owner", owner)
		withTokens := 0
		for _, r := range f.cloud.Resources() {
			if r.HTTPTokens == required {
				withTokens++
			}
		}
		assert.Equal(f, n+1, withTokens, "only drained VMs have changed")
		f.answer([]string{updating.Labels[v1alpha1.NodeLabelKey]})
		f.until("the machine is transferred", func() bool { return f.areTransferred("next", []string{updating.Name}) })
	}
	f.running(2)
	f.settle("cost-center", "7000", "team", "red", "owner", owner)
	f.until("the part for drained nodes is confirmed", func() bool {
		return !slices.ContainsFunc(f.pool(""), func(m v1alpha1.Machine) bool { return isUnderWay(&m, "-metadata") })
	})
	assert.ElementsMatch(f, before, f.names(), "no machine is replaced")
}

// readyMachine waits until a node waits for its agent, and returns its machine.
func (f *hotCluster) readyMachine(machines []string) (ready *v1alpha1.Machine) {
	f.Helper()
	f.until("a node is ready for its agent", func() bool {
		for _, name := range machines {
			machine, err := f.machines.Machines(f.namespace).Get(f.Context(), name, metav1.GetOptions{})
			require.NoError(f, err)
			if f.areReady([]string{machine.Labels[v1alpha1.NodeLabelKey]}) && !f.areTransferred("next", []string{name}) {
				ready = machine
				return true
			}
		}
		return false
	})
	node, err := f.kube.CoreV1().Nodes().Get(f.Context(), ready.Labels[v1alpha1.NodeLabelKey], metav1.GetOptions{})
	require.NoError(f, err)
	assert.True(f, node.Spec.Unschedulable)
	return ready
}

// tellQuiet: MCM goes on looking at the machines, and leaves the cloud alone.
func (f *hotCluster) tellQuiet() {
	before, _ := f.counted()
	time.Sleep(5 * time.Second)
	after, _ := f.counted()
	assert.Equal(f, before, after)
}

// tellDeletion: what the launch made goes with the machines, and so does what others attached to be deleted with the VM.
// The volume of others stays.
func (f *hotCluster) tellDeletion() {
	f.changePool(f.namespace, func(spec *v1alpha1.MachineDeploymentSpec) { spec.Replicas = 0 })
	f.until("the machines are gone", func() bool { return len(f.pool("")) == 0 })
	left := f.cloud.Resources()
	if assert.Len(f, left, 1) {
		assert.Equal(f, ec2test.Volume, left[0].Kind)
		assert.Equal(f, "others", left[0].Tags["made-by"])
	}
}

// inPlace is the strategy of a pool that is updated in place, one machine at a time.
func inPlace(by v1alpha1.OrchestrationType) v1alpha1.MachineDeploymentStrategy {
	return v1alpha1.MachineDeploymentStrategy{
		Type: v1alpha1.InPlaceUpdateMachineDeploymentStrategyType, InPlaceUpdate: &v1alpha1.InPlaceUpdateMachineDeployment{
			UpdateConfiguration: updates(0, 1), OrchestrationType: by,
		},
	}
}

// allow gives MCM rights in the namespace, which is its control cluster, and those that it needs in its target cluster.
func (f *hotCluster) allow(rules []rbacv1.PolicyRule) {
	f.Helper()
	f.bind(f.namespace, rules)
	f.bind(metav1.NamespaceSystem, []rbacv1.PolicyRule{ // bootstrap tokens
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "create", "update", "delete"}},
	})
	role := &rbacv1.ClusterRole{}
	f.readMCM("kubernetes/deployment/out-of-tree/target-cluster-role.yaml", role)
	role.ObjectMeta = metav1.ObjectMeta{Name: user}
	role.Rules = append(role.Rules, rbacv1.PolicyRule{ // which MCM's file lacks, and Gardener's role has
		APIGroups: []string{""}, Resources: []string{"nodes/status"}, Verbs: []string{"update"},
	})
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta, Subjects: subjects(),
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
	}
	f.isThere(second(f.kube.RbacV1().ClusterRoles().Create(f.Context(), role, metav1.CreateOptions{})))
	f.isThere(second(f.kube.RbacV1().ClusterRoleBindings().Create(f.Context(), binding, metav1.CreateOptions{})))
}

// bind gives MCM rights in a namespace.
func (f *hotCluster) bind(namespace string, rules []rbacv1.PolicyRule) {
	f.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: role.ObjectMeta, Subjects: subjects(), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
	}
	f.isThere(second(f.kube.RbacV1().Roles(namespace).Create(f.Context(), role, metav1.CreateOptions{})))
	f.isThere(second(f.kube.RbacV1().RoleBindings(namespace).Create(f.Context(), binding, metav1.CreateOptions{})))
}

func subjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "User", Name: user, APIGroup: rbacv1.GroupName}}
}

// isThere expects that an object was created, now or for another test.
func (f *hotCluster) isThere(err error) {
	f.Helper()
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(f, err)
	}
}

// readMCM reads an object of a file of MCM.
func (f *hotCluster) readMCM(file string, object any) {
	f.Helper()
	module, err := exec.CommandContext(f.Context(), "go", "list", "-m", "-f", "{{.Dir}}", editedmcm.Module).Output()
	require.NoError(f, err)
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), filepath.FromSlash(file)))
	require.NoError(f, err)
	require.NoError(f, yaml.Unmarshal(text, object))
}

// testWithoutPatch: a creation launches nothing, and an update changes nothing, until the verb is granted.
func (s *server) testWithoutPatch(t *testing.T, program string) {
	t.Helper()
	f := s.hotCluster(t, "without-patch", program, ec2test.Config{})
	f.allow(withoutPatch(gardenletsRules(t)))
	grant := func(rules []rbacv1.PolicyRule) {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
		_, err := f.kube.RbacV1().Roles(f.namespace).Update(t.Context(), role, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	f.runDeployments()
	f.startProvider()
	f.put("class", f.spec("owner", "alice"))
	f.createPool(f.namespace, "class", 1, rolling(1))
	f.until("a patch of a machine is refused", func() bool {
		isAllowed, isAsked := s.asked(t, user)[permission("patch", "machines", v1alpha1.GroupName)]
		return isAsked && !isAllowed
	})
	_, writes := f.counted()
	assert.Zero(t, writes, "nothing is launched of which nothing is recorded")
	grant(gardenletsRules(t))
	f.settle("owner", "alice")
	grant(withoutPatch(gardenletsRules(t)))
	f.isRefused()
	grant(gardenletsRules(t))
	f.settle("owner", "bob")
}

// gardenletsRules are the rights that gardenlet gives MCM in its control cluster.
func gardenletsRules(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	role, _ := gardenletsRights(t)
	return role.Rules
}

// withoutPatch returns rules that do not allow to patch machines.
func withoutPatch(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	machines := rules[0]
	rest := *machines.DeepCopy()
	rest.Resources = slices.DeleteFunc(rest.Resources, func(resource string) bool { return resource == "machines" })
	machines.Resources = []string{"machines"}
	machines.Verbs = slices.DeleteFunc(slices.Clone(machines.Verbs), func(verb string) bool { return verb == "patch" })
	return append([]rbacv1.PolicyRule{machines, rest}, rules[1:]...)
}

// isRefused changes the class, and expects that the update ends before anything is sent, with an event. The machine does
// not change.
func (f *hotCluster) isRefused() {
	f.Helper()
	before := f.oldest()
	_, written := f.counted()
	f.put("class", f.spec("owner", "bob"))
	f.until("the refusal is told", func() bool {
		events, err := f.kube.CoreV1().Events(f.namespace).List(f.Context(), metav1.ListOptions{})
		require.NoError(f, err)
		return slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.Reason == "HotUpdateFailed" })
	})
	_, writes := f.counted()
	assert.Equal(f, written, writes)
	machine := f.oldest()
	assert.Equal(f, before.Annotations, machine.Annotations)
	assert.Equal(f, before.Status, machine.Status)
}

// testAdmission: the same for a policy that refuses changes of the record.
func (s *server) testAdmission(t *testing.T, program string) {
	t.Helper()
	f := s.hotCluster(t, "admission", program, ec2test.Config{})
	f.allow(gardenletsRules(t))
	f.runDeployments()
	f.startProvider()
	f.put("class", f.spec("owner", "alice"))
	f.createPool(f.namespace, "class", 1, rolling(1))
	f.running(1)
	f.settle("owner", "alice")
	meta := metav1.ObjectMeta{Name: "frozen"}
	policies := f.kube.AdmissionregistrationV1()
	const record = `metadata.?annotations[?"machine.sapcloud.io/hot-update"].orValue("")`
	rule := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Update},
		Rule: admissionv1.Rule{
			APIGroups: []string{v1alpha1.GroupName}, APIVersions: []string{"*"}, Resources: []string{"machines"},
		},
	}}
	_, err := policies.ValidatingAdmissionPolicies().Create(t.Context(),
		&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{rule}},
			Validations: []admissionv1.Validation{
				{Expression: "object." + record + " == oldObject." + record, Message: "records are frozen"},
			},
		}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: meta.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	f.until("the policy is in force", func() bool {
		probe := []byte(`{"metadata":{"annotations":{"machine.sapcloud.io/hot-update":"{}"}}}`)
		_, err := f.machines.Machines(f.namespace).Patch(
			t.Context(), f.oldest().Name, types.MergePatchType, probe, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}},
		)
		return apierrors.IsInvalid(err)
	})
	f.isRefused()
	require.NoError(t, policies.ValidatingAdmissionPolicyBindings().Delete(t.Context(), meta.Name, metav1.DeleteOptions{}))
	f.settle("owner", "bob")
}
