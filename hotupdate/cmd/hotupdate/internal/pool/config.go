package pool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// configField is the member of a pool that holds the provider config.
const configField = "providerConfig"

// whole is a provider config that is compared as a whole. What may be confidential in it is not known, so it is not shown.
type whole struct {
	ProviderConfig json.RawMessage `json:"providerConfig,omitempty" hotupdatable:"false,sensitive"`
}

// typeMeta says of which kind a provider config is.
type typeMeta struct{ apiVersion, kind string }

func typeMetaOf(raw []byte) typeMeta {
	o := (&reader{}).open("", "", raw)
	return typeMeta{o.plain("apiVersion"), o.plain("kind")}
}

// configChanges compares the provider configs. Its changes stand below providerConfig.
func (c *comparer) configChanges() hotupdate.Changes {
	old, updated := c.old.ProviderConfig, c.updated.ProviderConfig
	if isNull(old) && isNull(updated) {
		return nil
	}
	schema, note := c.options.schemaOf(old, updated)
	if note != NoNote {
		c.note(note)
	}
	changes, err := c.options.configDiff(schema, old, updated)
	c.problems.found(c.updated.Worker.Name, configField, err)
	for i := range changes {
		changes[i] = below(changes[i])
	}
	return changes
}

// CompareConfigs is [Compare] for two provider configs on their own. Nothing and null are the empty one. Paths and pointers begin in the
// provider config, and are empty if it is compared as a whole.
//
// The rest of the pool is assumed to be the same, and the strategy to be AutoRollingUpdate unless the options name one.
func CompareConfigs(old, updated []byte, o Options) (Comparison, error) {
	result := Comparison{Assumed: []Assumption{SameRestOfPool}}
	if o.Strategy != nil {
		result.Strategy = *o.Strategy
	} else {
		result.Assumed = append(result.Assumed, StrategyIsRollingUpdate)
	}
	if !isNull(old) || !isNull(updated) {
		schema, note := o.schemaOf(old, updated)
		if note != NoNote {
			result.Notes = append(result.Notes, note)
		}
		changes, err := o.configDiff(schema, old, updated)
		if err != nil {
			return Comparison{}, err
		}
		result.Changes = changes
	}
	result.Outcome = result.Changes.OutcomeIfDefaulted(result.Strategy)
	return result, nil
}

// configDiff compares under a Schema, or as a whole if there is none.
func (o Options) configDiff(schema *hotupdate.Schema, old, updated []byte) (hotupdate.Changes, error) {
	if schema == nil {
		return wholeDiff(old, updated)
	}
	changes, err := hotupdate.DiffRaw(schema, old, updated)
	for i := range changes {
		changes[i].Omitted = changes[i].Omitted && o.Defaulted
	}
	return changes, err
}

func wholeDiff(old, updated []byte) (hotupdate.Changes, error) {
	schema, err := hotupdate.SchemaOf[whole]()
	if err != nil {
		return nil, err
	}
	changes, err := hotupdate.Diff(schema, &whole{nothing(old)}, &whole{nothing(updated)})
	for i := range changes {
		changes[i].Path, changes[i].Pointer, changes[i].Omitted = "", "", false
		changes[i].Origin, changes[i].Source = hotupdate.OriginDefault, "" // nobody has declared anything
	}
	return changes, err
}

// nothing turns null into nothing.
func nothing(raw []byte) []byte {
	if isNull(raw) {
		return nil
	}
	return raw
}

// schemaOf returns the Schema of two provider configs, of which one may be missing, and why there is none. Another apiVersion alone is no
// change: two kinds with one Schema are compared under it.
func (o Options) schemaOf(old, updated []byte) (*hotupdate.Schema, Note) {
	if isNull(updated) {
		updated = old
	}
	schema := o.find(updated)
	if !isNull(old) && typeMetaOf(old) != typeMetaOf(updated) && !sameSchema(schema, o.find(old)) {
		return nil, ConfigKindChanged
	}
	if schema == nil {
		return nil, ConfigAsWhole
	}
	return schema, NoNote
}

// find returns the Schema of a provider config, nil if it is not known.
func (o Options) find(config []byte) *hotupdate.Schema {
	if o.Schema == nil {
		return nil
	}
	meta := typeMetaOf(config)
	return o.Schema(meta.apiVersion, meta.kind)
}

// sameSchema reports whether two Schemas are known and mean the same.
func sameSchema(a, b *hotupdate.Schema) bool {
	if a == nil || b == nil {
		return false
	}
	first, errFirst := a.Fingerprint()
	second, errSecond := b.Fingerprint()
	return a == b || errFirst == nil && errSecond == nil && first == second
}

// below puts a change of the provider config into the pool.
func below(c hotupdate.Change) hotupdate.Change {
	c.Pointer = "/" + configField + c.Pointer
	switch {
	case c.Path == "":
		c.Path = configField
	case strings.HasPrefix(c.Path, "["):
		c.Path = configField + c.Path
	default:
		c.Path = configField + "." + c.Path
	}
	return c
}

// join puts the changes of the provider config in their place among those of the pool, which are ordered by member.
func join(pool, config hotupdate.Changes) hotupdate.Changes {
	at, _ := slices.BinarySearchFunc(pool, configField, func(c hotupdate.Change, field string) int {
		member, _, _ := strings.Cut(c.Path, ".")
		member, _, _ = strings.Cut(member, "[")
		return cmp.Compare(member, field)
	})
	return slices.Concat(pool[:at], config, pool[at:])
}
