package driver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// update is one update of one machine in one lane.
type update[T, C any] struct {
	*Kit[T, C]
	request *machineupdate.UpdateMachineRequest
	class   *T
	parts   map[string][]*T // by kind: the desired, the applied and the attempted parts, and their pieces
	cloud   C
	named   map[string]*Resource // the resources of the kinds in parts, by their text
	missing []*Resource          // of these kinds
	secrets []string             // texts that no error may show

	steps     []*step[C]
	takeovers []func() // they tell of them
	key       string   // of Sharing
	isTaken   bool     // the cloud accepted a call
	notDone   map[*Resource]bool
	problems  fault.List
	pending   []error // changes that the cloud has not finished
}

// step is one call to the cloud, for all of its resources or for some of them.
type step[C any] struct {
	function  string    // of the Definition
	kind      tags.Kind // for Sharing.Buckets
	rereads   bool      // the next attempt reads the resources again before it writes
	resources []*Resource
	send      func(ctx context.Context, members []*member[C]) error
	equal     string // the content of a call that may be shared, apart from its resources
	bound     int    // the number of resources that it may name
	// of a Replace: its plan, and the last one that it made after a later read
	plan      *tags.ResourcePlan
	replanned atomic.Pointer[replanned]
	// set if the change is still under way when the call returns
	pending error
	// set if the cloud accepted the change before and did not make it
	failed error
}

// add adds a step for resources, which are named by their texts.
func (u *update[T, C]) add(function string, names ...string) *step[C] {
	s := &step[C]{function: function, kind: u.named[names[0]].Kind}
	for _, name := range names {
		s.resources = append(s.resources, u.named[name])
	}
	u.steps = append(u.steps, s)
	return s
}

// read reads the request, then the cloud.
func (u *update[T, C]) read(ctx context.Context) error {
	for _, secret := range u.request.Secret {
		u.hide(slices.Values([]string{string(secret)}))
	}
	if err := u.readRequest(); err != nil {
		return err
	}
	live, err := u.connect(ctx)
	if err != nil {
		return u.failure("Resources", nil, err)
	}
	if len(live) == 0 {
		return machineupdate.ErrNotFound
	}
	return u.keep(live)
}

// readRequest decodes the class as drivers do, and the hot parts by the Schema.
func (u *update[T, C]) readRequest() error {
	u.class = new(T)
	u.parts = map[string][]*T{}
	problems := []error{json.Unmarshal(u.request.Class.ProviderSpec, u.class)}
	decode := func(hot machineupdate.HotSpec) *T {
		decoded, err := u.definition.Schema.Decode([]byte(hot))
		problems = append(problems, err)
		spec, _ := decoded.(*T)
		return spec
	}
	for _, asked := range u.request.Parts {
		for _, hot := range append([]machineupdate.HotSpec{asked.Desired, asked.Applied}, asked.Attempted...) {
			u.parts[asked.Kind] = append(u.parts[asked.Kind], decode(hot))
		}
		u.parts[asked.Kind] = append(u.parts[asked.Kind], u.pieces(&asked)...)
		if !slices.Contains(u.definition.kinds(u.request.Lane), asked.Kind) {
			problems = append(problems, &fault.Error{
				Kind: fault.Invalid, Code: "unknown-kind", Where: "part " + asked.Kind,
				What: "is of no kind that the lane covers",
			})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return &fault.Error{
			Kind: fault.Invalid, Code: "unusable-request", Where: "UpdateMachineRequest",
			What: "its provider spec or one of its parts cannot be read",
			Hint: "prepare the class with Kit.Driver and the Schema of the Definition", Cause: err,
		}
	}
	return nil
}

// keep keeps the resources of the request's lane.
func (u *update[T, C]) keep(live []Resource) error {
	u.named = map[string]*Resource{}
	for _, r := range live {
		if r.ID == "" || u.named[r.text()] != nil {
			return &fault.Error{
				Kind: fault.Misuse, Code: "unusable-resource", Where: "what Definition.Resources returned",
				Path: r.text(), What: "has no ID, or the ID of another resource of its kind",
			}
		}
		isAsked := u.parts[string(r.Kind)] != nil
		if isAsked && r.IsMissing {
			u.missing = append(u.missing, &r)
		} else if isAsked {
			u.named[r.text()] = &r
			u.hide(maps.Values(r.Tags))
			for _, members := range r.Sets {
				u.hide(slices.Values(members))
			}
		}
	}
	return nil
}

// of returns the resources of a kind, sorted by ID.
func (u *update[T, C]) of(kind tags.Kind) []*Resource {
	isOther := func(r *Resource) bool { return r.Kind != kind }
	return slices.DeleteFunc(slices.SortedFunc(maps.Values(u.named),
		func(a, b *Resource) int { return strings.Compare(a.ID, b.ID) }), isOther)
}

// plan plans the calls of the request's lane. If some changes are impossible, it returns all
// errors, and nothing is called.
func (u *update[T, C]) plan() error {
	u.tellUnapplied()
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
	for i := range u.definition.Sets {
		if s := &u.definition.Sets[i]; s.Lane == u.request.Lane {
			u.planSet(s)
		}
	}
	return errors.Join(problems...)
}
