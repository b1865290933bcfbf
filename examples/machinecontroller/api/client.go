package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// GroupVersion is the group of machines and their classes, sets and deployments.
var GroupVersion = schema.GroupVersion{Group: "machine.sapcloud.io", Version: "v1alpha1"}

// NewScheme returns a scheme with all objects of the controller. Core is the group of Node, Secret
// and Event.
func NewScheme(core schema.GroupVersion) *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(GroupVersion, &Machine{}, &MachineClass{}, &MachineSet{}, &MachineDeployment{})
	for kind, list := range map[string]runtime.Object{
		"MachineList": &List[Machine]{}, "MachineClassList": &List[MachineClass]{},
		"MachineSetList": &List[MachineSet]{}, "MachineDeploymentList": &List[MachineDeployment]{},
	} {
		scheme.AddKnownTypeWithName(GroupVersion.WithKind(kind), list)
	}
	scheme.AddKnownTypes(core, &corev1.Node{}, &corev1.NodeList{}, &corev1.Secret{}, &corev1.SecretList{},
		&corev1.Event{}, &corev1.EventList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	metav1.AddToGroupVersion(scheme, core)
	return scheme
}

// Client has the typed clients of one namespace.
type Client struct {
	Machines           *gentype.ClientWithList[*Machine, *List[Machine]]
	MachineClasses     *gentype.ClientWithList[*MachineClass, *List[MachineClass]]
	MachineSets        *gentype.ClientWithList[*MachineSet, *List[MachineSet]]
	MachineDeployments *gentype.ClientWithList[*MachineDeployment, *List[MachineDeployment]]
	Nodes              *gentype.ClientWithList[*corev1.Node, *corev1.NodeList]
	Secrets            *gentype.ClientWithList[*corev1.Secret, *corev1.SecretList]
	Events             typedcorev1.EventInterface // for client-go's sink of events
}

// NewClient returns clients for a namespace. Core is the group of Node, Secret and Event:
// Kubernetes' core group, or [GroupVersion] on an API server that serves only
// CustomResourceDefinitions.
func NewClient(config *rest.Config, namespace string, core schema.GroupVersion) (*Client, error) {
	scheme := NewScheme(core)
	codec := runtime.NewParameterCodec(scheme)
	machines, err := restClient(config, scheme, GroupVersion, "/apis")
	if err != nil {
		return nil, err
	}
	nodes := machines
	if core.Group == "" {
		nodes, err = restClient(config, scheme, core, "/api")
		if err != nil {
			return nil, err
		}
	}
	return &Client{
		Machines: gentype.NewClientWithList("machines", machines, codec, namespace,
			zero[Machine], zero[List[Machine]]),
		MachineClasses: gentype.NewClientWithList("machineclasses", machines, codec, namespace, zero[MachineClass],
			zero[List[MachineClass]]),
		MachineSets: gentype.NewClientWithList("machinesets", machines, codec, namespace, zero[MachineSet],
			zero[List[MachineSet]]),
		MachineDeployments: gentype.NewClientWithList("machinedeployments", machines, codec, namespace,
			zero[MachineDeployment], zero[List[MachineDeployment]]),
		Nodes: gentype.NewClientWithList("nodes", nodes, codec, "", zero[corev1.Node], zero[corev1.NodeList]),
		Secrets: gentype.NewClientWithList("secrets", nodes, codec, namespace, zero[corev1.Secret],
			zero[corev1.SecretList]),
		Events: typedcorev1.New(nodes).Events(namespace),
	}, nil
}

func restClient(
	config *rest.Config, scheme *runtime.Scheme, group schema.GroupVersion, path string,
) (rest.Interface, error) {
	config = rest.CopyConfig(config)
	config.GroupVersion = &group
	config.APIPath = path
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}

func zero[T any]() *T { return new(T) }
