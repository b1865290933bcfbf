package pool

import (
	"cmp"
	"encoding/json"
	"reflect"
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

// typeMetaOf returns what a provider config says about its kind; problems of it are reported where it is compared.
func typeMetaOf(raw []byte) (meta TypeMeta) {
	d := &decoder{}
	d.decode("", raw, reflect.ValueOf(&meta).Elem())
	return meta
}

// compareConfigs compares provider configs under their Schema, or as a whole if there is none, which it notes.
func (c *Comparison) compareConfigs(old, updated []byte, o Options) (hotupdate.Changes, error) {
	if isNull(old) && isNull(updated) {
		return nil, nil
	}
	schema := o.find(updated)
	if isNull(updated) {
		schema = o.find(old)
	}
	bothSet := !isNull(old) && !isNull(updated)
	// Another apiVersion alone is no change: two kinds with one Schema are compared under it.
	if bothSet && typeMetaOf(old) != typeMetaOf(updated) && !sameSchema(schema, o.find(old)) {
		c.Notes = append(c.Notes, ConfigKindChanged)
		return wholeDiff(old, updated)
	}
	c.noteIf(ConfigAsWhole, schema == nil)
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

func wholeDiff(old, updated []byte) (hotupdate.Changes, error) {
	schema, err := hotupdate.SchemaOf[whole]()
	if err != nil {
		return nil, err
	}
	changes, err := schema.Diff(wholeOf(old), wholeOf(updated))
	for i, c := range changes {
		changes[i] = hotupdate.Change{Op: c.Op, Class: c.Class, Sensitive: true, Origin: hotupdate.OriginDefault} // nobody has declared anything
	}
	return changes, err
}

func wholeOf(raw []byte) *whole {
	if isNull(raw) {
		return nil
	}
	return &whole{raw}
}

// find returns the Schema of a provider config, nil if it is not known.
func (o Options) find(config []byte) *hotupdate.Schema {
	if o.Schema == nil {
		return nil
	}
	return o.Schema(typeMetaOf(config))
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

// join adds the changes of the pool's provider config, moved below providerConfig, to those of its triggers, ordered by first member. A bare
// pool has only those of its config, where they are. The problems of both are joined.
func (p *Pool) join(triggers, config hotupdate.Changes, err, configErr error) (hotupdate.Changes, error) {
	var all problems
	if p.isBare() {
		all.found("", "", configErr)
		return config, all.err()
	}
	all.found(p.Worker.Name, "", err)
	all.found(p.Worker.Name, configField, configErr)
	changes := slices.Clone(triggers)
	for _, c := range config {
		c.Pointer = "/" + configField + c.Pointer
		c.Path = joinPaths(configField, c.Path)
		changes = append(changes, c)
	}
	member := func(c hotupdate.Change) string { return c.Path[:strings.IndexAny(c.Path+".", ".[")] }
	slices.SortStableFunc(changes, func(a, b hotupdate.Change) int { return cmp.Compare(member(a), member(b)) })
	return changes, all.err()
}
