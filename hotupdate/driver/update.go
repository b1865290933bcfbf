package driver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// update is one update of one machine in one lane.
type update[T, C any] struct {
	*Kit[T, C]
	request   *machineupdate.UpdateMachineRequest
	class     *T
	parts     map[string]*part[T] // by kind
	cloud     C
	resources []Resource // of the kinds of parts, sorted
	secrets   []string   // that no error may show

	steps     []step
	takeovers []takeover
	isTaken   bool // the cloud took a call
	notDone   map[*Resource]bool
	problems  fault.List
	pending   []error // what the cloud is still doing
}

// part is a part of the request, decoded.
type part[T any] struct {
	desired  *T
	recorded []*T // the applied one, and those that were attempted
}

// step is one call of the cloud, on all of its resources or on some of them.
type step struct {
	function  string // of the Definition
	resources []*Resource
	call      func(ctx context.Context, resources []*Resource) error
	pending   error // that the change is under way when the call has returned
	failed    error // that it was accepted before and not made
}

// takeover is a key that carries somebody else's value.
type takeover struct {
	resource machineupdate.Resource
	key      string
}

// read reads the request, and then the cloud.
func (u *update[T, C]) read(ctx context.Context) error {
	for _, secret := range u.request.Secret {
		u.hide(slices.Values([]string{string(secret)}))
	}
	if err := u.readRequest(); err != nil {
		return err
	}
	err := u.call(ctx, "Resources", func(ctx context.Context) (err error) {
		if u.cloud, err = u.definition.Connect(ctx, u.request, u.class); err == nil {
			u.resources, err = u.definition.Resources(ctx, u.cloud)
		}
		return err
	})
	if err != nil {
		return u.failure("Resources", nil, err)
	}
	if len(u.resources) == 0 {
		return machineupdate.ErrNotFound
	}
	return u.checkResources()
}

// readRequest decodes the class, as drivers do, and the hot parts, as they were encoded.
func (u *update[T, C]) readRequest() error {
	u.class, u.parts = new(T), map[string]*part[T]{}
	problems := []error{json.Unmarshal(u.request.Class.ProviderSpec, u.class)}
	decode := func(hot machineupdate.Hot) *T {
		decoded, err := u.definition.Schema.Decode([]byte(hot))
		problems = append(problems, err)
		spec, _ := decoded.(*T)
		return spec
	}
	for _, asked := range u.request.Parts {
		p := &part[T]{desired: decode(asked.Desired), recorded: []*T{decode(asked.Applied)}}
		for _, hot := range asked.Attempted {
			p.recorded = append(p.recorded, decode(hot))
		}
		if u.parts[asked.Kind] = p; !slices.Contains(u.definition.kinds(u.request.Lane), asked.Kind) {
			problems = append(problems, &fault.Error{Kind: fault.Unknown, Code: "unknown-kind", Where: "part " + asked.Kind, What: "is of no kind that the lane covers"})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return &fault.Error{
			Kind: fault.Malformed, Code: "unusable-request", Where: "UpdateMachineRequest", What: "its provider spec or one of its parts cannot be read",
			Hint: "prepare the class with Kit.Driver and the Schema of the Definition", Cause: err,
		}
	}
	return nil
}

// checkResources sorts the resources, and leaves out those that the request is not about.
func (u *update[T, C]) checkResources() error {
	u.resources = slices.DeleteFunc(slices.Clone(u.resources), func(r Resource) bool { return u.parts[r.Kind.String()] == nil })
	slices.SortFunc(u.resources, func(a, b Resource) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) })
	for i := range u.resources {
		r := &u.resources[i]
		if r.ID == "" || i > 0 && r.name() == u.resources[i-1].name() {
			return unusableResource(r, "has no ID, or one that another resource of its kind has")
		}
		u.hide(maps.Values(r.Tags))
	}
	return nil
}

func unusableResource(r *Resource, what string) error {
	return &fault.Error{Kind: fault.Misuse, Code: "unusable-resource", Where: "what Definition.Resources returned", Path: r.text(), What: what}
}

// of returns the resources of a kind, sorted by ID.
func (u *update[T, C]) of(kind tags.Kind) []*Resource {
	var all []*Resource
	for i := range u.resources {
		if u.resources[i].Kind == kind {
			all = append(all, &u.resources[i])
		}
	}
	return all
}

// plan says what to call in the request's lane. All that cannot be done is told at once, and then nothing is called.
func (u *update[T, C]) plan() error {
	var problems []error
	for i := range u.definition.Tags {
		if u.request.Lane == "" {
			problems = append(problems, u.planTags(&u.definition.Tags[i]))
		}
	}
	for i := range u.definition.Groups {
		if g := &u.definition.Groups[i]; g.Lane == u.request.Lane {
			problems = append(problems, u.planGroup(g))
		}
	}
	return errors.Join(problems...)
}
