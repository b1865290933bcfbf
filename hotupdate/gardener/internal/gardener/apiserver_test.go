package gardener_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gardencoreinstall "github.com/gardener/gardener/pkg/apis/core/install"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/apiserver/openapi"
	shootstorage "github.com/gardener/gardener/pkg/apiserver/registry/core/shoot/storage"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/dynamic"
	clientrest "k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
)

// apiServer is an API server for Shoots in this process: Kubernetes' handlers, field manager and storage over an
// embedded etcd, with Gardener's types, OpenAPI, strategy and mutating plugins.
type apiServer struct {
	url    string
	shoots dynamic.NamespaceableResourceInterface
	folder string // for kubectl

	builtKubectl func() (program string, err error)

	fillsIn *atomic.Bool // see bareUpdate
	served  int          // how often Shoots were made
}

// startAPIServer starts a server that ends with the test.
func startAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{folder: t.TempDir(), fillsIn: &atomic.Bool{}}
	s.builtKubectl = sync.OnceValues(func() (string, error) { return buildKubectl(s.folder) })
	s.fillsIn.Store(true)
	scheme := runtime.NewScheme()
	gardencoreinstall.Install(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"},
		&metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	scheme.AddTypeDefaultingFunc(&gardencorev1beta1.Shoot{}, func(object any) {
		if shoot, is := object.(*gardencorev1beta1.Shoot); is && s.fillsIn.Load() {
			gardencorev1beta1.SetObjectDefaults_Shoot(shoot)
		}
	})
	server := newAPIServer(t, s, scheme)
	front := httptest.NewServer(server.PrepareRun().Handler)
	t.Cleanup(front.Close)
	s.url = front.URL
	client, err := dynamic.NewForConfig(&clientrest.Config{Host: s.url, QPS: -1})
	require.NoError(t, err)
	s.shoots = client.Resource(gardencorev1beta1.SchemeGroupVersion.WithResource("shoots"))
	return s
}

func newAPIServer(t *testing.T, s *apiServer, scheme *runtime.Scheme) *genericapiserver.GenericAPIServer {
	t.Helper()
	codecs := serializer.NewCodecFactory(scheme)
	config := genericapiserver.NewConfig(codecs)
	config.ExternalAddress = "127.0.0.1:443"
	config.PublicAddress = net.IPv4(127, 0, 0, 1)
	config.LoopbackClientConfig = &clientrest.Config{}
	config.EffectiveVersion = basecompatibility.NewEffectiveVersionFromString("1.36", "", "")
	namer := openapinamer.NewDefinitionNamer(scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.Authentication.Authenticator = authenticator.RequestFunc(asUser)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	config.AdmissionControl = &mutating{s, newJudge(t).Mutators()}

	backend := storagebackend.NewDefaultConfig("/registry", codecs.LegacyCodec(gardencorev1beta1.SchemeGroupVersion))
	backend.Transport.ServerList = []string{startEtcd(t)}
	storage := options.NewEtcdOptions(backend)
	storage.EnableWatchCache = false
	storage.SkipHealthEndpoints = true
	require.NoError(t, storage.ApplyTo(config))

	server, err := config.Complete(nil).New("gardener-apiserver", genericapiserver.NewEmptyDelegate())
	require.NoError(t, err)
	shoots, _, _ := shootstorage.NewREST(config.RESTOptionsGetter, time.Hour)
	shoots.UpdateStrategy = &bareUpdate{shoots.UpdateStrategy, s}
	decorate := shoots.Decorator
	shoots.Decorator = func(object runtime.Object) {
		if s.fillsIn.Load() {
			decorate(object)
		}
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(gardencorev1beta1.GroupName, scheme, runtime.NewParameterCodec(scheme), codecs)
	group.VersionedResourcesStorageMap[gardencorev1beta1.SchemeGroupVersion.Version] = map[string]rest.Storage{"shoots": shoots}
	require.NoError(t, server.InstallAPIGroup(&group))
	return server
}

// asUser takes every request for one of the same user.
func asUser(*http.Request) (*authenticator.Response, bool, error) {
	return &authenticator.Response{User: &user.DefaultInfo{Name: "user"}}, true, nil
}

// startEtcd starts an etcd behind a socket.
func startEtcd(t *testing.T) (endpoint string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "etcd") //nolint:usetesting // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	client := url.URL{Scheme: "unix", Path: filepath.Join(folder, "socket")}
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "data")
	config.LogLevel = "fatal"
	config.ListenClientUrls = []url.URL{client}
	config.ListenPeerUrls = nil
	config.UnsafeNoFsync = true // the data does not outlive the test
	etcd, err := embed.StartEtcd(config)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	select {
	case <-etcd.Server.ReadyNotify():
	case <-time.After(time.Minute):
		t.Fatal("etcd does not start")
	}
	return client.String()
}

