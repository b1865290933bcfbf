package side

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// All returns the manifests of a file or directory. If there are several, each has a title. Wanted pools that none of
// them has are a problem. All problems are joined.
func (r *Reader) All(file string) ([]*Input, error) {
	found, err := r.Read(file)
	if err != nil {
		return nil, err
	}
	switch {
	case len(found) == 0 && isDirectory(file):
		return nil, fmt.Errorf("%s: has no manifest", Name(file))
	case len(found) == 0:
		return nil, fmt.Errorf("%s: is empty; write a provider config, a Worker or a Shoot", Name(file))
	case len(found) > 1 && slices.ContainsFunc(found, func(m *Input) bool { return m.Name == "" }):
		return nil, fmt.Errorf("%s: has %d manifests, and not all have names; name a file with one", Name(file),
			len(found))
	}
	names := []string{}
	for _, m := range found {
		for _, p := range m.Pools {
			names = append(names, p.Worker.Name)
		}
		if len(found) > 1 {
			m.Title = strings.TrimSpace(m.Type.Kind + " " + strings.Trim(m.Namespace+"/"+m.Name, "/"))
		}
	}
	return found, r.checkPools(Name(file), names)
}

// Read returns the manifests of a file or directory that have no problem. All problems are joined.
func (r *Reader) Read(file string) (found []*Input, err error) {
	r.failed = nil
	r.others = nil
	all := r.readAll(context.Background(), file, r.examine)
	for _, o := range all.list {
		if o.problem == nil && o.fatal == nil {
			m, err := r.load(o)
			r.failed = append(r.failed, err)
			found = append(found, m)
		}
	}
	r.failed = append(r.failed, r.Schemas.custom.CheckClasses(), joined(r.Schemas.unusable()))
	problems := slices.Concat(r.failed, []error{joined(notJudged(&objects{}, all))}, r.others)
	return found, errors.Join(problems...)
}

// Compare compares the manifests of two sides, each a file or a directory. If neither side has a
// manifest, there are no plans, and this is an error unless the Reader allows it.
//
// An object with a problem is not compared, and neither is its counterpart: see [Reader.NotJudged]. If
// nothing could be compared, the problems are the error.
func (r *Reader) Compare(ctx context.Context, old, updated string) ([]*pool.Plan, error) {
	before := r.readAll(ctx, old, r.examineOld)
	for _, o := range before.list {
		o.file = cmp.Or(r.Renamed[o.file], o.file)
	}
	r.Warnings = nil // the old side is not warned about
	r.plain = before.plain()
	after := r.readAll(ctx, updated, r.examine)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w after %d objects were read", ErrInterrupted, r.read)
	}
	r.failed = append(r.failed, r.Schemas.custom.CheckClasses())
	if err := errors.Join(r.failed...); err != nil {
		return nil, errors.Join(err, joined(notJudged(before, after)))
	}
	if len(before.list)+len(after.list) == 0 {
		if r.Lenient || r.AllowNone {
			return nil, nil
		}
		return nil, errors.Join(joined(r.Schemas.unusable()), r.nothingFound(old, updated))
	}
	pairs := pairUp(before.list, after.list, r.AnyName)
	r.withhold(pairs, before, after)
	r.NotJudged = append(r.Schemas.unusable(), notJudged(before, after)...)
	if !r.Lenient && (!isDirectory(old) || !isDirectory(updated)) {
		if err := checkRelated(pairs); err != nil {
			return nil, errors.Join(joined(r.NotJudged), err)
		}
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return !p.isJudged() })
	plans, err := r.planAll(ctx, pairs)
	if err == nil && len(plans) == 0 {
		err = joined(r.NotJudged)
	}
	if err != nil {
		return nil, err
	}
	return r.wanted(plans, Name(updated))
}

// joined joins the problems of the objects that are not judged.
func joined(all []NotJudged) error {
	var problems []error
	for _, one := range all {
		problems = append(problems, one.Err)
	}
	return errors.Join(problems...)
}

