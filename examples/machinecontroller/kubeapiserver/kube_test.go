// Package kubeapiserver_test runs the controllers of the example on a whole kube-apiserver, with real Nodes, RBAC and
// admission, and an updater beside the real, unmodified machine-controller-manager, and applies the deployment of
// hotupdate serve there. It is a module of its own, because it takes minutes to compile.
package kubeapiserver_test

import (
	"context"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubeclient "k8s.io/client-go/kubernetes"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/world"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestKubeAPIServer runs everything on one server, which takes seconds to start.
func TestKubeAPIServer(t *testing.T) {
	s := start(t)
	t.Run("the role is enough, and nothing more than needed", s.testRole)
	t.Run("the role of an updater is enough, and nothing more than needed", s.testBeside)
	t.Run("gardenlet's role lacks what the extension deploys", s.testGardener)
	t.Run("an extension with rights of its own lacks the lease only", s.testExtensions)
	t.Run("without the verb patch nothing is sent to the cloud", s.testWithoutPatch)
	t.Run("where admission refuses the record nothing is sent to the cloud", s.testAdmission)
	t.Run("the deployment of hotupdate serve, and its policy", s.testServe)
}

// fixture is a pool of machines in a namespace of its own.
type fixture struct {
	*testing.T

	kube  kubeclient.Interface
	role  *rbacv1.Role
	world *world.World
	busy  atomic.Bool // agents do not answer

	mu     sync.Mutex
	events map[string]bool // reasons
	writes map[string]int  // to the cloud, by action
}

const (
	pool  = "pool"
	class = "class"
	first = class + "-0"
)

// namespace starts a world in which the controllers have the roles.
func (s *server) namespace(t *testing.T, name string) *fixture {
	t.Helper()
	f := &fixture{T: t, events: map[string]bool{}, writes: map[string]int{}}
	var err error
	f.kube, err = kubeclient.NewForConfig(s.admin)
	require.NoError(t, err)
	_, err = f.kube.CoreV1().Namespaces().Create(
		t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{},
	)
	require.NoError(t, err)
	role, clusterRole := roles(t)
	rbac := f.kube.RbacV1()
	subjects := []rbacv1.Subject{{Kind: "User", Name: user, APIGroup: rbacv1.GroupName}}
	meta := metav1.ObjectMeta{Name: role.Name}
	f.role, err = rbac.Roles(name).Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
	}
	_, err = rbac.RoleBindings(name).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	clusterBinding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
	}
	for _, err := range []error{
		second(rbac.ClusterRoles().Create(t.Context(), clusterRole, metav1.CreateOptions{})),
		second(rbac.ClusterRoleBindings().Create(t.Context(), clusterBinding, metav1.CreateOptions{})),
	} {
		require.True(t, err == nil || apierrors.IsAlreadyExists(err), "%v", err)
	}
	f.world, err = world.Start(t.Context(), s.admin, world.Config{
		Namespace: name, Controllers: s.controllers, Updaters: s.updaters, Core: corev1.SchemeGroupVersion, Workers: 2,
		Attempt: time.Second,
		Settings: machineupdate.Settings{
			CallTimeout: time.Second, CreationTimeout: time.Second, RetryAfter: time.Second, ConfirmAfter: 3 * time.Second,
		},
		Retry: controller.Retry{
			Conflict: 200 * time.Millisecond, Short: 300 * time.Millisecond, Medium: time.Second, Long: 2 * time.Second,
		},
		Cloud: ec2test.Config{Observe: f.request}, Observe: f.event, Updated: func(string) bool { return !f.busy.Load() },
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.world.Close()) })
	return f
}

func second[T any](_ T, err error) error { return err }

func (f *fixture) event(_ string, event *corev1.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events[event.Reason] = true
}

func (f *fixture) request(r ec2test.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !ec2test.Reads(r.Action) {
		f.writes[r.Action]++
	}
}

func (f *fixture) written() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.writes)
}

func (f *fixture) startReplica(name string) *world.Replica {
	f.Helper()
	replica, err := f.world.StartReplica(name)
	require.NoError(f, err)
	return replica
}

func (f *fixture) until(what string, holds func() bool) {
	f.Helper()
	if err := f.world.Until(what, 4*time.Minute, holds); err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		require.NoError(f, err, "events %v, machine %+v, nodes %+v", f.events, f.world.Machine(first), f.world.Node(first))
	}
}

