package gardener_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/gardener/gardener/pkg/client/kubernetes"
	"github.com/gardener/gardener/pkg/component/nodemanagement/machinecontrollermanager"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestRoleOfGardenlet: the Role and the RoleBinding with which a test beside kube-apiserver shows what an extension
// must add are those that gardenlet deploys.
func TestRoleOfGardenlet(t *testing.T) {
	text, err := os.ReadFile("../../../../examples/machinecontroller/kubeapiserver/testdata/gardenlet.yaml")
	require.NoError(t, err)
	want := &rbacv1.Role{}
	wantBinding := &rbacv1.RoleBinding{}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	require.NoError(t, documents.Decode(want))
	require.NoError(t, documents.Decode(wantBinding))

	namespace := wantBinding.Subjects[0].Namespace
	seed := fake.NewClientBuilder().WithScheme(kubernetes.SeedScheme).Build()
	// Without a target cluster, no secret is needed. The Role is the same.
	manager := machinecontrollermanager.New(seed, namespace, nil, machinecontrollermanager.Values{SelfHostedShoot: true})
	require.NoError(t, manager.Deploy(t.Context()))
	got := &rbacv1.Role{}
	gotBinding := &rbacv1.RoleBinding{}
	require.NoError(t, seed.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: want.Name}, got))
	require.NoError(t, seed.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: wantBinding.Name}, gotBinding))
	assert.Equal(t, want.Rules, got.Rules)
	assert.Equal(t, wantBinding.RoleRef, gotBinding.RoleRef)
	assert.Equal(t, wantBinding.Subjects, gotBinding.Subjects)
}
