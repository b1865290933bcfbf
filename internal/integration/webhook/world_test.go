package webhook_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

// asKubectl makes a process of this test run kubectl.
const asKubectl = "WEBHOOK_TEST_AS_KUBECTL"

func TestMain(m *testing.M) {
	if os.Getenv(asKubectl) == "" {
		os.Exit(m.Run())
	}
	if err := kubectl.NewDefaultKubectlCommand().Execute(); err != nil {
		util.CheckErr(err) // exits
	}
}

var gardener = schema.GroupVersion{Group: "core.gardener.cloud", Version: "v1beta1"}

// world is an API server with Shoots that calls a webhook, and its client.
type world struct {
	core       *core
	config     *rest.Config
	kubeconfig string
	command    string // the file of hotupdate
	dir        string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{core: startCore(t), dir: t.TempDir()}
	server, err := apiserver.StartAdmitting(t.Context(), w.core.URL)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	w.config = server.Config
	client, err := clientset.NewForConfig(server.Config)
	require.NoError(t, err)
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	require.NoError(t, apiserver.Define(t.Context(), definitions, apiserver.WithStatus(apiserver.Definition(gardener, "Shoot", "shoots"))))
	front := httptest.NewServer(withDiscovery(t, server.Config))
	t.Cleanup(front.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["garden"] = &clientcmdapi.Cluster{Server: front.URL}
	config.Contexts["garden"] = &clientcmdapi.Context{Cluster: "garden"}
	config.CurrentContext = "garden"
	w.kubeconfig = filepath.Join(w.dir, "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, w.kubeconfig))
	w.command = filepath.Join(w.dir, "hotupdate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", w.command, "./hotupdate/cmd/hotupdate")
	build.Dir = "../../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return w
}

// withDiscovery returns a proxy to a server of custom resources. It adds the list of groups that a
// whole kube-apiserver has, and that kubectl reads first.
func withDiscovery(t *testing.T, config *rest.Config) http.Handler {
	t.Helper()
	transport, err := rest.TransportFor(config)
	require.NoError(t, err)
	target, err := url.Parse(config.Host)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, text)
		}
	}
	version := fmt.Sprintf(`{"groupVersion":%q,"version":%q}`, gardener, gardener.Version)
	mux.Handle("/api", answer(`{"kind":"APIVersions","versions":[]}`))
	mux.Handle(
		"/apis",
		answer(fmt.Sprintf(
			`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":%q,"versions":[%s],"preferredVersion":%s}]}`, gardener.Group,
			version, version,
		)),
	)
	return mux
}

// kubectl runs kubectl, and returns what it writes.
func (w *world) kubectl(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(os.Environ(), asKubectl+"=1", "KUBECONFIG="+w.kubeconfig, "HOME="+w.dir)
	command.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	command.Stdout = &out
	command.Stderr = &errs
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

// hook is a running hotupdate serve.
type hook struct {
	process *exec.Cmd
	address string
	ca      []byte
	client  *http.Client
}

var listening = regexp.MustCompile(`"msg":"serving","address":"([^"]+)"`)

// serve starts hotupdate serve with a certificate that is valid until a time.
func (w *world) serve(t *testing.T, until time.Time, args ...string) *hook {
	t.Helper()
	dir := t.TempDir()
	h := &hook{ca: writeCertificate(t, dir, until)}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(h.ca)
	h.client = &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true},
	}
	h.process = exec.Command(w.command, append([]string{
		"serve", "--config", "none", "--listen", "127.0.0.1:0", "--tls-cert", filepath.Join(dir, "tls.crt"), "--tls-key",
		filepath.Join(dir, "tls.key"),
	}, args...)...)
	log := filepath.Join(dir, "log")
	file, err := os.Create(log)
	require.NoError(t, err)
	h.process.Stderr = file
	require.NoError(t, h.process.Start())
	t.Cleanup(func() {
		_ = h.process.Process.Kill()
		_ = h.process.Wait()
		_ = file.Close()
	})
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(log)
		found := listening.FindSubmatch(text)
		if found != nil {
			h.address = string(found[1])
		}
		return found != nil
	}, time.Minute, 10*time.Millisecond)
	return h
}

func writeCertificate(t *testing.T, dir string, until time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tls.crt"), cert, 0o600))
	require.NoError(
		t, os.WriteFile(filepath.Join(dir, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600),
	)
	return cert
}

// metric returns the value of a metric.
func (h *hook) metric(t *testing.T, name string) string {
	t.Helper()
	response, err := h.client.Get("https://" + h.address + "/metrics")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	_, rest, isThere := strings.Cut(string(text), "\n"+name+" ")
	require.True(t, isThere, "%s in %s", name, text)
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// configurationOf returns the webhook configuration of a folder of the deployment.
func configurationOf(t *testing.T, folder string) *admissionv1.ValidatingWebhookConfiguration {
	t.Helper()
	built, err := krusty.MakeKustomizer(
		krusty.MakeDefaultOptions(),
	).Run(filesys.MakeFsOnDisk(), filepath.Join("../../../hotupdate/cmd/hotupdate/deploy", folder))
	require.NoError(t, err)
	for _, resource := range built.Resources() {
		if resource.GetKind() != "ValidatingWebhookConfiguration" {
			continue
		}
		text, err := resource.AsYAML()
		require.NoError(t, err)
		config := &admissionv1.ValidatingWebhookConfiguration{}
		require.NoError(t, yaml.UnmarshalStrict(text, config))
		return config
	}
	t.Fatalf("%s has no configuration", folder)
	return nil
}

// use makes the API server call an address by the configuration of a folder. It returns once the
// API server does so.
func (w *world) use(t *testing.T, folder, address string, ca []byte) {
	t.Helper()
	config := configurationOf(t, folder)
	target := "https://" + address + "/review"
	config.Webhooks[0].ClientConfig = admissionv1.WebhookClientConfig{URL: &target, CABundle: ca}
	// A second webhook shows that the configuration is used: it refuses the creation of one object,
	// and no update.
	probe := config.Webhooks[0].DeepCopy()
	probe.Name = "probe.hotupdate.github.io"
	fail := admissionv1.Fail
	probe.FailurePolicy = &fail
	marker := fmt.Sprintf("use-%d", time.Now().UnixNano())
	probe.MatchConditions = []admissionv1.MatchCondition{{Name: "is-probe", Expression: fmt.Sprintf("object.metadata.name == %q", marker)}}
	nowhere := "https://127.0.0.1:1/"
	probe.ClientConfig = admissionv1.WebhookClientConfig{URL: &nowhere}
	probe.Rules[0].Operations = []admissionv1.OperationType{admissionv1.Create}
	config.Webhooks = append(config.Webhooks, *probe)
	w.core.use(config)
	require.Eventually(t, func() bool {
		_, stderr, code := w.kubectl(
			t, "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: "+marker+", namespace: probe}\n", "create",
			"--dry-run=server", "-f", "-",
		)
		return code != 0 && strings.Contains(stderr, "probe.hotupdate.github.io")
	}, time.Minute, 50*time.Millisecond, "the configuration is used")
}
