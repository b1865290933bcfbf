package beside_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/beside"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// server is the API server of all tests; each has a namespace of its own.
var server *apiserver.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = apiserver.Start(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// The class of the tests, and its secret.
const (
	class      = "pool-z1-159ea"
	secretName = "cloudprovider"
)

// fixture is a namespace with a stand-in for MCM.
type fixture struct {
	*testing.T

	namespace string
	client    *api.Client // of everybody but the updaters
	objects   dynamic.Interface
	schema    *hotupdate.Schema
	cloud     *beside.Cloud
	provider  *beside.Provider
	settings  machineupdate.Settings
	owners    []metav1.OwnerReference // of machines from before
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureIn(t, strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())))
}

func newFixtureIn(t *testing.T, namespace string) *fixture {
	t.Helper()
	f := &fixture{T: t, namespace: namespace, cloud: beside.NewCloud()}
	f.settings = machineupdate.Settings{
		ConfirmAfter: 3 * time.Second, RetryAfter: time.Second, CallTimeout: time.Minute,
	}
	var err error
	f.client, err = api.NewClient(server.Config, f.namespace)
	require.NoError(t, err)
	f.objects, err = dynamic.NewForConfig(server.Config)
	require.NoError(t, err)
	f.schema, err = hotupdate.SchemaOf[beside.Spec]()
	require.NoError(t, err)
	f.provider, err = beside.NewProvider(f.schema, f.cloud)
	require.NoError(t, err)
	f.putSecret("one")
	return f
}

func (f *fixture) putSecret(token string) {
	f.Helper()
	data := map[string][]byte{"token": []byte(token)}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secretName}, Data: data}
	_, err := f.client.Secrets.Create(f.Context(), secret, metav1.CreateOptions{})
	require.NoError(f, err)
}

// putClass creates a class, or changes it.
func (f *fixture) putClass(name, providerSpec string) {
	f.Helper()
	raw := runtime.RawExtension{Raw: []byte(providerSpec)}
	made := &api.MachineClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provider: "test", ProviderSpec: raw,
		SecretRef: api.SecretReference{Name: secretName},
	}
	_, err := f.client.MachineClasses.Create(f.Context(), made, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		made, err = f.client.MachineClasses.Get(f.Context(), name, metav1.GetOptions{})
		require.NoError(f, err)
		made.ProviderSpec = raw
		_, err = f.client.MachineClasses.Update(f.Context(), made, metav1.UpdateOptions{})
	}
	require.NoError(f, err)
}

// controlledBy returns the references of an object that another one controls.
func controlledBy(kind string, owner metav1.Object) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(owner, api.GroupVersion.WithKind(kind))}
}

// templateOf returns the template of machines with a class.
func templateOf(class string) api.MachineTemplateSpec {
	return api.MachineTemplateSpec{Spec: api.MachineSpec{Class: api.ClassSpec{Name: class}}}
}

// pool makes later machines those of a pool whose template names the class "next".
func (f *fixture) pool(strategy string) *api.MachineDeployment {
	f.Helper()
	deployment, err := f.client.MachineDeployments.Create(f.Context(), &api.MachineDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "pool"}, Spec: api.MachineDeploymentSpec{
			Strategy: api.MachineDeploymentStrategy{Type: strategy}, Template: templateOf("next"),
		},
	}, metav1.CreateOptions{})
	require.NoError(f, err)
	set, err := f.client.MachineSets.Create(f.Context(), &api.MachineSet{
		ObjectMeta: metav1.ObjectMeta{Name: "pool-old", OwnerReferences: controlledBy("MachineDeployment", deployment)},
		Spec:       api.MachineSetSpec{Template: templateOf(class)},
	}, metav1.CreateOptions{})
	require.NoError(f, err)
	f.owners = controlledBy("MachineSet", set)
	return deployment
}

// versions returns the stored versions of classes.
func (f *fixture) versions() map[string]string {
	f.Helper()
	found, err := f.of("configmaps").Get(f.Context(), "machine-controller-hot-update-versions", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f, err)
	data, _, err := unstructured.NestedStringMap(found.Object, "data")
	require.NoError(f, err)
	return data
}

// of is the client of a resource that Kubernetes serves itself elsewhere.
func (f *fixture) of(resource string) dynamic.ResourceInterface {
	group := api.GroupVersion
	if resource == "leases" {
		group = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	}
	return f.objects.Resource(group.WithResource(resource)).Namespace(f.namespace)
}

// stealLease gives the lease to somebody who does not renew it.
func (f *fixture) stealLease() {
	f.Helper()
	require.NoError(f, retry.RetryOnConflict(retry.DefaultRetry, func() error { // its holder renews it
		lease, err := f.of("leases").Get(f.Context(), "machine-controller-hot-update", metav1.GetOptions{})
		if err != nil {
			return err
		}
		spec := lease.Object["spec"].(map[string]any)
		spec["holderIdentity"] = "thief"
		spec["renewTime"] = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
		_, err = f.of("leases").Update(f.Context(), lease, metav1.UpdateOptions{})
		return err
	}))
}

