package provider

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Paths returns the paths of all fields of a Schema, such as volume.iops and dataVolumes[].iops, with []
// for elements of lists and maps. A type that contains itself is walked once.
func Paths(schema *hotupdate.Schema) map[string]bool {
	var document struct{ Root *node }
	text, _ := schema.MarshalJSON() // a compiled Schema
	_ = json.Unmarshal(text, &document)
	all := map[string]bool{}
	document.Root.addTo(all, "")
	return all
}

// node is a value in the JSON form of a Schema.
type node struct {
	Fields []struct {
		Name string
		Type *node
	}
	Elem *node
}

func (n *node) addTo(all map[string]bool, path string) {
	if n == nil {
		return
	}
	n.Elem.addTo(all, fieldpath.Elements(path))
	for _, f := range n.Fields {
		below := fieldpath.Join(path, f.Name)
		all[below] = true
		f.Type.addTo(all, below)
	}
}
