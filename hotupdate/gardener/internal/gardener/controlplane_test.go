package gardener_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/Masterminds/semver/v3"
	extensionscontroller "github.com/gardener/gardener/extensions/pkg/controller"
	"github.com/gardener/gardener/extensions/pkg/controller/controlplane/genericactuator"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	"github.com/gardener/gardener/pkg/chartrenderer"
	"github.com/gardener/gardener/pkg/client/kubernetes"
	"github.com/gardener/gardener/pkg/component/gardener/resourcemanager"
	"github.com/gardener/gardener/pkg/utils/imagevector"
	fakesecretsmanager "github.com/gardener/gardener/pkg/utils/secrets/manager/fake"
	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"k8s.io/component-helpers/auth/rbac/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// TestControlPlaneChartNeedsNoRights: what rbac.yaml and the guide say of Gardener v1.135 and newer. An extension's
// chart of the seed's control plane becomes a ManagedResource. The resource manager of its class is the seed's, which
// has the rights to grant all of the updater's Role.
func TestControlPlaneChartNeedsNoRights(t *testing.T) {
	text, err := os.ReadFile("../../../updater/rbac.yaml")
	require.NoError(t, err)
	role := &rbacv1.Role{}
	require.NoError(t, yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096).Decode(role))

	const namespace = "shoot--p--s"
	seed := fake.NewClientBuilder().WithScheme(kubernetes.SeedScheme).Build()
	reconcileControlPlane(t, seed, namespace, text)
	resource := &resourcesv1alpha1.ManagedResource{}
	key := client.ObjectKey{Namespace: namespace, Name: genericactuator.ControlPlaneSeedChartResourceName}
	require.NoError(t, seed.Get(t.Context(), key, resource))

	require.NoError(t, seed.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "ca"}}))
	secrets := fakesecretsmanager.New(seed, "garden")
	manager := resourcemanager.New(seed, "garden", secrets, resourcemanager.Values{
		ResponsibilityMode: resourcemanager.ForRuntime, ResourceClass: resource.Spec.Class,
		SecretNameServerCA: "ca", RuntimeKubernetesVersion: semver.MustParse("1.34.0"),
	})
	require.NoError(t, manager.Deploy(t.Context()))
	assert.Equal(t, constants.SeedResourceManagerClass, *resource.Spec.Class)
	roles := &rbacv1.ClusterRoleList{}
	require.NoError(t, seed.List(t.Context(), roles))
	require.Len(t, roles.Items, 1)
	covered, missing := validation.Covers(roles.Items[0].Rules, role.Rules)
	assert.True(t, covered, "%v", missing)
}

// reconcileControlPlane reconciles a ControlPlane as an extension does, with a chart that renders to content.
func reconcileControlPlane(t *testing.T, seed client.Client, namespace string, content []byte) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"major":"1","minor":"34","gitVersion":"v1.34.0"}`))
	}))
	t.Cleanup(server.Close)
	actuator, err := genericactuator.NewActuator(&extensionsManager{config: &rest.Config{Host: server.URL}, client: seed}, "provider-x",
		nil, nil,
		nil, rendered(content), nil, nil, nil, genericactuator.NoopValuesProvider{},
		extensionscontroller.ChartRendererFactoryFunc(func(string) (chartrenderer.Interface, error) {
			return chartrenderer.NewWithServerVersion(&version.Info{}), nil
		}), nil, "", nil, "")
	require.NoError(t, err)
	shoot := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.34.0"}}}
	_, err = actuator.Reconcile(t.Context(), logr.Discard(),
		&extensionsv1alpha1.ControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}},
		&extensionscontroller.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Shoot: shoot})
	require.NoError(t, err)
}

// extensionsManager is the part of an extension's manager that the actuator uses.
type extensionsManager struct {
	manager.Manager

	config *rest.Config
	client client.Client
}

func (m *extensionsManager) GetConfig() *rest.Config  { return m.config }
func (m *extensionsManager) GetClient() client.Client { return m.client }

// rendered is a chart that has been rendered. It cannot be applied by the extension itself.
type rendered []byte

func (r rendered) Render(
	chartrenderer.Interface, string, imagevector.ImageVector, string, string, map[string]any,
) (string, []byte, error) {
	return "seed-controlplane", r, nil
}

func (r rendered) Apply(
	context.Context, kubernetes.ChartApplier, string, imagevector.ImageVector, string, string, map[string]any,
) error {
	return errors.New("the extension applies its chart itself")
}

func (r rendered) Delete(context.Context, client.Client, string) error { return nil }
