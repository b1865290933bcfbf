package hotupdate

import (
	"strings"

	"github.com/hotupdate/providerconfig/internal/schemadiff"
)

// Compatibility compares two Schemas of one configuration: what the release that brings the updated one does to configurations that
// nobody touches, and how it treats changes of them from then on.
//
//   - Every difference that decides a hash, or whether raw JSON is read, is a finding. Two Schemas without any have one meaning.
//   - A harmless finding, see [Finding.Harmless], changes no hash and refuses no configuration: a field that is new, an integer that is wider, a class that was
//     Immutable and is InPlace, a pointer in place of a struct.
//   - Other Go names, another order of fields, and moved types are no findings.
//   - The findings are sorted by path. A change of class is reported at the topmost field that it comes from.
//   - A field of another name that has the shape, class and options of one that is gone is taken for it: see [FieldRenamed].
//
// The error says that a Schema is missing.
func Compatibility(old, updated *Schema) (Findings, error) {
	if old.isMissing() || updated.isMissing() {
		return nil, public(noSchema())
	}
	found := schemadiff.Compare(old.plan, updated.plan)
	findings := make(Findings, len(found))
	for i, f := range found {
		findings[i] = Finding{
			Kind: FindingKind(f.Kind), Path: f.Path, To: f.To, WhileHot: f.WhileHot, Old: f.Old, New: f.New, OldClass: Class(f.OldClass), NewClass: Class(f.NewClass),
			Hash: publicClaim(f.Hash), Reading: publicClaim(f.Reading),
		}
	}
	return findings, nil
}

func publicClaim(c schemadiff.Claim) Claim {
	return Claim{Effect: Effect(c.Effect), Where: Where(c.Where)}
}

// FindingKind is the kind of a difference between two Schemas. The zero value is none.
type FindingKind uint8

// The kinds of findings.
const (
	FieldAdded                = FindingKind(schemadiff.FieldAdded)                // a field that is new
	FieldRemoved              = FindingKind(schemadiff.FieldRemoved)              // a field that is gone: who sets it is refused
	FieldRenamed              = FindingKind(schemadiff.FieldRenamed)              // a field that is gone, and a new one like it: a guess
	ClassChanged              = FindingKind(schemadiff.ClassChanged)              // Immutable became Hot, for example
	DefaultChanged            = FindingKind(schemadiff.DefaultChanged)            // the option default
	NullabilityChanged        = FindingKind(schemadiff.NullabilityChanged)        // a value became a pointer, or the other way round
	PresenceChanged           = FindingKind(schemadiff.PresenceChanged)           // whether an empty object means something
	PairingChanged            = FindingKind(schemadiff.PairingChanged)            // the options set and key
	HotWhenChanged            = FindingKind(schemadiff.HotWhenChanged)            // the option hotwhen
	ShapeChanged              = FindingKind(schemadiff.ShapeChanged)              // object, list, array, map or leaf
	LeafChanged               = FindingKind(schemadiff.LeafChanged)               // string, quantity, time and so on
	WidthChanged              = FindingKind(schemadiff.WidthChanged)              // the bits of a number
	SpellingChanged           = FindingKind(schemadiff.SpellingChanged)           // json:",string"
	MapKeyChanged             = FindingKind(schemadiff.MapKeyChanged)             // the kind of a map's keys
	LengthChanged             = FindingKind(schemadiff.LengthChanged)             // of an array
	ElementNullabilityChanged = FindingKind(schemadiff.ElementNullabilityChanged) // elements became pointers, or the other way round
	SensitivityChanged        = FindingKind(schemadiff.SensitivityChanged)        // the option sensitive
	TypeMetaChanged           = FindingKind(schemadiff.TypeMetaChanged)           // apiVersion and kind of the root
	UnknownMembersChanged     = FindingKind(schemadiff.UnknownMembersChanged)     // see [Schema.AdmitUnknown]; its path is *
)