// spec is a class with a tag.
func spec(owner string) *awsdriver.ProviderSpec {
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", Region: "eu-west-1", BlockDevices: []awsdriver.BlockDevice{{DeviceName: "/root"}},
		NetworkInterfaces: []awsdriver.NetworkInterface{{Ipv6PrefixCount: new(int32(1))}},
		Tags:              map[string]string{"kubernetes.io/cluster/shoot": "1", "kubernetes.io/role/node": "1", "owner": owner},
	}
}

// create creates a pool with a machine, and waits until that has settled.
func (f *fixture) create() {
	f.Helper()
	f.createPool()
	f.settled()
}

func (f *fixture) createPool() {
	f.Helper()
	require.NoError(f, f.world.PutClass(class, spec("alice")))
	require.NoError(f, f.world.CreatePool(pool, class, hotupdate.AutoInPlaceUpdate, 1))
}

// settled waits until the machine runs, and nothing is under way.
func (f *fixture) settled() {
	f.Helper()
	f.until("the machine has settled", func() bool {
		machine := f.world.Machine(first)
		record := machine.Annotations[machineupdate.AnnotationRecord]
		return machine.Status.CurrentStatus.Phase == api.MachineRunning && record != "" &&
			!strings.Contains(strings.Join(slices.Collect(maps.Values(machine.Annotations)), ""), `"state"`)
	})
}

func (f *fixture) owner() string {
	vm, _ := f.world.Cloud.Resource(path.Base(f.world.Machine(first).Spec.ProviderID))
	return vm.Tags["owner"]
}

// testRole: two replicas create machines, update them, also in place, and delete them, with real nodes. They use
// exactly the verbs of the roles.
func (s *server) testRole(t *testing.T) {
	const next = "next"
	f := s.namespace(t, "role")
	refused := ec2test.Fault{Action: "AssignIpv6Addresses", Effect: ec2test.Refused, Code: "InsufficientFreeAddressesInSubnet"}
	f.world.Cloud.Inject(slices.Repeat([]ec2test.Fault{refused}, 1000)...)
	leader := f.startReplica("a")
	f.until("a replica leads", leader.Leads)
	f.startReplica("b")
	f.createPool()
	f.until("the event is patched, since it happens twice, and the status of the set names the failed machine", func() bool {
		asked := s.asked(t, user)
		return asked[permission("patch", "events", "")] && asked[permission("update", "machinesets/status", api.GroupVersion.Group)]
	})
	f.world.Cloud.Heal()
	f.settled()
	card, _ := f.world.Cloud.Resource("eni-1")
	assert.Len(t, card.Ipv6Prefixes, 1, "the VM is initialized, although its node was there before")
	require.NoError(t, f.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Replicas = 2 }))
	leader.Kill()
	require.NoError(t, f.world.PutClass(class, spec("bob")))
	f.until("the other replica has updated the machine", func() bool { return f.owner() == "bob" })

	f.until("the second machine runs", func() bool { return f.world.Machine(class+"-1").Status.CurrentStatus.Phase == api.MachineRunning })
	f.busy.Store(true)
	changed := spec("bob")
	changed.InstanceMetadataOptions = &awsdriver.InstanceMetadataOptions{HTTPTokens: "required"}
	require.NoError(t, f.world.PutClass(next, changed))
	require.NoError(t, f.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = next }))
	names := []string{first, class + "-1"}
	isReady := func(name string) bool { return controller.InPlaceNode(f.world.Node(name)).IsReadyForUpdate() }
	f.until("a node is ready for its agent", func() bool { return slices.ContainsFunc(names, isReady) })
	updating := names[slices.IndexFunc(names, isReady)]
	node := f.world.Node(updating)
	assert.True(t, node.Spec.Unschedulable)
	assert.Equal(t, "true", node.Labels[inplace.SelectedLabel])
	vm, _ := f.world.Cloud.Resource(path.Base(f.world.Machine(updating).Spec.ProviderID))
	assert.Equal(t, "required", vm.HTTPTokens)
	f.busy.Store(false)
	f.until("the nodes are updated", func() bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			machine := f.world.Machine(name)
			node := f.world.Node(name)
			owner := metav1.GetControllerOf(machine)
			isOwned := owner != nil && owner.Name == next
			return !isOwned || node.Spec.Unschedulable || node.Labels[inplace.SelectedLabel] != ""
		})
	})
	require.NoError(t, f.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Replicas = 0 }))
	f.until("the machines are gone", func() bool { return f.world.Machine(first).Name+f.world.Machine(class+"-1").Name == "" })

	role, clusterRole := roles(t)
	assert.Equal(t, allowed(slices.Concat(role.Rules, clusterRole.Rules)), s.asked(t, user))
}

