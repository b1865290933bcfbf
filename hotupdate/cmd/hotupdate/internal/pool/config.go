package pool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// configField is the member of a pool that holds the provider config.
const configField = "providerConfig"

// compareConfigs compares provider configs under their Schema, or without one by their members,
// with a note.
func compareConfigs(old, updated *Pool, o Options) (c *Comparison, err error) {
	c = &Comparison{Verdict: None}
	before, after := old.ProviderConfig, updated.ProviderConfig
	if IsNull(before) && IsNull(after) {
		return c, nil
	}
	schema, known := o.schemaOf(before, after)
	c.ruleIf(RuleOf("ConfigAsWhole"), !known)
	changes, err := schema.DiffRaw(before, after)
	for _, change := range changes {
		change.Omitted = change.Omitted && o.Defaulted
		if !updated.isBare() {
			change.Pointer, change.Path = "/"+configField+change.Pointer, joinPaths(configField, change.Path)
		}
		c.Changes = append(c.Changes, Judged{Change: change})
	}
	return c, err
}

// anyMembers is the Schema of unknown configs: every member is Immutable, and may be confidential.
var anyMembers = sync.OnceValue(func() *hotupdate.Schema {
	empty, _ := hotupdate.SchemaOf[struct{}]()
	schema, _ := empty.AdmitUnknown() // a type without fields has no mistakes
	return schema
})

// schemaOf returns the Schema that all provider configs share, and whether there is one. A null
// config fits every Schema. Another apiVersion alone is no change: two kinds may have one Schema.
func (o Options) schemaOf(configs ...[]byte) (schema *hotupdate.Schema, known bool) {
	for _, config := range slices.DeleteFunc(configs, IsNull) {
		before := schema
		if o.Schema != nil {
			schema = o.Schema(TypeMetaOf(tree.Of(config)))
		}
		if schema == nil || before != nil && schema != before {
			return anyMembers(), false
		}
	}
	return cmp.Or(schema, anyMembers()), schema != nil
}

// null is a null in a config. It counts if configs are hashed as they are written.
var null = json.RawMessage(leaf.Null)

// configs are the provider configs of a changed pool, and the facts to judge them by. The
// Comparison has only what concerns them.
type configs struct {
	*Comparison

	old, updated Pool // with the configs as the extension sees them
	naming       *Naming
	provider     Provider // zero if it is not known
	extension    Extension
	path         string // of the configs in the changes
	unknown      bool   // the hash function of the era is not known
	keepsName    bool
}

// judgeConfigs judges the changes of the provider config by the era in which the extension names
// the pool. It finds the changes that the name depends on, and adds differences that are no change
// but affect the name, such as the order of a list.
//
//   - A pool without a Kubernetes minor is judged in all eras, which must agree.
//   - A provider config on its own is judged by its Schema.
//   - Under an in-place strategy, a released extension refuses every change, and an adopted one
//     refuses by the classes.
func judgeConfigs(of *judgement, c *Comparison) (*Comparison, error) {
	c.Strategy = of.strategy
	for i, change := range c.Changes {
		c.Changes[i].Verdict = ofClass(change.Change, c.Strategy)
	}
	old, updated, provider := of.old, of.updated, of.provider(of.updated)
	j := &configs{
		Comparison: c, old: *old, updated: *updated, naming: of.naming(updated), provider: provider,
		extension: of.Extension, path: configField,
		keepsName: of.keepsName,
	}
	j.old.ProviderConfig, j.updated.ProviderConfig = AsStored(old.ProviderConfig), AsStored(updated.ProviderConfig)
	asWhole, isBare := slices.Contains(c.Rules, RuleOf("ConfigAsWhole")), updated.isBare()
	c.ruleIf(RuleOf("JudgedCanonically"), !asWhole && (isBare || j.naming != nil && j.naming.Assumed))
	if isBare {
		j.path = ""
	}
	defer j.refuseNewFields()
	if err := j.findEras(); err != nil {
		return nil, err
	}
	switch {
	case bytes.Equal(old.ProviderConfig, updated.ProviderConfig):
	case of.Extension == Released && provider.Ignores:
		c.set(j.path, None, RuleOf("NotHashed"))
	case of.Extension == Released && inPlace(c.Strategy) && provider.Name != "":
		j.refuseInPlace(old.ProviderConfig, updated.ProviderConfig)
	case asWhole, j.naming == nil && !isBare:
		c.set(j.path, Indeterminate, RuleOf("EraUnknown"))
	default:
		j.judge()
	}
	return c, nil
}

