package schemajson

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Recompile returns the field plan behind a Schema of type t. Its overrides are read from the Schema's JSON.
func Recompile(schema json.Marshaler, t reflect.Type) (*fieldplan.Plan, error) {
	exported, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := json.Unmarshal(exported, d); err != nil {
		return nil, err
	}
	return fieldplan.Compile(t, d.Root.overrides(nil))
}

// overrides appends the overrides at and below a node.
func (n *Node) overrides(all []fieldplan.Override) []fieldplan.Override {
	if n == nil {
		return all
	}
	for _, f := range n.Fields {
		if o := (fieldplan.Override{Path: f.Source, Tag: f.StructTag()}); f.Override && !slices.Contains(all, o) {
			all = append(all, o)
		}
		all = f.Type.overrides(all)
	}
	return n.Elem.overrides(all)
}
