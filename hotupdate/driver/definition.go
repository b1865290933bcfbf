package driver

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Definition describes a driver's cloud and its provider spec. T is the type of the provider spec.
// C is the driver's access to the cloud for one update of one machine, with the credentials of the
// request; often a pointer to a struct with a client.
//
// Functions that call the cloud make one attempt, and send nothing once their context is done. Their
// errors, or Translate, say which calls may be repeated:
//
//   - If the cloud throttles the attempt, the error wraps [machineupdate.ErrThrottled] or has MCM's code
//     ResourceExhausted. If the cloud says when to try again, a [*machineupdate.RetryError] wraps that
//     error.
//   - If the cloud fails to answer, for example with the status 503, the error is a
//     [machineupdate.ErrUnavailable] or has MCM's code Unavailable.
//   - The kit repeats no other call.
type Definition[T, C any] struct {
	// Schema is the Schema of T. It decodes the hot parts of requests. Nil is the result of
	// [hotupdate.SchemaOf] without options.
	Schema *hotupdate.Schema
	// CaseSensitive says that the driver decodes provider specs with a codec of Kubernetes. A
	// member whose name differs from a field's name only in case is then a mistake that makes the
	// class unusable. Otherwise the driver decodes with encoding/json, which reads such a member
	// into the field.
	CaseSensitive bool
	// Connect returns a C. Class is the provider spec of the machine's class. Members that T does
	// not have are ignored. Package login keeps the clients of a cloud with a login.
	Connect func(ctx context.Context, request *machineupdate.UpdateMachineRequest, class *T) (C, error)
	// Resources returns the resources that the launch of the machine created, with their live
	// state: the VM, its own network interfaces and its own volumes. Volumes of a CSI driver and
	// interfaces of a CNI plugin belong to others. An empty result means that there is no VM. If a
	// read does not show all resources yet, the error is [machineupdate.ErrPending].
	//
	// If Sharing.Resources is set, it makes the first read of every update, even for a single
	// machine. Resources is then called only before a Replace, and may be nil.
	Resources func(ctx context.Context, cloud C) ([]Resource, error)
	// Translate turns an error of a function that calls the cloud, also of Connect, into one that
	// says whether the call may be repeated. Package answer does so for answers over HTTP. Cloud is
	// the result of Connect, even if Connect returned an error. For a shared call it is the C of
	// one of the machines. Translate does not get an error of package machineupdate or a code of
	// MCM that the kit understands. If it returns nil, the error stays as it is. Translate may be
	// nil.
	Translate func(cloud C, err error) error
	Tags      []Tagging[T, C]
	Groups    []AttributeGroup[T, C]
	Sets      []Set[T, C]
	// Lanes are the lanes that Groups and Sets name, with their paths; Groups and Sets determine
	// their kinds. Attributes whose change the cloud may refuse for hours need a separate lane,
	// because otherwise changes of infrastructure tags wait for them. A lane with paths of class
	// InPlace is changed only while the node is drained.
	Lanes []machineupdate.Lane
	// Sharing lets machines share calls, and paces them. The zero value does neither.
	Sharing Sharing[C]
	// Wait returns after d, or with an error when the context is done. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
	// Takeover is called for a key whose live value belongs to others and is overwritten by
	// the update. It may be nil.
	Takeover func(resource machineupdate.ResourceID, key string)
	// Count is called after each call with its outcome, for a counter with these labels. The
	// functions are Resources, which also counts Connect, Set, Remove, Replace, Modify, AddMember and
	// RemoveMember; the outcomes are Succeeded, Throttled and Failed. A call that machines share
	// counts once. It may be nil.
	Count func(function, outcome string)
}

// Tagging says how the infrastructure tags of some kinds of resources are changed. Kinds that share
// calls form one Tagging: one call may then change resources of several kinds, whose IDs must
// differ.
type Tagging[T, C any] struct {
	Kinds []tags.Kind
	Rules tags.Rules
	// Project returns the infrastructure tags that a provider spec gives to the resources of a
	// kind, as returned by [tags.Rules.Effective]. Project is pure, and also accepts hot parts
	// and pieces of them as whole specs, see "Values that are ours" in CALLS.md.
	Project func(spec *T, kind tags.Kind) map[string]string
	// Mandatory returns the keys by which MCM finds the machine, and the keys that the driver sets
	// itself. It may be nil.
	Mandatory func(class *T, machine string) map[string]string

	// Set adds or overwrites, and Remove removes, the same infrastructure tags on all of the
	// resources, given by ID. The values of Remove are its condition if the cloud supports
	// conditions. Remove succeeds for a key that is gone already: what was read may be old.
	Set    func(ctx context.Context, cloud C, resources []string, set []tags.Tag) error
	Remove func(ctx context.Context, cloud C, resources []string, remove []tags.Tag) error
	// Replace is set instead of Set and Remove where the cloud writes all infrastructure tags of a
	// resource at once. The kit reads them and merges the change. With the guard
	// [tags.GuardVersion], Replace writes on condition of the resource's Version, or of its Tags,
	// which the kit has read; Version may then be empty. If they are out of date, it returns an
	// error from [Outdated]: before the next attempt the kit reads the resource again. With
	// [tags.Unguarded] the write has no condition: see "Whole sets" in CALLS.md.
	Replace func(ctx context.Context, cloud C, resource *Resource, all map[string]string) error

	shapes func(spec *T) (all map[string]string, perKind *tags.Tags) // set by FlatTagging; may be nil
}

