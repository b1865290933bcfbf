package updater_test

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// serviceAccount is the folder that a kubelet mounts into each pod. Client-go has the same constant.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// asPod says in the environment of a child process that it is the pod, and where the files of its service account are.
const asPod = "HOTUPDATE_TEST_POD"

// TestControlConfigInPod: with the word inClusterConfig, and without flags, the client is that of the pod's service
// account: it trusts the server, and sends the token. The test runs itself again in namespaces of its own, where /run
// is empty.
func TestControlConfigInPod(t *testing.T) {
	if files := os.Getenv(asPod); files != "" {
		mountServiceAccount(t, files)
		testInPod(t)
		return
	}
	var authorized []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorized = append(authorized, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"SecretList","apiVersion":"v1","items":[]}`))
	}))
	defer server.Close()
	files := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(filepath.Join(files, "ca.crt"), ca, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(files, "token"), []byte("of-the-pod"), 0o600))
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)

	pod := inNamespaces(t, os.Args[0], "-test.run=^TestControlConfigInPod$", "-test.v")
	pod.Env = append(os.Environ(), asPod+"="+files, "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	output, err := pod.CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, []string{"Bearer of-the-pod", "Bearer of-the-pod"}, authorized, "one call for each form of the flags: %s", output)
}

// inNamespaces returns a command that may mount files for itself alone. Where AppArmor leaves this to root, as Ubuntu
// does since 24.04, sudo must need no password, as on the runners of GitHub.
func inNamespaces(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	restricted, _ := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	if os.Getuid() != 0 && strings.TrimSpace(string(restricted)) == "1" {
		return exec.CommandContext(t.Context(), "sudo", append([]string{"-n", "-E", "unshare", "--mount", name}, args...)...)
	}
	command := exec.CommandContext(t.Context(), name, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return command
}

// mountServiceAccount gives the process the files of a service account. Nobody else sees the mounts, which end with it.
func mountServiceAccount(t *testing.T, files string) {
	t.Helper()
	run, err := filepath.EvalSymlinks("/var/run")
	require.NoError(t, err)
	require.NoError(t, syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	require.NoError(t, syscall.Mount("tmpfs", run, "tmpfs", 0, ""))
	require.NoError(t, os.MkdirAll(serviceAccount, 0o700))
	require.NoError(t, syscall.Mount(files, serviceAccount, "", syscall.MS_BIND, ""))
}

// testInPod calls the API server with the configuration of each form of the flags that means the pod's cluster.
func testInPod(t *testing.T) {
	t.Helper()
	for name, server := range map[string]updater.Server{
		"Gardener's seed": {
			ControlKubeconfig: "inClusterConfig", TargetKubeconfig: "/none/of/its/business", KubeAPIQPS: 7, KubeAPIBurst: 8,
		},
		"no flags": {KubeAPIQPS: 7, KubeAPIBurst: 8},
	} {
		config, err := server.ControlConfig()
		require.NoError(t, err, name)
		assert.Equal(
			t, "https://"+net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")), config.Host, name,
		)
		assert.Equal(t, serviceAccount+"/token", config.BearerTokenFile, "%s: the token is read again when it has been renewed", name)
		assert.InDelta(t, 7, config.QPS, 0, name)
		assert.Equal(t, 8, config.Burst, name)
		client, err := kubernetes.NewForConfig(config)
		require.NoError(t, err, name)
		_, err = client.CoreV1().Secrets("n").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err, name)
	}
}
