package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// anyMembers is the Schema of unknown configs: every member is Immutable, and may be confidential.
var anyMembers = sync.OnceValue(func() *hotupdate.Schema {
	empty, _ := hotupdate.SchemaOf[struct{}]()
	schema, _ := empty.AdmitUnknown() // a type without fields has no mistakes
	return schema
})

// schemaOf returns the Schema that all provider configs share, and whether there is one. A null
// config fits every Schema. Another apiVersion alone is not a change: two kinds may have one Schema.
func (o Options) schemaOf(configs ...facts.Config) (schema *hotupdate.Schema, isKnown bool) {
	if o.Versions != nil {
		return cmp.Or(o.Versions.Schema, anyMembers()), o.Versions.Schema != nil
	}
	for _, config := range slices.DeleteFunc(configs, facts.Config.IsAbsent) {
		before := schema
		if o.Schema != nil {
			schema = o.Schema(config.Type())
		}
		if schema == nil || before != nil && schema != before {
			return anyMembers(), false
		}
	}
	if schema == nil {
		return anyMembers(), false
	}
	return schema, true
}

// Document returns the canonical document of a provider config. A config without a known Schema is
// written unchanged.
func (o Options) Document(config facts.Config) ([]byte, error) {
	schema, _ := o.schemaOf(config)
	return schema.DocumentRaw(config.Raw())
}

// configs are the provider configs of a pool on both sides, with their differences by the Schema.
type configs struct {
	changes  []Finding // without a verdict
	isKnown  bool      // a Schema knows both
	isAbsent bool      // neither side has one
	schema   *hotupdate.Schema
}

// compareConfigs compares provider configs under their Schema, or without one by their members.
func (r *Receiver) compareConfigs(old, updated *facts.Pool) (configs, error) {
	before := old.Config
	after := updated.Config
	if before.IsAbsent() && after.IsAbsent() {
		return configs{isAbsent: true}, nil
	}
	schema, isKnown := r.schemaOf(before, after)
	compared := configs{isKnown: isKnown, schema: schema}
	isUnknown := r.provider.Name == ""
	changes, err := schema.DiffRaw(before.Raw(), after.Raw())
	for _, change := range changes {
		change = showType(change, before, after)
		isFilledIn := isUnknown && facts.MayBeFilledIn(old, updated, change.Op)
		change.Omitted = isFilledIn || change.Omitted && r.Defaulted
		if !updated.IsBare() {
			change.Pointer = "/" + fields.Config + change.Pointer
			change.Path = facts.JoinPaths(fields.Config, change.Path)
		}
		compared.changes = append(compared.changes, Finding{Change: change, hasClass: true})
	}
	return compared, updated.LocatedInConfig(err)
}

// showType shows the apiVersion or the kind of a config. They are not secret, even if no Schema
// knows them.
func showType(change hotupdate.Change, before, after facts.Config) hotupdate.Change {
	path := fieldpath.Names(change.Pointer)
	if change.Sensitive && isTypeMeta(path) {
		change.Sensitive = false
		change.Old = jsonOf(before.Tree().At(path...))
		change.New = jsonOf(after.Tree().At(path...))
	}
	return change
}

// judgeConfigs judges the provider config by the era in which the extension names the pool.
//
//   - A pool without a Kubernetes minor is judged in all eras, which must agree.
//   - A bare provider config is also judged in all eras. Where all names stay, volumes of the pool
//     may still change them. Its Schema decides if the extension has adopted the library.
//   - Under an in-place strategy, a released extension refuses every change, and an adopted one
//     refuses by the classes.
func (p *pair) judgeConfigs() []Finding {
	return p.refuseNewFields(p.judgeKnownFields())
}

func (p *pair) judgeKnownFields() []Finding {
	judged := slices.Clone(p.configs.changes)
	for i := range judged {
		judged[i].Verdict = p.ofClass(judged[i].Change)
		if p.Effect != nil {
			judged[i].Verdict, judged[i].Rule = p.Effect(judged[i].Change, judged[i].Verdict)
		}
	}
	judged = p.Custom.judgeFields(judged)
	isReleased := p.Extension == Released
	switch {
	case p.Versions != nil:
		return p.judgeVersions(judged)
	case p.configs.isAbsent, p.old.Config.Same(p.updated.Config):
		return judged
	case isReleased && p.strategy.InPlace() && p.provider.LacksInPlace:
		return all(judged, verdict.Indeterminate, verdict.InPlaceNotInRelease)
	case isReleased && p.strategy.InPlace() && p.provider.Name != "":
		return p.refuseInPlace(judged)
	case isReleased && p.provider.Ignores:
		return all(judged, verdict.None, verdict.NotHashed)
	case !p.configs.isKnown:
		return all(judged, verdict.Indeterminate, verdict.EraUnknown)
	case p.naming == nil && !p.classesDecide():
		return all(judged, verdict.Indeterminate, p.nameUnknown())
	case p.hasAdopted():
		judged = p.refuseUnread(judged)
	}
	return p.judgeByName(judged)
}