// findEras finds the eras in which the pool is named before and after.
func (j *configs) findEras() error {
	if j.naming == nil || j.path == "" {
		return nil
	}
	before, oldErr := j.naming.Additional(&j.old)
	after, newErr := j.naming.Additional(&j.updated)
	if oldErr == nil { // an unreadable config was never named
		j.OldEra = before.Era
	}
	j.NewEra, j.unknown = after.Era, after.Unknown
	// another strategy can change the era as well
	sameMinor := minorOf(j.old.Worker.KubernetesVersion) == minorOf(j.updated.Worker.KubernetesVersion)
	j.ruleIf(RuleOf("EraCrossed"), j.OldEra != "" && j.OldEra != j.NewEra && !sameMinor)
	return located(j.updated.Worker.Name, configField, newErr)
}

// refuseNewFields refuses fields of the config that today's release does not know, also those that
// did not change.
func (j *configs) refuseNewFields() {
	for _, name := range j.updated.newFields(j.provider) {
		path, rule := joinPaths(j.path, name), RuleOf("NotReleased")
		switch {
		case j.extension != Released:
		case j.touches(path):
			j.set(path, Forbidden, rule)
		default:
			row := about(path, nil, nil, Forbidden, rule)[0]
			row.Op = hotupdate.Replace // its values are not shown
			j.Changes = append(j.Changes, row)
		}
	}
}

// refuseInPlace refuses every change of a config under an in-place strategy. Admission compares
// bytes, so the order of members counts.
func (j *configs) refuseInPlace(old, updated []byte) {
	for _, d := range differences(decoded(j.old.ProviderConfig, null), decoded(j.updated.ProviderConfig, null)) {
		if len(j.related(d.at)) == 0 {
			j.addRow(d, Forbidden, RuleOf("ConfigInPlace"))
		}
	}
	j.set(j.path, Forbidden, RuleOf("ConfigInPlace"))
	if !j.touches(j.path) && !bytes.Equal(compact(old), compact(updated)) {
		j.merge(Judged{Verdict: Indeterminate, Rule: RuleOf("ConfigRespelled")})
	}
}

func compact(raw []byte) []byte {
	var text bytes.Buffer
	_ = json.Compact(&text, raw) // the manifest is valid JSON
	return text.Bytes()
}

// maxAlone bounds the number of differences that are tried one by one. If there are more, each gets
// the verdict of all, to keep the time linear.
const maxAlone = 64

// judge finds for every difference of the configs whether the name depends on it. If all together
// change the name, and none does alone, each gets the verdict of all. Hot fields are blamed only if
// nothing else explains the new name.
func (j *configs) judge() {
	old, updated := decoded(j.old.ProviderConfig, null), decoded(j.updated.ProviderConfig, null)
	all := differences(old, updated)
	alone, together := make([]Verdict, len(all)), j.renames(updated)
	for i, d := range all {
		if alone[i] = None; len(all) <= maxAlone {
			alone[i] = min(together, j.renames(with(old, d.at, d.after))) // may be an invalid config
		}
	}
	shared := slices.Max(append(alone, None)) < together
	for i, d := range all {
		if shared {
			alone[i] = together
		}
		if len(j.related(d.at)) == 0 {
			j.addUncovered(d, alone[i])
		}
	}
	ofConfig, decided := j.around(pointerTo(j.path)), slices.Repeat([]Verdict{None}, len(j.Changes))
	for i, d := range all {
		rows := j.related(d.at)
		explained := j.explain(rows) || shared && j.explain(ofConfig)
		for _, row := range rows {
			if !explained || j.Changes[row].Class != hotupdate.Hot {
				decided[row] = max(decided[row], alone[i])
			}
		}
	}
	for _, row := range ofConfig {
		j.apply(&j.Changes[row], decided[row])
	}
}

