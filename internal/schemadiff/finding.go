// Package schemadiff compares two field plans: what a release that brings the updated one does to configurations that nobody touches.
//
// It owns which differences there are, what each means for the hash of a configuration and for whether it is still read, and how a
// difference is told. It must not know pools or eras.
package schemadiff

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is one difference.
type Finding struct {
	Kind           string
	Path           string // of the old plan, of an added field that of the updated one, with [] for elements
	Old, New       string // what it was and what it is
	Rolls, Refuses Effect
	Text           string // the difference and its consequences, as a sentence

	note string // one more consequence
}

// Effect says which configurations have a consequence.
type Effect struct {
	Every bool   // false: some, depending on more than the condition
	Where string // the condition; empty: none has it
}

// The conditions say what stands at the path. With [] in the path, one such element is enough.
const (
	whereNamed   = "names it" // the member stands there, be it null
	whereHeld    = "has it"   // the member is not null; an element stands there
	whereSet     = "sets it"  // it says something that either plan hashes: not zero, not empty, not the default
	whereZero    = "spells out its zero value"
	whereDefault = "spells out the old or the new default"
	whereEmpty   = "has it empty" // the object is there and nothing hashed is in it
	whereFilled  = "has elements there"
	whereNull    = "has a null element there"
)

var none = Effect{}

func every(where string) Effect { return Effect{true, where} }

func some(where string) Effect { return Effect{false, where} }

// changes tell what changed, for kinds of which nothing "became NEW, was OLD".
var changes = map[string]string{
	"FieldAdded":            "is new, NEW",
	"FieldRemoved":          "is gone, was OLD",
	"FieldRenamed":          "is gone, and looks like NEW now",
	"DefaultChanged":        "has the default NEW, had OLD",
	"PresenceChanged":       "an empty object means NEW, it used to mean OLD",
	"HotWhenChanged":        "elements are hot NEW, were OLD",
	"UnknownMembersChanged": "unknown members became NEW, were OLD",
}

// sentence tells the finding; in says in which elements it applies.
func (f Finding) sentence(in string) string {
	change := strings.NewReplacer("NEW", f.New, "OLD", f.Old).Replace(cmp.Or(changes[f.Kind], "became NEW, was OLD"))
	return f.Path + ": " + change + in + ": " + strings.Join(f.consequences(), "; ")
}

// consequences says what follows, the gravest first.
func (f Finding) consequences() []string {
	var all []string
	if f.Refuses != none {
		verb := map[bool]string{true: "refuses every", false: "may refuse a"}[f.Refuses.Every]
		all = append(all, "the updated Schema "+verb+" configuration that "+f.Refuses.Where)
	}
	switch {
	case f.Rolls.Every:
		all = append(all, "every pool that "+f.Rolls.Where+" rolls unless an era of the old Schema stays")
	case f.Rolls != none:
		all = append(all, "a pool that "+f.Rolls.Where+" may roll unless an era of the old Schema stays")
	case f.Refuses == none:
		all = append(all, "no hash changes")
	default:
		all = append(all, "the hashes of the others stay")
	}
	if f.note != "" {
		all = append(all, f.note)
	}
	return all
}

// sorted brings the findings into the order of their paths. Of findings that say the same about elements that are hot and about others,
// the graver stays.
func sorted(findings []Finding) []Finding {
	gravity := func(e Effect) int { return slices.Index([]Effect{none, some(e.Where), every(e.Where)}, e) }
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Kind, b.Kind), gravity(b.Rolls)-gravity(a.Rolls))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.Path == b.Path && a.Kind == b.Kind && a.Old == b.Old && a.New == b.New
	})
}