// readsAll reports whether an extension, once it has adopted the library, reads all fields in the config of a pool. One
// that ignores configs today reads them from a Kubernetes minor on, see [isUnread].
func (r *Receiver) readsAll(p *facts.Pool) (reads, isKnown bool) {
	if r.given != nil {
		return true, true
	}
	return r.provider.Reads(p.Worker.KubernetesVersion)
}

// isUnread reports whether an extension does not read a field before that minor: no name depends on the others.
func isUnread(found Finding) bool {
	return found.Class != hotupdate.Hot && found.Class != hotupdate.Ignored
}

// refuseUnread refuses changes of fields that an extension which has adopted the library does not
// read at the Kubernetes minor of the pool. A bare config has no minor. If the minor is unknown, the
// names of all eras decide.
func (p *pair) refuseUnread(judged []Finding) []Finding {
	reads, isKnown := p.readsAll(p.updated)
	for i := range judged {
		found := &judged[i]
		switch {
		case reads, !isUnread(*found):
		case isKnown:
			found.Verdict = verdict.Forbidden
			found.Rule = verdict.NotYetRead
		case p.updated.IsBare() && found.Verdict == verdict.Roll:
			found.Verdict = verdict.Indeterminate
			found.Rule = verdict.EraUnknown
		}
	}
	return judged
}

// classesDecide reports whether the classes of the configs' fields decide, because no name depends
// on the configs: for a custom resource, and for a bare provider config of an extension that has
// adopted the library.
func (p *pair) classesDecide() bool {
	given := p.given
	hasEras := given != nil && !given.Assumed
	isNamed := hasEras || !p.hasAdopted() || !p.updated.IsBare()
	return p.Custom != nil || !isNamed
}

// isCanonical reports whether the configs are judged by the canonical hash of their Schema.
func (p *pair) isCanonical() bool {
	return p.classesDecide() || p.naming != nil && p.naming.Assumed
}

// schemaUnused says that the Schema which the user gives does not name the pool.
func (p *pair) schemaUnused() []verdict.Rule {
	switch {
	case p.Naming == nil, p.given != nil:
		return nil
	case p.provider.Name == "":
		return []verdict.Rule{verdict.SchemaNamesNothing}
	}
	return []verdict.Rule{verdict.SchemaNotReleased}
}

// nameUnknown is the reason why it is unknown whether the name of the pool depends on a field.
func (p *pair) nameUnknown() verdict.Rule {
	if p.updated.IsBare() {
		return verdict.PoolUnknown
	}
	return verdict.EraUnknown
}

// judgeVersions judges configs of two versions of their kind. A change of a field that only one of
// the versions knows is indeterminate: conversion may keep its value elsewhere.
func (p *pair) judgeVersions(judged []Finding) []Finding {
	v := p.Versions
	if v.Schema == nil {
		return append(all(judged, verdict.Indeterminate, v.Rule), ofPool(verdict.Indeterminate, v.Rule)...)
	}
	for i := range judged {
		found := &judged[i]
		if found.Verdict == verdict.None || v.Has(found.Change) {
			continue
		}
		found.Verdict = verdict.Indeterminate
		found.Rule = v.Rule
		if found.Op == hotupdate.OpRemove && v.MayShow(found.Change) {
			value, _ := p.old.Config.Tree().Find(fieldpath.Names(found.Pointer))
			found.Sensitive = false
			found.Old = jsonOf(value)
		}
	}
	return p.judgeByName(judged)
}

// all sets one verdict for all findings.
func all(findings []Finding, v verdict.Verdict, rule verdict.Rule) []Finding {
	for i := range findings {
		findings[i].Verdict = v
		findings[i].Rule = rule
	}
	return findings
}

