package managers_test

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	"sigs.k8s.io/cluster-api-provider-aws/v2/webhooks"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/yaml"
)

// namespace is the namespace of the cluster.
const namespace = "default"

// fixture is a cluster whose machines are updated by extensions. The management cluster serves as
// its own workload cluster: the Nodes of the cluster's machines are there.
type fixture struct {
	*management
	client.Client

	extensions *extensions
}

// start starts everything, and creates a cluster with a control plane. It returns when machines can
// join.
func start(t *testing.T, byPool map[string]*replica) *fixture {
	t.Helper()
	f := &fixture{management: startManagement(t)}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, clusterv1.AddToScheme, runtimev1.AddToScheme, bootstrapv1.AddToScheme,
		controlplanev1.AddToScheme, infrav1.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	var err error
	f.Client, err = client.New(f.config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	f.extensions = serve(t, f, byPool)
	f.startProvider(t, scheme)
	for _, ready := range []func(){
		f.startManager(t, "core", path.Join(clusterAPI, core())),
		f.startManager(t, "bootstrap", clusterAPI+"/bootstrap/kubeadm"),
		f.startManager(t, "controlplane", clusterAPI+"/controlplane/kubeadm"),
	} {
		ready()
	}
	f.register(t)
	f.createCluster(t)
	return f
}

// startProvider starts cluster-api-provider-aws: its own webhooks, and a controller that launches
// instances. The same manager runs the adoption of the extension.
func (f *fixture) startProvider(t *testing.T, scheme *runtime.Scheme) {
	t.Helper()
	port := freePort(t)
	mgr, err := ctrl.NewManager(f.config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: f.certDir}),
	})
	require.NoError(t, err)
	require.NoError(t, new(webhooks.AWSCluster).SetupWebhookWithManager(mgr))
	require.NoError(t, new(webhooks.AWSMachine).SetupWebhookWithManager(mgr))
	require.NoError(t, new(webhooks.AWSMachineTemplate).SetupWebhookWithManager(mgr))
	for name, reconcile := range map[string]func(context.Context, *infrav1.AWSMachine) (ctrl.Result, error){
		"provider": f.launch, "adoption": f.adopt,
	} {
		require.NoError(t, ctrl.NewControllerManagedBy(mgr).Named(name).For(&infrav1.AWSMachine{}).
			Complete(f.withMachine(reconcile)))
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(t.Context()) }()
	t.Cleanup(func() { assert.NoError(t, <-ended) })
	await(t, "the provider's webhooks are ready", func() error { return mgr.GetWebhookServer().StartedChecker()(nil) })
	manifest := filepath.Join(module(t, provider), "config/webhook/manifests.yaml")
	f.registerWebhooks(t, "aws", manifest, port, "-awscluster", "-awsmachine", "-awsmachinetemplate")
}

// withMachine reads the machine of a request.
func (f *fixture) withMachine(do func(context.Context, *infrav1.AWSMachine) (ctrl.Result, error)) reconcile.Func {
	return func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
		machine := &infrav1.AWSMachine{}
		if err := f.Get(ctx, request.NamespacedName, machine); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		return do(ctx, machine)
	}
}

// adopt lets the extension adopt a machine.
func (f *fixture) adopt(ctx context.Context, m *infrav1.AWSMachine) (ctrl.Result, error) {
	return f.extensions.of(m.Labels).Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)})
}

// launch launches an instance with a Node for a machine that has bootstrap data, and terminates the
// instance of a deleted machine.
func (f *fixture) launch(ctx context.Context, m *infrav1.AWSMachine) (ctrl.Result, error) {
	cloud := &f.extensions.of(m.Labels).cloud
	if !m.DeletionTimestamp.IsZero() {
		cloud.Terminate(m.Name)
		controllerutil.RemoveFinalizer(m, infrav1.MachineFinalizer)
		return ctrl.Result{}, client.IgnoreNotFound(f.Update(ctx, m))
	}
	if m.Status.Ready {
		return ctrl.Result{}, nil
	}
	owner := &clusterv1.Machine{} // the Machine has the same name
	err := f.Get(ctx, client.ObjectKeyFromObject(m), owner)
	if err != nil || owner.Spec.Bootstrap.DataSecretName == nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err)
	}
	if m.Spec.ProviderID == nil {
		cloud.Launch(m.Name, nil, m.Spec.AdditionalTags)
		controllerutil.AddFinalizer(m, infrav1.MachineFinalizer)
		m.Spec.ProviderID = new("aws:///eu-west-1a/i-" + m.Name)
		m.Spec.InstanceID = new("i-" + m.Name)
		if err := f.Update(ctx, m); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := f.join(ctx, owner, *m.Spec.ProviderID); err != nil {
		return ctrl.Result{}, err
	}
	m.Status.Ready = true
	return ctrl.Result{}, f.Status().Update(ctx, m)
}

