package side

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// asks reports whether Gardener's own code is asked about a pair: about Shoots that are created or
// changed.
func (p inputs) asks() bool {
	if p.updated == nil || p.updated.Kind != facts.Shoot {
		return false
	}
	return p.old == nil || !tree.Equal(p.old.Tree, p.updated.Tree)
}

// mayAsk reports whether [inputs.asks] may be true of a pair.
func (p pair) mayAsk() bool {
	return p.updated != nil && facts.KindOf(p.updated.Type) == facts.Shoot && !p.isUnchanged()
}

// startGardener starts the program that asks Gardener's own code, if there is one, and a pair to ask
// about. It has no answer under a strategy that the manifests do not have.
func (r *Reader) startGardener(pairs []pair) (*gardener.Session, error) {
	if r.Gardener == "" || r.Options.Strategy != nil || !slices.ContainsFunc(pairs, pair.mayAsk) {
		return nil, nil //nolint:nilnil // there is no session
	}
	session, err := gardener.Start(r.Gardener, r.landscapeObjects(), r.Options.Landscape.Gates())
	if err != nil {
		return nil, err
	}
	for _, ignored := range session.Ignored {
		r.Warnings = append(r.Warnings, "Gardener "+session.Version+": "+ignored)
	}
	return session, nil
}

// landscapeObjects are the objects of both sides and of [Reader.Landscape] that admission reads. Of
// objects with one name, the last one counts.
func (r *Reader) landscapeObjects() []json.RawMessage {
	if r.Landscape == nil {
		return r.objects
	}
	return append(slices.Clone(r.objects), r.Landscape.Objects...)
}

// ask merges the answer of Gardener's own code into a plan.
func (p inputs) ask(session *gardener.Session, plan *pool.Plan) error {
	if plan.IsOpen { // what Gardener gets is not known
		return nil
	}
	var before *facts.Manifest
	var old []byte
	if p.old != nil {
		before = p.old.Manifest
		old = p.old.Tree.JSON()
	}
	sent := cmp.Or(plan.Sent, p.updated.Tree)
	answer, err := session.Ask(old, sent.JSON())
	if err != nil {
		return fmt.Errorf("%s: %w", p.updated.From, err)
	}
	plan.Merge(answer, session.Version, before, p.updated.Manifest)
	return nil
}

// planAll compares all pairs. The plans have the order of the pairs.
func (r *Reader) planAll(ctx context.Context, pairs []pair) (plans []*pool.Plan, err error) {
	session, err := r.startGardener(pairs)
	if err != nil {
		return nil, err
	}
	plans, err = r.plansOf(ctx, pairs, session)
	if session != nil {
		err = errors.Join(err, session.Close())
	}
	return plans, err
}