// names returns the names of n machines.
func names(n int) (named []string) {
	for i := range n {
		named = append(named, fmt.Sprintf("m-%03d", i))
	}
	return named
}

// create creates Machines without VMs.
func (f *fixture) create(machines ...string) {
	f.Helper()
	f.each(machines, func(name string) error {
		made := &api.Machine{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: f.owners},
			Spec:       api.MachineSpec{Class: api.ClassSpec{Name: class}},
		}
		_, err := f.client.Machines.Create(f.Context(), made, metav1.CreateOptions{})
		return err
	})
}

// each calls a function for each machine, ten at a time.
func (f *fixture) each(machines []string, do func(name string) error) {
	f.Helper()
	var all errgroup.Group
	all.SetLimit(10)
	for _, name := range machines {
		all.Go(func() error { return do(name) })
	}
	require.NoError(f, all.Wait())
}

// running creates Machines that run, with VMs from before hot updates.
func (f *fixture) running(tags string, machines ...string) {
	f.Helper()
	made := &metav1.ObjectMeta{Name: class}
	f.each(machines, func(name string) error {
		machine := &api.Machine{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Finalizers: []string{api.Finalizer}, Labels: map[string]string{api.NodeLabelKey: name},
				OwnerReferences: f.owners,
			},
			Spec: api.MachineSpec{Class: api.ClassSpec{Name: class}},
		}
		id, err := f.provider.CreateMachine(f.Context(), machine, made, []byte(tags))
		if err != nil {
			return err
		}
		f.provider.InitializeMachine(f.Context(), machine, made, []byte(tags))
		machine.Spec.ProviderID = id
		if machine, err = f.client.Machines.Create(f.Context(), machine, metav1.CreateOptions{}); err != nil {
			return err
		}
		machine.Status.CurrentStatus.Phase = api.MachineRunning
		_, err = f.client.Machines.UpdateStatus(f.Context(), machine, metav1.UpdateOptions{})
		return err
	})
}

func (f *fixture) machine(name string) *api.Machine {
	f.Helper()
	machine, err := f.client.Machines.Get(f.Context(), name, metav1.GetOptions{})
	require.NoError(f, err)
	return machine
}

// until waits until a condition holds.
func (f *fixture) until(what string, holds func() bool) {
	f.Helper()
	require.Eventually(f, holds, 5*time.Minute, 100*time.Millisecond, what)
}

// inState returns how many machines have a settled record, or one in the state.
func (f *fixture) inState(state string) (n int) {
	f.Helper()
	machines, err := f.client.Machines.List(f.Context(), metav1.ListOptions{})
	require.NoError(f, err)
	for i := range machines.Items {
		var record struct{ State string }
		text := machines.Items[i].Annotations[machineupdate.AnnotationRecord]
		if json.Unmarshal([]byte(text), &record) == nil && record.State == state {
			n++
		}
	}
	return n
}

// settled waits until n machines have settled records.
func (f *fixture) settled(n int) {
	f.Helper()
	f.until(fmt.Sprint(n, " machines have settled"), func() bool { return f.inState("") == n })
}

// tagged waits until the VMs have exactly these tags.
func (f *fixture) tagged(machines []string, want map[string]string) {
	f.Helper()
	f.until(fmt.Sprint("all VMs have ", want), func() bool {
		return !slices.ContainsFunc(machines, func(m string) bool { return !maps.Equal(f.cloud.TagsOf(m), want) })
	})
}

// process is an updater in a process of its own, with a log of its requests.
type process struct {
	*updater.Updater

	killed   atomic.Bool // its requests fail
	mutex    sync.Mutex
	requests []request
	said     []string              // to the log
	refuse   func(r request) error // requests that fail; nil refuses none
	stop     context.CancelFunc
}

// request is a request to the API server.
type request struct {
	Verb, Resource, Name, Body string
	Agent                      string // of which client of the process it is
	Code                       int
	Phase                      string // of the Machine that is patched, before
}

// start starts an updater. It ends with the test.
func (f *fixture) start(change ...func(*updater.Options)) *process {
	f.Helper()
	return f.startAs(&process{}, change...)
}

