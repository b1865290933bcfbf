// Package world puts everything together: a cloud on loopback, replicas of the machine controller that compete for a lease of the API server,
// and the others: the agents on the nodes, and the extension that writes classes and pools.
//
// It knows all packages of the example but the story; none of them knows it.
package world

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// AccessKey is the controllers' key of the cloud.
const AccessKey = "AKIAMACHINECONTROLLER"

// secretName is the name of the secret with the credentials.
const secretName = "cloudprovider"

// Config is how the world behaves.
type Config struct {
	Namespace string
	Cloud     cloud.Config
	Settings  machineupdate.Settings
	Limiter   func() *machineupdate.Limiter // makes that of a replica
	Retry     controller.Retry
	Workers   int
	Attempt   time.Duration // how long a request to the cloud waits for its answer
	// VolumeCooldown is how long drivers leave a volume alone that the cloud refuses to change.
	VolumeCooldown time.Duration
	// Observe is told of the events of controllers, and Takeover of the keys that drivers took over. They may be nil.
	Observe  func(replica string, event *corev1.Event)
	Takeover func(replica string, resource machineupdate.Resource, key string)
}

// World is a namespace of an API server, with a cloud of its own.
type World struct {
	Config

	Client *api.Client // that of everybody but the controllers
	Cloud  *cloud.Cloud

	ctx       context.Context //nolint:containedctx // the life of the world
	end       context.CancelFunc
	rest      *rest.Config
	endpoint  string
	transport *http.Transport
	server    *http.Server
	running   sync.WaitGroup

	mu     sync.Mutex
	broken map[string]bool // nodes
}

// Start makes a world without machines and replicas. It ends with the context, or with Close.
func Start(ctx context.Context, config *rest.Config, c Config) (*World, error) {
	c.Cloud.AccessKeys = []string{AccessKey}
	if c.Limiter == nil {
		c.Limiter = func() *machineupdate.Limiter { return nil }
	}
	w := &World{Config: c, rest: config, Cloud: cloud.New(c.Cloud), transport: &http.Transport{}, broken: map[string]bool{}}
	w.ctx, w.end = context.WithCancel(ctx)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w.endpoint = "http://" + listener.Addr().String()
	w.server = &http.Server{Handler: w.Cloud, ReadHeaderTimeout: time.Minute}
	// Serve returns when Close is called; whatever else it could say would show in the first request.
	w.running.Go(func() { _ = w.server.Serve(listener) })
	if w.Client, err = api.NewClient(config, c.Namespace); err != nil {
		return nil, err
	}
	w.running.Go(w.runNodes)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secretName}, Data: map[string][]byte{
		awsdriver.AccessKeyID: []byte(AccessKey), awsdriver.SecretAccessKey: []byte("secret"),
	}}
	_, err = w.Client.Secrets.Create(ctx, secret, metav1.CreateOptions{})
	return w, err
}

// Close ends everything.
func (w *World) Close() error {
	w.end()
	err := w.server.Close()
	w.running.Wait()
	w.transport.CloseIdleConnections()
	return err
}

// Until waits until something has happened.
func (w *World) Until(what string, limit time.Duration, holds func() bool) error {
	poll := func(context.Context) (bool, error) { return holds(), nil }
	if err := wait.PollUntilContextTimeout(w.ctx, 20*time.Millisecond, limit, true, poll); err != nil {
		return fmt.Errorf("waited %s in vain until %s", limit, what)
	}
	return nil
}

// PutClass creates a class, or gives it another spec under the same name, as an extension does if only hot fields change.
func (w *World) PutClass(name string, spec any) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	class := &api.MachineClass{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{api.Finalizer}}, Provider: "AWS", SecretRef: api.SecretReference{Name: secretName},
		ProviderSpec: runtime.RawExtension{Raw: raw},
	}
	_, err = w.Client.MachineClasses.Create(w.ctx, class, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		present, err := w.Client.MachineClasses.Get(w.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		present.ProviderSpec.Raw = raw
		_, err = w.Client.MachineClasses.Update(w.ctx, present, metav1.UpdateOptions{})
		return err
	})
}

