// Package hotupdate tells what a change of a provider config does to machines: nothing, an update
// of the running machine, a drained in-place update of its node, or replacement.
//
// Each field of the versioned API type may carry a struct tag that says how a change of the field
// is applied. [SchemaOf] compiles the type. [Schema.Diff] lists what changed, with the class of
// each change. [Changes.Outcome] tells what the changes mean under a pool's update strategy.
// [Schema.Hash] computes the digest that names a MachineClass: it changes exactly if Diff lists an
// Immutable or InPlace change. [Split] separates the hot part.
//
//	type WorkerConfig struct {
//		metav1.TypeMeta `json:",inline"`
//		Volume      *Volume      `json:"volume,omitempty"`
//		Tags        *tags.Tags   `json:"tags,omitempty" hotupdatable:"true"`
//		DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
//	}
//
// Programs without the Go type work on raw JSON. [LoadSchema] reads an exported Schema, and
// [SchemaOfCRD] derives one from the CRD of a custom resource. [Schema.AdmitUnknown] makes unknown
// members Immutable. A method with Raw in its name takes JSON, and its twin without Raw takes
// Go values. Admission webhooks use [Schema.ValidateUpdateRaw] and [Changes.Warnings]. [RawConfig]
// and [StrategyOf] read the fields of Gardener's types. Errors are values of type [fault.Error].
//
// The path of a configuration through the packages:
//
//	Go type with struct tags ─┐
//	provider config ──────────┴─ hotupdate ─── hash ── name of the MachineClass
//	                             class, diff   eras    │
//	                                                   ├─ machineupdate ── driver ── tags ── cloud
//	                                                   │                   plans
//	                                                   └─ inplace: which node is drained next
//
// # Struct tag
//
// The struct tag is hotupdatable:"CLASS[,OPTION...]". CLASS is true (Hot), false (Immutable),
// inplace (InPlace) or ignore (Ignored). A field without one has the class of the field above it;
// the root is Immutable. A field below may have another class, in either direction. The options:
//
//   - set: order and duplicates carry no meaning. For slices; their elements have one class.
//   - key=NAME: elements are identified by their field NAME; order carries no meaning. For slices
//     of structs. NAME is the JSON name of a string or integer, or of a pointer to one, that has
//     the slice's class. An integer that JSON may omit, alone or with an embedded pointer, must be a
//     pointer. An absent key is a key. Elements of one key keep their order, see hash/FORMAT.md.
//   - hotwhen=NAME:VALUE: an element is Hot while its field NAME is VALUE. For slices with key= and
//     for maps, of structs, that are not Hot. NAME is a string, integer or bool, not a pointer.
//   - keyclass=CLASS:KEY: the entry of a map under KEY has CLASS; a KEY like billing/* is a prefix.
//     The exact key wins, or else the longest prefix. For maps with string or text marshaler keys.
//   - default=TEXT: a value that means the same as TEXT counts as unset. For strings, times, free
//     JSON, numbers whose zero is invalid, and pointers to scalars, structs, slices and maps. The
//     TEXT of a composed value or free JSON is JSON; an empty one then differs from an absent one.
//   - presence: the mere presence of an empty object, list or map carries meaning. For pointers to
//     structs, slices and maps. Null counts as absent, and so does a pointer to a nil slice or map.
//   - as=KIND: strings that stand for the same are equal, also in slices and maps. KIND is quantity,
//     duration, cidr, dns, time or text, see hash/FORMAT.md. Not for fields of key= and hotwhen=.
//   - sensitive: values are never shown; sensitive=keys: nor are map keys.
//
// A text with commas is quoted: 'a,b'; two quotes in it stand for one. Foreign types: [WithTag].
//
// Rules:
//
//   - Parsing is strict. A struct tag that Go does not see (hotupdatable:true, without quotes),
//     that is misspelled, or that could never take effect is an error when the type is compiled.
//     All errors of a type are returned at once.
//   - Struct tags go on the versioned type, whose JSON names are the contract; a field without one
//     is an error.
//   - Everything below a Hot or Ignored list that is paired by position has the list's class, since
//     adding or removing an element shifts the others. Use key= to allow other classes below.
//   - TypeMeta of the root is not a field: a new apiVersion alone is not a change. A root with
//     ObjectMeta is an error, unless its metadata has a class: pass the spec, not the whole object.
//
// # Format v1
//
// A digest is the SHA-256 of the canonical document: the configuration without its Hot and Ignored
// parts, as JSON in UTF-8. A value is absent where it means nothing: nil, the zero of a scalar
// without a pointer, the default, an object with nothing left. Elements of lists and maps stay.
// Leaves are written by meaning: 1Gi and 1024Mi are the same text. The specification has every rule
// with an example that a test runs, and digests of fixed inputs that never change under the name v1:
// https://github.com/hotupdate/providerconfig/blob/main/hash/FORMAT.md
//
// Sources: hot-update proposal, "Provider specific WorkerConfig API changes" and "Gardener provider
// extension changes"; GEP-31, "Update Strategies" and "Worker pool hash calculations".
package hotupdate
