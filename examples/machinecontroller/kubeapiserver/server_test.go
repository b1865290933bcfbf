package kubeapiserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/rest"
	kubernetes "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	"k8s.io/kubernetes/test/utils/ktesting"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The users of the controllers, of updaters beside them, and of machine-controller-manager.
const (
	user        = "machine-controller"
	updaterUser = "hot-updater"
	mcmUser     = "mcm"
)

// server is a kube-apiserver with RBAC, its default admission, and an audit log of the controllers' requests.
type server struct {
	admin, controllers, updaters, mcm *rest.Config

	audit string // its file
}

// policy has the bodies of the updaters' patches of machines, and of the answers.
const policy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
{"level": "RequestResponse", "users": ["` + updaterUser + `"], "verbs": ["patch"], "resources": [{"group": "machine.sapcloud.io"}]},
{"level": "Metadata", "users": ["` + user + `", "` + updaterUser + `"]}, {"level": "None"}]}`

// tokens has administrators' rights for machine-controller-manager.
const tokens = "token," + user + ",uid\nupdater," + updaterUser + ",updater\nmcm," + mcmUser + ",mcm,system:masters"

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
		"--authorization-mode=Node,RBAC", "--token-auth-file=" + file("tokens", tokens),
		"--audit-policy-file=" + file("policy", policy), "--audit-log-path=" + s.audit,
	}, storage)
	require.NoError(t, err)
	t.Cleanup(started.TearDownFn)
	s.admin = rest.CopyConfig(started.ClientConfig)
	s.admin.ContentType = "application/json"
	s.admin.AcceptContentTypes = "application/json"
	s.controllers = rest.AnonymousClientConfig(s.admin)
	s.controllers.BearerToken = "token"
	s.updaters = rest.AnonymousClientConfig(s.admin)
	s.updaters.BearerToken = "updater"
	s.mcm = rest.AnonymousClientConfig(s.admin)
	s.mcm.BearerToken = "mcm"
	definitions, err := apiextensions.NewForConfig(s.admin)
	require.NoError(t, err)
	require.NoError(t, apiserver.Define(t.Context(), definitions.ApiextensionsV1().CustomResourceDefinitions(), apiserver.Machines()...))
	return s
}

// events returns the audit log of a user's requests in a namespace, or in all.
func (s *server) events(t *testing.T, user, namespace string) (found []auditv1.Event) {
	t.Helper()
	log, err := os.Open(s.audit)
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	for decoder := json.NewDecoder(log); ; {
		var event auditv1.Event
		err := decoder.Decode(&event)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it is being written
			return found
		}
		require.NoError(t, err)
		if event.User.Username != user {
			continue
		}
		if namespace == "" || event.ObjectRef != nil && event.ObjectRef.Namespace == namespace {
			found = append(found, event)
		}
	}
}

// asked returns the requests of a user as "verb resource/subresource.group", or "verb path" for those of no resource, and
// whether they were allowed.
func (s *server) asked(t *testing.T, user string) map[string]bool {
	t.Helper()
	asked := map[string]bool{}
	for _, event := range s.events(t, user, "") {
		request := event.Verb + " " + event.RequestURI
		if of := event.ObjectRef; of != nil {
			request = permission(event.Verb, path.Join(of.Resource, of.Subresource), of.APIGroup)
		}
		asked[request] = event.Annotations["authorization.k8s.io/decision"] == "allow"
	}
	return asked
}

// patches returns the numbers of the updaters' patches of machines in a namespace, and of conflicts among them. Each
// has the resourceVersion and annotations of hot updates, and nothing else. Machines that were patched had a VM, and
// were neither being created nor deleted.
func (s *server) patches(t *testing.T, namespace string) (all, conflicts int) {
	t.Helper()
	for _, event := range s.events(t, updaterUser, namespace) {
		if event.Verb != "patch" || event.ObjectRef.Resource != "machines" {
			continue
		}
		all++
		expectOnlyAnnotations(t, event.RequestObject.Raw)
		switch event.ResponseStatus.Code {
		case http.StatusOK:
		case http.StatusConflict:
			conflicts++
			continue
		case http.StatusGatewayTimeout: // its process ended
			continue
		default:
			assert.Fail(t, "refused", "%+v", event.ResponseStatus)
			continue
		}
		var machine v1alpha1.Machine
		require.NoError(t, json.Unmarshal(event.ResponseObject.Raw, &machine))
		unfinished := []v1alpha1.MachinePhase{
			"", v1alpha1.MachinePending, v1alpha1.MachineCrashLoopBackOff, v1alpha1.MachineFailed, v1alpha1.MachineTerminating,
		}
		assert.NotContains(t, unfinished, machine.Status.CurrentStatus.Phase, machine.Name)
		assert.NotEmpty(t, machine.Spec.ProviderID, machine.Name)
		assert.Nil(t, machine.DeletionTimestamp, machine.Name)
	}
	return all, conflicts
}

func expectOnlyAnnotations(t *testing.T, patch []byte) {
	t.Helper()
	var sent struct {
		Metadata struct {
			ResourceVersion, UID string
			Annotations          map[string]*string
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(patch))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&sent), string(patch))
	assert.NotEmpty(t, sent.Metadata.ResourceVersion, string(patch))
	for name := range sent.Metadata.Annotations {
		assert.True(t, strings.HasPrefix(name, machineupdate.AnnotationRecord), name)
	}
}

func permission(verb, resource, group string) string { return verb + " " + resource + "." + group }
