package audit

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Resources are two releases of CRDs under which custom resources are judged, by the classes of the
// fields of their specs. They are safe for concurrent use.
type Resources struct {
	old, updated *crds.Set

	comparisons
}

// NewResources returns the two releases, which have the same classes.
func NewResources(old, updated *crds.Set) *Resources {
	return &Resources{old: old, updated: updated}
}

// Run judges the objects of a stream like [Releases.Run]. Objects of kinds that neither release has
// are skipped. An object of a version that not both releases have is indeterminate.
func (r *Resources) Run(ctx context.Context, documents iter.Seq[*manifest.Document], o Options) (*Report, error) {
	report := newReport(r.old.From, r.updated.From)
	report.Unit = ofObjects
	err := report.judge(ctx, inorder.Map(ctx, documents, r.object), o)
	if err == nil {
		err = r.updated.CheckClasses() // both releases have the same
	}
	if err != nil {
		return report, err
	}
	report.finish(&o.Known)
	return report, nil
}

// object judges the object of a document. It is nil if the document holds none.
func (r *Resources) object(d *manifest.Document) *judgedObject {
	o := d.Object()
	switch {
	case o == nil:
		return nil
	case o.Err != nil:
		return &judgedObject{skip: NotReadable, unreadable: &Unreadable{o.Place, manifest.Reason(o.Err)}}
	}
	if err := facts.CheckVersion(o.Tree, r.versionsOf); err != nil {
		return &judgedObject{skip: NotReadable, unreadable: &Unreadable{o.Place, manifest.Reason(err)}}
	}
	of := facts.TypeMetaOf(o.Tree)
	if !r.old.Has(of) && !r.updated.Has(of) {
		return &judgedObject{skip: OtherKind}
	}
	m, err := facts.ReadCustom(o.Tree)
	if err != nil {
		return &judgedObject{skip: NotReadable, unreadable: &Unreadable{o.Place, manifest.Reason(err)}}
	}
	judged := &judgedObject{identity: identityOf(m.UID, o.Tree)}
	one := &JudgedPool{
		Place: o.Place, Namespace: m.Namespace, Project: m.Namespace, Name: m.Name,
		APIVersion: of.APIVersion, Kind: of.Kind, Strategy: hotupdate.AutoRollingUpdate.String(),
	}
	effect, reasons, err := r.judge(of, &m.Pools[0])
	one.Verdict = effect.Audited()
	one.Reasons = reasons
	judged.failed = err
	judged.pools = []*JudgedPool{one}
	return judged
}

// versionsOf returns the apiVersions of a kind that one of the releases has.
func (r *Resources) versionsOf(kind string) []string {
	versions := append(r.old.APIVersions(kind), r.updated.APIVersions(kind)...)
	slices.Sort(versions)
	return slices.Compact(versions)
}

// judge returns the verdict on an object. An error is one of a CRD or of the classes.
func (r *Resources) judge(of facts.TypeMeta, spec *facts.Pool) (verdict.Verdict, []Reason, error) {
	old, err := hashedBy(r.old, of, spec.ProviderConfig)
	if err != nil {
		return verdict.Indeterminate, nil, err
	}
	updated, err := hashedBy(r.updated, of, spec.ProviderConfig)
	if err != nil {
		return verdict.Indeterminate, nil, err
	}
	switch {
	case old == nil && updated == nil:
		known := r.old
		if !known.Has(of) {
			known = r.updated
		}
		return verdict.Indeterminate, unknownVersion(of, "neither release has", "one of them has", known), nil
	case updated == nil:
		return verdict.Indeterminate, unknownVersion(of, "only the old release has", theOther, r.updated), nil
	case old == nil:
		return verdict.Indeterminate, unknownVersion(of, "only the new release has", theOther, r.old), nil
	}
	effect, reasons := r.verdict(spec, *old, *updated)
	return effect, reasons, nil
}

const theOther = "the other release has"

// unknownVersion is the reason for not knowing what happens to an object of a version that not both
// releases have. Whose versions are those of another release, to read the objects in.
func unknownVersion(of facts.TypeMeta, who, whose string, release *crds.Set) []Reason {
	text := fmt.Sprintf("%s %s %s", who, of.APIVersion, of.Kind)
	if versions := release.Versions(of); len(versions) > 0 {
		text += "; read the objects in a version of both: " + whose + " " + strings.Join(versions, ", ")
	}
	return []Reason{{Code: "unknown-version", Text: text}}
}

// hashedBy hashes a spec by the Schema of its type in a release. It is nil if the release does not
// have the type.
func hashedBy(set *crds.Set, of facts.TypeMeta, spec []byte) (*release.Hashed, error) {
	schema, err := set.Schema(of)
	if schema == nil || err != nil {
		return nil, err
	}
	hashed := &release.Hashed{Era: &release.Era{Hash: release.Canonical, Schema: schema}}
	hashed.Data, hashed.Refused = hash.CanonicalData[struct{}](schema)(spec, struct{}{})
	return hashed, nil
}