func (f *fixture) startAs(p *process, change ...func(*updater.Options)) *process {
	f.Helper()
	config := rest.CopyConfig(server.Config)
	config.QPS = 200
	config.Burst = 400
	config.Wrap(apiserver.AsKubernetes)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &logged{next, f, p} })
	options := updater.Options{
		Control: config, Namespace: f.namespace, Driver: f.provider, Settings: f.settings,
	}
	for _, do := range change {
		do(&options)
	}
	var err error
	p.Updater, err = updater.New(options)
	require.NoError(f, err)
	logger := funcr.New(func(_, line string) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.said = append(p.said, line)
	}, funcr.Options{})
	ctx, cancel := context.WithCancel(klog.NewContext(f.Context(), logger))
	p.stop = cancel
	ended := make(chan struct{})
	go func() {
		p.Run(ctx)
		close(ended)
	}()
	f.Cleanup(func() {
		cancel()
		<-ended
		f.expectOnlyAllowed(p)
	})
	return p
}

// log returns the requests so far that fit.
func (p *process) log(fits func(r request) bool) (fitting []request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, r := range p.requests {
		if fits(r) {
			fitting = append(fitting, r)
		}
	}
	return fitting
}

// has reports whether the process has logged a text.
func (p *process) has(text string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.ContainsFunc(p.said, func(line string) bool { return strings.Contains(line, text) })
}

// patches returns the numbers of patches of machines, and of conflicts among them.
func (p *process) patches() (all, conflicts int) {
	isPatch := func(r request) bool { return r.Verb == http.MethodPatch && r.Resource == "machines" }
	isConflict := func(r request) bool { return isPatch(r) && r.Code == http.StatusConflict }
	return len(p.log(isPatch)), len(p.log(isConflict))
}

// metric returns the sum of a metric's samples whose labels hold the text.
func (p *process) metric(t *testing.T, name, label string) (sum float64) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(p)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, sample := range family.GetMetric() {
			if family.GetName() == name && strings.Contains(fmt.Sprint(sample.GetLabel()), label) {
				sum += sample.GetGauge().GetValue() + sample.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// expectOnlyAllowed checks the log of an updater: it patches annotations of its own of machines
// that MCM has finished creating, with their resourceVersion, and writes nothing else of MCM's or
// of Kubernetes'.
func (f *fixture) expectOnlyAllowed(p *process) {
	f.Helper()
	for _, r := range p.log(func(r request) bool { return r.Verb != http.MethodGet }) {
		switch {
		case r.Verb == http.MethodPatch && r.Resource == "machines":
			f.expectOnlyAnnotations(r)
			if r.Code == http.StatusOK {
				unfinished := []string{"", "Pending", "CrashLoopBackOff", "Failed", "Terminating"}
				assert.NotContains(f, unfinished, r.Phase, r.Name)
			}
		case slices.Contains([]string{"POST leases", "PUT leases", "POST configmaps", "PUT configmaps"}, r.Verb+" "+r.Resource):
		case r.Resource == "events" && (r.Verb == http.MethodPost || r.Verb == http.MethodPatch):
		default:
			assert.Fail(f, "forbidden", "%+v", r)
		}
	}
}

func (f *fixture) expectOnlyAnnotations(r request) {
	f.Helper()
	var patch map[string]map[string]json.RawMessage
	require.NoError(f, json.Unmarshal([]byte(r.Body), &patch), r.Body)
	metadata := patch["metadata"]
	assert.Len(f, patch, 1, r.Body)
	assert.NotEmpty(f, metadata["resourceVersion"], r.Body)
	var annotations map[string]*string
	require.NoError(f, json.Unmarshal(metadata["annotations"], &annotations), r.Body)
	for name := range annotations {
		assert.True(f, strings.HasPrefix(name, machineupdate.AnnotationRecord), name)
	}
	delete(metadata, "resourceVersion")
	delete(metadata, "annotations")
	delete(metadata, "uid")
	assert.Empty(f, metadata, r.Body)
}

// logged logs the requests of a process.
type logged struct {
	next http.RoundTripper
	f    *fixture
	of   *process
}

var errKilled = errors.New("the process was killed")

func (l *logged) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.of.killed.Load() {
		return nil, errKilled
	}
	sent := r.Clone(r.Context())
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	said := l.describe(r, body)
	if refuse := l.of.refuse; refuse != nil {
		if err := refuse(said); err != nil {
			return nil, err
		}
	}
	answer, err := l.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	said.Code = answer.StatusCode
	l.of.mutex.Lock()
	defer l.of.mutex.Unlock()
	l.of.requests = append(l.of.requests, said)
	return answer, nil
}

func (l *logged) describe(r *http.Request, body []byte) request {
	said := request{Verb: r.Method, Body: string(body), Agent: r.UserAgent()}
	_, path, _ := strings.Cut(r.URL.Path, "/namespaces/")
	_, path, _ = strings.Cut(path, "/")
	said.Resource, said.Name, _ = strings.Cut(path, "/")
	if r.Method == http.MethodPatch && said.Resource == "machines" {
		if machine, err := l.f.client.Machines.Get(r.Context(), said.Name, metav1.GetOptions{}); err == nil {
			said.Phase = string(machine.Status.CurrentStatus.Phase)
		}
	}
	return said
}
