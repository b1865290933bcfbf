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
// Go values. Admission webhooks use [Schema.ValidateUpdate] and [Changes.Warnings]. Errors are
// values of type [fault.Error].
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
// Pass the configuration, such as the spec of an object, not the whole object. A root with
// metav1.ObjectMeta is an error.
//
// # Struct tag
//
// The struct tag is hotupdatable:"CLASS[,OPTION...]". CLASS is true (Hot), false (Immutable),
// inplace (InPlace) or ignore (Ignored). A field without one has the class of the field above it;
// the root is Immutable. A field below may have another class, in either direction. The options:
//
//   - set: order and duplicates carry no meaning. For slices whose elements have no class but the
//     slice's.
//   - key=NAME: elements are identified by their field NAME; order carries no meaning. For slices
//     of structs. NAME is the JSON name of a string or integer, or of a pointer to one, that has
//     the slice's class and is set in every element. An integer that JSON may leave out must be a
//     pointer. The only element may lack a key that is a string, see "Format v1".
//   - hotwhen=NAME:VALUE: an element is Hot while its field NAME is VALUE. For slices with key= and
//     for maps, of structs, that are not Hot. NAME is a string, integer or bool, not a pointer.
//   - default=TEXT: a value that means the same as TEXT counts as unset. For pointers to scalars,
//     for strings, and for numbers whose zero is invalid.
//   - presence: the mere presence of an empty object, list or map carries meaning. For pointers to
//     structs, slices and maps. Null counts as absent, and so does a pointer to a nil slice or map.
//   - sensitive: values are never shown; sensitive=keys: nor are map keys.
//
// A text with commas is quoted: default='a,b'. Inside quotes, two quotes stand for one. [WithTag]
// gives the same struct tags to types that the adopter cannot edit.
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
//     ObjectMeta is a whole object. It is an error, unless its metadata has a class.
//
// # Format v1
//
// The canonical document is the configuration without its Hot and Ignored parts, as JSON in UTF-8.
// This is its grammar; quoted characters stand for themselves, { x } for any number of x, [ x ] for
// an optional x.
//
//	document = object
//	value    = object | array | string | number | "true" | "false" | "null"
//	object   = "{" [ member { "," member } ] "}"
//	member   = string ":" value
//	array    = "[" [ value { "," value } ] "]"
//	string   = '"' { char } '"'
//	char     = any Unicode scalar value from U+0020 on but '"' and '\'
//	         | '\"' | '\\' | '\b' | '\f' | '\n' | '\r' | '\t' | '\u00' hex hex
//	hex      = "0" … "9" | "a" … "f"
//	number   = "0" | [ "-" ] magnitude
//	magnitude = plain | scientific, with the shortest digits, laid out as ECMAScript's
//	            Number::toString does: plain from 1e-6 up to below 1e21, otherwise one digit,
//	            the others after ".", "e", "+" or "-", and the exponent without leading zeros
//
// There is no white space. The escape \u00xx is used only where no shorter one exists. Members are
// sorted by the UTF-8 bytes of their unescaped names. No name occurs twice. Text is neither
// normalised nor escaped for HTML.
//
// Members are named as in JSON: names, embedding, conflicts and omissions are resolved as
// encoding/json does. TypeMeta of the root is left out.
//
// A member is absent where its value is
//   - of class Hot or Ignored. Where hotwhen holds, the fields of the element are Hot unless they,
//     or a field above them in the element, have a class of their own;
//   - nil, an empty slice or map unless the field has presence, or the zero value of a scalar that
//     is not a pointer;
//   - equal to the field's default;
//   - an object with nothing left, behind a pointer or not, unless the field has presence, or is a
//     pointer to a type that has no fields at all;
//   - an array of fixed length with the same content as the array of zero values.
//
// A pointer to a zero scalar is present. A pointer to an empty slice or map is present only if the
// field has presence. Inside interfaces and free JSON everything is present. Elements belong to
// their collection:
//   - In an Immutable or InPlace list or map every element is written: at its position, under its
//     key, or in the order of a set. Objects and maps that are nil or have nothing left are written
//     as {}, other nil elements as null.
//   - In a Hot or Ignored list or map, and where hotwhen holds, an element is written only if
//     something in it is.
//   - A written element of a keyed list has its key, even if the key is zero. A written element of
//     a collection with hotwhen has its selector, even if it is zero, unless the collection is
//     Ignored and the selector is not the key. A nil element has the selector of an empty one. An
//     empty string is not a key; 0 is.
//   - The only element of an Immutable or InPlace list without hotwhen may lack a key that is a
//     string: drivers accept a single volume without a name, since there is no other volume to tell
//     it from. The missing key is written as "", and is a key like any other: the element differs
//     from one that has a key. Once there are two elements, each needs its key. A nil element
//     always does.
//   - A null value in a Hot or Ignored map counts as an absent key.
//
// The order of elements:
//   - set: by the bytes of their texts, without duplicates;
//   - key=NAME: by key, strings by their bytes, integers by value;
//   - map: by the bytes of the key's text; integers and text marshalers as encoding/json writes
//     them;
//   - other lists: as given.
//
// Leaves are written by meaning:
//   - resource.Quantity: a string with the plain decimal value, at most 64 digits on either side of
//     the point: 1Gi is "1073741824", 100m is "0.1".
//   - bools and strings: themselves; integers and floats: a number; -0 is 0; floats have the
//     shortest digits that round-trip in their width. All of them also under json:",string".
//   - json.Number, of which the empty one is 0, and numbers inside json.RawMessage,
//     runtime.RawExtension and interfaces: a number by exact decimal value; the exponent is at most
//     999 either way.
//   - intstr.IntOrString: a number or a string, by its type; 0 that is not behind a pointer is
//     absent, the empty string is present.
//   - time.Time, metav1.Time, metav1.MicroTime: an RFC 3339 string in UTC, cut to nanoseconds,
//     seconds and microseconds, without trailing zeros of the fraction; the zero time is nil.
//   - metav1.Duration: a string as by time.Duration's String.
//   - []byte: a base64 string.
//   - json.RawMessage, runtime.RawExtension, interfaces: their JSON, what encoding/json makes of a
//     Go value, as a value of this grammar, with nothing left out; JSON null counts as nil.
//   - types with MarshalJSON or else MarshalText, also on the pointer: its output, as a value or a
//     string. Output that equals that of the zero value counts as zero, and JSON null as nil.
//
// These cannot be written and are errors: NaN and infinities, text that is not UTF-8, lone
// surrogates, cycles, more than 1000 levels, a missing or repeated key of a keyed list, two map
// keys with the same text, years outside 0 to 9999.
//
// A configuration with nothing left, nil, and empty raw JSON are written as {}.
//
// The digests of fixed inputs are published in hash/testdata and never change under the name v1.
//
// Sources: hot-update proposal, "Provider specific WorkerConfig API changes" and "Gardener provider
// extension changes"; GEP-31, "Update Strategies" and "Worker pool hash calculations".
package hotupdate
