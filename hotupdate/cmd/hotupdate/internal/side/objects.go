package side

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// The names of the two objects of an API server, for messages.
const (
	oldObject = "oldObject"
	newObject = "object"
)

// ErrOtherKind is the problem of an object of a kind that is not compared.
var ErrOtherKind = errors.New("is neither a Shoot nor a resource of --crd")

// Compile makes the Schemas of all kinds that the Reader knows, and returns all problems. Otherwise, a Schema is made
// when an object of its kind is read.
func (r *Reader) Compile() error {
	var problems []error
	for kind := range r.Schemas.known {
		_, err := r.Schemas.find(kind)
		problems = append(problems, err)
	}
	if r.Schemas.custom != nil {
		for _, kind := range crds.AllTypes(r.Schemas.custom) {
			_, err := r.Schemas.custom.Schema(kind)
			problems = append(problems, err)
		}
		problems = append(problems, r.Schemas.custom.CheckClasses(), joined(r.Schemas.unusable()))
	}
	return errors.Join(problems...)
}

// CompareObjects compares two states of an object as an API server stores it: both are complete,
// including the values that the server and its admission fill in. No other program is asked. It is
// safe for concurrent use.
//
// The warnings are about the repeated keys of lists that the old object does not have.
//
// The comparison ends with the context: between its steps and between pools.
func (r *Reader) CompareObjects(ctx context.Context, old, updated []byte) (*pool.Plan, []string, error) {
	one := *r
	one.Options.Interrupted = ctx.Err
	before, err := one.readObject(ctx, oldObject, old)
	if err != nil {
		return nil, nil, err
	}
	after, err := one.readObject(ctx, newObject, updated)
	if err != nil {
		return nil, nil, err
	}
	both := inputs{before, after}
	plan, err := both.plan(one.optionsFor(both), nil)
	if interrupted := ctx.Err(); interrupted != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrInterrupted, interrupted)
	}
	if err != nil {
		return nil, nil, err
	}
	plan.AdmissionAsked() // the API server has validated the object before it asks webhooks
	return plan, both.addedRepetitions(one.Options), nil
}

// addedRepetitions returns the repeated keys that only the new object has.
func (p inputs) addedRepetitions(o judge.Options) (added []string) {
	known := map[string]bool{}
	for _, problem := range p.old.repeatedKeys(o) {
		known[manifests.Reason(problem)] = true
	}
	for _, problem := range p.updated.repeatedKeys(o) {
		if text := manifests.Reason(problem); !known[text] {
			added = append(added, text)
		}
	}
	return added
}

// readObject reads an object of an API server, with its provider configs.
func (r *Reader) readObject(ctx context.Context, name string, text []byte) (*Input, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	object, err := tree.ParseJSON(text)
	if err != nil {
		return nil, manifests.InFile(name, err)
	}
	kind := facts.TypeMetaOf(object)
	isShoot := facts.KindOf(kind) == facts.Shoot
	if !isShoot && !r.Schemas.custom.Has(kind) {
		return nil, fmt.Errorf("%s: %w", name, ErrOtherKind)
	}
	place := manifests.Place{File: name, Line: 1, Number: 1, Item: -1}
	m, _, err := r.manifest(&manifests.Object{Place: place, Tree: object})
	if err == nil {
		err = r.Schemas.check(m.From, m.Pools)
	}
	if err != nil { // an API server writes one line, so its number is useless
		return nil, errors.New(strings.ReplaceAll(err.Error(), place.At(1)+": ", name+": "))
	}
	return m, nil
}