var findingNames = [...]string{
	0: "Unknown", FieldAdded: "FieldAdded", FieldRemoved: "FieldRemoved", FieldRenamed: "FieldRenamed", ClassChanged: "ClassChanged",
	DefaultChanged: "DefaultChanged", NullabilityChanged: "NullabilityChanged", PresenceChanged: "PresenceChanged", PairingChanged: "PairingChanged",
	HotWhenChanged: "HotWhenChanged", ShapeChanged: "ShapeChanged", LeafChanged: "LeafChanged", WidthChanged: "WidthChanged",
	SpellingChanged: "SpellingChanged", MapKeyChanged: "MapKeyChanged", LengthChanged: "LengthChanged",
	ElementNullabilityChanged: "ElementNullabilityChanged", SensitivityChanged: "SensitivityChanged", TypeMetaChanged: "TypeMetaChanged",
	UnknownMembersChanged: "UnknownMembersChanged",
}

// String returns the kind's name, such as ClassChanged. Names are stable.
func (k FindingKind) String() string {
	if int(k) < len(findingNames) {
		return findingNames[k]
	}
	return findingNames[0]
}

// Effect says whether a finding has a consequence for the configurations that it concerns. A larger effect is graver.
type Effect uint8

// The effects.
const (
	NoEffect       = Effect(schemadiff.None)     // none of them
	PossibleEffect = Effect(schemadiff.Possible) // some of them, depending on more than the condition
	CertainEffect  = Effect(schemadiff.Certain)  // all of them
)

// String returns the effect in a word: none, possible or certain.
func (e Effect) String() string {
	switch e {
	case NoEffect:
		return "none"
	case PossibleEffect:
		return "possible"
	case CertainEffect:
		return "certain"
	}
	return "unknown"
}

// Where says which configurations a finding concerns, by what stands at its path; below [] one such element is enough.
type Where uint8

// The conditions.
const (
	Nowhere          = Where(schemadiff.Nowhere)
	WhereSpelled     = Where(schemadiff.Spelled)     // the member stands there, be it null
	WhereSet         = Where(schemadiff.Set)         // the member is not null; an element stands there
	WhereSaid        = Where(schemadiff.Said)        // it says something that is hashed: it is not zero, not empty, not the default
	WhereZero        = Where(schemadiff.Zero)        // the zero value is spelled out
	WhereDefault     = Where(schemadiff.Default)     // the old or the new default is spelled out
	WhereEmptyObject = Where(schemadiff.EmptyObject) // the object is there, and nothing in it is hashed
	WhereElements    = Where(schemadiff.Elements)    // the collection is not empty
	WhereNullElement = Where(schemadiff.NullElement) // an element is null
)

// String returns the condition in words, as they follow "every configuration that".
func (w Where) String() string {
	switch w {
	case Nowhere:
	case WhereSpelled, WhereSet, WhereSaid:
		return "sets it"
	case WhereZero:
		return "spells out its zero value"
	case WhereDefault:
		return "spells out the old or the new default"
	case WhereEmptyObject:
		return "has it empty"
	case WhereElements:
		return "has elements there"
	case WhereNullElement:
		return "has a null element there"
	}
	return "none"
}

// Claim is a consequence, and the condition of the configurations that have it. No other configuration has it.
type Claim struct {
	Effect Effect
	Where  Where
}

// Finding is one difference between two Schemas.
type Finding struct {
	// Kind is the kind of the difference.
	Kind FindingKind
	// Path is the field concerned, as [WithTag] takes it, with [] for elements. It is a path of the old Schema, and of the updated one
	// for fields that are new. To is where a renamed field is now.
	Path, To string
	// WhileHot says that only elements are concerned for which hotwhen holds.
	WhileHot bool
	// Old and New say in a few words what it was and what it is. Defaults of sensitive fields are hidden.
	Old, New string
	// OldClass and NewClass are the classes of the field. A field that is new, or gone, has one of them.
	OldClass, NewClass Class
	// Hash claims that a configuration which both Schemas read has another hash under the updated one.
	Hash Claim
	// Reading claims that a configuration which the old Schema reads is refused by the updated one.
	Reading Claim
}

