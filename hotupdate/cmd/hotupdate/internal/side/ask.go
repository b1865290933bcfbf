package side

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/validator"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
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

// isApplied reports whether the pair is a manifest and the Shoot of a cluster that it is applied to.
func (p inputs) isApplied() bool {
	return p.old != nil && p.updated != nil && p.updated.IsAppliedTo(p.old.Manifest)
}

// askAbout returns the function that asks about the Shoot that results from applying the manifest.
// A failure of the program is stored.
func (p inputs) askAbout(session *gardener.Session, failed *error) pool.Ask {
	return func(sent *tree.Node) (answer gardenerplugin.Answer, version string, err error) {
		answer, err = session.Ask(p.old.Tree.JSON(), sent.JSON(), "")
		if err != nil {
			*failed = fmt.Errorf("%s: %w", p.updated.From, err)
		}
		return answer, session.Version, err
	}
}

// ask merges the answer of Gardener's own code into a plan for two manifests, or for a Shoot that is created.
func (p inputs) ask(session *gardener.Session, plan *pool.Plan, ways []apply.Way) error {
	var before *facts.Manifest
	var old []byte
	if p.old != nil {
		before = p.old.Manifest
		old = p.old.Tree.JSON()
	}
	way := ""
	if len(ways) == 1 {
		way = ways[0].String()
	}
	answer, err := session.Ask(old, p.updated.Tree.JSON(), way)
	if err != nil {
		return fmt.Errorf("%s: %w", p.updated.From, err)
	}
	plan.Merge(answer, session.Version, before, p.updated.Manifest)
	return nil
}

// planAll compares all pairs. The plans have the order of the pairs.
func (r *Reader) planAll(ctx context.Context, pairs []pair) (plans []*pool.Plan, err error) {
	asked, err := r.startPrograms(pairs)
	if err == nil {
		plans, err = r.plansOf(ctx, pairs, asked)
	}
	return plans, errors.Join(err, asked.close())
}

// programs are the programs that are asked about pairs; each is nil if it is not asked.
type programs struct {
	gardener  *gardener.Session
	validator *validator.Session
}

func (r *Reader) startPrograms(pairs []pair) (asked programs, err error) {
	asked.gardener, err = r.startGardener(pairs)
	if err == nil {
		asked.validator, err = r.startValidator(pairs)
	}
	return asked, err
}

func (a programs) close() (err error) {
	if a.gardener != nil {
		err = a.gardener.Close()
	}
	if a.validator != nil {
		err = errors.Join(err, a.validator.Close())
	}
	return err
}
