// Package schemadiff compares two field plans: it says what a release with the updated plan does to
// unchanged configurations.
//
// It owns the kinds of differences, the effect of each on the hash and on the decoding of a
// configuration, and the sentences that describe them. It must not know which eras there are.
//
// A sentence is the path, what became of the field there, and the consequences: PATH: CHANGE: CLAUSE;
// CLAUSE. The subject of the change is the field. A clause about a consequence is in the present tense
// and names its subject. Nothing has a full stop.
package schemadiff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Finding is one difference.
type Finding struct {
	Kind            string
	Path            string // in the old plan; for an added field, in the updated plan; with [] for elements
	Old, New        string // the old and the new state
	Roll, Forbidden Effect

	at     string             // Path with the keys that Path hides
	plans  [2]*fieldplan.Plan // the old and the updated one
	others otherKeys          // for a path through keys of maps
	zeros  [2][]byte          // of leaves of one kind, the texts of the zero values in both plans, for [whereZero]

	in   string // in which elements it applies, for the sentence
	note string // a further consequence
}

// otherKeys are the patterns of all keys that have findings of their own, for each map on a path by the
// number of steps that lead to it.
type otherKeys map[int][]string

// subject is what has the configurations, for sentences.
type subject struct {
	every, one             string // before a condition
	everyConfig, oneConfig string // likewise, where a configuration is read
	unless                 string // what keeps the hash
}

// The subjects. Only pools are named in eras.
var (
	pools = &subject{
		every: "every pool", one: "a pool", everyConfig: "every configuration", oneConfig: "a configuration",
		unless: " unless an era of the old Schema stays",
	}
	objects = &subject{
		every: "every object", one: "an object", everyConfig: "every object", oneConfig: "an object",
	}
)

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

// Sentence describes the difference and its consequences: for objects if a plan is of custom
// resources, else for worker pools. It is empty for no finding.
func (f Finding) Sentence() string {
	if f.Kind == "" {
		return ""
	}
	of := pools
	if f.plans[0].OfResource || f.plans[1].OfResource {
		of = objects
	}
	change := strings.NewReplacer("NEW", f.New, "OLD", f.Old).Replace(cmp.Or(changes[f.Kind], "became NEW, was OLD"))
	return f.Path + ": " + change + f.in + ": " + strings.Join(f.consequences(of), "; ")
}

// consequences describes the effects, the gravest first.
func (f Finding) consequences(of *subject) []string {
	var all []string
	if f.Forbidden != none {
		verb := "may refuse " + of.oneConfig
		if f.Forbidden.Every {
			verb = "refuses " + of.everyConfig
		}
		all = append(all, "the updated Schema "+verb+" that "+f.Forbidden.Where)
	}
	switch {
	case f.Roll.Every:
		all = append(all, of.every+" that "+f.Roll.Where+" rolls"+of.unless)
	case f.Roll != none:
		all = append(all, of.one+" that "+f.Roll.Where+" may roll"+of.unless)
	case f.Forbidden == none:
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
			gravity(b.Roll)-gravity(a.Roll))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		areOfOneField := a.Path == b.Path && a.Kind == b.Kind
		return areOfOneField && a.Old == b.Old && a.New == b.New
	})
}
