// Package world combines the parts: a cloud on loopback, replicas of the machine controller that
// compete for a lease of the API server, the agents on the nodes, and the extension that writes
// classes and pools.
//
// It imports all packages of the example except the story; none of them imports it.
package world

import (
	"cmp"
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// AccessKey is the controllers' key of the cloud.
const AccessKey = "AKIAMACHINECONTROLLER"

// secretName is the name of the secret with the credentials.
const secretName = "cloudprovider"

// Config configures the world.
type Config struct {
	Namespace string
	// Controllers configures the replicas' clients; nil for the configuration of all other clients.
	// Core is the group of nodes, secrets and events; zero for the group of machines.
	Controllers *rest.Config
	// Updaters is the same for updaters beside controllers; nil for Controllers.
	Updaters *rest.Config
	Core     schema.GroupVersion
	Cloud    ec2test.Config
	Settings machineupdate.Settings
	// Transfer says which class a machine names after it has been updated in place.
	Transfer controller.Transfer
	Retry    controller.Retry
	Workers  int
	Attempt  time.Duration // timeout of a request to the cloud
	// VolumeCooldown is the time for which drivers do not change a volume after the cloud refused a
	// change.
	VolumeCooldown time.Duration
	// Updated reports whether the agent on a node has updated it. If it is nil, agents need no
	// time.
	Updated func(node string) bool
	// Observe is called for the events of controllers, and Takeover for keys that drivers took
	// over. They may be nil.
	Observe  func(replica string, event *corev1.Event)
	Takeover func(replica string, resource machineupdate.ResourceID, key string)
}

// World is a namespace of an API server, with a cloud.
type World struct {
	Config

	Client *api.Client // for all except the controllers
	Cloud  *ec2test.Cloud

	ctx       context.Context //nolint:containedctx // the life of the world
	end       context.CancelFunc
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
	c.Controllers = cmp.Or(c.Controllers, config)
	c.Core = cmp.Or(c.Core, api.GroupVersion)
	c.Updaters = cmp.Or(c.Updaters, c.Controllers)
	w := &World{Config: c, Cloud: ec2test.New(c.Cloud), transport: &http.Transport{}, broken: map[string]bool{}}
	w.ctx, w.end = context.WithCancel(ctx)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w.endpoint = "http://" + listener.Addr().String()
	w.server = &http.Server{Handler: w.Cloud, ReadHeaderTimeout: time.Minute}
	// Serve returns after Close. Any other error shows in the first request.
	w.running.Go(func() { _ = w.server.Serve(listener) })
	w.Client, err = api.NewClient(config, c.Namespace, c.Core)
	if err != nil {
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

// Until waits until a condition holds.
func (w *World) Until(what string, limit time.Duration, holds func() bool) error {
	poll := func(context.Context) (bool, error) { return holds(), nil }
	if err := wait.PollUntilContextTimeout(w.ctx, 20*time.Millisecond, limit, true, poll); err != nil {
		return fmt.Errorf("waited %s in vain until %s", limit, what)
	}
	return nil
}

// PutClass creates a class, or gives it another spec under the same name, like an extension if only
// hot fields change.
func (w *World) PutClass(name string, spec any) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	class := &api.MachineClass{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{api.Finalizer}}, Provider: "AWS",
		SecretRef:    api.SecretReference{Name: secretName},
		ProviderSpec: runtime.RawExtension{Raw: raw},
	}
	_, err = w.Client.MachineClasses.Create(w.ctx, class, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return change(w.ctx, w.Client.MachineClasses, name,
		func(present *api.MachineClass) { present.ProviderSpec.Raw = raw })
}

// Strategy returns the strategy of a pool's deployment, like an extension.
func Strategy(strategy hotupdate.Strategy, maxUnavailable, maxSurge int) api.MachineDeploymentStrategy {
	if strategy == hotupdate.AutoRollingUpdate {
		return api.MachineDeploymentStrategy{Type: "RollingUpdate"}
	}
	orchestrationType := "Auto"
	if strategy == hotupdate.ManualInPlaceUpdate {
		orchestrationType = "Manual"
	}
	return api.MachineDeploymentStrategy{Type: "InPlaceUpdate", InPlaceUpdate: &api.InPlaceUpdateMachineDeployment{
		MaxUnavailable: intstr.FromInt(maxUnavailable), MaxSurge: intstr.FromInt(maxSurge),
		OrchestrationType: orchestrationType,
	}}
}

// CreatePool creates a deployment of machines of a class, of which one may be unavailable.
func (w *World) CreatePool(name, class string, strategy hotupdate.Strategy, replicas int32) error {
	pool := &api.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: api.MachineDeploymentSpec{
		Replicas: replicas, Strategy: Strategy(strategy, 1, 0),
		Template: api.MachineTemplateSpec{
			Spec: api.MachineSpec{Class: api.ClassSpec{Kind: "MachineClass", Name: class}},
		},
	}}
	_, err := w.Client.MachineDeployments.Create(w.ctx, pool, metav1.CreateOptions{})
	return err
}

// ChangePool changes a deployment, like an extension.
func (w *World) ChangePool(name string, do func(*api.MachineDeployment)) error {
	return change(w.ctx, w.Client.MachineDeployments, name, do)
}

// client reads and writes objects.
type client[T any] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
}

