package kubeapiserver_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

const (
	root   = "../../.."
	deploy = root + "/hotupdate/cmd/hotupdate/deploy"
)

// tools are the programs of this test: hotupdate, and kubectl as package webhook of internal/integration has it in its test.
type tools struct {
	hotupdate, profiles, kubectl, kubeconfig string
}

func (s *server) buildTools(t *testing.T) *tools {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	b := &tools{in("hotupdate"), in("hotupdate-cloudprofiles"), in("kubectl"), in("kubeconfig")}
	build := func(folder string, args ...string) {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	build(root, "build", "-o", b.hotupdate, "./hotupdate/cmd/hotupdate")
	build(root+"/hotupdate/cloudprofiles", "build", "-o", b.profiles, "./cmd/hotupdate-cloudprofiles")
	build(root+"/internal/integration", "test", "-c", "-o", b.kubectl, "./webhook")
	config := clientcmdapi.NewConfig()
	config.Clusters["garden"] = &clientcmdapi.Cluster{
		Server: s.admin.Host, CertificateAuthority: s.admin.CAFile, CertificateAuthorityData: s.admin.CAData,
		TLSServerName: s.admin.ServerName,
	}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: s.admin.BearerToken}
	config.Contexts["garden"] = &clientcmdapi.Context{Cluster: "garden", AuthInfo: "admin"}
	config.CurrentContext = "garden"
	require.NoError(t, clientcmd.WriteToFile(*config, b.kubeconfig))
	return b
}

// run runs kubectl, and returns what it writes.
func (b *tools) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), b.kubectl, args...)
	command.Env = append(os.Environ(), "WEBHOOK_TEST_AS_KUBECTL=1", "KUBECONFIG="+b.kubeconfig, "HOME="+filepath.Dir(b.kubeconfig))
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

// succeeds runs kubectl, which must succeed.
func (b *tools) succeeds(t *testing.T, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := b.run(t, stdin, args...)
	require.Zero(t, code, "kubectl %q: %s", args, stderr)
	return stdout, stderr
}

// hook is a running hotupdate serve.
type hook struct {
	address string
	ca      []byte
}

func (b *tools) serve(t *testing.T, args ...string) *hook {
	t.Helper()
	dir := t.TempDir()
	certificate, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	require.NoError(t, err)
	certFile := filepath.Join(dir, "tls.crt")
	keyFile := filepath.Join(dir, "tls.key")
	require.NoError(t, os.WriteFile(certFile, certificate, 0o600))
	require.NoError(t, os.WriteFile(keyFile, key, 0o600))
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	args = append([]string{"serve", "--config", "none", "--listen", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile}, args...)
	process := exec.Command(b.hotupdate, args...)
	process.Stderr = log
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		_ = log.Close()
	})
	h := &hook{ca: certificate}
	listening := regexp.MustCompile(`"msg":"serving","address":"([^"]+)"`)
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(log.Name())
		found := listening.FindSubmatch(text)
		if found != nil {
			h.address = string(found[1])
		}
		return found != nil
	}, time.Minute, 10*time.Millisecond)
	return h
}

