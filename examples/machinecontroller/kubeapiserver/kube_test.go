// Package kubeapiserver_test runs the real machine-controller-manager (MCM) on a whole kube-apiserver, with real Nodes,
// RBAC and admission: with hot updates of its own, and unmodified with an updater beside it. It also applies the
// deployment of hotupdate serve there. It is a module of its own, because it takes minutes to compile.
package kubeapiserver_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubeclient "k8s.io/client-go/kubernetes"
)

// TestKubeAPIServer runs everything on one server, which takes seconds to start.
func TestKubeAPIServer(t *testing.T) {
	s := start(t)
	t.Run("gardenlet's role lacks what the extension deploys", s.testGardener)
	t.Run("an extension with rights of its own lacks the lease only", s.testExtensions)
	t.Run("the deployment of hotupdate serve, and its policy", s.testServe)
}

// allowed returns what rules allow, as asked does.
func allowed(rules []rbacv1.PolicyRule) map[string]bool {
	all := map[string]bool{}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all[permission(verb, resource, rule.APIGroups[0])] = true
			}
		}
	}
	return all
}

// publishedRights are the Role and the RoleBinding that the updater publishes, as Helm renders them into a namespace.
func publishedRights(t *testing.T, namespace string) (*rbacv1.Role, *rbacv1.RoleBinding) {
	t.Helper()
	text, err := os.ReadFile("../../../hotupdate/updater/rbac.yaml")
	require.NoError(t, err)
	rendered := strings.ReplaceAll(string(text), "{{ .Release.Namespace }}", namespace)
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(rendered), 4096)
	role := &rbacv1.Role{}
	binding := &rbacv1.RoleBinding{}
	require.NoError(t, documents.Decode(role))
	require.NoError(t, documents.Decode(binding))
	return role, binding
}

// bindUpdater deploys what the updater publishes, and binds it to the user of the tests as well.
func (s *server) bindUpdater(t *testing.T, kube kubeclient.Interface, namespace string) *rbacv1.Role {
	t.Helper()
	role, binding := publishedRights(t, namespace)
	binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: "User", Name: updaterUser, APIGroup: rbacv1.GroupName})
	_, err := kube.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	return role
}

// testGardener: in a namespace of Gardener's, the driver's service account has the Role that gardenlet deploys. It
// lacks ConfigMaps and the updater's lease, which the Role and the RoleBinding of the extension add.
func (s *server) testGardener(t *testing.T) {
	const (
		namespace = "shoot--p--s"
		account   = "system:serviceaccount:shoot--p--s:machine-controller-manager"
	)
	c := s.cluster(t, namespace, nil)
	gardenlets, binding := gardenletsRights(t)
	_, err := c.kube.RbacV1().Roles(namespace).Create(t.Context(), gardenlets, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.kube.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	role, _ := publishedRights(t, namespace)
	missing := func() (all []string) {
		for _, rule := range role.Rules {
			for _, asked := range questions(namespace, &rule) {
				answer, err := c.kube.AuthorizationV1().SubjectAccessReviews().Create(t.Context(),
					&authorizationv1.SubjectAccessReview{
						Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &asked},
					}, metav1.CreateOptions{})
				require.NoError(t, err)
				if !answer.Status.Allowed {
					all = append(all, asked.Verb+" "+asked.Resource+" "+asked.Name)
				}
			}
		}
		return all
	}
	want := []string{
		"get leases machine-controller-hot-update", "update leases machine-controller-hot-update", "create configmaps ",
		"get configmaps machine-controller-hot-update-versions", "update configmaps machine-controller-hot-update-versions",
	}
	c.until("gardenlet's Role is in force", func() bool { return slices.Equal(want, missing()) })
	s.bindUpdater(t, c.kube, namespace)
	c.until("the extension's Role is in force", func() bool { return len(missing()) == 0 })
}

// gardenletsRights are the Role and the RoleBinding that gardenlet deploys for the driver.
func gardenletsRights(t *testing.T) (*rbacv1.Role, *rbacv1.RoleBinding) {
	t.Helper()
	text, err := os.ReadFile("testdata/gardenlet.yaml")
	require.NoError(t, err)
	role := &rbacv1.Role{}
	binding := &rbacv1.RoleBinding{}
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(text)), 4096)
	require.NoError(t, documents.Decode(role))
	require.NoError(t, documents.Decode(binding))
	return role, binding
}

// questions are the rights of a rule, one by one.
func questions(namespace string, rule *rbacv1.PolicyRule) (asked []authorizationv1.ResourceAttributes) {
	names := rule.ResourceNames
	if names == nil {
		names = []string{""}
	}
	for _, resource := range rule.Resources {
		for _, verb := range rule.Verbs {
			for _, name := range names {
				asked = append(asked, authorizationv1.ResourceAttributes{
					Namespace: namespace, Group: rule.APIGroups[0], Resource: resource, Verb: verb, Name: name,
				})
			}
		}
	}
	return asked
}

func second[T any](_ T, err error) error { return err }
