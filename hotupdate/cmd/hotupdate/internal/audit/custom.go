package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/validator"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Resources are two releases of CRDs under which custom resources are judged, by the classes of the
// fields of their specs. They are safe for concurrent use.
type Resources struct {
	old, updated *crds.Set
	validator    *validator.Session // with the new release; nil if no API server is asked
}

// NewResources returns the two releases, which have the same classes. The session asks an API server's own code with
// the CRDs of the new one; nil asks nobody.
func NewResources(old, updated *crds.Set, session *validator.Session) *Resources {
	return &Resources{old: old, updated: updated, validator: session}
}

// Run judges the objects of a stream like [Releases.Run]. Objects of kinds that neither release has
// are skipped. An object in a version that one release lacks is indeterminate.
func (r *Resources) Run(
	ctx context.Context, documents iter.Seq[*manifest.Document], o Options,
) (*report.Report, error) {
	t := newTally(ofObjects, r.old.From, r.updated.From)
	var failure failure
	judge := func(d *manifest.Document) *judgedObject { return r.object(d, &failure) }
	err := t.judge(ctx, inorder.Map(ctx, documents, judge), o)
	err = errors.Join(err, failure.err())
	if err == nil {
		err = r.updated.CheckClasses() // both releases have the same
	}
	if err != nil {
		return nil, err
	}
	return t.finish(&o.Known), t.checkJudged()
}

// failure is the first failure of the validator, after which no result counts.
type failure struct {
	mutex sync.Mutex
	first error
}

func (f *failure) set(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.first = cmp.Or(f.first, err)
}

func (f *failure) err() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.first
}

// object judges the object of a document. It is nil if the document holds none.
func (r *Resources) object(d *manifest.Document, failure *failure) *judgedObject {
	o := d.Object()
	if o == nil {
		return nil
	}
	if line, problem := side.Replaced(d, o, r.has); problem != nil {
		place := o.Place
		place.Line = line
		return unreadable(place, problem)
	}
	if o.Err != nil {
		return unreadable(o.Place, o.Err)
	}
	if err := facts.CheckVersion(o.Tree, r.versionsOf); err != nil {
		return unreadable(o.Place, err)
	}
	of := facts.TypeMetaOf(o.Tree)
	if !r.has(of) {
		return &judgedObject{skip: report.OtherKind}
	}
	m, err := facts.ReadCustom(o.Tree, r.partOf(of, o.Tree))
	if err != nil {
		return unreadable(o.Place, err)
	}
	effect, reasons, err := r.judge(of, m.Pools[0].Config.Raw())
	if err != nil {
		return unreadable(o.Place, err)
	}
	if r.updated.HasType(of) && r.old.HasType(of) {
		refused, refusals, err := r.refusals(of, o.Tree, m.Pools[0].Config.Raw())
		failure.set(err)
		effect = max(effect, refused)
		reasons = append(reasons, refusals...)
	}
	object := objectAt(o.Place)
	object.APIVersion = of.APIVersion
	object.Kind = of.Kind
	object.Namespace = m.Namespace
	object.Name = m.Name
	object.Project = facts.ProjectOf(m.Namespace)
	one := judgedPool("", effect, hotupdate.AutoRollingUpdate, facts.Machines{}, reasons)
	if effect == verdict.None && (r.old.IsConverted(of) || r.updated.IsConverted(of)) {
		one.Rules = append(one.Rules, verdict.ConversionKeeps)
	}
	return &judgedObject{identity: identityOf(m.UID, o.Tree), pools: []*JudgedPool{{one, object}}}
}

// has reports whether one of the releases has a kind.
func (r *Resources) has(of facts.TypeMeta) bool { return r.old.Has(of) || r.updated.Has(of) }

// versionsOf returns the apiVersions of a kind that one of the releases has.
func (r *Resources) versionsOf(kind string) []string {
	versions := append(r.old.APIVersions(kind), r.updated.APIVersions(kind)...)
	slices.Sort(versions)
	return slices.Compact(versions)
}

// partOf returns the part of an object that the releases compare.
func (r *Resources) partOf(of facts.TypeMeta, object *tree.Node) *tree.Node {
	for _, release := range []*crds.Set{r.updated, r.old} {
		if release.HasType(of) {
			return release.Part(of, object)
		}
	}
	return object
}

