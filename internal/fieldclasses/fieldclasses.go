// Package fieldclasses says what an edit of each field of a custom resource does to machines: for the kinds
// of Karpenter and Cluster API that configure nodes.
//
// It owns the tables, which were read in the systems' own code: each row has its source. The classes hold for
// every version of a kind; a row whose field a version lacks says nothing there. Package crds of the command
// turns rows into Schemas. The module examples/karpenter holds the rows for Karpenter and for AWS against
// their own code, the tests of this package those for Azure and GCP against recorded hashes, and both the rows
// of all kinds against the fields of released CRDs.
package fieldclasses

import (
	"slices"
	"strings"
)

// Class is what an edit of a field does to machines: a class of the struct tag hotupdatable, or one of
// the two that only custom resources have. The text is that of a classes file.
type Class string

// The classes.
const (
	Roll     Class = "false"   // machines are replaced
	Hot      Class = "true"    // running machines are updated
	InPlace  Class = "inplace" // nodes are drained and updated in place
	NoEffect Class = "ignore"  // no running machine is touched

	// Undecided: what happens does not follow from the edit. The row has the reason.
	Undecided Class = "indeterminate"
	// Refused: a webhook or a rule of the CRD refuses the edit. The row has the reason.
	Refused Class = "forbidden"
)

// IsTag reports whether the class is one of the struct tag hotupdatable.
func (c Class) IsTag() bool { return slices.Contains([]Class{Roll, Hot, InPlace, NoEffect}, c) }

// Kind has the classes of the fields in the spec of a kind.
type Kind struct {
	Group, Kind string
	// Source is the release in whose code the rows were read: the repository and the version.
	Source string
	Rows   []Row
}

// Row is the class of a field and of all below it that have no row.
type Row struct {
	// Path is the field, as in an override of a Schema: template.spec.taints.
	Path  string
	Class Class
	// Options are those of the struct tag, such as set; empty for none.
	Options string
	// Reason says what the system does, in a clause for people.
	Reason string
	// OneSided says why an edit is undecided if only one side has the field; empty if the class holds
	// for it too.
	OneSided string
	// Source is where the reason was read: a file, and what to look at in it.
	Source string
}

// Tag is the struct tag by which specs are compared. A class that only custom resources have is
// compared like an immutable field.
func (r Row) Tag() string {
	class := r.Class
	if !class.IsTag() {
		class = Roll
	}
	if r.Options == "" {
		return string(class)
	}
	return string(class) + "," + r.Options
}

// rowsOf are the rows of fields with one class, reason and source.
func rowsOf(class Class, reason, source string, paths ...string) (rows []Row) {
	for _, path := range paths {
		rows = append(rows, Row{Path: path, Class: class, Reason: reason, Source: source})
	}
	return rows
}

// All are the kinds, by group and kind.
func All() []Kind {
	all := slices.Concat(karpenter(), clusterAPI())
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Group+"/"+a.Kind, b.Group+"/"+b.Kind) })
	return all
}

// Of returns the classes of a kind, and whether there are any.
func Of(group, kind string) (Kind, bool) {
	for _, one := range All() {
		if one.Group == group && one.Kind == kind {
			return one, true
		}
	}
	return Kind{}, false
}
