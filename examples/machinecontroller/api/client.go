package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
)

// GroupVersion is the group of machines and their classes, sets and deployments.
var GroupVersion = schema.GroupVersion{Group: "machine.sapcloud.io", Version: "v1alpha1"}

// newScheme returns a scheme with all objects of the tests. Secret is in [GroupVersion], too.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(GroupVersion, &Machine{}, &MachineClass{}, &MachineSet{}, &MachineDeployment{})
	for kind, list := range map[string]runtime.Object{
		"MachineList": &List[Machine]{}, "MachineClassList": &List[MachineClass]{},
		"MachineSetList": &List[MachineSet]{}, "MachineDeploymentList": &List[MachineDeployment]{},
	} {
		scheme.AddKnownTypeWithName(GroupVersion.WithKind(kind), list)
	}
	scheme.AddKnownTypes(GroupVersion, &corev1.Secret{}, &corev1.SecretList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return scheme
}

// Client has the typed clients of one namespace.
type Client struct {
	Machines           *gentype.ClientWithList[*Machine, *List[Machine]]
	MachineClasses     *gentype.ClientWithList[*MachineClass, *List[MachineClass]]
	MachineSets        *gentype.ClientWithList[*MachineSet, *List[MachineSet]]
	MachineDeployments *gentype.ClientWithList[*MachineDeployment, *List[MachineDeployment]]
	Secrets            *gentype.ClientWithList[*corev1.Secret, *corev1.SecretList]
}

// NewClient returns clients for a namespace of an API server that serves only CustomResourceDefinitions.
func NewClient(config *rest.Config, namespace string) (*Client, error) {
	scheme := newScheme()
	codec := runtime.NewParameterCodec(scheme)
	config = rest.CopyConfig(config)
	config.GroupVersion = &GroupVersion
	config.APIPath = "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Client{
		Machines: gentype.NewClientWithList("machines", client, codec, namespace, zero[Machine], zero[List[Machine]]),
		MachineClasses: gentype.NewClientWithList("machineclasses", client, codec, namespace, zero[MachineClass],
			zero[List[MachineClass]]),
		MachineSets: gentype.NewClientWithList("machinesets", client, codec, namespace, zero[MachineSet],
			zero[List[MachineSet]]),
		MachineDeployments: gentype.NewClientWithList("machinedeployments", client, codec, namespace,
			zero[MachineDeployment], zero[List[MachineDeployment]]),
		Secrets: gentype.NewClientWithList("secrets", client, codec, namespace, zero[corev1.Secret],
			zero[corev1.SecretList]),
	}, nil
}

func zero[T any]() *T { return new(T) }
