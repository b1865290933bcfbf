package side

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// One reads a file or directory with one manifest, and removes the pools that are not wanted.
func (r *Reader) One(file string) (*Input, error) {
	found := r.Read(file)
	if err := errors.Join(append(r.problems, r.others...)...); err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: has %d manifests; name a file with one", Name(file), len(found))
	}
	names := []string{}
	for _, p := range found[0].Pools {
		names = append(names, p.Worker.Name)
	}
	found[0].Pools = slices.DeleteFunc(found[0].Pools, func(p facts.Pool) bool { return !r.wants(p.Worker.Name) })
	return found[0], r.checkPools(found[0].From, names)
}

// Compare compares the manifests of two sides, each a file or a directory. There are no plans if
// neither side has a manifest, and the Reader is lenient or a side has other objects.
func (r *Reader) Compare(old, updated string) ([]*pool.Plan, error) {
	before := r.Read(old)
	r.Warnings = nil // the old side is not warned about
	after := r.Read(updated)
	if r.Schemas.custom != nil {
		r.problems = append(r.problems, r.Schemas.custom.CheckClasses())
	}
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	if len(before)+len(after) == 0 {
		if r.Lenient || len(r.others) > 0 {
			return nil, nil
		}
		return nil, fmt.Errorf("%s and %s: have no Shoot, Worker, provider config or resource of --crd",
			Name(old), Name(updated))
	}
	pairs, err := pairUp(before, after, r.AnyName)
	if err == nil && !r.Lenient && (!isDirectory(old) || !isDirectory(updated)) {
		err = checkRelated(pairs)
	}
	if err != nil {
		return nil, err
	}
	plans, err := r.planAll(pairs)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, plan := range plans {
		for _, p := range plan.Pools {
			names = append(names, p.Name, p.FormerName)
		}
		plan.Pools = slices.DeleteFunc(plan.Pools, func(p pool.Planned) bool { return !r.wants(p.Name, p.FormerName) })
	}
	if len(r.Pools) > 0 {
		plans = slices.DeleteFunc(plans, func(plan *pool.Plan) bool { return len(plan.Pools) == 0 })
	}
	return plans, r.checkPools(Name(updated), names)
}

// plansOf compares the pairs, all at once. The session may be nil.
func (r *Reader) plansOf(pairs []inputs, session *gardener.Session) ([]*pool.Plan, error) {
	plans := make([]*pool.Plan, len(pairs))
	problems := make([]error, len(pairs))
	var running sync.WaitGroup
	for i, p := range pairs {
		running.Go(func() {
			plans[i], problems[i] = p.plan(r.optionsFor(p))
			if problems[i] == nil && session != nil && p.asks() {
				problems[i] = p.ask(session, plans[i])
			}
			if problems[i] == nil {
				p.place(plans[i])
			}
		})
	}
	running.Wait()
	return plans, errors.Join(problems...)
}

// optionsFor returns the options for judging a pair, with the CloudProfile that its manifest refers to.
func (r *Reader) optionsFor(p inputs) judge.Options {
	o := r.Options
	o.Versions = r.Schemas.versions(p)
	if m := cmp.Or(p.updated, p.old); r.Landscape != nil {
		o.CloudProfile = r.Landscape.CloudProfiles.Of(m.Manifest)
	}
	return o
}

// wants reports whether the user wants to see a pool with one of the names.
func (r *Reader) wants(names ...string) bool {
	return len(r.Pools) == 0 || slices.ContainsFunc(names,
		func(name string) bool { return slices.Contains(r.Pools, name) })
}

// checkPools reports the wanted pools that do not exist.
func (r *Reader) checkPools(from string, names []string) error {
	missing := slices.DeleteFunc(slices.Clone(r.Pools), func(name string) bool { return slices.Contains(names, name) })
	if len(missing) == 0 {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	there := plaintext.Printable(cmp.Or(strings.Join(names, ", "), "none at all"))
	return fmt.Errorf("%s: has no worker pool %s; it has %s", from,
		plaintext.Printable(`"`+strings.Join(missing, `", "`)+`"`), there)
}
