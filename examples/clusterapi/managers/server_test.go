package managers_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	_ "unsafe" // for linkname

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"
	kubernetes "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	"k8s.io/kubernetes/test/utils/ktesting"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

// kubernetesVersion is the version of the API server and of all machines.
const kubernetesVersion = "v1.34.3"

// served is the version that the API server reports. Built without flags, the server would report
// v0.0.0, which the managers refuse.
//
//go:linkname served k8s.io/component-base/version.dynamicGitVersion
var served atomic.Value

// The modules with the managers, their CustomResourceDefinitions and their webhooks.
const (
	clusterAPI = "sigs.k8s.io/cluster-api"
	provider   = "sigs.k8s.io/cluster-api-provider-aws/v2"
)

// isNewest reports whether the managers are of the newest release, see newest/go.mod. The
// extension, the tests and the provider's webhooks keep their versions.
func isNewest() bool { return os.Getenv("CLUSTERAPI") == "newest" }

// core is the folder of the core manager in the module of Cluster API.
func core() string {
	if isNewest() {
		return "core"
	}
	return ""
}

// command runs the go command, with the go.mod of the managers for a path of Cluster API.
func command(t *testing.T, path string, arguments ...string) string {
	t.Helper()
	isManagers := path == clusterAPI || strings.HasPrefix(path, clusterAPI+"/")
	if isManagers && isNewest() {
		arguments = append(arguments, "-modfile=newest/go.mod")
	}
	out, err := exec.CommandContext(t.Context(), "go", append(arguments, path)...).Output()
	require.NoError(t, err, "go %s %s", arguments, path)
	return strings.TrimSpace(string(out))
}

// management is a management cluster: a kube-apiserver in this process, and Cluster API's managers
// in processes of their own.
type management struct {
	config     *rest.Config
	kubeconfig []byte
	dir        string // for files
	cert, key  []byte // of all webhooks
	certDir    string
	logs       map[string]string // the file with the log of a manager, by its name
}

// startManagement starts the API server and the managers, which end with the test.
func startManagement(t *testing.T) *management {
	t.Helper()
	dir, err := os.MkdirTemp("", "capi") // the path of a socket must be short, and t.TempDir is too long
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	m := &management{dir: dir, certDir: filepath.Join(dir, "certs"), logs: map[string]string{}}
	m.startServer(t)
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	require.NoError(t, err)
	m.cert = cert
	m.key = key
	m.write(t, "certs/tls.crt", cert)
	m.write(t, "certs/tls.key", key)
	m.define(t)
	return m
}

// startServer starts a kube-apiserver over etcd.
func (m *management) startServer(t *testing.T) {
	t.Helper()
	ktesting.SetDefaultVerbosity(0)
	served.Store(kubernetesVersion)
	endpoint, stop, err := apiserver.StartEtcd(m.dir)
	require.NoError(t, err)
	t.Cleanup(stop)
	storage := storagebackend.NewDefaultConfig("/registry", nil)
	storage.Transport.ServerList = []string{endpoint}
	started, err := kubernetes.StartTestServer(t, nil, []string{
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition", "--enable-priority-and-fairness=false",
	}, storage)
	require.NoError(t, err)
	t.Cleanup(started.TearDownFn)
	m.config = rest.CopyConfig(started.ClientConfig)
	m.config.ContentType = runtime.ContentTypeJSON
	m.config.AcceptContentTypes = runtime.ContentTypeJSON
	m.config.QPS = -1
	ca := m.config.CAData
	if len(ca) == 0 {
		ca, err = os.ReadFile(m.config.CAFile)
		require.NoError(t, err)
	}
	m.kubeconfig, err = clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {
			Server: m.config.Host, CertificateAuthorityData: ca, TLSServerName: m.config.ServerName,
		}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: m.config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	})
	require.NoError(t, err)
	m.write(t, "kubeconfig", m.kubeconfig)
}