// newFields returns the fields in the config of a pool that today's release does not know, and refuses.
func (r *Receiver) newFields(p *facts.Pool) (names []string) {
	if r.hasAdopted() {
		return nil
	}
	config := p.Config.Tree()
	for _, name := range r.provider.New {
		if config.At(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// refuseNewFields refuses fields of the config that today's release does not know, also those that
// did not change.
func (p *pair) refuseNewFields(judged []Finding) []Finding {
	for _, name := range p.newFields(p.updated) {
		path := facts.JoinPaths(p.updated.ConfigPath(), name)
		pointer := facts.PointerTo(path)
		if !placesOf(judged).touches(pointer) {
			row := about(tree.Difference{Path: strings.Split(path, ".")}, verdict.Forbidden, verdict.NotReleased)
			row.Op = hotupdate.OpReplace // its values are not shown
			judged = append(judged, row)
			continue
		}
		for i := range judged {
			if isBelow(judged[i].Pointer, pointer) {
				judged[i].Verdict = verdict.Forbidden
				judged[i].Rule = verdict.NotReleased
			}
		}
	}
	return judged
}

// refuseInPlace refuses every change of a config under an in-place strategy. Admission compares
// bytes, so the order of members counts.
func (p *pair) refuseInPlace(judged []Finding) []Finding {
	judged = all(judged, verdict.Forbidden, verdict.ConfigInPlace)
	at := placesOf(judged)
	for _, d := range p.names.differences() {
		if !at.touches(p.pointerTo(d)) {
			found := p.unseen(d, verdict.Forbidden, verdict.ConfigInPlace)
			at.add(len(judged), found.Pointer)
			judged = append(judged, found)
		}
	}
	if len(judged) == 0 && !bytes.Equal(compact(p.old.Config), compact(p.updated.Config)) {
		return ofPool(verdict.Indeterminate, verdict.ConfigRespelled)
	}
	return judged
}

func compact(config facts.Config) []byte {
	var text bytes.Buffer
	_ = json.Compact(&text, config.Raw()) // the manifest is valid JSON
	return text.Bytes()
}

// differences returns the differences between the stored configs, where null members count. A
// config that is null is absent.
func (n *names) differences() []tree.Difference {
	return tree.ExactDifferences(n.old.Config.Tree(), n.updated.Config.Tree())
}

// pointerTo returns the pointer of a difference of the configs in the pool.
func (p *pair) pointerTo(d tree.Difference) string {
	return p.updated.ConfigPointer() + pathOf(d.Path).Pointer()
}

// unseen is a difference that the Schema does not see.
func (p *pair) unseen(d tree.Difference, v verdict.Verdict, rule verdict.Rule) Finding {
	isShown := p.mayShow(d)
	if path := p.updated.ConfigPath(); path != "" {
		d.Path = append([]string{path}, d.Path...)
	}
	found := about(d, v, rule)
	if isShown {
		found.Op = hotupdate.OpReplace
		found.Old = textOf(d.Old)
		found.New = textOf(d.New)
		found.Change = facts.Operated(found.Change)
	} else {
		found.Sensitive = true
		found.Old = ""
		found.New = ""
	}
	if v != verdict.None {
		found.Class = hotupdate.Immutable
	}
	return found
}

// mayShow reports whether the values of a difference that the Schema does not see may be shown: the
// Schema knows that nothing in them is sensitive, an empty object is added or removed, or they are the type of the
// config.
func (p *pair) mayShow(d tree.Difference) bool {
	addsEmpty := d.Old == nil && isEmptyObject(d.New)
	removesEmpty := d.New == nil && isEmptyObject(d.Old)
	switch {
	case addsEmpty, removesEmpty, isTypeMeta(d.Path):
		return true
	case p.configs.schema == nil:
		return false
	}
	pointer := pathOf(d.Path).Pointer()
	described := (*schemabridge.Schema)(p.configs.schema).Describe(pointer)
	isOpen := !described.Sensitive && !described.SensitiveKeys
	if p.Versions == nil {
		return isOpen
	}
	isScalar := isScalarOrAbsent(d.Old) && isScalarOrAbsent(d.New) // others may hold members of one version only
	hidesOld := d.Old != nil && !p.Versions.MayShow(hotupdate.Change{Pointer: pointer})
	hidesNew := d.New != nil && !isOpen
	return isScalar && !hidesOld && !hidesNew
}

// textOf returns a value in JSON, also null, and nothing if it is absent.
func textOf(n *tree.Node) string {
	if n == nil {
		return ""
	}
	return string(n.Compact())
}

func isScalarOrAbsent(n *tree.Node) bool { return n.Kind() != tree.Object && n.Kind() != tree.List }

func isEmptyObject(n *tree.Node) bool { return n.Kind() == tree.Object && n.Len() == 0 }
