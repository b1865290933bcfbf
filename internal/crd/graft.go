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

// graft is a graft that was read.
type graft struct {
	values    fieldplan.Values
	isMatched bool // it leads to a member with free JSON
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
					Nullable: true, Type: &schemajson.Node{Kind: "string"},
				})
			}
		}
		slices.SortFunc(d.Root.Fields, func(a, b *schemajson.Field) int { return cmp.Compare(a.Name, b.Name) })
		d.Unknown = ""
		if r.isOpen {
			d.Unknown = structtag.Immutable.String()
		}
		r.grafts[g.Path] = &graft{values: d.ValuesAt(g.Path)}
	}
}

// unmatchedGrafts reports the grafts that lead to no member with free JSON.
func (r *reader) unmatchedGrafts() (problems fault.List) {
	for _, path := range slices.Sorted(maps.Keys(r.grafts)) {
		if r.grafts[path].isMatched {
			continue
		}
		problems.Add(&fault.Error{
			Kind: fault.Declaration, Code: fault.UnknownPath, Path: path,
			What: "has a Schema, and is not a member with free JSON",
			Hint: "name a member with x-kubernetes-preserve-unknown-fields",
		})
	}
	return problems
}
