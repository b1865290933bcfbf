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

// GroupVersion is the group of all objects of the example. Node, Secret and Event have the types of Kubernetes, but stand in this
// group as well: the example's API server serves what CustomResourceDefinitions define, and these define no core group.
var GroupVersion = schema.GroupVersion{Group: "machine.sapcloud.io", Version: "v1alpha1"}

// NewScheme returns a scheme with everything in the group.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(GroupVersion,
		&Machine{}, &MachineList{}, &MachineClass{}, &MachineClassList{}, &MachineSet{}, &MachineSetList{}, &MachineDeployment{}, &MachineDeploymentList{},
		&corev1.Node{}, &corev1.NodeList{}, &corev1.Secret{}, &corev1.SecretList{}, &corev1.Event{}, &corev1.EventList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return scheme
}

// Client has the typed clients of one namespace.
type Client struct {
	Machines           *gentype.ClientWithList[*Machine, *MachineList]
	MachineClasses     *gentype.ClientWithList[*MachineClass, *MachineClassList]
	MachineSets        *gentype.ClientWithList[*MachineSet, *MachineSetList]
	MachineDeployments *gentype.ClientWithList[*MachineDeployment, *MachineDeploymentList]
	Nodes              *gentype.ClientWithList[*corev1.Node, *corev1.NodeList]
	Secrets            *gentype.ClientWithList[*corev1.Secret, *corev1.SecretList]
	Events             *gentype.ClientWithList[*corev1.Event, *corev1.EventList]
}

// NewClient returns clients for a namespace.
func NewClient(config *rest.Config, namespace string) (*Client, error) {
	scheme := NewScheme()
	config = rest.CopyConfig(config)
	config.GroupVersion, config.APIPath = &GroupVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	codec := runtime.NewParameterCodec(scheme)
	return &Client{
		Machines:           gentype.NewClientWithList("machines", client, codec, namespace, zero[Machine], zero[MachineList]),
		MachineClasses:     gentype.NewClientWithList("machineclasses", client, codec, namespace, zero[MachineClass], zero[MachineClassList]),
		MachineSets:        gentype.NewClientWithList("machinesets", client, codec, namespace, zero[MachineSet], zero[MachineSetList]),
		MachineDeployments: gentype.NewClientWithList("machinedeployments", client, codec, namespace, zero[MachineDeployment], zero[MachineDeploymentList]),
		Nodes:              gentype.NewClientWithList("nodes", client, codec, namespace, zero[corev1.Node], zero[corev1.NodeList]),
		Secrets:            gentype.NewClientWithList("secrets", client, codec, namespace, zero[corev1.Secret], zero[corev1.SecretList]),
		Events:             gentype.NewClientWithList("events", client, codec, namespace, zero[corev1.Event], zero[corev1.EventList]),
	}, nil
}

func zero[T any]() *T { return new(T) }
