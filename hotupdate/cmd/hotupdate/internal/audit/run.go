// Package audit finds the effect of a release of a provider extension on the unchanged worker pools
// of a fleet.
//
// [Releases.Run] judges the pools of a stream of manifests, on all processors and in the order of the
// stream, and counts them in a [report.Report]. The package owns the verdict on a pool, the counts, and
// the comparison of two results.
package audit

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Options say which objects are judged and which findings are known.
type Options struct {
	// Provider is the type of the Shoots and Workers that are judged. If it is empty, the provider of the
	// releases is found by the kind of their configs, or by the fields of their Schemas.
	Provider string
	// Known are the known findings.
	Known Known
	// Each is called for every judged pool, in the order of the stream.
	Each func(*JudgedPool) error
}

// Run judges the pools of a stream, and then stops the programs of the releases. If the context
// ends before the stream, the report is partial, and says so. It is an error if no pool was judged.
//
// An object that is in the stream twice is judged once. Objects with a UID are identified by it,
// others by their whole content. A temporary file keeps the identities of large fleets.
func (r *Releases) Run(
	ctx context.Context, documents iter.Seq[*manifest.Document], o Options,
) (*report.Report, error) {
	defer r.old.Stop()
	defer r.updated.Stop()
	t := newTally("", r.old.From, r.updated.From)
	if o.Provider != "" {
		r.owner = owner{provider: o.Provider, isGiven: true}
	}
	t.Warnings = append(t.Warnings, r.owner.remark()...)
	if err := t.judge(ctx, inorder.Map(ctx, documents, r.object), o); err != nil {
		return nil, err
	}
	if err := r.owner.check(r, t.providers); err != nil {
		return nil, err
	}
	t.addEras(r.old, r.updated)
	return t.finish(&o.Known), t.checkJudged()
}

// judge counts the results for all objects.
func (t *tally) judge(ctx context.Context, objects iter.Seq[*judgedObject], o Options) error {
	seen := newIdentities(1 << 16) // 1 MiB, enough for 32,768 objects
	defer seen.close()
	for object := range objects {
		if err := t.count(object, seen, o); err != nil {
			return err
		}
	}
	t.Partial = ctx.Err() != nil
	return nil
}

// judgedObject is the result for one object.
type judgedObject struct {
	skip     report.Skip // why it is not judged; empty if it is
	other    string      // its provider or kind of provider config, if it is skipped for that
	place    manifest.Place
	problem  string // why it cannot be read
	identity identity
	isTheirs bool // a config of it is of the releases' kind
	pools    []*JudgedPool
	failed   error // failure of a program, which ends the audit
	warnings []string
}

// unreadable is the result for an object that cannot be read.
func unreadable(at manifest.Place, err error) *judgedObject {
	return &judgedObject{skip: report.NotReadable, place: at, problem: manifest.Reason(err)}
}

// object judges the pools of the object of a document. It is nil if the document holds none.
func (r *Releases) object(d *manifest.Document) *judgedObject {
	o := d.Object()
	if o == nil {
		return nil
	}
	m := &facts.Manifest{}
	err := o.Err
	if err == nil {
		err = facts.CheckVersion(o.Tree, facts.VersionsOf)
	}
	place := o.Place
	isJudged := func(kind facts.TypeMeta) bool { return facts.KindOf(kind) != facts.NoKind }
	if line, problem := side.Replaced(d, o, isJudged); problem != nil {
		place.Line = line
		err = problem
	}
	if err == nil {
		m, err = facts.Read(o.Tree)
	}
	judged := &judgedObject{}
	switch {
	case errors.Is(err, facts.ErrOtherKind):
		judged.skip = report.OtherKind
	case err != nil:
		return unreadable(place, err)
	case r.owner.isOther(r, m):
		judged.skip = report.OtherProvider
		judged.other = cmp.Or(m.Provider, "none")
	case len(m.Pools) == 0:
		judged.skip = report.NoPools
	default:
		judged.identity = identityOf(m.UID, m.Tree)
		judged.isTheirs = r.hasConfig(m)
		judged.failed = r.pools(o.Place, m, judged)
		judged.warnings = side.WarningsOf(o, r.repeatedKeys(m))
	}
	return judged
}