func (m *management) write(t *testing.T, name string, content []byte) {
	t.Helper()
	file := filepath.Join(m.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

// define defines the objects of Cluster API and of its provider, with the labels by which Cluster
// API knows their contract. All clients use the stored version, so nothing converts objects.
func (m *management) define(t *testing.T) {
	t.Helper()
	own := map[string]string{"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta2"}
	aws := map[string]string{"cluster.x-k8s.io/v1beta1": "v1beta1_v1beta2"}
	m.defineFrom(t, clusterAPI, filepath.Join(core(), "config/crd/bases/*.yaml"), own)
	m.defineFrom(t, clusterAPI, "bootstrap/kubeadm/config/crd/bases/*.yaml", own)
	m.defineFrom(t, clusterAPI, "controlplane/kubeadm/config/crd/bases/*.yaml", own)
	m.defineFrom(t, provider, "config/crd/bases/*_awsclusters.yaml", aws)
	m.defineFrom(t, provider, "config/crd/bases/*_awsmachine[st]*.yaml", aws)
}

func (m *management) defineFrom(t *testing.T, from, pattern string, labels map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(module(t, from), pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		definition := &apiextensionsv1.CustomResourceDefinition{}
		require.NoError(t, yaml.Unmarshal(text, definition), file)
		definition.Labels = labels
		all = append(all, definition)
	}
	client, err := apiextensions.NewForConfig(m.config)
	require.NoError(t, err)
	require.NoError(t, apiserver.Define(t.Context(), client.ApiextensionsV1().CustomResourceDefinitions(), all...))
}

// module downloads a module, and returns its folder.
func module(t *testing.T, path string) string {
	t.Helper()
	var downloaded struct{ Dir string }
	require.NoError(t, json.Unmarshal([]byte(command(t, path, "mod", "download", "-json")), &downloaded))
	return downloaded.Dir
}

// startManager builds and starts one of Cluster API's managers, unmodified. A shell ends the
// manager by its ID when the test or this process ends. The returned function waits until the
// manager is ready, and registers its webhooks.
func (m *management) startManager(t *testing.T, name, path string) (ready func()) {
	t.Helper()
	// This builds the program, and prints the name of its file in the build cache.
	program := command(t, path, "tool", "-n")
	webhooks := freePort(t)
	health := freePort(t)
	log, err := os.Create(filepath.Join(m.dir, name+".log"))
	require.NoError(t, err)
	m.logs[name] = log.Name()
	manager := exec.Command("sh", "-c", `"$@" & read -r _; kill $!; wait $!`, "sh", program,
		"--feature-gates=RuntimeSDK=true,InPlaceUpdates=true,ClusterTopology=false,MachinePool=false",
		"--kubeconfig="+filepath.Join(m.dir, "kubeconfig"), "--kube-api-qps=200", "--kube-api-burst=400",
		fmt.Sprint("--webhook-port=", webhooks), "--webhook-cert-dir="+m.certDir,
		fmt.Sprint("--health-addr=127.0.0.1:", health), "--diagnostics-address=127.0.0.1:0", "--insecure-diagnostics")
	manager.Stdout = log
	manager.Stderr = log
	input, err := manager.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, manager.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", name, m.tail(name))
		}
		_ = input.Close()
		_ = manager.Wait() // ended by the signal
		_ = log.Close()
	})
	return func() {
		await(t, name+" is ready", func() error { return m.checkReady(name, health) })
		folder := filepath.Join(module(t, clusterAPI), strings.TrimPrefix(path, clusterAPI))
		m.registerWebhooks(t, name, filepath.Join(folder, "config/webhook/manifests.yaml"), webhooks, "")
	}
}

// checkReady returns an error unless the manager is ready.
func (m *management) checkReady(name string, health int) error {
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", health))
	if err != nil {
		return fmt.Errorf("%w: %s", err, m.tail(name))
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, m.tail(name))
	}
	return nil
}

func (m *management) tail(name string) string {
	text, _ := os.ReadFile(m.logs[name])
	return string(text[max(0, len(text)-6000):])
}

// registerWebhooks registers the webhooks of a manifest whose path ends in one of the suffixes, as
// served on a port.
func (m *management) registerWebhooks(t *testing.T, name, manifest string, port int, suffixes ...string) {
	t.Helper()
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	c, err := client.New(m.config, client.Options{})
	require.NoError(t, err)
	for document := range bytes.SplitSeq(bytes.TrimPrefix(text, []byte("---\n")), []byte("\n---\n")) {
		configuration := &unstructured.Unstructured{}
		registered := []any{}
		require.NoError(t, yaml.Unmarshal(document, &configuration.Object))
		all, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
		require.NoError(t, err)
		for _, webhook := range all {
			path, _, err := unstructured.NestedString(webhook.(map[string]any), "clientConfig", "service", "path")
			require.NoError(t, err)
			if slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) }) {
				webhook.(map[string]any)["clientConfig"] = map[string]any{
					"url":      fmt.Sprintf("https://127.0.0.1:%d%s", port, path),
					"caBundle": base64.StdEncoding.EncodeToString(m.cert),
				}
				registered = append(registered, webhook)
			}
		}
		configuration.Object["webhooks"] = registered
		configuration.SetName(name + "-" + configuration.GetName())
		require.NoError(t, c.Create(t.Context(), configuration))
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := world.FreePort()
	require.NoError(t, err)
	return port
}

// pause is the time between two attempts.
const pause = 100 * time.Millisecond

// await waits until the check returns no error.
func await(t *testing.T, what string, wrong func() error) {
	t.Helper()
	require.NoError(t, attempt(wrong), what)
}

// attempt repeats a check until it returns no error. After three minutes it returns the last error.
func attempt(wrong func() error) (err error) {
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(pause) {
		if err = wrong(); err == nil {
			return nil
		}
	}
	return err
}