// explain reports whether a row gives the pool another name by its class.
func (j *configs) explain(rows []int) bool {
	return slices.ContainsFunc(rows, func(row int) bool {
		return j.Changes[row].Class != hotupdate.Hot && j.Changes[row].Verdict > HotUpdate
	})
}

// renames reports whether the new pool has another name with this config than with the old config.
// A config on its own names nothing.
func (j *configs) renames(config any) Verdict {
	if j.path == "" {
		return None
	}
	before, after := j.updated, j.updated
	before.ProviderConfig, after.ProviderConfig = j.old.ProviderConfig, nil
	if config != nil {
		after.ProviderConfig, _ = json.Marshal(config)
	}
	return j.naming.renames(&before, &after)
}

// related returns the indexes of the changes that a difference of the configs belongs to.
func (j *configs) related(at fieldpath.Path) []int { return j.around(pointerTo(j.path) + at.Pointer()) }

// apply judges a change with a class by whether the name depends on it. A config on its own is
// judged by its classes alone.
func (j *configs) apply(change *Judged, renames Verdict) {
	defer j.withdraw(change)
	switch {
	case j.path == "", change.Verdict == Indeterminate, change.Verdict == Forbidden, change.Verdict == None:
	case renames == Roll && change.Class == hotupdate.Hot:
		change.Verdict, change.Rule = verdictOf(hotupdate.Immutable, j.Strategy), RuleOf("HashedInEra")
	case change.Class == hotupdate.Hot && (renames == None || j.unknown): // an adopted extension strips hot fields
		if j.extension == Released && !strings.HasPrefix(change.Path, configField+".nodeTemplate.virtualCapacity") {
			// machine-controller-manager itself puts virtual capacity on nodes
			change.Verdict, change.Rule = None, RuleOf("NameStays")
		}
	case renames == Indeterminate:
		change.Verdict, change.Rule = Indeterminate, RuleOf("EraUnknown")
	case renames == None && slices.ContainsFunc(j.provider.HashedState, func(name string) bool {
		return isBelow(change.Pointer, pointerTo(joinPaths(configField, name)))
	}):
		change.Rule = RuleOf("ServerGroup")
	case renames == None:
		change.Verdict, change.Rule = None, RuleOf("NameStays")
	}
}

// withdraw takes the verdict Roll back if the pool keeps its name: Gardener and the extensions hash
// values without the names of their fields, so changes can cancel out.
func (j *configs) withdraw(change *Judged) {
	switch {
	case !j.keepsName || change.Verdict != Roll || change.Rule == RuleOf("ServerGroup"):
	case change.Class == hotupdate.Hot && j.extension != Released:
		change.Verdict, change.Rule = HotUpdate, NoRule
	default:
		change.Verdict, change.Rule = None, RuleOf("NameStays")
	}
}

// addUncovered adds a difference that the Schema does not see: of order, of spelling, or an empty
// object.
func (j *configs) addUncovered(d difference, renames Verdict) {
	switch {
	case renames == Roll:
		j.addRow(d, verdictOf(hotupdate.Immutable, j.Strategy), RuleOf("HashedAsWritten"))
	case renames == Indeterminate:
		j.addRow(d, Indeterminate, RuleOf("EraUnknown"))
	case isEmptyObject(d.before) || isEmptyObject(d.after):
		j.addRow(d, None, RuleOf("EmptyObject"))
	case !slices.Contains([]string{"apiVersion", "kind"}, d.at.String()): // the type of the config
		j.addRow(d, None, RuleOf("SameMeaning"))
	}
}

func isEmptyObject(value any) bool {
	object, ok := value.(map[string]any)
	return ok && len(object) == 0
}

// addRow adds a difference that the Schema does not see. It shows only empty objects that are added
// or removed: other values may be sensitive.
func (j *configs) addRow(d difference, v Verdict, rule Rule) {
	if j.path != "" {
		d.at = append(fieldpath.Path{{Name: j.path}}, d.at...)
	}
	change := d.change(v, rule)
	j.withdraw(&change)
	if change.Op == hotupdate.Replace || !isEmptyObject(d.before) && !isEmptyObject(d.after) {
		change.Sensitive, change.Old, change.New = true, "", ""
	}
	if v != None {
		change.Class = hotupdate.Immutable
	}
	j.Changes = append(j.Changes, change)
}
