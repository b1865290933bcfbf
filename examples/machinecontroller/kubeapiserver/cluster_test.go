package kubeapiserver_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned"
	typed "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/typed/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app/options"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubeclient "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/retry"

	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// cluster is a namespace of the API server with pools of machine-controller-manager (MCM). Its control cluster is its
// target cluster, too. A pool that is updated in place is named like the namespace.
type cluster struct {
	*testing.T

	server    *server
	namespace string
	kube      kubeclient.Interface
	machines  typed.MachineV1alpha1Interface
}

// cluster makes a namespace, in which nothing runs yet, with the secret of all classes.
func (s *server) cluster(t *testing.T, namespace string, secret map[string][]byte) *cluster {
	t.Helper()
	c := &cluster{T: t, server: s, namespace: namespace}
	var err error
	c.kube, err = kubeclient.NewForConfig(s.admin)
	require.NoError(t, err)
	client, err := versioned.NewForConfig(s.admin)
	require.NoError(t, err)
	c.machines = client.MachineV1alpha1()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	_, err = c.kube.CoreV1().Namespaces().Create(t.Context(), made, metav1.CreateOptions{})
	require.NoError(t, err)
	credentials := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "cloudprovider"}, Data: secret}
	_, err = c.kube.CoreV1().Secrets(namespace).Create(t.Context(), credentials, metav1.CreateOptions{})
	require.NoError(t, err)
	return c
}

// kubeconfig writes a file with access to the API server.
func (c *cluster) kubeconfig(of *rest.Config) string {
	c.Helper()
	path := filepath.Join(c.TempDir(), "kubeconfig")
	require.NoError(c, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {
			Server: of.Host, CertificateAuthorityData: of.CAData, CertificateAuthority: of.CAFile, TLSServerName: of.ServerName,
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: of.BearerToken}},
		Contexts:  map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}}, CurrentContext: "c",
	}, path))
	return path
}

// freePort returns a port for MCM's health and metrics.
func (c *cluster) freePort() int32 {
	c.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(c, err)
	defer func() { _ = listener.Close() }()
	return int32(listener.Addr().(*net.TCPAddr).Port)
}

// runDeployments runs the release of MCM's controllers of deployments and sets, until the test ends or stop is called.
func (c *cluster) runDeployments() (stop func()) {
	c.Helper()
	own, err := os.Executable()
	require.NoError(c, err)
	return c.runProgram(own)
}

// runProgram runs a program with MCM's controllers of deployments and sets, until the test ends or stop is called.
func (c *cluster) runProgram(program string) (stop func()) {
	c.Helper()
	return c.run(program, c.server.mcm).kill
}

// process is a process of MCM.
type process struct {
	*exec.Cmd

	kill func() // ends it at once: it sends no further request
}

// run runs a program with MCM's flags until the test ends, or the process is killed. The process does not end by itself.
func (c *cluster) run(program string, access *rest.Config, arguments ...string) *process {
	c.Helper()
	kubeconfig := c.kubeconfig(access)
	log, err := os.Create(filepath.Join(c.TempDir(), "mcm.log"))
	require.NoError(c, err)
	p := &process{Cmd: exec.Command(program, append([]string{
		"--control-kubeconfig=" + kubeconfig, "--target-kubeconfig=" + kubeconfig, "--namespace=" + c.namespace,
		"--address=127.0.0.1", fmt.Sprint("--port=", c.freePort()), "--leader-elect=false", "--kube-api-qps=200",
		"--kube-api-burst=400",
	}, arguments...)...)}
	p.Env = append(os.Environ(), runsDeployments+"=true")
	p.Stderr = log
	require.NoError(c, p.Start())
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	p.kill = sync.OnceFunc(func() {
		_ = p.Process.Kill() // it has ended already otherwise, which the next line finds
		if !assert.EqualError(c, <-ended, "signal: killed", "it does not end by itself") || c.Failed() {
			said, err := os.ReadFile(log.Name())
			c.Logf("%s %v", said[max(0, len(said)-8192):], err)
		}
		assert.NoError(c, log.Close())
	})
	c.Cleanup(p.kill)
	return p
}

// machineOptions are those of MCM's controller of machines, with the queries of Gardener.
func (c *cluster) machineOptions(kubeconfig string) *options.MCServer {
	c.Helper()
	server := options.NewMCServer()
	server.ControlKubeconfig = kubeconfig
	server.TargetKubeconfig = kubeconfig
	server.Namespace = c.namespace
	server.Address = "127.0.0.1"
	server.Port = c.freePort()
	server.LeaderElection.LeaderElect = false
	server.KubeAPIQPS = 200
	server.KubeAPIBurst = 400
	return server
}

