package crd

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Graft is the plan of a member that holds free JSON, as x-kubernetes-preserve-unknown-fields says.
type Graft struct {
	Path string // of the member, in the spec
	Plan *fieldplan.Plan
}

// readGrafts describes the members with grafts as their plans do. Their objects may also have the members of
// metav1.TypeMeta, by which controllers find their type.
func (r *reader) readGrafts(grafts []Graft) {
	for _, g := range grafts {
		d, err := schemajson.Export(g.Plan)
		if err != nil {
			for _, problem := range fault.All(err) {
				problem.Path = g.Path
				r.faults.Add(problem)
			}
			continue
		}
		for _, name := range []string{"apiVersion", "kind"} {
			isName := func(f *schemajson.Field) bool { return f.Name == name }
			if !slices.ContainsFunc(d.Root.Fields, isName) {
				d.Root.Fields = append(d.Root.Fields, &schemajson.Field{
					Name: name, GoField: name, Class: structtag.Immutable.String(), Inherited: true, Optional: true,
					Nullable: true, Type: leaves["string"][""],
				})
			}
		}
		slices.SortFunc(d.Root.Fields, func(a, b *schemajson.Field) int { return cmp.Compare(a.Name, b.Name) })
		r.grafts[g.Path] = d.Root
	}
}

// graft returns the description of the member at a path, once; nil if it has none.
func (r *reader) graft(path string) *schemajson.Node {
	n := r.grafts[path]
	delete(r.grafts, path)
	return n
}

// rejectUngrafted reports the grafts that lead to no member with free JSON.
func (r *reader) rejectUngrafted() {
	for _, path := range slices.Sorted(maps.Keys(r.grafts)) {
		r.faults.Add(&fault.Error{
			Kind: fault.Declaration, Code: "unknown-path", Path: path,
			What: "has a Schema, and is no member with free JSON",
			Hint: "name a member with x-kubernetes-preserve-unknown-fields",
		})
	}
}
