package kubeapiserver_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/util/yaml"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/rest"
	kubernetes "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	"k8s.io/kubernetes/test/utils/ktesting"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
)

// The users of the controllers, and of updaters beside them.
const (
	user        = "machine-controller"
	updaterUser = "hot-updater"
)

// server is a kube-apiserver with RBAC, its default admission, and an audit log of the controllers' requests.
type server struct {
	admin, controllers, updaters *rest.Config

	audit string // its file
}

const policy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
"rules": [{"level": "Metadata", "users": ["` + user + `", "` + updaterUser + `"]}, {"level": "None"}]}`

// start starts a kube-apiserver over etcd, and defines the objects of the example.
func start(t *testing.T) *server {
	t.Helper()
	ktesting.SetDefaultVerbosity(0)
	dir, err := os.MkdirTemp("", "kube") // the path of a socket is shorter than that of t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	endpoint, stop, err := apiserver.StartEtcd(dir)
	require.NoError(t, err)
	t.Cleanup(stop)
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	s := &server{audit: filepath.Join(dir, "audit.log")}
	storage := storagebackend.NewDefaultConfig("/registry", nil)
	storage.Transport.ServerList = []string{endpoint}
	started, err := kubernetes.StartTestServer(t, nil, []string{
		"--authorization-mode=Node,RBAC", "--token-auth-file=" + file("tokens", "token,"+user+",uid\nupdater,"+updaterUser+",updater"),
		"--audit-policy-file=" + file("policy", policy), "--audit-log-path=" + s.audit,
	}, storage)
	require.NoError(t, err)
	t.Cleanup(started.TearDownFn)
	s.admin = rest.CopyConfig(started.ClientConfig)
	s.admin.ContentType, s.admin.AcceptContentTypes = "application/json", "application/json"
	s.controllers = rest.AnonymousClientConfig(s.admin)
	s.controllers.BearerToken = "token"
	s.updaters = rest.AnonymousClientConfig(s.admin)
	s.updaters.BearerToken = "updater"
	definitions, err := apiextensions.NewForConfig(s.admin)
	require.NoError(t, err)
	require.NoError(t, apiserver.Define(t.Context(), definitions.ApiextensionsV1().CustomResourceDefinitions(), apiserver.Machines()...))
	return s
}

// asked returns the requests of a user as "verb resource/subresource.group", and whether they were allowed.
func (s *server) asked(t *testing.T, user string) map[string]bool {
	t.Helper()
	log, err := os.Open(s.audit)
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	asked := map[string]bool{}
	for events := yaml.NewYAMLOrJSONDecoder(log, 4096); ; {
		var event auditv1.Event
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return asked
		}
		require.NoError(t, err)
		if event.User.Username != user {
			continue
		}
		require.NotNil(t, event.ObjectRef, event.RequestURI)
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		asked[permission(event.Verb, resource, event.ObjectRef.APIGroup)] = event.Annotations["authorization.k8s.io/decision"] == "allow"
	}
}

func permission(verb, resource, group string) string { return verb + " " + resource + "." + group }

// roles are the roles of the README.
func roles(t *testing.T) (*rbacv1.Role, *rbacv1.ClusterRole) {
	t.Helper()
	file, err := os.Open("../rbac.yaml")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	documents := yaml.NewYAMLOrJSONDecoder(file, 4096)
	role, clusterRole := &rbacv1.Role{}, &rbacv1.ClusterRole{}
	require.NoError(t, documents.Decode(role))
	require.NoError(t, documents.Decode(clusterRole))
	return role, clusterRole
}