// putClass creates a class, or changes it.
func (c *cluster) putClass(name, providerSpec string) {
	c.Helper()
	classes := c.machines.MachineClasses(c.namespace)
	raw := runtime.RawExtension{Raw: []byte(providerSpec)}
	one := resource.MustParse("1")
	class := &v1alpha1.MachineClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provider: "test", ProviderSpec: raw,
		SecretRef: &corev1.SecretReference{Name: "cloudprovider", Namespace: c.namespace},
		NodeTemplate: &v1alpha1.NodeTemplate{
			Capacity:     corev1.ResourceList{"cpu": one, "gpu": one, "memory": one},
			InstanceType: "small", Region: "r", Zone: "z",
		},
	}
	_, err := classes.Create(c.Context(), class, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = retry.RetryOnConflict(retry.DefaultBackoff, func() error { // MCM writes finalizers
			present, err := classes.Get(c.Context(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			present.ProviderSpec = raw
			_, err = classes.Update(c.Context(), present, metav1.UpdateOptions{})
			return err
		})
	}
	require.NoError(c, err)
}

// createPool creates a deployment of machines.
func (c *cluster) createPool(name, class string, replicas int, strategy v1alpha1.MachineDeploymentStrategy) {
	c.Helper()
	labels := map[string]string{"name": name}
	_, err := c.machines.MachineDeployments(c.namespace).Create(c.Context(), &v1alpha1.MachineDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.MachineDeploymentSpec{
			Replicas: int32(replicas), Selector: &metav1.LabelSelector{MatchLabels: labels}, Strategy: strategy,
			Template: v1alpha1.MachineTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       v1alpha1.MachineSpec{Class: v1alpha1.ClassSpec{Kind: "MachineClass", Name: class}},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(c, err)
}

// changePool changes a deployment.
func (c *cluster) changePool(name string, change func(spec *v1alpha1.MachineDeploymentSpec)) {
	c.Helper()
	deployments := c.machines.MachineDeployments(c.namespace)
	require.NoError(c, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		pool, err := deployments.Get(c.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&pool.Spec)
		_, err = deployments.Update(c.Context(), pool, metav1.UpdateOptions{})
		return err
	}))
}

// pool returns the machines of a pool; of all, if it has no name.
func (c *cluster) pool(name string) []v1alpha1.Machine {
	c.Helper()
	options := metav1.ListOptions{}
	if name != "" {
		options.LabelSelector = "name=" + name
	}
	machines, err := c.machines.Machines(c.namespace).List(c.Context(), options)
	require.NoError(c, err)
	return machines.Items
}

// names returns the names of the machines.
func (c *cluster) names() (machines []string) {
	c.Helper()
	for _, machine := range c.pool(c.namespace) {
		machines = append(machines, machine.Name)
	}
	return machines
}

// until waits until a condition holds. If it never does, the test ends with the machines and the events.
func (c *cluster) until(what string, holds func() bool) {
	c.Helper()
	if assert.Eventually(c, holds, 4*time.Minute, 200*time.Millisecond, what) {
		return
	}
	for _, machine := range c.pool("") {
		c.Logf("machine %s: %+v %+v %v", machine.Name, machine.Spec, machine.Status, machine.Annotations)
	}
	events, err := c.kube.CoreV1().Events(c.namespace).List(c.Context(), metav1.ListOptions{})
	require.NoError(c, err)
	for i := range events.Items {
		c.Logf("event %s %s: %s", events.Items[i].InvolvedObject.Name, events.Items[i].Reason, events.Items[i].Message)
	}
	c.FailNow()
}

// wants gives the pool another class.
func (c *cluster) wants(class string) {
	c.Helper()
	c.changePool(c.namespace, func(spec *v1alpha1.MachineDeploymentSpec) { spec.Template.Spec.Class.Name = class })
}

// deleteClass deletes a class, as extensions do once the pool has another one. MCM's finalizer keeps it.
func (c *cluster) deleteClass(name string) {
	c.Helper()
	require.NoError(c, c.machines.MachineClasses(c.namespace).Delete(c.Context(), name, metav1.DeleteOptions{}))
}

func (c *cluster) untilGone(class string) {
	c.Helper()
	c.until("the class is gone", func() bool {
		_, err := c.machines.MachineClasses(c.namespace).Get(c.Context(), class, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// selected selects nodes for an update, as the user of a manual pool does once MCM has found them.
func (c *cluster) selected(machines []string) {
	c.Helper()
	c.until("MCM has found the candidates", func() bool {
		for _, name := range machines {
			node, err := c.kube.CoreV1().Nodes().Get(c.Context(), name, metav1.GetOptions{})
			require.NoError(c, err)
			if node.Labels[v1alpha1.LabelKeyNodeCandidateForUpdate] == "" {
				return false
			}
		}
		return true
	})
	c.label(machines, v1alpha1.LabelKeyNodeSelectedForUpdate, "true")
}

// answer answers for the nodes' agents that the update has succeeded.
func (c *cluster) answer(machines []string) {
	c.Helper()
	c.label(machines, v1alpha1.LabelKeyNodeUpdateResult, v1alpha1.LabelValueNodeUpdateSuccessful)
}

func (c *cluster) label(nodes []string, label, value string) {
	c.Helper()
	patch := []byte(`{"metadata":{"labels":{"` + label + `":"` + value + `"}}}`)
	for _, name := range nodes {
		_, err := c.kube.CoreV1().Nodes().Patch(c.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(c, err)
	}
}

// areReady reports whether all nodes wait for their agent.
func (c *cluster) areReady(nodes []string) bool {
	c.Helper()
	for _, name := range nodes {
		node, err := c.kube.CoreV1().Nodes().Get(c.Context(), name, metav1.GetOptions{})
		require.NoError(c, err)
		if inPlaceReason(node) != inplace.ReadyForUpdate {
			return false
		}
	}
	return true
}

// areTransferred reports whether all machines belong to the MachineSet whose template has the class.
func (c *cluster) areTransferred(class string, machines []string) bool {
	c.Helper()
	for _, name := range machines {
		machine, err := c.machines.Machines(c.namespace).Get(c.Context(), name, metav1.GetOptions{})
		require.NoError(c, err)
		set, err := c.machines.MachineSets(c.namespace).Get(c.Context(), metav1.GetControllerOf(machine).Name, metav1.GetOptions{})
		require.NoError(c, err)
		if set.Spec.Template.Spec.Class.Name != class {
			return false
		}
	}
	return true
}