// AttributeGroup says how attributes of one kind of resource are changed that share a call. An
// attribute with a separate call is a group of one.
type AttributeGroup[T, C any] struct {
	Attributes
	Kind tags.Kind
	// Lane names the lane of the group; empty is the lane of the infrastructure tags. Project reads
	// only fields of the lane.
	Lane string
	// Asynchronous says that Modify returns before the change is done.
	Asynchronous bool
	// Project returns the attributes that a provider spec sets on a resource. It is pure, and
	// accepts whole specs, hot parts, and pieces of them.
	Project func(spec *T, resource *Resource) map[string]string
	// Modify gives all attributes of the group these values. If the cloud refuses changes for a
	// time, the error wraps a [*machineupdate.RetryError].
	Modify func(ctx context.Context, cloud C, resource *Resource, values map[string]string) error
}

// Attributes are the rules of an [AttributeGroup]. Admission also uses them. The value of an
// attribute is text, such as 3000, false or required. Empty means unset.
type Attributes struct {
	// Defaults names the attributes, each with the cloud's default. Either all attributes of a
	// group have a default or none has. With an empty default, an attribute that is not set is not
	// changed. If a class no longer sets it, the event HotUpdateNotApplied of the machine says that it
	// keeps its value.
	Defaults map[string]string
	// Check returns why the cloud cannot change old to new: for instance, a bound is exceeded, a
	// disk would shrink, or another attribute limits the value. New has all attributes of the
	// group, old only the known ones. Check is pure, and quotes no values in details. It may be
	// nil.
	Check func(old, new map[string]string, path *field.Path) field.ErrorList
}

// Set says how an attribute is changed that is a set, such as the security groups of a VM, where the
// cloud adds and removes one member in a call. See "Sets" in CALLS.md.
//
// A member is ours if the last success or an attempt since had it. Members that are ours and no longer
// wanted are removed. All other members belong to others, and stay.
type Set[T, C any] struct {
	Kind tags.Kind
	Name string // of the attribute: the key in [Resource].Sets
	// Lane names the lane of the set; empty is the lane of the infrastructure tags. Members reads only
	// fields of the lane.
	Lane string
	// Members returns the members that a provider spec gives to a resource, in any order. It is pure,
	// and accepts whole specs, hot parts, and pieces of them. No members is the empty set.
	Members func(spec *T, resource *Resource) []string
	// AddMember adds one member. It succeeds for a member that is there already, since what was read
	// may be old. If the cloud refuses changes for a time, the error wraps a
	// [*machineupdate.RetryError].
	AddMember func(ctx context.Context, cloud C, resource *Resource, member string) error
	// RemoveMember removes one member, with the same errors as AddMember. It succeeds for a member
	// that is gone already.
	RemoveMember func(ctx context.Context, cloud C, resource *Resource, member string) error
}

// Resource is a resource of a machine with its live state.
type Resource struct {
	Kind tags.Kind
	ID   string
	// IsMissing says that the launch created the resource, and the read does not show it. ID is
	// then a name by which the operator can find it. The other resources are updated, and the
	// update fails with an error that names the missing one, so that its kind is not confirmed.
	IsMissing bool
	// Name is the resource's name in the provider spec, such as a device name, for
	// [AttributeGroup.Project] and [Set.Members].
	Name string
	Tags map[string]string
	// Version is the version of Tags, if they are replaced as a whole.
	Version    string
	Attributes map[string]Reading // a missing one is unknown
	// Sets has the members of each [Set], including those of others. A set that is missing is unknown,
	// a nil slice is the empty set.
	Sets map[string][]string
}

// name identifies the resource for the update flow.
func (r *Resource) name() machineupdate.ResourceID {
	return machineupdate.ResourceID{Kind: string(r.Kind), ID: r.ID}
}

// text names the resource in errors and plans.
func (r *Resource) text() string { return string(r.Kind) + " " + r.ID }

// Reading is the state of an attribute as a cloud reports it. The zero value is unknown: the kit
// waits until a read shows more.
type Reading struct {
	value, target     string
	isKnown, isFailed bool
}

// Settled is the reading of an attribute that is not changing. Definition.Resources of a cloud without
// asynchronous changes needs no other.
func Settled(value string) Reading { return Reading{value: value, target: value, isKnown: true} }

// Modifying is the reading of an attribute that is changing to target. Target is empty if the cloud
// does not report it.
func Modifying(value, target string) Reading {
	return Reading{value: value, target: target, isKnown: target != ""}
}

// ModifyFailed is the reading of an attribute whose last change failed, with its current value.
func ModifyFailed(value string) Reading {
	return Reading{value: value, target: value, isKnown: true, isFailed: true}
}

// Value returns the current value.
func (r Reading) Value() string { return r.value }

// Target returns the value that the attribute has, or is changing to; empty if that is unknown.
func (r Reading) Target() string { return r.target }

// IsFailed reports whether the last change failed.
func (r Reading) IsFailed() bool { return r.isFailed }
