package pool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// configField is the member of a pool that holds the provider config.
const configField = "providerConfig"

// typeMetaOf returns what a provider config says about its kind; problems of it are reported where it is compared.
func typeMetaOf(raw []byte) (meta TypeMeta) {
	d := &decoder{}
	d.decode("", raw, reflect.ValueOf(&meta).Elem())
	return meta
}

// compareConfigs compares provider configs under their Schema, or as a whole if there is none, which it notes.
func (c *Comparison) compareConfigs(old, updated []byte, o Options) (hotupdate.Changes, error) {
	if IsNull(old) && IsNull(updated) {
		return nil, nil
	}
	schema := o.find(updated)
	if IsNull(updated) {
		schema = o.find(old)
	}
	bothSet := !IsNull(old) && !IsNull(updated)
	// Another apiVersion alone is no change: two kinds with one Schema are compared under it.
	if bothSet && typeMetaOf(old) != typeMetaOf(updated) && (schema == nil || schema != o.find(old)) {
		c.Rules = append(c.Rules, ConfigKindChanged)
		return wholeDiff(old, updated)
	}
	c.ruleIf(ConfigAsWhole, schema == nil)
	return o.configDiff(schema, old, updated)
}

// configDiff compares under a Schema, or as a whole if there is none.
func (o Options) configDiff(schema *hotupdate.Schema, old, updated []byte) (hotupdate.Changes, error) {
	if schema == nil {
		return wholeDiff(old, updated)
	}
	changes, err := schema.DiffRaw(old, updated)
	for i := range changes {
		changes[i].Omitted = changes[i].Omitted && o.Defaulted
	}
	return changes, err
}

// wholeDiff compares configs as JSON. What may be confidential in them is not known, so it is not shown, and nobody has declared a class.
func wholeDiff(old, updated []byte) (hotupdate.Changes, error) {
	change := hotupdate.Change{Op: hotupdate.Replace, Class: hotupdate.Immutable, Sensitive: true, Origin: hotupdate.OriginDefault}
	before, err := documentOf(old)
	after, newErr := documentOf(updated)
	switch {
	case errors.Join(err, newErr) != nil:
		return nil, errors.Join(err, newErr)
	case bytes.Equal(before, after):
		return nil, nil
	case IsNull(old):
		change.Op = hotupdate.Add
	case IsNull(updated):
		change.Op = hotupdate.Remove
	}
	return hotupdate.Changes{change}, nil
}

// documentOf writes JSON in its canonical form, in which order and spelling do not count.
func documentOf(raw []byte) ([]byte, error) {
	if IsNull(raw) {
		return nil, nil
	}
	document, problem := canonjson.AppendValue(nil, raw)
	if problem != nil {
		return nil, problem
	}
	return document, nil
}

// find returns the Schema of a provider config, nil if it is not known.
func (o Options) find(config []byte) *hotupdate.Schema {
	if o.Schema == nil {
		return nil
	}
	return o.Schema(typeMetaOf(config))
}

// configs are the provider configs of a pool that changes, and how they are judged.
type configs struct {
	*Comparison

	old, updated *Pool // with the configs as the extension sees them
	naming       *Naming
	provider     providers.Provider // the zero one if it is not known
	extension    Extension
}

// judgeConfigs judges the changes of the provider config by the era in which the extension names the pool: which of them the name depends
// on, and whether it depends on more than the changes tell, such as the order of a list.
//
//   - A pool without a Kubernetes minor is judged in all eras. They have to agree.
//   - A provider config on its own is judged by its Schema.
//   - Under an in-place strategy a released extension refuses every change, an adopted one what the classes forbid.
func (c *Comparison) judgeConfigs(old, updated *Pool, o Options) error {
	before, after := *old, *updated
	before.ProviderConfig, after.ProviderConfig = AsStored(old.ProviderConfig), AsStored(updated.ProviderConfig)
	provider, _ := providerOf(updated)
	j := &configs{Comparison: c, old: &before, updated: &after, naming: o.naming(updated), provider: provider, extension: o.Extension}
	asWhole := slices.Contains(c.Rules, ConfigAsWhole) || slices.Contains(c.Rules, ConfigKindChanged)
	c.ruleIf(JudgedCanonically, !asWhole && (updated.isBare() || j.naming != nil && j.naming.Assumed))
	j.refuseNewFields()
	if err := j.findEras(); err != nil {
		return err
	}
	switch {
	case bytes.Equal(old.ProviderConfig, updated.ProviderConfig):
	case j.extension == Released && j.provider.Ignores:
		j.setAll(None, NotHashed)
	case j.refusesInPlace():
		j.refuseInPlace(old.ProviderConfig, updated.ProviderConfig)
	case asWhole, j.naming == nil && !updated.isBare():
		j.setAll(Indeterminate, EraUnknown)
	case updated.isBare():
		j.judge(func(any) Verdict { return None })
	default:
		j.judge(j.renames)
	}
	return nil
}