// join creates the Node of a machine, and what kubeadm runs there on a control plane.
func (f *fixture) join(ctx context.Context, machine *clusterv1.Machine, providerID string) error {
	node := &corev1.Node{}
	node.Name = machine.Name
	node.Spec.ProviderID = providerID
	_, isControlPlane := machine.Labels[clusterv1.MachineControlPlaneLabel]
	if isControlPlane {
		const role = "node-role.kubernetes.io/control-plane" // as kubeadm does
		node.Labels = map[string]string{role: ""}
		node.Spec.Taints = []corev1.Taint{{Key: role, Effect: corev1.TaintEffectNoSchedule}}
	}
	if err := f.Create(ctx, node); err != nil {
		return client.IgnoreAlreadyExists(err)
	}
	for kind, status := range map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: corev1.ConditionTrue, corev1.NodeMemoryPressure: corev1.ConditionFalse,
		corev1.NodeDiskPressure: corev1.ConditionFalse, corev1.NodePIDPressure: corev1.ConditionFalse,
	} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status})
	}
	if err := f.Status().Update(ctx, node); err != nil || !isControlPlane {
		return err
	}
	for _, component := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if err := f.run(ctx, component, node.Name); err != nil {
			return err
		}
	}
	return nil
}

// run creates the Pod of a component that runs on a Node.
func (f *fixture) run(ctx context.Context, component, node string) error {
	pod := &corev1.Pod{}
	pod.Namespace = metav1.NamespaceSystem
	pod.Name = component + "-" + node
	pod.Labels = map[string]string{"component": component, "tier": "control-plane"}
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "mirror"}
	pod.Spec = corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: component, Image: component}}}
	if err := f.Create(ctx, pod); err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return f.Status().Update(ctx, pod)
}

// register registers the extensions, and waits until Cluster API has found the three hooks.
func (f *fixture) register(t *testing.T) {
	t.Helper()
	config := &runtimev1.ExtensionConfig{ObjectMeta: metav1.ObjectMeta{Name: "tags"}}
	config.Spec.ClientConfig = runtimev1.ClientConfig{URL: f.extensions.url, CABundle: f.extensions.ca}
	require.NoError(t, f.Create(t.Context(), config))
	await(t, "the hooks are discovered", func() error {
		err := f.Get(t.Context(), client.ObjectKeyFromObject(config), config)
		if len(config.Status.Handlers) != 3 {
			return fmt.Errorf("handlers: %v, conditions: %v: %w", config.Status.Handlers, config.Status.Conditions, err)
		}
		return err
	})
}

// cluster is a cluster with a control plane of three machines, and an etcd that Cluster API does
// not manage.
const cluster = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSCluster
metadata: {name: c}
spec: {region: eu-west-1, controlPlaneEndpoint: {host: HOST, port: PORT}}
status: {ready: true}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSMachineTemplate
metadata: {name: cp-0}
spec: {template: {spec: {instanceType: m5.large, additionalTags: {team: a, cost: "1"}}}}
---
apiVersion: v1
kind: Secret
metadata: {name: c-kubeconfig, labels: {cluster.x-k8s.io/cluster-name: c}}
stringData: {value: KUBECONFIG}
---
apiVersion: v1
kind: Secret
metadata: {name: c-etcd, labels: {cluster.x-k8s.io/cluster-name: c}}
stringData: {tls.crt: CERT}
---
apiVersion: v1
kind: Secret
metadata: {name: c-apiserver-etcd-client, labels: {cluster.x-k8s.io/cluster-name: c}}
stringData: {tls.crt: CERT, tls.key: KEY}
---
apiVersion: v1
kind: Secret
metadata: {name: user-data, labels: {cluster.x-k8s.io/cluster-name: c}}
stringData: {value: "#cloud-config"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data:
  ClusterConfiguration: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: ClusterConfiguration
    kubernetesVersion: VERSION
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSCluster, name: c}
  controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: cp}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata:
  name: cp
  annotations: {controlplane.cluster.x-k8s.io/skip-coredns: "", controlplane.cluster.x-k8s.io/skip-kube-proxy: ""}
spec:
  version: VERSION
  replicas: 3
  rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0}}}
  machineTemplate:
    spec:
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSMachineTemplate, name: cp-0}
  kubeadmConfigSpec:
    clusterConfiguration:
      etcd: {external: {endpoints: ["https://127.0.0.1:1"], caFile: /ca, certFile: /cert, keyFile: /key}}
`

// createCluster creates the cluster, and waits for the first machine of its control plane.
func (f *fixture) createCluster(t *testing.T) {
	t.Helper()
	server, err := url.Parse(f.config.Host)
	require.NoError(t, err)
	quoted := func(text []byte) string { return strconv.Quote(string(text)) }
	f.apply(t, strings.NewReplacer("HOST", server.Hostname(), "PORT", server.Port(), "VERSION", kubernetesVersion,
		"KUBECONFIG", quoted(f.kubeconfig), "CERT", quoted(f.cert), "KEY", quoted(f.key)).Replace(cluster))
	await(t, "the control plane is initialized", func() error {
		c := &clusterv1.Cluster{}
		err := f.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "c"}, c)
		if done := c.Status.Initialization.ControlPlaneInitialized; err == nil && (done == nil || !*done) {
			return fmt.Errorf("%+v", c.Status.Conditions)
		}
		return err
	})
}

// apply creates objects, with their status.
func (f *fixture) apply(t *testing.T, documents string) {
	t.Helper()
	for document := range strings.SplitSeq(documents, "\n---\n") {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(document), &object.Object), document)
		if object.GetNamespace() == "" {
			object.SetNamespace(namespace)
		}
		status, hasStatus := object.Object["status"]
		require.NoError(t, f.Create(t.Context(), object), document)
		if hasStatus {
			object.Object["status"] = status
			require.NoError(t, f.Status().Update(t.Context(), object))
		}
	}
}