// allowed returns what rules allow, as asked does.
func allowed(rules []rbacv1.PolicyRule) map[string]bool {
	all := map[string]bool{}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all[permission(verb, resource, rule.APIGroups[0])] = true
			}
		}
	}
	return all
}

// testBeside: an updater beside a controller that knows nothing of hot updates uses exactly the verbs of its role.
// It writes annotations of machines, and no status and no node.
func (s *server) testBeside(t *testing.T) {
	f := s.namespace(t, "beside")
	role := s.bindUpdater(t, f.kube, "beside")
	_, err := f.world.StartBeside("e")
	require.NoError(t, err)
	f.create()
	for _, owner := range []string{"bob", "carol"} { // the same event twice is a patch
		require.NoError(t, f.world.PutClass(class, spec(owner)))
		f.until("the machine is updated", func() bool { return f.owner() == owner })
		f.settled()
	}
	require.NoError(t, f.world.ChangePool(pool, func(d *api.MachineDeployment) { d.Spec.Replicas = 2 })) // another version is stored
	f.until("the second machine is adopted", func() bool {
		return f.world.Machine(class + "-1").Annotations[machineupdate.AnnotationRecord] != ""
	})
	assert.Equal(t, allowed(role.Rules), s.asked(t, updaterUser))
	patches, _ := s.patches(t, "beside")
	assert.Positive(t, patches)
}

// publishedRights are the Role and the RoleBinding that the updater publishes, as Helm renders them into a namespace.
func publishedRights(t *testing.T, namespace string) (*rbacv1.Role, *rbacv1.RoleBinding) {
	t.Helper()
	text, err := os.ReadFile("../../../hotupdate/updater/rbac.yaml")
	require.NoError(t, err)
	rendered := strings.ReplaceAll(string(text), "{{ .Release.Namespace }}", namespace)
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(rendered), 4096)
	role := &rbacv1.Role{}
	binding := &rbacv1.RoleBinding{}
	require.NoError(t, documents.Decode(role))
	require.NoError(t, documents.Decode(binding))
	return role, binding
}

// bindUpdater deploys what the updater publishes, and binds it to the user of the tests as well.
func (s *server) bindUpdater(t *testing.T, kube kubeclient.Interface, namespace string) *rbacv1.Role {
	t.Helper()
	role, binding := publishedRights(t, namespace)
	binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: "User", Name: updaterUser, APIGroup: rbacv1.GroupName})
	_, err := kube.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	return role
}

// testGardener: in a namespace of Gardener's, the driver's service account has the Role that gardenlet deploys. It
// lacks ConfigMaps and the updater's lease, which the Role and the RoleBinding of the extension add.
func (s *server) testGardener(t *testing.T) {
	const (
		namespace = "shoot--p--s"
		account   = "system:serviceaccount:shoot--p--s:machine-controller-manager"
	)
	f := s.namespace(t, namespace)
	text, err := os.ReadFile("testdata/gardenlet.yaml")
	require.NoError(t, err)
	gardenlets := &rbacv1.Role{}
	binding := &rbacv1.RoleBinding{}
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(text)), 4096)
	require.NoError(t, documents.Decode(gardenlets))
	require.NoError(t, documents.Decode(binding))
	_, err = f.kube.RbacV1().Roles(namespace).Create(t.Context(), gardenlets, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = f.kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	role, _ := publishedRights(t, namespace)
	missing := func() (all []string) {
		for _, rule := range role.Rules {
			for _, asked := range questions(namespace, &rule) {
				answer, err := f.kube.AuthorizationV1().SubjectAccessReviews().Create(t.Context(),
					&authorizationv1.SubjectAccessReview{
						Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &asked},
					}, metav1.CreateOptions{})
				require.NoError(t, err)
				if !answer.Status.Allowed {
					all = append(all, asked.Verb+" "+asked.Resource+" "+asked.Name)
				}
			}
		}
		return all
	}
	want := []string{
		"get leases machine-controller-hot-update", "update leases machine-controller-hot-update", "create configmaps ",
		"get configmaps machine-controller-hot-update-versions", "update configmaps machine-controller-hot-update-versions",
	}
	f.until("gardenlet's Role is in force", func() bool { return slices.Equal(want, missing()) })
	s.bindUpdater(t, f.kube, namespace)
	f.until("the extension's Role is in force", func() bool { return len(missing()) == 0 })
}

// questions are the rights of a rule, one by one.
func questions(namespace string, rule *rbacv1.PolicyRule) (all []authorizationv1.ResourceAttributes) {
	names := rule.ResourceNames
	if names == nil {
		names = []string{""}
	}
	for _, resource := range rule.Resources {
		for _, verb := range rule.Verbs {
			for _, name := range names {
				all = append(all, authorizationv1.ResourceAttributes{
					Namespace: namespace, Group: rule.APIGroups[0], Resource: resource, Verb: verb, Name: name,
				})
			}
		}
	}
	return all
}