// refusesInPlace reports whether the extension refuses every change of the config.
func (j *configs) refusesInPlace() bool {
	return j.extension == Released && inPlace(j.Strategy) && j.provider.Name != ""
}

// rows are the places of the changes of provider configs among all changes.
func (j *configs) rows() (places []int) {
	for i, change := range j.Changes {
		if strings.HasPrefix(change.Pointer+"/", j.pointer()+"/") {
			places = append(places, i)
		}
	}
	return places
}

func (j *configs) setAll(v Verdict, rule Rule) {
	for _, i := range j.rows() {
		j.Changes[i].Verdict, j.Changes[i].Rule = v, rule
	}
}

// findEras tells in which eras the pool is named before and after.
func (j *configs) findEras() error {
	if j.naming == nil || j.updated.isBare() {
		return nil
	}
	before, oldErr := j.naming.Additional(j.old)
	after, newErr := j.naming.Additional(j.updated)
	var all problems
	all.found(j.updated.Worker.Name, configField, newErr)
	if oldErr == nil { // otherwise no extension has named it
		j.OldEra = before.Era
	}
	j.NewEra = after.Era
	sameMinor := minorOf(j.old.Worker.KubernetesVersion) == minorOf(j.updated.Worker.KubernetesVersion) // another strategy has other names as well
	j.ruleIf(EraCrossed, j.OldEra != "" && j.OldEra != j.NewEra && !sameMinor)
	return errors.Join(all...)
}

// refuseNewFields refuses the fields of the config that today's release does not know.
func (j *configs) refuseNewFields() {
	if j.extension != Released || IsNull(j.updated.ProviderConfig) {
		return
	}
	config, _ := tree(j.updated.ProviderConfig).(map[string]any)
	for _, name := range j.provider.New {
		if isAbsent(memberOf(config, name)) {
			continue
		}
		j.decideBy(NotReleased, Forbidden)
		for i, change := range j.Changes {
			if strings.HasPrefix(change.Pointer+"/", j.pointer()+"/"+name+"/") {
				j.Changes[i].Verdict, j.Changes[i].Rule = Forbidden, NotReleased
			}
		}
	}
}

// pointer leads to the config whose changes are judged.
func (j *configs) pointer() string {
	if j.updated.isBare() {
		return ""
	}
	return "/" + configField
}

// refuseInPlace refuses every change of a config under an in-place strategy. Admission compares bytes, in which the order of members counts.
func (j *configs) refuseInPlace(old, updated []byte) {
	differences(nil, j.tree(j.old), j.tree(j.updated), func(at fieldpath.Path, before, after any) {
		if len(j.related(at)) == 0 {
			j.addRow(at, before, after, Forbidden, ConfigInPlace)
		}
	})
	j.setAll(Forbidden, ConfigInPlace)
	if len(j.rows()) == 0 && !bytes.Equal(compact(old), compact(updated)) {
		j.decideBy(ConfigRespelled, Indeterminate)
	}
}

func compact(raw []byte) []byte {
	var text bytes.Buffer
	_ = json.Compact(&text, raw) // the manifest is valid JSON
	return text.Bytes()
}

// maxAlone bounds how many differences are tried one by one. Of more, each has the verdict of all, so that the time stays linear.
const maxAlone = 64

// difference is a place at which the configs differ, and whether the name depends on it.
type difference struct {
	at            fieldpath.Path
	before, after any
	renames       Verdict
}