// change changes an object, and repeats that after a conflict.
func change[T any](ctx context.Context, of client[T], name string, do func(T)) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object, err := of.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		do(object)
		_, err = of.Update(ctx, object, metav1.UpdateOptions{})
		return err
	})
}

// Machine reads a machine from the API server, or returns an empty one.
func (w *World) Machine(name string) *api.Machine {
	machine, err := w.Client.Machines.Get(w.ctx, name, metav1.GetOptions{})
	if err != nil {
		return &api.Machine{}
	}
	return machine
}

// Node reads the node of a machine, or returns an empty one.
func (w *World) Node(machine string) *corev1.Node {
	node, err := w.Client.Nodes.Get(w.ctx, w.Machine(machine).Labels[api.NodeLabelKey], metav1.GetOptions{})
	if err != nil {
		return &corev1.Node{}
	}
	return node
}

// SelectNode selects the node of a machine for its update, like the user of a pool.
func (w *World) SelectNode(machine string) error {
	name := w.Machine(machine).Labels[api.NodeLabelKey]
	return change(w.ctx, w.Client.Nodes, name, func(node *corev1.Node) {
		metav1.SetMetaDataLabel(&node.ObjectMeta, inplace.SelectedLabel, "true")
	})
}

// BreakNode makes a node unready, or ready again.
func (w *World) BreakNode(name string, broken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[name] = broken
}

// runNodes runs the kubelets and agents: each running VM gets a node, which is ready unless it is
// broken. The node is deleted with the VM.
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
			if vm.Kind == ec2test.Instance && time.Since(vm.Launched) > w.Config.Cloud.BootTime {
				w.runNode(ctx, vm.DNSName, present[vm.DNSName])
				delete(present, vm.DNSName)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(present)) {
			_ = w.Client.Nodes.Delete(ctx, name, metav1.DeleteOptions{}) // the next pass tries again
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
		node, _ = w.Client.Nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		if node == nil {
			return // the next pass tries again
		}
	}
	if n := controller.InPlaceNode(node); n.IsReadyForUpdate() && (w.Updated == nil || w.Updated(name)) {
		answered := n.WithSuccess()
		node.Labels = answered.Labels
		node.Annotations = answered.Annotations
		_, _ = w.Client.Nodes.Update(ctx, node, metav1.UpdateOptions{}) // the next pass tries again
		return
	}
	isOf := func(c corev1.NodeCondition) bool { return c.Type == ready.Type }
	if slices.ContainsFunc(node.Status.Conditions,
		func(c corev1.NodeCondition) bool { return isOf(c) && c.Status == ready.Status }) {
		return
	}
	node.Status.Conditions = append(slices.DeleteFunc(node.Status.Conditions, isOf), ready)
	_, _ = w.Client.Nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{}) // the next pass tries again
}
