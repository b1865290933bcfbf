// Package hotupdate tells what a change of a provider config does to machines: nothing, an update of the running machines, a drained
// update in place, or their replacement.
//
// The fields of the versioned API type carry a struct tag that says how a change of them is applied. [SchemaOf] compiles the type;
// [Diff] lists what changed and of which class it is, [Changes.Outcome] what that means under a pool's update strategy, [Split] takes
// the hot part out. Package hash, which builds on the same Schema, computes the digest that names a MachineClass: it changes exactly if
// Diff lists an Immutable or InPlace change.
//
//	type WorkerConfig struct {
//		metav1.TypeMeta `json:",inline"`
//		Volume      *Volume      `json:"volume,omitempty"`
//		Tags        *tags.Tags   `json:"tags,omitempty" hotupdatable:"true"`
//		DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
//	}
//
// Those who have no Go type read raw JSON: [LoadSchema] takes a Schema that was exported, [Schema.AdmitUnknown] makes members that it does
// not know Immutable, and [DiffRaw], [SplitRaw], [MergeRaw] and [HotPatchRaw] do for JSON what the functions without Raw do for Go values.
// Admission webhooks use [ValidateUpdate] and [Changes.Warnings].
//
// # Struct tag
//
// The struct tag is hotupdatable:"CLASS[,OPTION...]". CLASS is true (Hot), false (Immutable), inplace (InPlace) or ignore (Ignored).
// A field without one has the class of the field above it; the root is Immutable. A field below may have another class, in either
// direction. The options:
//
//   - set: order and duplicates carry no meaning. For slices; all elements have the slice's class.
//   - key=NAME: elements are found by their field NAME, order carries no meaning. For slices of structs; NAME is the JSON name of a
//     required string or integer of the slice's own class.
//   - hotwhen=NAME:VALUE: an element is Hot while its field NAME is VALUE. For slices with key= and maps, of structs, that are not
//     Hot; NAME is a string, integer or bool, no pointer.
//   - default=TEXT: a value that means the same as TEXT counts as unset. For pointers to scalars, strings, and numbers of which zero
//     is invalid.
//   - presence: the mere presence of an empty object carries meaning. For pointers to structs.
//   - sensitive: values are never shown; sensitive=keys: map keys neither.
//
// A text with commas is quoted: default='a,b'. Two quotes inside stand for one.
//
// Rules:
//
//   - Parsing is strict. A struct tag that Go does not see (hotupdatable:true, without quotes), that is misspelled, or that could never
//     take effect is an error when the type is compiled; all errors of a type are returned at once.
//   - Struct tags go on the versioned type, whose JSON names are the contract; a field without one is an error.
//   - Below a list that is paired by position, and is Hot or Ignored, everything has the list's class: an element that came or went
//     would otherwise shift the others. Use key=.
//   - TypeMeta of the root is no field: a new apiVersion alone is no change.
//
// Source: hot-update proposal, "Provider specific WorkerConfig API changes"; GEP-31, "Update Strategies".
package hotupdate
