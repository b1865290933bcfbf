package kubeapiserver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeclient "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// releasedExtension has what the ClusterRole of a provider extension of Gardener allows on the resources of the
// updater's Role, on Roles and on RoleBindings. Source: charts/gardener-extension-provider-NAME/templates/rbac.yaml in
// the repository gardener/gardener-extension-provider-NAME, at the release.
type releasedExtension struct {
	name, release string
	// events are its rights on Events, leases the Leases that it may get and update.
	events rbacv1.PolicyRule
	leases []string
}

const heartbeat = "gardener-extension-heartbeat"

var (
	everyVerb = []string{"create", "get", "list", "watch", "patch", "update", "delete", "deletecollection"}
	anyEvent  = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: everyVerb}

	releasedExtensions = []releasedExtension{
		{"aws", "v1.73.0", anyEvent, []string{"provider-aws-leader-election", heartbeat}},
		{
			"azure", "v1.62.1",
			rbacv1.PolicyRule{
				APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "update", "patch"},
			},
			[]string{"provider-azure-leader-election", heartbeat, "remedy-controller-azure-leader-election"},
		},
		{"gcp", "v1.54.1", anyEvent, []string{"provider-gcp-leader-election", heartbeat}},
		{"openstack", "v1.57.0", anyEvent, []string{"provider-openstack-leader-election", heartbeat}},
		{"alicloud", "v1.71.0", anyEvent, []string{"provider-alicloud-leader-election", heartbeat}},
	}
)

// clusterRole returns the role of the extension, which may also get and update the leases of more.
func (e *releasedExtension) clusterRole(more ...string) *rbacv1.ClusterRole {
	leases := slices.Concat(e.leases, more)
	return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "gardener-extension-provider-" + e.name}, Rules: []rbacv1.PolicyRule{
		{
			APIGroups: []string{"machine.sapcloud.io"},
			Resources: []string{"machineclasses", "machinedeployments", "machines", "machinesets"}, Verbs: everyVerb,
		},
		{
			APIGroups: []string{"", rbacv1.GroupName}, Resources: []string{"secrets", "configmaps", "roles", "rolebindings"},
			Verbs: everyVerb,
		},
		e.events,
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "list", "watch"}},
		{
			APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: leases,
			Verbs: []string{"get", "update", "patch"},
		},
	}}
}

// updaterLease is the lease that rbac.yaml tells an extension to add to its ClusterRole.
const updaterLease = "machine-controller-hot-update"

// testExtensions: an extension that applies rbac.yaml with its own rights, as with Gardener v1.134 and older, lacks
// exactly the right that the file names. The API server lets each released extension deploy the Role except for one
// rule, and all of it once the extension's ClusterRole names the lease.
func (s *server) testExtensions(t *testing.T) {
	for _, extension := range releasedExtensions {
		t.Run(extension.name+" "+extension.release, func(t *testing.T) { s.testExtension(t, &extension) })
	}
}

func (s *server) testExtension(t *testing.T, e *releasedExtension) {
	t.Helper()
	kube, err := kubeclient.NewForConfig(s.admin)
	require.NoError(t, err)
	namespace := "shoot--extension--" + e.name
	_, err = kube.CoreV1().Namespaces().Create(
		t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{},
	)
	require.NoError(t, err)
	own, err := kube.RbacV1().ClusterRoles().Create(t.Context(), e.clusterRole(), metav1.CreateOptions{})
	require.NoError(t, err)
	account := rbacv1.Subject{Kind: "User", Name: own.Name, APIGroup: rbacv1.GroupName}
	_, err = kube.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: own.Name}, Subjects: []rbacv1.Subject{account},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: own.Name},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.CopyConfig(s.admin)
	config.Impersonate.UserName = account.Name
	extension, err := kubeclient.NewForConfig(config)
	require.NoError(t, err)
	roles := extension.RbacV1().Roles(namespace)

	full, binding := publishedRights(t, namespace)
	namesLease := func(rule rbacv1.PolicyRule) bool { return slices.Equal(rule.ResourceNames, []string{updaterLease}) }
	require.True(t, slices.ContainsFunc(full.Rules, namesLease))
	others := full.DeepCopy()
	others.Rules = slices.DeleteFunc(others.Rules, namesLease)
	untilAllowed(t, func() error { return second(roles.Create(t.Context(), others, metav1.CreateOptions{})) })
	_, err = roles.Update(t.Context(), full, metav1.UpdateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	_, missing, _ := strings.Cut(err.Error(), "not currently held:\n")
	assert.Equal(
		t, `{APIGroups:["coordination.k8s.io"], Resources:["leases"], ResourceNames:["`+updaterLease+`"], Verbs:["get" "update"]}`, missing,
	)

	own.Rules = e.clusterRole(updaterLease).Rules
	_, err = kube.RbacV1().ClusterRoles().Update(t.Context(), own, metav1.UpdateOptions{})
	require.NoError(t, err)
	untilAllowed(t, func() error { return second(roles.Update(t.Context(), full, metav1.UpdateOptions{})) })
	_, err = extension.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
}

// untilAllowed repeats a call until rights that were just granted are in force.
func untilAllowed(t *testing.T, call func() error) {
	t.Helper()
	var err error
	deadline := time.Now().Add(40 * time.Second)
	for err = call(); apierrors.IsForbidden(err) && time.Now().Before(deadline); err = call() {
		time.Sleep(100 * time.Millisecond)
	}
	require.NoError(t, err)
}