// reviews is the number of reviews that the server has had.
func (h *hook) reviews(t *testing.T) string {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(h.ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get("https://" + h.address + "/metrics")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^hotupdate_review_duration_seconds_count (\S+)$`).FindSubmatch(text)
	require.NotNil(t, found, string(text))
	return string(found[1])
}

// call has the API server call an address in the place of the Service.
func (b *tools) call(t *testing.T, address string, ca []byte) {
	t.Helper()
	patch := fmt.Sprintf(
		`[{"op":"replace","path":"/webhooks/0/clientConfig","value":{"url":"https://%s/review","caBundle":%q}}]`, address,
		base64.StdEncoding.EncodeToString(ca),
	)
	b.succeeds(t, "", "patch", "validatingwebhookconfiguration", "hotupdate", "--type=json", "-p", patch)
}

// shootText is a Shoot of the integration's tests, with texts replaced by others.
func shootText(t *testing.T, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(root + "/internal/integration/testdata/shoot.yaml")
	require.NoError(t, err)
	shoot := string(text)
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, shoot, replace[i])
		shoot = strings.Replace(shoot, replace[i], replace[i+1], 1)
	}
	return shoot
}

// manyPools is a Shoot with 400 pools of a machine type, and a label of 1,000 characters in each.
func manyPools(t *testing.T, machine string) string {
	t.Helper()
	head, pool, isCut := strings.Cut(shootText(t, "name: web\n", "name: large\n", "m5.large", machine), "    - name: cpu\n")
	require.True(t, isCut)
	var all strings.Builder
	all.WriteString(head)
	for i := range 400 {
		fmt.Fprintf(&all, "    - name: p%d\n      labels: {note: %s}\n%s", i, strings.Repeat("x", 1000), pool)
	}
	return all.String()
}

var gardener = schema.GroupVersion{Group: "core.gardener.cloud", Version: "v1beta1"}

// usersOfGardener are the users by which Gardener changes Shoots, with their groups. Source: Gardener v1.150,
// pkg/component/gardener, pkg/operator, and the constants of pkg/apis/core/v1beta1; its chart gardener/controlplane for those in garden.
var usersOfGardener = [][]string{
	{"--as=system:serviceaccount:kube-system:gardener-controller-manager"},
	{"--as=system:serviceaccount:kube-system:gardener-scheduler"},
	{"--as=system:serviceaccount:kube-system:gardener-admission-controller"},
	{"--as=system:serviceaccount:kube-system:gardener-apiserver"},
	{"--as=system:serviceaccount:kube-system:gardener"}, // of the operator, from outside of the cluster
	{"--as=system:serviceaccount:kube-system:gardener-internal"},
	{"--as=system:serviceaccount:garden:gardener-controller-manager"},
	{"--as=gardener.cloud:system:controller-manager"},
	{"--as=gardener.cloud:system:seed:aws", "--as-group=gardener.cloud:system:seeds"},
	{"--as=gardener.cloud:system:shoot:garden-dev:self-hosted", "--as-group=gardener.cloud:system:shoots"},
	{"--as=gardenlet", "--as-group=gardener.cloud:system:seeds"}, // with a certificate of another name
}

// owners are users whose names resemble those of Gardener. The dashboard changes Shoots as its users.
var owners = []string{
	"owner@example.com",
	"gardener-controller-manager",
	"system:serviceaccount:garden-dev:gardener-controller-manager",
	"system:serviceaccount:garden:robot",
	"system:serviceaccount:garden:gardener-robot",
	"system:serviceaccount:kube-system:gardener-dashboard",
}

// testServe applies the deployment of hotupdate serve as a whole, and the policy of hotupdate rules.
//
// This is not simulated: no controller runs, so there are no pods, and the API server calls a process of this test by a
// URL and its certificate. Shoots are custom resources with the group of Gardener, which has an API server of its own.
// Of cert-manager there are the kinds alone.
func (s *server) testServe(t *testing.T) {
	definitions, err := apiextensions.NewForConfig(s.admin)
	require.NoError(t, err)
	certManager := schema.GroupVersion{Group: "cert-manager.io", Version: "v1"}
	require.NoError(t, apiserver.Define(t.Context(), definitions.ApiextensionsV1().CustomResourceDefinitions(),
		apiserver.WithStatus(apiserver.Definition(gardener, "Shoot", "shoots")),
		apiserver.Definition(certManager, "Certificate", "certificates"), apiserver.Definition(certManager, "Issuer", "issuers")))
	b := s.buildTools(t)
	h := b.serve(t)
	b.succeeds(t, "", "create", "namespace", "garden-dev")
	b.succeeds(t, shootText(t), "apply", "-f", "-")
	larger := shootText(t, "m5.large", "m5.xlarge")
	const rolls = `pool cpu: roll, up to 3 machines: machine.type "m5.large" -> "m5.xlarge"`
	warns := func(warning string) func() bool {
		return func() bool {
			_, stderr, _ := b.run(t, larger, "apply", "-f", "-", "--dry-run=server")
			return strings.Contains(stderr, "Warning: "+warning)
		}
	}

	t.Run("the base", func(t *testing.T) {
		b.succeeds(t, "", "apply", "-k", deploy+"/base")
		stdout, _ := b.succeeds(t, "", "get", "deployment,poddisruptionbudget,service,configmap", "-n", "hotupdate", "-o", "name")
		for _, object := range []string{
			"deployment.apps/hotupdate", "poddisruptionbudget.policy/hotupdate", "service/hotupdate", "configmap/hotupdate-config-",
		} {
			assert.Contains(t, stdout, object)
		}
		stdout, stderr := b.succeeds(t, "", "apply", "-k", deploy+"/base")
		assert.Contains(t, stdout, "deployment.apps/hotupdate unchanged", "what the API server fills in is no change")
		assert.NotContains(t, stderr, "Warning: ", "the pods keep to the namespace's standard")
		b.call(t, h.address, h.ca)
		require.Eventually(t, warns(rolls), time.Minute, 200*time.Millisecond)
		_, stderr = b.succeeds(t, shootText(t, "maximum: 3", "maximum: 5"), "apply", "-f", "-", "--dry-run=server")
		assert.NotContains(t, stderr, "Warning: ", "machines are added")
	})
	t.Run("a large Shoot", func(t *testing.T) {
		b.succeeds(t, manyPools(t, "m5.large"), "apply", "--server-side", "-f", "-")
		_, stderr := b.succeeds(t, manyPools(t, "m5.xlarge"), "apply", "--server-side", "-f", "-")
		assert.Contains(t, stderr, "Warning: 400 pools roll, up to 1,200 machines\n", "the conditions are within the limits of CEL")
		before := h.reviews(t)
		b.succeeds(t, "", "annotate", "shoots.core.gardener.cloud", "large", "-n", "garden-dev", "a=b")
		assert.Equal(t, before, h.reviews(t), "and skip what changes nothing")
	})
	t.Run("the CloudProfiles of the cluster", func(t *testing.T) { b.testProfiles(t, definitions) })
	t.Run("with cert-manager, and refusing", func(t *testing.T) {
		b.succeeds(t, "", "delete", "validatingwebhookconfiguration", "hotupdate") // whose url kubectl would keep beside the service
		b.succeeds(t, "", "apply", "-k", deploy)
		b.succeeds(t, "", "apply", "-k", deploy+"/refuse")
		stdout, _ := b.succeeds(t, "", "get", "certificates.cert-manager.io,issuers.cert-manager.io", "-n", "hotupdate", "-o", "name")
		assert.Contains(t, stdout, "certificate.cert-manager.io/hotupdate")
		assert.Contains(t, stdout, "issuer.cert-manager.io/hotupdate")
		stdout, _ = b.succeeds(
			t, "", "get", "deployment", "hotupdate", "-n", "hotupdate", "-o", "jsonpath={.spec.template.spec.containers[0].args}",
		)
		assert.Contains(t, stdout, "--refuse=")
		b.call(t, "127.0.0.1:1", h.ca)
		require.Eventually(t, func() bool {
			_, stderr, code := b.run(t, larger, "apply", "-f", "-", "--dry-run=server")
			return code != 0 && strings.Contains(stderr, "shoots.hotupdate.github.io")
		}, time.Minute, 200*time.Millisecond, "nobody answers")
		for _, user := range usersOfGardener {
			b.succeeds(t, larger, append([]string{"apply", "-f", "-", "--dry-run=server", "--as-group=system:masters"}, user...)...)
		}
		for _, user := range owners {
			_, stderr, code := b.run(t, larger, "apply", "-f", "-", "--dry-run=server", "--as-group=system:masters", "--as="+user)
			assert.NotZero(t, code, user)
			assert.Contains(t, stderr, "shoots.hotupdate.github.io", user)
		}
		b.succeeds(t, "", "delete", "validatingwebhookconfiguration", "hotupdate")
	})
	t.Run("in a virtual garden", func(t *testing.T) {
		b.succeeds(t, "", "apply", "-k", deploy+"/virtual/runtime")
		stdout, _ := b.succeeds(t, "", "get", "validatingwebhookconfigurations", "-o", "name")
		assert.NotContains(t, stdout, "hotupdate", "it belongs to the virtual garden")
		b.succeeds(t, "", "apply", "-k", deploy+"/base/webhook") // the service of one cluster
		b.succeeds(t, "", "apply", "-k", deploy+"/virtual/garden")
		client, _ := b.succeeds(t, "", "get", "validatingwebhookconfiguration", "hotupdate", "-o", "jsonpath={.webhooks[0].clientConfig}")
		assert.JSONEq(t, `{"url":"https://hotupdate.hotupdate.svc/review"}`, client, "without a service")
		stdout, _ = b.succeeds(t, "", "apply", "-k", deploy+"/virtual/garden")
		assert.Contains(t, stdout, "hotupdate unchanged")
		b.call(t, h.address, h.ca)
		require.Eventually(t, warns(rolls), time.Minute, 200*time.Millisecond)
		b.succeeds(t, "", "delete", "-k", deploy+"/virtual/garden")
		b.succeeds(t, "", "delete", "-k", deploy+"/virtual/runtime", "--wait=false")
	})
	t.Run("the policy", func(t *testing.T) {
		policy, err := exec.CommandContext(t.Context(), b.hotupdate, "rules", "--policy", "--config", "none").Output()
		require.NoError(t, err)
		b.succeeds(t, string(policy), "apply", "-f", "-")
		const replaced = "Validation failed for ValidatingAdmissionPolicy 'hotupdate-shoots' with binding 'hotupdate-shoots': machines are replaced: cpu (machine.type)"
		require.Eventually(t, warns(replaced), time.Minute, 200*time.Millisecond)
		_, stderr := b.succeeds(t, shootText(t, "maximum: 3", "maximum: 5"), "apply", "-f", "-", "--dry-run=server")
		assert.NotContains(t, stderr, "Warning: ")
		_, stderr = b.succeeds(t, manyPools(t, "m5.2xlarge"), "apply", "--server-side", "-f", "-")
		assert.Contains(t, stderr, "p4 (machine.type) and 395 more", "the expressions are within the limits of CEL")
	})
}
