// Package schemadiff compares two field plans: it says what a release with the updated plan does to
// unchanged configurations.
//
// It owns the kinds of differences, the effect of each on the hash and on the decoding of a
// configuration, and the sentences that describe them. It must not know pools or eras.
package schemadiff

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is one difference.
type Finding struct {
	Kind           string
	Path           string // in the old plan; for an added field, in the updated plan; with [] for elements
	Old, New       string // the old and the new state
	Rolls, Refuses Effect
	Text           string // the difference and its consequences, as a sentence

	note string // a further consequence
}

// Effect says which configurations are affected.
type Effect struct {
	Every bool   // all configurations that meet the condition; if false, some of them
	Where string // the condition; empty if no configuration is affected
}

// The conditions are about the value at the path. With [] in the path, one such element is enough.
const (
	whereNamed   = "names it" // the member is present, possibly null
	whereHeld    = "has it"   // the member is present and not null, or the element is present
	whereSet     = "sets it"  // the value is hashed under either plan: it is not zero, not empty, not the default
	whereZero    = "spells out its zero value"
	whereDefault = "spells out the old or the new default"
	whereEmpty   = "has it empty" // the value is there and nothing hashed is in it
	whereFilled  = "has elements there"
	whereNull    = "has a null element there"
	whereAround  = "has an array around it" // the outermost one that is an element is there, even if it is null
)

var none = Effect{}

func every(where string) Effect { return Effect{true, where} }

func some(where string) Effect { return Effect{false, where} }

// changes are the sentences for kinds that are not described by "became NEW, was OLD".
var changes = map[string]string{
	"FieldAdded":            "is new, NEW",
	"FieldRemoved":          "is gone, was OLD",
	"FieldRenamed":          "is gone, and looks like NEW now",
	"DefaultChanged":        "has the default NEW, had OLD",
	"PresenceChanged":       "an empty value means NEW, it used to mean OLD",
	"HotWhenChanged":        "elements are hot NEW, were OLD",
	"UnknownMembersChanged": "unknown members became NEW, were OLD",
}

// sentence describes the finding; in says in which elements it applies.
func (f Finding) sentence(in string) string {
	change := strings.NewReplacer("NEW", f.New, "OLD", f.Old).Replace(cmp.Or(changes[f.Kind], "became NEW, was OLD"))
	return f.Path + ": " + change + in + ": " + strings.Join(f.consequences(), "; ")
}

// consequences describes the effects, the gravest first.
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

// sorted sorts the findings by path. Of two equal findings, one about hot elements and one about
// others, the graver is kept.
func sorted(findings []Finding) []Finding {
	gravity := func(e Effect) int { return slices.Index([]Effect{none, some(e.Where), every(e.Where)}, e) }
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Kind, b.Kind),
			gravity(b.Rolls)-gravity(a.Rolls))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.Path == b.Path && a.Kind == b.Kind && a.Old == b.Old && a.New == b.New
	})
}
