package updater

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
)

// object is an object of MCM's API: its module is no dependency.
type object = unstructured.Unstructured

// machineAPI is the API of MCM.
var machineAPI = schema.GroupVersion{Group: "machine.sapcloud.io", Version: "v1alpha1"}

// now is the time.
func now() time.Time { return time.Now() }

// clients are the clients of an Updater. Each has a budget of queries of its own, so that neither
// creations nor the lease wait for updates.
type clients struct {
	work      dynamic.Interface
	machines  dynamic.ResourceInterface
	secrets   dynamic.Interface
	creations dynamic.ResourceInterface // the ConfigMap of versions
	events    typedcorev1.EventInterface
	leases    coordinationv1.LeasesGetter
}

// newClients makes the clients.
func newClients(config *rest.Config, namespace string) (c clients, err error) {
	apart := func(what string, timeout time.Duration) *rest.Config {
		own := rest.AddUserAgent(rest.CopyConfig(config), "hot-updater-"+what)
		if own.RateLimiter = nil; own.QPS == 0 {
			own.QPS, own.Burst = 50, 100
		}
		own.Timeout = cmp.Or(timeout, own.Timeout)
		return own
	}
	if c.work, err = dynamic.NewForConfig(apart("work", 0)); err != nil {
		return c, err
	}
	c.machines = c.work.Resource(machineAPI.WithResource("machines")).Namespace(namespace)
	if c.secrets, err = dynamic.NewForConfig(apart("secrets", callTimeout)); err != nil {
		return c, err
	}
	stores, err := dynamic.NewForConfig(apart("versions", storeTimeout))
	if err != nil {
		return c, err
	}
	c.creations = stores.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace)
	core, err := typedcorev1.NewForConfig(apart("events", callTimeout))
	if err != nil {
		return c, err
	}
	c.events = core.Events(namespace)
	c.leases, err = coordinationv1.NewForConfig(apart("lease", renewDeadline/2))
	return c, err
}

// callTimeout bounds a single request.
const callTimeout = 30 * time.Second

// newRecorder returns a recorder of events, which are sent once the broadcaster is started.
func newRecorder() (record.EventBroadcaster, record.EventRecorder) {
	broadcaster := record.NewBroadcaster()
	return broadcaster, broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "hot-updater"})
}

// reference names a machine in events, also if the object does not know its kind.
func reference(machine metav1.Object) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: machineAPI.String(), Kind: "Machine", Namespace: machine.GetNamespace(), Name: machine.GetName(),
		UID: machine.GetUID(),
	}
}
