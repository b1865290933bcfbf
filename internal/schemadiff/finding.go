// Package schemadiff compares two field plans: what a release that brings the new one does to configurations that nobody touched.
//
// It owns which differences there are, and what each means for the hash of a configuration and for whether it is still read. It must not
// know pools, eras or how findings are worded.
package schemadiff

import "github.com/hotupdate/providerconfig/internal/structtag"

// Kind is the kind of a difference.
type Kind uint8

// The kinds.
const (
	Unknown Kind = iota
	FieldAdded
	FieldRemoved
	FieldRenamed
	ClassChanged
	DefaultChanged
	NullabilityChanged // a value became a pointer, or the other way round
	PresenceChanged
	PairingChanged // set, key or neither
	HotWhenChanged
	ShapeChanged // object, list, array, map or leaf
	LeafChanged
	WidthChanged // integers and floats
	SpellingChanged
	MapKeyChanged
	LengthChanged
	ElementNullabilityChanged
	SensitivityChanged
	TypeMetaChanged
	UnknownMembersChanged // members that the plan does not know: an error, or immutable
)

// Effect says whether a difference has a consequence for the configurations that it concerns.
type Effect uint8

// The effects, from none to certain.
const (
	None Effect = iota
	Possible
	Certain
)

// Where says which configurations a difference concerns, by what stands at its path. With [] in the path, one such element is enough.
type Where uint8

// The conditions.
const (
	Nowhere     Where = iota
	Spelled           // the member stands there, be it null
	Set               // the member is not null; an element stands there
	Said              // it says something that either plan hashes: not zero, not empty, not the default
	Zero              // the zero value is spelled out
	Default           // the old or the new default is spelled out
	EmptyObject       // the object is there and nothing hashed is in it
	Elements          // the collection is not empty
	NullElement       // an element is null
)

// Claim is a consequence and which configurations have it.
type Claim struct {
	Effect Effect
	Where  Where
}

// Finding is one difference.
type Finding struct {
	Kind Kind
	// Path is that of the old plan, of an added field that of the new one, with [] for elements. To is where a renamed field is now.
	Path, To string
	// WhileHot says that only elements for which hotwhen holds are concerned.
	WhileHot bool
	// Old and New say in a word what it was and is.
	Old, New string
	// OldClass and NewClass are the classes of the field.
	OldClass, NewClass structtag.Class
	// Hash is the claim that the hash of a configuration changes that either plan reads. Reading is the claim that one that the old plan
	// reads and hashes is an error under the new one.
	Hash, Reading Claim
}
