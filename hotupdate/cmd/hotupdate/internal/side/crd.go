package side

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
)

// Define adds the custom resources of CRDs.
func (c *Catalog) Define(custom *crds.Set) { c.custom = custom }

// unusable are the CRDs whose objects are not compared.
func (c *Catalog) unusable() (definitions []NotJudged) {
	if c.custom == nil {
		return nil
	}
	for _, problem := range c.custom.Problems {
		definitions = append(definitions, NotJudged{manifests.Place{File: c.custom.From}, problem})
	}
	return definitions
}

// readCustom reads a custom resource, whose spec is its provider config.
func (r *Reader) readCustom(m *Input, o *manifests.Object) (err error) {
	m.spec, err = r.Schemas.custom.Schema(m.Type)
	switch {
	case err != nil:
		return err
	case m.spec == nil:
		r.Schemas.custom.LeaveOpen()
		versions := strings.Join(r.Schemas.custom.Versions(m.Type), ", ")
		return &fault.Error{
			Kind: fault.Invalid, Code: "unknown-version", Path: "apiVersion",
			What: "has a version that the CRD of " + m.Type.Kind + " does not serve", Hint: "write one of " + versions,
		}
	}
	m.meaning = r.Schemas.custom.Meaning(m.Type)
	m.custom = r.Schemas.custom.Custom(m.Type)
	m.Manifest, err = facts.ReadCustom(o.Tree, r.Schemas.custom.Part(m.Type, o.Tree))
	m.isWhole = r.Schemas.custom.IsWhole(m.Type)
	return err
}

// ClassOf returns the word for the class of a field: that of the Schema or, for a custom resource, one that only its
// fields have.
func (m *Input) ClassOf(field hotupdate.Change) string {
	row, isKnown := m.meaning.Of(field)
	if isKnown && !row.Class.IsTag() {
		return string(row.Class)
	}
	return field.Class.String()
}

// options are the options for judging the manifest.
func (m *Input) options(o judge.Options) judge.Options {
	if m.spec != nil {
		o.Schema = func(facts.TypeMeta) *hotupdate.Schema { return m.spec }
		o.Custom = m.custom
		o.Effect = effectBy(m.meaning)
	}
	return o
}

// hasSpec reports whether the paths of a custom resource begin in its spec.
func (m *Input) hasSpec() bool { return m.spec != nil && !m.isWhole }

// versions returns the known facts about a custom resource in two versions; nil for other pairs.
func (c *Catalog) versions(p inputs) *judge.Versions {
	if p.old == nil || p.updated == nil {
		return nil
	}
	if p.updated.spec == nil || p.old.Type == p.updated.Type {
		return nil
	}
	old := p.old.Type
	updated := p.updated.Type
	shared := c.custom.Share(old, updated)
	return &judge.Versions{
		Schema: shared.Schema, Has: shared.Has, MayShow: shared.MayShow,
		Rule: verdict.VersionsDiffer(old.APIVersion, updated.APIVersion, c.custom.Resource(updated)),
	}
}

// asSpec turns the plan of a provider config into the plan of a custom resource, which has no pool and
// no extension.
func (p inputs) asSpec(plan *pool.Plan, versions *judge.Versions) {
	m := cmp.Or(p.updated, p.old)
	plan.Kind = facts.Kind(m.Type.Kind)
	plan.Rules = nil
	switch {
	case m.meaning.IsBuiltIn():
		plan.Rules = append(plan.Rules, verdict.ClassesBuiltIn)
	case m.custom.HasClasses:
		plan.Rules = append(plan.Rules, verdict.SpecByClasses)
	}
	if versions != nil && versions.Schema != nil {
		plan.Rules = append(plan.Rules, verdict.VersionsAlike)
	}
	isOfConfig := func(r verdict.Rule) bool {
		isOfStrategy := m.meaning.IsBuiltIn() && r == verdict.StrategyIsRollingUpdate // none of its classes is in-place
		return isOfStrategy || r == verdict.JudgedCanonically || r == verdict.ConfigAsWhole
	}
	for i := range plan.Pools {
		plan.Pools[i].Unknown = nil
		plan.Pools[i].Rules = slices.DeleteFunc(plan.Pools[i].Rules, isOfConfig)
	}
}

// effectBy judges changes by the meaning of a kind.
func effectBy(m *crds.Meaning) func(hotupdate.Change, verdict.Verdict) (verdict.Verdict, verdict.Rule) {
	return func(c hotupdate.Change, byClass verdict.Verdict) (verdict.Verdict, verdict.Rule) {
		row, isKnown := m.Of(c)
		if !isKnown && m.IsBuiltIn() {
			return verdict.Indeterminate, verdict.FieldWithoutClass(m.Source)
		}
		source := ""
		if row.Source != "" {
			source = m.Source + ", " + row.Source
		}
		isUnseen := byClass == verdict.None && row.Class == fieldclasses.Roll
		isOneSided := c.Op == hotupdate.OpAdd || c.Op == hotupdate.OpRemove
		switch {
		case isUnseen && m.IsBuiltIn():
			return verdict.Indeterminate, verdict.MayBeTold
		case isUnseen:
			return byClass, verdict.NoRule
		case row.OneSided != "" && isOneSided:
			return verdict.Indeterminate, verdict.OfField(verdict.Decides, row.OneSided, source)
		case row.Class == fieldclasses.Undecided:
			return verdict.Indeterminate, verdict.OfField(verdict.Decides, row.Reason, source)
		case row.Class == fieldclasses.Refused:
			return verdict.Forbidden, verdict.OfField(verdict.Refuses, row.Reason, source)
		}
		return byClass, verdict.OfField(verdict.Decides, row.Reason, source)
	}
}
