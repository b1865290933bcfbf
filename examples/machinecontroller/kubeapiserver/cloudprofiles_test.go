package kubeapiserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

// pipe passes connections on to the API server, unless it is cut.
type pipe struct {
	address, target string

	mutex sync.Mutex
	isCut bool
	open  []net.Conn
}

func newPipe(t *testing.T, target string) *pipe {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &pipe{address: listener.Addr().String(), target: target}
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.pass(client)
		}
	}()
	return p
}

// pass passes a connection on.
func (p *pipe) pass(client net.Conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	server, err := net.Dial("tcp", p.target)
	if err != nil || p.isCut {
		_ = client.Close()
		if err == nil {
			_ = server.Close()
		}
		return
	}
	p.open = append(p.open, client, server)
	for _, ends := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			_, _ = io.Copy(ends[0], ends[1])
			_ = ends[0].Close()
		}()
	}
}

// cut ends all connections, and others as soon as they are made.
func (p *pipe) cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isCut = true
	for _, connection := range p.open {
		_ = connection.Close()
	}
	p.open = nil
}

// join passes connections on again.
func (p *pipe) join() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isCut = false
}

// kept is the file that a running hotupdate-cloudprofiles keeps, with the rights of the deployment's ServiceAccount.
type kept struct {
	process   *exec.Cmd
	file, log string
	pipe      *pipe
}

func (b *tools) keepProfiles(t *testing.T) *kept {
	t.Helper()
	config, err := clientcmd.LoadFromFile(b.kubeconfig)
	require.NoError(t, err)
	cluster := config.Clusters["garden"]
	p := newPipe(t, strings.TrimPrefix(cluster.Server, "https://"))
	host, _, err := net.SplitHostPort(p.target)
	require.NoError(t, err)
	if cluster.TLSServerName == "" {
		cluster.TLSServerName = host
	}
	cluster.Server = "https://" + p.address
	token, _ := b.succeeds(t, "", "create", "token", "hotupdate-cloudprofiles", "-n", "hotupdate")
	config.AuthInfos["admin"].Token = strings.TrimSpace(token)
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, kubeconfig))
	k := &kept{file: filepath.Join(dir, "cloudprofiles.json"), log: filepath.Join(dir, "log"), pipe: p}
	log, err := os.Create(k.log)
	require.NoError(t, err)
	k.process = exec.Command(b.profiles, "--file", k.file, "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0")
	k.process.Stderr = log
	require.NoError(t, k.process.Start())
	t.Cleanup(func() {
		_ = k.process.Process.Kill()
		_ = k.process.Wait()
		_ = log.Close()
	})
	return k
}

// names are the objects of the file, each as kind/namespace/name; nil while there is no file.
func (k *kept) names() ([]string, error) {
	text, err := os.ReadFile(k.file)
	if err != nil {
		return nil, nil //nolint:nilerr // it is not written yet
	}
	var document struct {
		Items []struct {
			Kind     string
			Metadata struct {
				Namespace, Name string
				ManagedFields   []any
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	names := []string{}
	for _, o := range document.Items {
		names = append(names, fmt.Sprintf("%s/%s/%s", o.Kind, o.Metadata.Namespace, o.Metadata.Name))
		if len(o.Metadata.ManagedFields) > 0 {
			return nil, fmt.Errorf("%s has managedFields", o.Metadata.Name)
		}
	}
	return names, nil
}

func (k *kept) becomes(t *testing.T, want ...string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		names, err := k.names()
		assert.NoError(c, err)
		assert.Equal(c, append([]string{}, want...), names)
	}, 3*time.Minute, 50*time.Millisecond)
}

// readAlways reads the file until the test ends, and expects it to be whole each time.
func (k *kept) readAlways(t *testing.T) {
	t.Helper()
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			if _, err := k.names(); !assert.NoError(t, err) {
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-ended
	})
}

func cloudProfile(name, version string) string {
	return fmt.Sprintf(`apiVersion: core.gardener.cloud/v1beta1
kind: CloudProfile
metadata: {name: %s}
spec:
  machineImages:
  - name: gardenlinux
    versions:
    - {version: 1877.0.0}
    - {version: %s, inPlaceUpdates: {supported: true, minVersionForUpdate: 1877.0.0}}
`, name, version)
}

