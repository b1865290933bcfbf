package hotupdate

import "github.com/hotupdate/providerconfig/internal/schemadiff"

// Compatibility compares two Schemas of one configuration type. It tells what a release with the
// updated Schema does to existing configurations.
//
//   - Every difference that affects a hash, or whether raw JSON is accepted, is a finding. Two
//     Schemas without findings mean the same.
//   - A harmless finding, see [Finding.Harmless], changes no hash and refuses no configuration: a
//     field that is new, an integer that is wider, a class that was Immutable and is InPlace, a
//     pointer in place of a struct.
//   - Other Go names, another order of fields, and moved types are no findings. A type that
//     marshals itself is opaque: another such type in its place is no finding either, whatever it
//     writes. A Schema cannot tell a renamed type from another one. Check such a change with the
//     vectors of a golden file, see package hotupdatetest.
//   - FieldRenamed is a guess: a field was removed, and a field of the same type, class and options
//     was added in the same object. An added field in another object is also paired with it if it
//     has the same name, or if the type is an object with several fields, or a list or map of such
//     objects. A scalar with another name in another object is never paired: too many fields are
//     strings.
//   - A Schema has no aliases: with one, a value could stand in two places of a configuration, and
//     every rule about presence, defaults and errors would have to say which place wins. To rename
//     a field, let the function of the current era move the member back to its old path in the raw
//     JSON, and hash with the old Schema.
//   - The findings are sorted by path. A change of class is reported at the topmost field that it
//     comes from.
//
// It returns an error only if a Schema is missing.
func Compatibility(old, updated *Schema) ([]Finding, error) {
	if old.isMissing() || updated.isMissing() {
		return nil, noSchema()
	}
	found := schemadiff.Compare(old.plan(), updated.plan())
	findings := make([]Finding, len(found))
	for i, f := range found {
		findings[i] = Finding{
			Kind: f.Kind, Path: f.Path, Old: f.Old, New: f.New, Roll: Effect(f.Roll),
			Forbidden: Effect(f.Forbidden), found: f,
		}
	}
	return findings, nil
}

// Finding is one difference between two Schemas.
type Finding struct {
	// Kind is the kind of the difference, as stable text:
	//
	//	FieldAdded       FieldRemoved        FieldRenamed: removed, and an added one is like it (a guess)
	//	ClassChanged     HotWhenChanged      TypeChanged: shape, kind of leaf, width, length, map keys, json:",string"
	//	DefaultChanged   PresenceChanged     NullabilityChanged: a value or a pointer
	//	PairingChanged: set and key          SensitivityChanged
	//	UnknownMembersChanged: see [Schema.AdmitUnknown]; its path is *
	Kind string `json:"kind"`
	// Path is the field's path, as [WithTag] takes it, with [] for elements. It is a path of the
	// old Schema, or of the updated one for a new field.
	Path string `json:"path"`
	// Old and New describe in a few words what the field was and what it is now. Defaults of
	// sensitive fields are hidden. New is the path of a renamed field, which may be in another object.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Roll says which configurations that both Schemas read have another hash under the updated one:
	// [OutcomeRoll] for pools that roll, [OutcomeInPlaceUpdate] for others.
	Roll Effect `json:"rolls"`
	// Forbidden says which configurations that the old Schema reads are refused by the updated one,
	// so that no update of their pools is admitted: [OutcomeForbidden].
	Forbidden Effect `json:"refuses"`

	found schemadiff.Finding
}

// Effect says which configurations have a consequence. The zero value says that none has it.
type Effect struct {
	// Every says that all configurations that Where describes have the consequence. Otherwise some
	// of them may have it.
	Every bool `json:"every"`
	// Where describes the configurations by their value at the path; below [], by the value of at
	// least one element. Its words complete "a configuration that", and are stable. No other
	// configuration has the consequence. Where is empty if none has it. [Finding.MayRoll] says whether
	// it describes a configuration.
	//
	//	names it                               the member is there, even if it is null
	//	has it                                 the member is not null; an element is there
	//	sets it                                its value is hashed: it is not zero, not empty, not the default
	//	spells out its zero value              behind a pointer of either Schema
	//	spells out the old or the new default
	//	has it empty                           the value is there, and nothing in it is hashed
	//	has elements there
	//	has a null element there
	//	has an array around it                 of fixed length, as an element, even if it is null: missing
	//	                                       elements of such an array are hashed as zero
	Where string `json:"where"`
}

// Harmless reports whether every configuration keeps its hash and none is refused.
func (f Finding) Harmless() bool { return f.Roll == Effect{} && f.Forbidden == Effect{} }

// MayRoll reports whether Roll describes a configuration in JSON. If it does not, another hash is
// not the consequence of this finding. It is false for a configuration that neither Schema reads.
func (f Finding) MayRoll(raw []byte) bool { return f.found.Meets(f.found.Roll, raw) }

// String returns what changed and what follows from it, as a sentence. The sentence is about
// objects if one of the Schemas comes from [SchemaOfCRD], and otherwise about worker pools.
func (f Finding) String() string { return f.found.Sentence() }
