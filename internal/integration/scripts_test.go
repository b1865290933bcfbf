package integration_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

// TestScripts runs the scripts of testdata/script, each in a folder of its own with the manifest
// shoot.yaml. $KUBECONFIG is the kubeconfig of an API server with Shoots, which all scripts share.
func TestScripts(t *testing.T) {
	bin := build(t)
	kubeconfig := startServer(t)
	shoot, err := os.ReadFile("testdata/shoot.yaml")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("KUBECONFIG", kubeconfig)
			env.Setenv("HOME", env.WorkDir) // kubectl and Helm keep caches there
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(env.WorkDir, ".gitconfig"))
			return os.WriteFile(filepath.Join(env.WorkDir, "shoot.yaml"), shoot, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edit": edit},
	})
}

// build builds the command in the main module, as users do, and returns its folder.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./hotupdate/cmd/hotupdate")
	command.Dir = filepath.Join("..", "..")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// gardener is the API group of Shoots.
var gardener = schema.GroupVersion{Group: "core.gardener.cloud", Version: "v1beta1"}

// startServer starts an API server with Shoots, and returns its kubeconfig.
func startServer(t *testing.T) string {
	t.Helper()
	server, err := apiserver.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientset.NewForConfig(server.Config)
	require.NoError(t, err)
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	require.NoError(t, apiserver.Define(t.Context(), definitions, apiserver.Definition(gardener, "Shoot", "shoots")))
	front := httptest.NewServer(withDiscovery(t, server.Config))
	t.Cleanup(front.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["garden"] = &clientcmdapi.Cluster{Server: front.URL}
	config.Contexts["garden"] = &clientcmdapi.Context{Cluster: "garden"}
	config.CurrentContext = "garden"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}

// withDiscovery returns a proxy to a server of custom resources. It adds the list of groups that a
// whole kube-apiserver has, and that kubectl reads first.
func withDiscovery(t *testing.T, config *rest.Config) http.Handler {
	t.Helper()
	transport, err := rest.TransportFor(config)
	require.NoError(t, err)
	target, err := url.Parse(config.Host)
	require.NoError(t, err)
	version := metav1.GroupVersionForDiscovery{GroupVersion: gardener.String(), Version: gardener.Version}
	proxy := httputil.NewSingleHostReverseProxy(target)
	mux := http.NewServeMux()
	proxy.Transport = transport
	mux.Handle("/", proxy)
	mux.Handle("/api", answer(metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{}}))
	mux.Handle("/apis", answer(metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []metav1.APIGroup{{
			Name: gardener.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
		}},
	}))
	return mux
}

func answer(value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value) // a client that has gone needs no answer
	})
}

// exits CODE COMMAND ARG... runs a command and checks its exit code exactly.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// edit FROM TO OLD NEW copies a file, and replaces the text OLD, which must be there.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[2]) {
		ts.Fatalf("%s does not contain %q", args[0], args[2])
	}
	text = strings.ReplaceAll(text, args[2], args[3])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