// judge returns the verdict on an object. An error is one of a CRD or of the classes.
func (r *Resources) judge(of facts.TypeMeta, part []byte) (verdict.Verdict, []Reason, error) {
	if reasons := r.missingVersion(of); reasons != nil {
		return verdict.Indeterminate, reasons, nil
	}
	old, oldErr := r.old.Schema(of)
	updated, newErr := r.updated.Schema(of)
	if err := errors.Join(oldErr, newErr); err != nil {
		return verdict.Indeterminate, nil, err
	}
	if r.old.IsWhole(of) != r.updated.IsWhole(of) {
		return verdict.Indeterminate, []Reason{{
			Code: "other-part", Text: "only one of the releases has a spec: compare the objects themselves",
		}}, nil
	}
	_, before := old.DocumentRaw(part)
	_, after := updated.DocumentRaw(r.updated.Returned(of, part))
	switch {
	case before != nil && after != nil:
		return verdict.Unreadable, reasonsOfError(before), nil
	case after != nil:
		return verdict.Forbidden, reasonsOfError(after), nil
	case before != nil:
		return r.unread(before, of, part)
	}
	return r.compareReturned(of, part)
}

// unread is the verdict on an object that the old release cannot read and an API server with the
// new release can, because it drops the members that neither release has.
func (r *Resources) unread(before error, of facts.TypeMeta, part []byte) (verdict.Verdict, []Reason, error) {
	updated, err := r.updated.Schema(of)
	if err != nil {
		return verdict.Indeterminate, nil, err
	}
	if _, after := updated.DocumentRaw(part); after != nil {
		return verdict.Unreadable, reasonsOfError(before), nil
	}
	return verdict.BecomesReadable, reasonsOfError(before), nil
}

// compareReturned compares an object as an API server returns it with the CRDs of both releases: without the
// members that its CRD does not have, and with its defaults.
func (r *Resources) compareReturned(of facts.TypeMeta, part []byte) (verdict.Verdict, []Reason, error) {
	changes, err := crds.Changes(r.old, r.updated, of, part)
	if err != nil {
		return verdict.Indeterminate, nil, err
	}
	effect := verdict.None
	var reasons []Reason
	for _, change := range changes {
		byClass, why := r.effectOf(of, change)
		if byClass == verdict.None || byClass == verdict.HotUpdate { // no machine is replaced
			continue
		}
		effect = max(effect, byClass)
		reason := reasonOf(change)
		reason.Text += why
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if effect != verdict.None && !r.updated.HasClasses(of) {
		effect = verdict.Indeterminate
		for i := range reasons {
			reasons[i].Text += "; what that does to machines is a class of the field: hotupdate schema --crd lists " +
				"them for --classes"
		}
	}
	return effect, reasons, nil
}

// effectOf returns what a change by the API server does to machines, with the reason if that is not
// known.
func (r *Resources) effectOf(of facts.TypeMeta, change hotupdate.Change) (verdict.Verdict, string) {
	class, reason := r.updated.Meaning(of).WithoutEdit(change)
	if class == fieldclasses.Undecided {
		return verdict.Indeterminate, "; what that does to machines is not known: " + reason
	}
	if class == fieldclasses.NoEffect { // even if an edit of the field has another class
		return verdict.None, ""
	}
	return verdict.OfClass(change.Class, hotupdate.AutoRollingUpdate), ""
}

// reasonOf says how an object changes without an edit.
func reasonOf(change hotupdate.Change) Reason {
	path := fieldpath.PatternOf(change.Path)
	reason := Reason{Path: path, Finding: "DefaultChanged"}
	value := func(text string) string {
		if change.Sensitive {
			return "a value"
		}
		return text
	}
	switch change.Op {
	case hotupdate.OpAdd:
		reason.Text = path + ": the API server fills in " + value(change.New)
	case hotupdate.OpRemove:
		reason.Finding = "FieldRemoved"
		reason.Text = path + ": the API server no longer returns the field"
	case hotupdate.OpReplace:
		reason.Text = path + ": the API server fills in " + value(change.New) + ", and filled in " + value(change.Old)
	}
	return reason
}

// missingVersion returns the reason why an object is not judged: one of the releases lacks its version.
// It is nil if both releases have the version.
func (r *Resources) missingVersion(of facts.TypeMeta) []Reason {
	const other = "the other release has"
	isOld := r.old.HasType(of)
	isUpdated := r.updated.HasType(of)
	switch {
	case isOld && isUpdated:
		return nil
	case isUpdated:
		return unknownVersion(of, "only the new release has", other, r.old.Versions(of))
	case isOld:
		return unknownVersion(of, "only the old release has", other, r.updated.Versions(of))
	}
	known := r.old
	if !known.Has(of) {
		known = r.updated
	}
	return unknownVersion(of, "neither release has", "one of them has", known.Versions(of))
}

// unknownVersion is the reason why an object is not judged. Subject says which release has the object's
// version. Hint introduces the known versions, in one of which the object can be read from the cluster.
func unknownVersion(of facts.TypeMeta, subject, hint string, known []string) []Reason {
	text := fmt.Sprintf("%s %s %s", subject, of.APIVersion, of.Kind)
	if len(known) > 0 {
		text += "; read the objects in a version of both: " + hint + " " + strings.Join(known, ", ")
	}
	return []Reason{{Code: "unknown-version", Text: text}}
}
