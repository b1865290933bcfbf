package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// leases are the objects of leader election. Kubernetes serves them itself; the annotation lets a
// definition use its group.
var leases = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}

// Machines returns the definitions of machines and their classes, sets and deployments.
func Machines() []*apiextensionsv1.CustomResourceDefinition {
	return []*apiextensionsv1.CustomResourceDefinition{
		WithStatus(Definition(api.GroupVersion, "Machine", "machines")),
		Definition(api.GroupVersion, "MachineClass", "machineclasses"),
		WithStatus(Definition(api.GroupVersion, "MachineSet", "machinesets")),
		Definition(api.GroupVersion, "MachineDeployment", "machinedeployments"),
	}
}

// kubernetes returns definitions of objects that Kubernetes serves itself. The core group cannot be
// defined.
func kubernetes() []*apiextensionsv1.CustomResourceDefinition {
	node := WithStatus(Definition(api.GroupVersion, "Node", "nodes"))
	lease := Definition(leases, "Lease", "leases")
	node.Spec.Scope = apiextensionsv1.ClusterScoped
	lease.Annotations = map[string]string{apiextensionsv1.KubeAPIApprovedAnnotation: "unapproved, for an example"}
	return []*apiextensionsv1.CustomResourceDefinition{
		node, lease, Definition(api.GroupVersion, "Secret", "secrets"), Definition(api.GroupVersion, "Event", "events"),
		Definition(api.GroupVersion, "ConfigMap", "configmaps"),
	}
}

// Definition defines objects of any content, without a status subresource.
func Definition(group schema.GroupVersion, kind, plural string) *apiextensionsv1.CustomResourceDefinition {
	anything := &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: kind, ListKind: kind + "List", Plural: plural, Singular: strings.ToLower(kind),
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: group.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: anything},
			}},
		},
	}
}

// WithStatus makes the status a subresource.
func WithStatus(d *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	d.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{
		Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
	}
	return d
}

// Define creates the definitions, and returns when their objects are served.
func Define(
	ctx context.Context, client apiextensionsclient.CustomResourceDefinitionInterface,
	all ...*apiextensionsv1.CustomResourceDefinition,
) error {
	for _, d := range all {
		if _, err := client.Create(ctx, d, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	for _, d := range all {
		established := func(ctx context.Context) (bool, error) {
			found, err := client.Get(ctx, d.Name, metav1.GetOptions{})
			return err == nil && slices.ContainsFunc(found.Status.Conditions, isEstablished), err
		}
		if err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, established); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

func isEstablished(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
	return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
}