// Harmless reports whether the hashes of all configurations stay and none is refused.
func (f Finding) Harmless() bool { return f.Hash.Effect == NoEffect && f.Reading.Effect == NoEffect }

// String returns what changed and what follows from it, as a sentence.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Path + ": " + f.change())
	if f.WhileHot {
		b.WriteString(" in elements that are hot")
	}
	b.WriteString(": " + strings.Join(f.consequences(), "; "))
	return b.String()
}

// change says what changed.
func (f Finding) change() string {
	switch f.Kind {
	case FieldAdded:
		return "is new, " + f.New + ", " + f.NewClass.String()
	case FieldRemoved:
		return "is gone, was " + f.Old + ", " + f.OldClass.String()
	case FieldRenamed:
		return "is gone, and looks like " + f.To + " now"
	case ClassChanged:
		return "became " + f.New + ", was " + f.Old
	case DefaultChanged:
		return "has the default " + f.New + ", had " + f.Old
	case PresenceChanged:
		return "an empty object " + f.New + ", it used to mean " + strings.TrimPrefix(f.Old, "means ")
	case HotWhenChanged:
		return "elements are hot " + f.New + ", were " + f.Old
	case ElementNullabilityChanged:
		return "elements became " + f.New + ", were " + f.Old
	case MapKeyChanged:
		return "keys became " + f.New + ", were " + f.Old
	case LengthChanged:
		return "has " + f.New + " places, had " + f.Old
	case UnknownMembersChanged:
		return "unknown members became " + f.New + ", were " + f.Old
	case NullabilityChanged, PairingChanged, ShapeChanged, LeafChanged, WidthChanged, SpellingChanged, SensitivityChanged, TypeMetaChanged:
	}
	return "became " + f.New + ", was " + f.Old
}

// consequences says what follows, the gravest first.
func (f Finding) consequences() []string {
	var all []string
	if f.Reading.Effect != NoEffect {
		all = append(all, "the updated Schema "+refuses(f.Reading.Effect)+" every configuration that "+f.Reading.Where.String())
	}
	if f.Kind == FieldRenamed && (f.NewClass == Immutable || f.NewClass == InPlace) {
		all = append(all, "one that is rewritten with the new name rolls")
	}
	switch f.Hash.Effect {
	case CertainEffect:
		all = append(all, "every pool that "+f.Hash.Where.String()+" rolls unless an era of the old Schema stays")
	case PossibleEffect:
		all = append(all, "a pool that "+f.Hash.Where.String()+" may roll unless an era of the old Schema stays")
	case NoEffect:
		if f.Reading.Effect == NoEffect {
			all = append(all, "no hash changes")
		} else {
			all = append(all, "the hashes of the others stay")
		}
	}
	if f.Kind == ClassChanged {
		all = append(all, "from now on a change of it "+f.NewClass.consequence()+", it "+f.OldClass.past())
	}
	return all
}

func refuses(e Effect) string {
	if e == CertainEffect {
		return "refuses"
	}
	return "may refuse"
}

func (c Class) consequence() string {
	switch c {
	case Immutable:
		return "replaces machines"
	case InPlace:
		return "updates nodes in place, or replaces machines of pools that roll"
	case Hot:
		return "is applied to running machines"
	case Ignored:
	}
	return "concerns no machine"
}

func (c Class) past() string {
	switch c {
	case Immutable:
		return "replaced machines"
	case InPlace:
		return "updated nodes in place, or replaced machines of pools that roll"
	case Hot:
		return "was applied to running machines"
	case Ignored:
	}
	return "concerned no machine"
}

// Findings are the differences between two Schemas.
type Findings []Finding

// Harmless reports whether all findings are.
func (f Findings) Harmless() bool {
	for _, finding := range f {
		if !finding.Harmless() {
			return false
		}
	}
	return true
}