// mutating are Gardener's mutating plugins.
type mutating struct {
	server  *apiServer
	plugins []admission.MutationInterface
}

func (*mutating) Handles(admission.Operation) bool { return true }

func (m *mutating) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	for _, plugin := range m.plugins {
		if !m.server.fillsIn.Load() || !plugin.Handles(a.GetOperation()) {
			continue
		}
		if err := plugin.Admit(ctx, a, o); err != nil {
			return err
		}
	}
	return nil
}

// bareUpdate is Gardener's strategy, unless the server fills in nothing: then a stored Shoot is what applying makes of
// it, before Gardener's defaults, plugins and strategy. Else they would hide a member that applying removes, if they
// fill in the same value.
type bareUpdate struct {
	rest.RESTUpdateStrategy

	server *apiServer
}

func (b *bareUpdate) PrepareForUpdate(ctx context.Context, object, old runtime.Object) {
	if b.server.fillsIn.Load() {
		b.RESTUpdateStrategy.PrepareForUpdate(ctx, object, old)
	}
}

func (b *bareUpdate) ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList {
	if b.server.fillsIn.Load() {
		return b.RESTUpdateStrategy.ValidateUpdate(ctx, object, old)
	}
	return nil
}

func (b *bareUpdate) WarningsOnUpdate(ctx context.Context, object, old runtime.Object) []string {
	if b.server.fillsIn.Load() {
		return b.RESTUpdateStrategy.WarningsOnUpdate(ctx, object, old)
	}
	return nil
}

func (b *bareUpdate) Canonicalize(object runtime.Object) {
	if b.server.fillsIn.Load() {
		b.RESTUpdateStrategy.Canonicalize(object)
	}
}

// kubectl runs kubectl, and returns what it complains of.
func (s *apiServer) kubectl(t *testing.T, arguments ...string) (problems string, err error) {
	t.Helper()
	program, err := s.builtKubectl()
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	run := exec.CommandContext(t.Context(), program, append(arguments, "--server", s.url)...)
	run.Env = append(os.Environ(), "HOME="+s.folder, "KUBECONFIG="+os.DevNull, "KUBERC=off")
	run.Stderr = &stderr
	err = run.Run()
	return stderr.String(), err
}

// buildKubectl builds kubectl in a folder.
func buildKubectl(folder string) (program string, err error) {
	program = filepath.Join(folder, "kubectl")
	if out, err := exec.Command("go", "build", "-o", program, "../kubectl").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

// get reads Shoots by their names.
func (s *apiServer) get(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	list, err := s.shoots.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	all := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		all[list.Items[i].GetName()] = &list.Items[i]
	}
	return all
}

// TestAPIServer: the server creates Shoots as gardener-apiserver does.
func TestAPIServer(t *testing.T) {
	s := startAPIServer(t)
	file := filepath.Join(s.folder, "aws.json")
	require.NoError(t, os.WriteFile(file, toJSON(t, written(t, "aws")), 0o600))
	problems, err := s.kubectl(t, "apply", "-f", file)
	require.NoError(t, err, problems)
	shoot := s.get(t)["aws"]
	require.NotNil(t, shoot)
	_, hasDefault, err := unstructured.NestedString(shoot.Object, "spec", "kubernetes", "kubeProxy", "mode")
	require.NoError(t, err)
	require.True(t, hasDefault)
	require.NotEmpty(t, shoot.GetManagedFields())
}