// judge finds for every difference of the configs whether the name depends on it. Renames tells that of a config. Where the name depends on
// all of them together, and on none alone, each has the verdict of all.
func (j *configs) judge(renames func(config any) Verdict) {
	old, updated := j.tree(j.old), j.tree(j.updated)
	var all []difference
	differences(nil, old, updated, func(at fieldpath.Path, before, after any) { all = append(all, difference{at, before, after, None}) })
	worst := None
	for i := range all {
		if len(all) <= maxAlone {
			all[i].renames = renames(with(old, all[i].at, all[i].after))
			worst = gravest(worst, all[i].renames)
		}
	}
	together := renames(updated)
	decided := map[int]Verdict{}
	for _, d := range all {
		if Severity(worst) < Severity(together) {
			d.renames = together
		}
		rows := j.related(d.at)
		for _, i := range rows {
			decided[i] = gravest(cmp.Or(decided[i], None), d.renames)
		}
		if len(rows) == 0 {
			j.addUncovered(d)
		}
	}
	for i, v := range decided {
		if !j.updated.isBare() { // which is judged by its classes
			j.apply(&j.Changes[i], v)
		}
	}
}

// tree decodes a config as it is stored, in which null is a value.
func (j *configs) tree(p *Pool) any {
	if IsNull(p.ProviderConfig) {
		return absent{}
	}
	var value any
	_ = utiljson.Unmarshal(p.ProviderConfig, &value) // the manifest is valid JSON
	return value
}

// renames reports whether another config gives the new pool another name than the old config does.
func (j *configs) renames(config any) Verdict {
	before, after := *j.updated, *j.updated
	before.ProviderConfig, after.ProviderConfig = j.old.ProviderConfig, nil
	if !isAbsent(config) {
		after.ProviderConfig, _ = json.Marshal(config)
	}
	return j.naming.renames(&before, &after)
}

// related are the places of the changes that a difference of the configs is about: those at it, above it or below it.
func (j *configs) related(at fieldpath.Path) (places []int) {
	pointer := j.pointer() + at.Pointer() + "/"
	for _, i := range j.rows() {
		own := j.Changes[i].Pointer + "/"
		if strings.HasPrefix(own, pointer) || strings.HasPrefix(pointer, own) {
			places = append(places, i)
		}
	}
	return places
}

// apply judges a change that has a class by whether the name depends on it.
func (j *configs) apply(change *Change, renames Verdict) {
	switch {
	case change.Verdict == Indeterminate || change.Verdict == Forbidden || change.Verdict == None:
	case change.Class == hotupdate.Hot:
		if j.extension == Released && !strings.HasPrefix(change.Path, configField+".nodeTemplate.virtualCapacity") {
			change.Verdict, change.Rule = None, NameStays // machine-controller-manager itself puts virtual capacity on nodes
		}
	case renames == Indeterminate:
		change.Verdict, change.Rule = Indeterminate, EraUnknown
	case renames == None && strings.HasPrefix(change.Path, configField+".serverGroup"): // only OpenStack has it
		change.Rule = ServerGroup
	case renames == None:
		change.Verdict, change.Rule = None, NameStays
	}
}

// addUncovered adds a difference that is none by meaning: of order, of spelling, or an empty object.
func (j *configs) addUncovered(d difference) {
	v, rule := None, SameMeaning
	switch {
	case d.renames == Roll:
		v, rule = verdictOf(hotupdate.Immutable, j.Strategy), HashedAsWritten
	case d.renames == Indeterminate:
		v, rule = Indeterminate, EraUnknown
	case isEmptyObject(d.before) || isEmptyObject(d.after):
		rule = EmptyObject
	case slices.Contains([]string{"apiVersion", "kind"}, d.at.String()): // which say what the config is
		return
	}
	j.addRow(d.at, d.before, d.after, v, rule)
}

func isEmptyObject(value any) bool {
	object, ok := value.(map[string]any)
	return ok && len(object) == 0
}

// addRow adds a change of the config that its Schema does not tell. Only an empty object that comes or goes is shown: the Schema may hide
// other values.
func (j *configs) addRow(at fieldpath.Path, before, after any, v Verdict, rule Rule) {
	if !j.updated.isBare() {
		at = append(fieldpath.Path{{Name: configField}}, at...)
	}
	change := changeAt(at, before, after, rule, v)
	if change.Op == hotupdate.Replace || !isEmptyObject(before) && !isEmptyObject(after) {
		change.Sensitive, change.Old, change.New = true, "", ""
	}
	if v != None {
		change.Class = hotupdate.Immutable
	}
	j.Changes = append(j.Changes, change)
}