// pools judges the pools of a manifest. An error is a failure of a program.
func (r *Releases) pools(at manifest.Place, m *facts.Manifest, judged *judgedObject) error {
	of := objectAt(at)
	of.Kind = string(m.Kind)
	of.Namespace = m.Namespace
	of.Name = m.Name
	of.Project = facts.ProjectOf(m.Namespace)
	of.Provider = m.Provider
	for i := range m.Pools {
		p := &m.Pools[i]
		if !r.isJudged(p.Config) {
			kind := p.Config.Type()
			judged.other = kind.APIVersion + " " + kind.Kind
			continue
		}
		one, err := r.pool(of, m, p)
		if err != nil {
			return err
		}
		judged.pools = append(judged.pools, one)
	}
	if len(judged.pools) == 0 {
		judged.skip = report.OtherConfig
	}
	return nil
}

// repeatedKeys returns the repeated keys of lists in a manifest, and in its provider configs as the new release reads
// them.
func (r *Releases) repeatedKeys(m *facts.Manifest) fault.List {
	all := slices.Clone(m.Repeated)
	reading := judge.Options{Schema: func(facts.TypeMeta) *hotupdate.Schema { return r.updated.Schema }}
	for i := range m.Pools {
		if p := &m.Pools[i]; r.isJudged(p.Config) {
			all = append(all, reading.RepeatedKeys(p)...)
		}
	}
	return all
}

// isJudged reports whether a provider config is read by the releases.
func (r *Releases) isJudged(config facts.Config) bool {
	return r.concern(config) && !r.owner.hasOtherGroup(config)
}

// pool reads and hashes the provider config of a pool under both releases, and judges the pool. An
// error is a failure of a program.
func (r *Releases) pool(of *report.ManifestReport, m *facts.Manifest, p *facts.Pool) (*JudgedPool, error) {
	old, oldFailed := r.old.Hash(p)
	updated, newFailed := r.updated.Hash(p)
	err := errors.Join(oldFailed, newFailed)
	if err != nil {
		return nil, err
	}
	effect, reasons := r.verdict(p, old, updated)
	if m.Kind == facts.Shoot && p.Worker.KubernetesVersion == "" {
		effect, reasons, err = r.withoutVersion(p, effect, reasons)
	}
	judged := &JudgedPool{judgedPool(p.Worker.Name, effect, p.Worker.UpdateStrategy, p.Machines, reasons), of}
	judged.KubernetesVersion = p.Worker.KubernetesVersion
	judged.OldEra = old.Era.Name
	judged.NewEra = updated.Era.Name
	judged.Rules = append(judged.Rules, assumptions(effect, old, updated)...)
	return judged, err
}

// withoutVersion returns the verdict on the pool of a Shoot that leaves its Kubernetes version to Gardener: the verdict
// in all eras, if they agree.
func (r *Releases) withoutVersion(
	p *facts.Pool, effect verdict.Verdict, reasons []Reason,
) (verdict.Verdict, []Reason, error) {
	for _, era := range slices.Concat(r.old.Eras, r.updated.Eras) {
		if era.From == "" {
			continue
		}
		in := p.WithVersion(era.From)
		old, oldErr := r.old.Hash(in)
		updated, newErr := r.updated.Hash(in)
		if err := errors.Join(oldErr, newErr); err != nil {
			return effect, nil, err
		}
		if other, _ := r.verdict(in, old, updated); other != effect {
			return verdict.Indeterminate, []Reason{{
				Text: "the Shoot has no Kubernetes version, and the releases differ from " + era.From +
					" on; read the Shoot from the cluster",
			}}, nil
		}
	}
	return effect, reasons, nil
}

// count adds the result for an object, or nothing for a document without an object.
func (t *tally) count(one *judgedObject, seen *identities, o Options) error {
	switch {
	case one == nil:
		return nil
	case one.failed != nil:
		return one.failed
	}
	t.Objects.Read++
	if one.skip == "" {
		if isNew, err := seen.add(one.identity); err != nil {
			return err
		} else if !isNew {
			one.skip = report.Duplicate
		}
	}
	if one.skip != "" {
		t.skip(one)
		return nil
	}
	t.Objects.Judged++
	t.Warnings = append(t.Warnings, one.warnings[:min(len(one.warnings), max(0, groups-len(t.Warnings)))]...)
	for _, p := range one.pools {
		t.providers[p.Of.Provider] = t.providers[p.Of.Provider] || one.isTheirs
		if p.Verdict != unchanged {
			p.Accepted = o.Known.why(p)
		}
		t.add(p)
		if err := o.Each(p); err != nil {
			return err
		}
	}
	return nil
}

// skip counts an object that is not judged.
func (t *tally) skip(one *judgedObject) {
	t.Objects.Skipped[one.skip]++
	// an error shows only some of them
	if one.other != "" && len(t.seen) < 10 && !slices.Contains(t.seen, one.other) {
		t.seen = append(t.seen, one.other)
	}
	if one.skip == report.NotReadable {
		t.addNotJudged(one.place, one.problem)
	}
}
