package driver

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Definition is what a driver says of its cloud and of its provider spec. T is the type of the provider spec. C is the driver's view of the
// cloud for one update of one machine, with the credentials of the request; often a pointer to a struct with a client.
//
// Functions that call the cloud make one attempt, and send nothing after their context is done. If the cloud throttles the attempt, the error
// wraps [machineupdate.ErrThrottled] or has MCM's code ResourceExhausted.
type Definition[T, C any] struct {
	// Schema is that of T. It decodes the hot parts of requests.
	Schema *hotupdate.Schema
	// Connect makes a C. Class is the provider spec of the machine's class. Members that T does not have are ignored.
	Connect func(ctx context.Context, request *machineupdate.UpdateMachineRequest, class *T) (C, error)
	// Resources returns what the launch of the machine created, with what is live: the VM, its own network interfaces and its own volumes.
	// Volumes of a CSI driver and interfaces of a CNI plugin are others'. No resource at all means that there is no VM.
	Resources func(ctx context.Context, cloud C) ([]Resource, error)
	Tags      []Tagging[T, C]
	Groups    []Group[T, C]
	// Lanes are those of Groups, with their paths; kinds follow from Groups. Attributes whose change the cloud may refuse for hours need a lane, or
	// infrastructure tags wait with them. A lane with paths of class InPlace is changed in the drain only.
	Lanes []machineupdate.Lane
	// Wait returns after d, or with an error when the context is done. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
	// Takeover is told of a key that carries somebody else's value, which the update overwrites. It may be nil.
	Takeover func(resource machineupdate.Resource, key string)
	// Count is told of each call and how it ended, for a counter with these labels. The functions are Resources, which counts Connect as well, Set,
	// Remove, Replace and Modify; the outcomes are Succeeded, Throttled and Failed. It may be nil.
	Count func(function, outcome string)
}

// Tagging is how the infrastructure tags of some kinds of resources are changed. Kinds that share calls are one Tagging: a call then changes
// resources of all of them, whose IDs differ.
type Tagging[T, C any] struct {
	Kinds []tags.Kind
	Rules tags.Rules
	// Project returns the infrastructure tags that a provider spec gives to the resources of a kind, as [tags.Rules.Effective] lays them out. It is
	// pure, and takes hot parts as well as whole specs.
	Project func(spec *T, kind tags.Kind) map[string]string
	// Mandatory returns the keys by which MCM finds the machine, and those that the driver sets itself. It may be nil.
	Mandatory func(class *T, machine string) map[string]string

	// Set adds or overwrites, and Remove removes, the same infrastructure tags on all of the resources, which are IDs. The values of Remove
	// are its condition where the cloud takes one.
	Set    func(ctx context.Context, cloud C, resources []string, set []tags.Tag) error
	Remove func(ctx context.Context, cloud C, resources []string, remove []tags.Tag) error
	// Replace stands for Set and Remove where Rules have the guard [tags.GuardVersion]: it writes all infrastructure tags of a resource, on
	// condition of the resource's Version.
	Replace func(ctx context.Context, cloud C, resource *Resource, all map[string]string) error
}

// Group is how attributes of one kind of resource are changed that change in one call. An attribute that changes alone is a group of one.
type Group[T, C any] struct {
	Attributes
	Kind tags.Kind
	// Lane names the lane of the group, empty for that of the infrastructure tags. Project reads the fields of the lane only.
	Lane string
	// Asynchronous says that Modify returns before the change is done.
	Asynchronous bool
	// Project returns the attributes that a provider spec sets on a resource. It is pure, and takes hot parts as well as whole specs.
	Project func(spec *T, resource *Resource) map[string]string
	// Modify gives all attributes of the group these values. If the cloud refuses for a time, the error wraps a [*machineupdate.RetryError].
	Modify func(ctx context.Context, cloud C, resource *Resource, values map[string]string) error
}

// Attributes are the rules of a [Group], for admission as well. The value of an attribute is text: 3000, false, required. Empty is unset.
type Attributes struct {
	// Defaults names the attributes, each with the cloud's default. Those of a group all have one, or none has: empty leaves an attribute that is
	// not set as it is.
	Defaults map[string]string
	// Check returns why the cloud cannot go from old to new: beyond a bound, shrinking, limited by another attribute. New has all attributes of
	// the group, old those that are known. It is pure, and quotes no values in details. It may be nil.
	Check func(old, new map[string]string, path *field.Path) field.ErrorList
}

// Resource is a resource of a machine with what is live.
type Resource struct {
	Kind tags.Kind
	ID   string
	// Name is what the provider spec calls the resource, such as a device name, for [Group.Project].
	Name string
	Tags map[string]string
	// Version is that of Tags, where they are replaced as a whole.
	Version    string
	Attributes map[string]Reading // one that is missing is unknown
}

// name is what the flow calls the resource.
func (r *Resource) name() machineupdate.Resource {
	return machineupdate.Resource{Kind: string(r.Kind), ID: r.ID}
}

// text is what errors and plans call it.
func (r *Resource) text() string { return string(r.Kind) + " " + r.ID }

// Reading is what a cloud shows of an attribute. The zero value is unknown: the kit waits until a read shows more.
type Reading struct {
	value, target     string
	isKnown, isFailed bool
}

// Done is the reading of an attribute that no change is under way of.
func Done(value string) Reading { return Reading{value: value, target: value, isKnown: true} }

// Modifying is the reading of an attribute that is on its way to target, empty if the cloud does not tell the target.
func Modifying(value, target string) Reading {
	return Reading{value: value, target: target, isKnown: target != ""}
}

// Failed is the reading of an attribute whose last change failed, and which has a value now.
func Failed(value string) Reading {
	return Reading{value: value, target: value, isKnown: true, isFailed: true}
}

// Parts returns what was given. The target is empty if it is unknown.
func (r Reading) Parts() (value, target string, isFailed bool) { return r.value, r.target, r.isFailed }
