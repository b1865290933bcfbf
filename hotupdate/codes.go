package hotupdate

import "github.com/hotupdate/providerconfig/internal/fault"

// Code says what kind of problem an [Error] reports. Codes are stable; the zero value is CodeUnknown.
type Code uint8

// CodeUnknown is the code of no problem.
const CodeUnknown = Code(fault.Unknown)

// Codes of schema problems, found when a type is compiled.
const (
	CodeMalformedTag       = Code(fault.MalformedTag)       // the struct tag is not in Go's syntax, so reflect does not see it
	CodeMisspelledKey      = Code(fault.MisspelledKey)      // a struct tag key that is almost "hotupdatable"
	CodeDuplicateTag       = Code(fault.DuplicateTag)       // the key stands twice in one struct tag
	CodeUnknownClass       = Code(fault.UnknownClass)       // the class is none of true, false, inplace, ignore
	CodeUnknownOption      = Code(fault.UnknownOption)      // an option that does not exist
	CodeMalformedOption    = Code(fault.MalformedOption)    // an option whose argument is missing, superfluous or badly quoted
	CodeDuplicateOption    = Code(fault.DuplicateOption)    // an option given twice
	CodeConflictingOptions = Code(fault.ConflictingOptions) // two options that exclude each other
	CodeMisplacedOption    = Code(fault.MisplacedOption)    // an option on a field whose type does not take it
	CodeUnexportedField    = Code(fault.UnexportedField)    // a struct tag on an unexported field
	CodeOmittedField       = Code(fault.OmittedField)       // a struct tag on a field with json:"-"
	CodeNoJSONName         = Code(fault.NoJSONName)         // an exported field without a JSON name
	CodeInlineNamedField   = Code(fault.InlineNamedField)   // a struct tag on a named field with json:",inline", which encoding/json nests
	CodeShadowedField      = Code(fault.ShadowedField)      // a struct tag on a field that a JSON name conflict drops
	CodeBelowMarshaler     = Code(fault.BelowMarshaler)     // a struct tag below a type that marshals itself
	CodePromotedMarshaler  = Code(fault.PromotedMarshaler)  // a struct tag beside an embedded type whose marshaler takes over
	CodeBelowInterface     = Code(fault.BelowInterface)     // a struct tag on a type that is only reached through an interface
	CodeIneffectiveTag     = Code(fault.IneffectiveTag)     // a struct tag that could never take effect for another reason
	CodeUnsupportedType    = Code(fault.UnsupportedType)    // chan, func, complex, unsafe.Pointer
	CodeUnsupportedMapKey  = Code(fault.UnsupportedMapKey)  // a map key that is neither string-like nor an integer
	CodeOpaqueStruct       = Code(fault.OpaqueStruct)       // a struct with only unexported fields and no marshaler
	CodeUnsupportedRoot    = Code(fault.UnsupportedRoot)    // the configuration's own type is not a struct of fields
	CodeNonHotBelowList    = Code(fault.NonHotBelowList)    // another class below a Hot or Ignored list that is paired by position
	CodeMixedSet           = Code(fault.MixedSet)           // elements of a set that are not of the set's own class
	CodeInvalidKeyField    = Code(fault.InvalidKeyField)    // key=NAME names no suitable field
	CodeInvalidSelector    = Code(fault.InvalidSelector)    // hotwhen=NAME:VALUE names no suitable field or value
	CodeInvalidDefault     = Code(fault.InvalidDefault)     // default=TEXT cannot be read as the field's type, or can never take effect
	CodeInvalidPath        = Code(fault.InvalidPath)        // an override's path is not well-formed
	CodeUnknownPath        = Code(fault.UnknownPath)        // an override's path matches no field
	CodeDuplicatePath      = Code(fault.DuplicatePath)      // two overrides for one path
)

// Codes of value problems, found when a configuration is read or walked.
const (
	CodeNoSchema           = Code(fault.NoSchema)           // no Schema was given
	CodeTypeMismatch       = Code(fault.TypeMismatch)       // the value is not of the Schema's type
	CodePointerCycle       = Code(fault.PointerCycle)       // the value contains itself
	CodeTooDeep            = Code(fault.TooDeep)            // the value is nested beyond the limit
	CodeNotFinite          = Code(fault.NotFinite)          // NaN or an infinity
	CodeNumberRange        = Code(fault.NumberRange)        // a number outside the supported range
	CodeInvalidUTF8        = Code(fault.InvalidUTF8)        // text that is not valid UTF-8, or a lone surrogate
	CodeInvalidTime        = Code(fault.InvalidTime)        // a time that RFC 3339 cannot express
	CodeInvalidJSON        = Code(fault.InvalidJSON)        // malformed JSON
	CodeDuplicateMember    = Code(fault.DuplicateMember)    // a JSON object with the same member twice
	CodeUnknownMember      = Code(fault.UnknownMember)      // a JSON member that the Schema does not know
	CodeWrongJSONType      = Code(fault.WrongJSONType)      // a JSON value of the wrong type for its field
	CodeDuplicateMapKey    = Code(fault.DuplicateMapKey)    // two map keys with the same text
	CodeDuplicateListKey   = Code(fault.DuplicateListKey)   // two elements of a keyed list with the same key
	CodeMissingListKey     = Code(fault.MissingListKey)     // an element of a keyed list without its key
	CodeMarshalFailed      = Code(fault.MarshalFailed)      // a marshaler returned an error or panicked
	CodeInvalidIntOrString = Code(fault.InvalidIntOrString) // an IntOrString of neither type
	CodeNotCopyable        = Code(fault.NotCopyable)        // a value that cannot be copied without sharing memory
	CodeHalvesDiffer       = Code(fault.HalvesDiffer)       // the two halves given to Merge do not belong together
	CodeInvalidSchema      = Code(fault.InvalidSchema)      // a Schema in JSON that cannot be loaded
	CodeNotPatchable       = Code(fault.NotPatchable)       // a value that a JSON merge patch cannot carry
	CodeUnknownNulls       = Code(fault.UnknownNulls)       // a NullMembers that does not exist
)

// String returns the code's name without the prefix, such as MalformedTag.
func (c Code) String() string { return fault.Code(c).String() }