// CreatePool creates a deployment and its set, with so many machines of a class.
func (w *World) CreatePool(name, class string, strategy api.DeploymentStrategyType, replicas int32) error {
	template := api.MachineTemplateSpec{Spec: api.MachineSpec{Class: api.ClassSpec{Kind: "MachineClass", Name: class}}}
	deployment := &api.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: api.MachineDeploymentSpec{Template: template}}
	deployment.Spec.Strategy.Type = strategy
	deployment, err := w.Client.MachineDeployments.Create(w.ctx, deployment, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	set := &api.MachineSet{ObjectMeta: metav1.ObjectMeta{
		Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(deployment, api.GroupVersion.WithKind("MachineDeployment"))},
	}, Spec: api.MachineSetSpec{Replicas: replicas, Template: template}}
	_, err = w.Client.MachineSets.Create(w.ctx, set, metav1.CreateOptions{})
	return err
}

// Machine returns a machine as the API server has it, an empty one if there is none.
func (w *World) Machine(name string) *api.Machine {
	machine, err := w.Client.Machines.Get(w.ctx, name, metav1.GetOptions{})
	if err != nil {
		return &api.Machine{}
	}
	return machine
}

// Scale says how many machines a pool has to have.
func (w *World) Scale(pool string, replicas int32) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		set, err := w.Client.MachineSets.Get(w.ctx, pool, metav1.GetOptions{})
		if err != nil {
			return err
		}
		set.Spec.Replicas = replicas
		_, err = w.Client.MachineSets.Update(w.ctx, set, metav1.UpdateOptions{})
		return err
	})
}

// ChangeNode is the agent on a node, or an operator, who changes the node.
func (w *World) ChangeNode(name string, change func(*corev1.Node)) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := w.Client.Nodes.Get(w.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(node)
		if node, err = w.Client.Nodes.Update(w.ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
		change(node)
		_, err = w.Client.Nodes.UpdateStatus(w.ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// BreakNode makes a node unready, or ready again.
func (w *World) BreakNode(name string, broken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[name] = broken
}

// runNodes is the kubelets: each VM that runs gets a node, which is ready unless it is broken, and goes with the VM.
func (w *World) runNodes() {
	wait.UntilWithContext(w.ctx, func(ctx context.Context) {
		nodes, err := w.Client.Nodes.List(ctx, metav1.ListOptions{})
		if err != nil {
			return
		}
		present := map[string]*corev1.Node{}
		for i := range nodes.Items {
			present[nodes.Items[i].Name] = &nodes.Items[i]
		}
		for _, vm := range w.Cloud.Resources() {
			if vm.Kind == cloud.Instance && time.Since(vm.Launched) > w.Config.Cloud.BootTime {
				w.runNode(ctx, vm.DNSName, present[vm.DNSName])
				delete(present, vm.DNSName)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(present)) {
			_ = w.Client.Nodes.Delete(ctx, name, metav1.DeleteOptions{}) // tried again at the next look
		}
	}, 100*time.Millisecond)
}

func (w *World) runNode(ctx context.Context, name string, node *corev1.Node) {
	w.mu.Lock()
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	if w.broken[name] {
		ready.Status = corev1.ConditionFalse
	}
	w.mu.Unlock()
	if node == nil {
		node, _ = w.Client.Nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if node == nil {
			return // tried again at the next look
		}
	}
	at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if at >= 0 && node.Status.Conditions[at].Status == ready.Status {
		return
	}
	if at >= 0 {
		node.Status.Conditions[at] = ready
	} else {
		node.Status.Conditions = append(node.Status.Conditions, ready)
	}
	_, _ = w.Client.Nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{}) // tried again at the next look
}

// UpdateInPlace gives a pool another class, and the strategy that its machines stay.
func (w *World) UpdateInPlace(pool, class string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		deployment, err := w.Client.MachineDeployments.Get(w.ctx, pool, metav1.GetOptions{})
		if err != nil {
			return err
		}
		deployment.Spec.Strategy.Type = api.InPlaceUpdateStrategyType
		deployment.Spec.Template.Spec.Class.Name = class
		_, err = w.Client.MachineDeployments.Update(w.ctx, deployment, metav1.UpdateOptions{})
		return err
	})
}