// wanted returns the plans with the wanted pools only.
func (r *Reader) wanted(plans []*pool.Plan, from string) ([]*pool.Plan, error) {
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
	return plans, r.checkPools(from, names)
}

// plansOf compares the pairs, some at once, so that only these are in memory. A
// pair that cannot be compared is not judged.
func (r *Reader) plansOf(ctx context.Context, pairs []pair, asked programs) (
	plans []*pool.Plan, err error,
) {
	compare := func(p pair) compared { return r.compare(p, asked) }
	done := 0
	for c := range inorder.Map(ctx, slices.Values(pairs), compare) {
		switch {
		case c.failed != nil:
			return nil, c.failed
		case c.problem != nil:
			p := pairs[done]
			r.NotJudged = append(r.NotJudged, NotJudged{cmp.Or(p.updated, p.old).Place, c.problem})
		default:
			plans = append(plans, c.plan)
		}
		done++
		r.tell("compared", done, len(pairs))
	}
	return plans, interrupted(ctx, done, len(pairs))
}

// interrupted is the error of a comparison that ended before its time.
func interrupted(ctx context.Context, done, all int) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%w after %d of %d objects were compared", ErrInterrupted, done, all)
}

// ErrInterrupted is the error of a comparison whose context has ended.
var ErrInterrupted = errors.New("interrupted")

// compared is the result of comparing a pair: a plan, a problem of the pair, or a failure of a
// program that was asked.
type compared struct {
	plan            *pool.Plan
	problem, failed error
}

// compare reads and compares a pair.
func (r *Reader) compare(p pair, asked programs) (c compared) {
	if plan := p.unchangedPlan(); plan != nil {
		return compared{plan: plan}
	}
	loaded, err := r.loadPair(p)
	if err != nil {
		return compared{problem: err}
	}
	isAsked := asked.gardener != nil && loaded.asks()
	var ask pool.Ask
	if isAsked && loaded.isApplied() {
		ask = loaded.askAbout(asked.gardener, &c.failed)
	}
	options := r.optionsFor(loaded)
	var notes []verdict.Rule
	if loaded.isValidated() {
		options.Refused, notes, c.failed = loaded.validate(asked.validator)
	}
	c.plan, c.problem = loaded.plan(options, ask)
	if c.problem != nil {
		return c
	}
	c.plan.Note(notes...)
	if isAsked && ask == nil {
		c.failed = loaded.ask(asked.gardener, c.plan, r.Options.Ways)
	}
	if c.failed == nil {
		loaded.place(c.plan)
	}
	return c
}

// loadPair reads the two objects of a pair.
func (r *Reader) loadPair(p pair) (inputs, error) {
	updated, err := r.load(p.updated)
	old, oldErr := r.load(p.old)
	return inputs{old, updated}, errors.Join(oldErr, err)
}

// optionsFor returns the options for judging a pair, with the CloudProfile that the new manifest refers to.
func (r *Reader) optionsFor(p inputs) judge.Options {
	m := cmp.Or(p.updated, p.old)
	o := m.options(r.Options)
	o.Versions = r.Schemas.versions(p)
	if r.Landscape == nil {
		return o
	}
	if p.isApplied() {
		o.CloudProfile = r.Landscape.CloudProfiles.OfApplied(p.old.Manifest, m.Manifest)
	} else {
		o.CloudProfile = r.Landscape.CloudProfiles.Of(m.Manifest)
	}
	return o
}

// OptionsOf returns the options for judging changes of a manifest.
func (r *Reader) OptionsOf(m *Input) judge.Options { return r.optionsFor(inputs{m, m}) }

// WantedOf returns the pools of a manifest that the user wants to see. The manifest keeps all of them: a pool is judged
// as a part of its manifest.
func (r *Reader) WantedOf(m *Input) (wanted []facts.Pool) {
	for _, p := range m.Pools {
		if r.wants(p.Worker.Name) {
			wanted = append(wanted, p)
		}
	}
	return wanted
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