// testProfiles: beside hotupdate serve, the CloudProfiles of the cluster are kept in a file. The program has the token of
// the deployment's ServiceAccount, and the overlay is that of hotupdate help webhook.
func (b *tools) testProfiles(t *testing.T, client apiextensions.Interface) {
	dir := t.TempDir()
	page, err := os.ReadFile(root + "/hotupdate/cmd/hotupdate/help/webhook.md")
	require.NoError(t, err)
	folder, err := filepath.Abs(deploy)
	require.NoError(t, err)
	folder, err = filepath.Rel(dir, folder)
	require.NoError(t, err)
	const overlay = "    resources: [deploy/base]\n    components: [deploy/cert-manager, deploy/cloudprofiles]\n"
	require.Contains(t, string(page), overlay)
	require.NoError(
		t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(strings.ReplaceAll(overlay, "deploy/", folder+"/")), 0o600),
	)
	b.succeeds(t, "", "delete", "validatingwebhookconfiguration", "hotupdate") // whose url kubectl would keep beside the service
	_, stderr := b.succeeds(t, "", "apply", "-k", dir)
	assert.NotContains(t, stderr, "Warning: ", "the pods keep to the namespace's standard")
	stdout, _ := b.succeeds(t, "", "get", "deployment", "hotupdate", "-n", "hotupdate", "-o",
		"jsonpath={.spec.template.spec.initContainers[0].restartPolicy} {.spec.template.spec.containers[0].args} {.spec.template.spec.containers[0].volumeMounts[*].name}")
	assert.Regexp(t, `^Always \["serve",.*"--cloudprofile=/cloudprofiles/cloudprofiles.json"\] `, stdout)
	assert.NotContains(t, stdout, " token", "hotupdate serve has no token")
	assert.Contains(t, stdout, " cloudprofiles")

	profiles := apiserver.Definition(gardener, "CloudProfile", "cloudprofiles")
	profiles.Spec.Scope = apiextensionsv1.ClusterScoped
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	require.NoError(t, apiserver.Define(t.Context(), definitions, profiles))
	k := b.keepProfiles(t)
	k.becomes(t)
	k.readAlways(t)
	b.succeeds(t, cloudProfile("gcp", "1877.1.0"), "apply", "-f", "-")
	k.becomes(t, "CloudProfile//gcp")

	h := b.serve(t, "--cloudprofile", k.file)
	b.call(t, h.address, h.ca)
	inPlace := func(version string) string {
		return shootText(t, "name: web\n", "name: profiled\n", "  region:", "  cloudProfile: {kind: CloudProfile, name: aws}\n  region:",
			"minimum: 1", "updateStrategy: AutoInPlaceUpdate", "1877.0.0", version)
	}
	b.succeeds(t, inPlace("1877.0.0"), "apply", "-f", "-")
	told := func(want string) func() bool {
		return func() bool {
			_, stderr, _ := b.run(t, inPlace("1877.1.0"), "apply", "-f", "-", "--dry-run=server")
			return strings.Contains(stderr, "Warning: pool cpu: "+want)
		}
	}
	require.Eventually(t, told("indeterminate"), time.Minute, 200*time.Millisecond, "the CloudProfile of the Shoot is missing")
	b.succeeds(t, cloudProfile("aws", "1877.1.0"), "apply", "-f", "-")
	k.becomes(t, "CloudProfile//aws", "CloudProfile//gcp")
	require.Eventually(t, told("in-place-update"), 30*time.Second, 200*time.Millisecond, "without a start")

	require.NoError(
		t, apiserver.Define(t.Context(), definitions, apiserver.Definition(gardener, "NamespacedCloudProfile", "namespacedcloudprofiles")),
	)
	own := strings.NewReplacer("kind: CloudProfile", "kind: NamespacedCloudProfile", "{name: own}", "{name: own, namespace: garden-dev}")
	b.succeeds(t, own.Replace(cloudProfile("own", "1877.1.0")), "apply", "-f", "-")
	k.becomes(t, "CloudProfile//aws", "CloudProfile//gcp", "NamespacedCloudProfile/garden-dev/own")

	k.pipe.cut()
	b.succeeds(t, "", "delete", "cloudprofiles.core.gardener.cloud", "gcp")
	time.Sleep(3 * time.Second)
	k.becomes(t, "CloudProfile//aws", "CloudProfile//gcp", "NamespacedCloudProfile/garden-dev/own")
	k.pipe.join()
	k.becomes(t, "CloudProfile//aws", "NamespacedCloudProfile/garden-dev/own")

	stdout, _, _ = b.run(t, "", "auth", "can-i", "get", "secrets", "-A", "--as=system:serviceaccount:hotupdate:hotupdate-cloudprofiles")
	assert.Equal(t, "no\n", stdout)
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", k.process.Process.Pid)); err == nil {
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		peak, _, _ = strings.Cut(peak, "\n")
		t.Log("memory of hotupdate-cloudprofiles:", strings.TrimSpace(peak))
	}
	require.NoError(t, k.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, k.process.Wait(), "the exit code is 0")
	text, err := os.ReadFile(k.log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Equal(t, 1, strings.Count(string(text), "the cluster does not serve the resource"), string(text))
}