// testWithoutPatch: a creation launches nothing, and an update changes nothing, until the verb is granted.
func (s *server) testWithoutPatch(t *testing.T) {
	f := s.namespace(t, "without-patch")
	grant := func(verbs ...string) {
		var err error
		f.role.Rules[0].Verbs = append(
			slices.DeleteFunc(f.role.Rules[0].Verbs, func(verb string) bool { return verb == "patch" }), verbs...,
		)
		f.role, err = f.kube.RbacV1().Roles("without-patch").Update(t.Context(), f.role, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	grant()
	replica := f.startReplica("c")
	f.createPool()
	f.until("the refusal is told", func() bool { return f.told("ReconcileFailed") })
	assert.Empty(t, f.written(), "nothing is launched of which nothing is recorded")
	grant("patch")
	f.settled()
	grant()
	s.expectRefused(f, replica, apierrors.IsForbidden)
	grant("patch")
	f.until("the machine is updated", func() bool { return f.owner() == "bob" })
}

// testAdmission: the same for a policy that refuses changes of the record.
func (s *server) testAdmission(t *testing.T) {
	f := s.namespace(t, "admission")
	replica := f.startReplica("d")
	f.create()
	meta := metav1.ObjectMeta{Name: "frozen"}
	policies := f.kube.AdmissionregistrationV1()
	const record = `metadata.?annotations[?"machine.sapcloud.io/hot-update"].orValue("")`
	rule := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Update},
		Rule: admissionv1.Rule{
			APIGroups: []string{api.GroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{"machines"},
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
		_, err := f.world.Client.Machines.Patch(
			t.Context(), first, types.MergePatchType, probe, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}},
		)
		return apierrors.IsInvalid(err)
	})
	s.expectRefused(f, replica, apierrors.IsInvalid)
	require.NoError(t, policies.ValidatingAdmissionPolicyBindings().Delete(t.Context(), meta.Name, metav1.DeleteOptions{}))
	f.until("the machine is updated", func() bool { return f.owner() == "bob" })
}

// expectRefused changes the class, and expects that the update ends before anything is sent, with the API server's
// error, a delay and an event. The machine does not change.
func (s *server) expectRefused(f *fixture, replica *world.Replica, refusal func(error) bool) {
	f.Helper()
	before := f.world.Machine(first)
	written := f.written()
	refusals := func() float64 { return replica.Controller.Ended("WriteFailed") }
	known := refusals()
	require.NoError(f, f.world.PutClass(class, spec("bob")))
	f.until("the update was refused twice", func() bool { return refusals() > known+1 })
	assert.True(f, f.told("HotUpdateFailed"), "%v", f.events)
	assert.Equal(f, "alice", f.owner())
	assert.Equal(f, written, f.written())
	machine := f.world.Machine(first)
	assert.Equal(f, before.Annotations, machine.Annotations)
	assert.Equal(f, before.Status, machine.Status)

	schema, err := awsdriver.Schema()
	require.NoError(f, err)
	client, err := api.NewClient(s.controllers, f.world.Namespace, corev1.SchemeGroupVersion)
	require.NoError(f, err)
	class, err := f.world.Client.MachineClasses.Get(f.Context(), class, metav1.GetOptions{})
	require.NoError(f, err)
	driver := machineupdate.Driver{
		Schema: schema, Kinds: []string{"vm"}, Lanes: []machineupdate.Lane{{Name: "metadata", Paths: []string{"/instanceMetadataOptions"}}},
		ReadsFirst: true,
	}
	prepared, err := new(
		machineupdate.Classes,
	).Prepare(machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw}, driver)
	require.NoError(f, err)
	executor := &machineupdate.Executor[*api.Machine]{
		Patch: client.Machines.Patch, Now: time.Now,
		UpdateMachine: func(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
			err := request.BeforeWrite(ctx)
			assert.True(f, refusal(err), "%v", err)
			return err
		},
	}
	result := executor.Reconcile(f.Context(), machine, machineupdate.Observation{
		ProviderID: machine.Spec.ProviderID, Phase: string(machine.Status.CurrentStatus.Phase), Class: prepared,
	})
	assert.True(f, refusal(result.Err), "%v", result.Err)
	assert.Positive(f, result.RequeueAfter)
	assert.Equal(f, machine.ResourceVersion, result.Machine.ResourceVersion)
}

func (f *fixture) told(reason string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events[reason]
}
