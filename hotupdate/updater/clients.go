package updater

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// object is an object of MCM's API, whose module is not a dependency.
type object = unstructured.Unstructured

// machineAPI is the API of MCM.
var machineAPI = schema.GroupVersion{Group: "machine.sapcloud.io", Version: "v1alpha1"}

// clients are the clients of an Updater. Each has a separate budget of queries, so that neither
// creations nor the lease wait for updates.
type clients struct {
	work     dynamic.Interface
	machines dynamic.ResourceInterface
	core     *typedcorev1.CoreV1Client // events and secrets
	versions *typedcorev1.CoreV1Client // the ConfigMap of versions, for adoptions and pruning
	creating *typedcorev1.CoreV1Client // the ConfigMap of versions, for creations
	leases   *coordinationv1.CoordinationV1Client
}

// newClients makes the clients.
func newClients(config *rest.Config, namespace string) (c clients, err error) {
	apart := func(what string, timeout time.Duration) *rest.Config {
		own := rest.AddUserAgent(rest.CopyConfig(config), "hot-updater-"+what)
		own.RateLimiter = nil
		if own.QPS == 0 {
			own.QPS = 50
			own.Burst = 100
		}
		if timeout != 0 {
			own.Timeout = timeout
		}
		return own
	}
	var problems [5]error
	c.work, problems[0] = dynamic.NewForConfig(apart("work", 0))
	if problems[0] == nil {
		c.machines = c.work.Resource(machineAPI.WithResource("machines")).Namespace(namespace)
	}
	c.core, problems[1] = typedcorev1.NewForConfig(apart("core", callTimeout))
	c.versions, problems[2] = typedcorev1.NewForConfig(apart("versions", callTimeout))
	c.creating, problems[3] = typedcorev1.NewForConfig(apart("creating", attemptTimeout))
	c.leases, problems[4] = coordinationv1.NewForConfig(apart("lease", renewDeadline/2))
	return c, errors.Join(problems[:]...)
}

// callTimeout bounds a single request.
const callTimeout = 30 * time.Second
