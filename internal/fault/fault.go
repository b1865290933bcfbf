// Package fault holds the one error type of the engine.
//
// It owns the codes, the fields and the wording of an error. It must not know struct tags, plans or values: whoever finds a
// problem says where it is, what stands there and how to mend it. Package hotupdate shows faults to users as its own Error type.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Code says what kind of problem an [Error] reports. The zero value is Unknown.
type Code uint8

// Codes of schema problems, found when a type is compiled.
const (
	Unknown Code = iota

	MalformedTag       // the struct tag is not in Go's syntax, so reflect does not see it
	MisspelledKey      // a struct tag key that is almost "hotupdatable"
	DuplicateTag       // the key stands twice in one struct tag
	UnknownClass       // the class is none of true, false, inplace, ignore
	UnknownOption      // an option that does not exist
	MalformedOption    // an option whose argument is missing, superfluous or badly quoted
	DuplicateOption    // an option given twice
	ConflictingOptions // two options that exclude each other
	MisplacedOption    // an option on a field whose type does not take it

	UnexportedField   // a struct tag on an unexported field
	OmittedField      // a struct tag on a field with json:"-"
	NoJSONName        // an exported field without a JSON name
	InlineNamedField  // a struct tag on a named field with json:",inline", which encoding/json nests
	ShadowedField     // a struct tag on a field that a JSON name conflict drops
	BelowMarshaler    // a struct tag below a type that marshals itself
	PromotedMarshaler // a struct tag beside an embedded type whose marshaler takes over
	BelowInterface    // a struct tag on a type that is only reached through an interface
	IneffectiveTag    // a struct tag that could never take effect for another reason

	UnsupportedType   // chan, func, complex, unsafe.Pointer
	UnsupportedMapKey // a map key that is neither string-like nor an integer
	OpaqueStruct      // a struct with only unexported fields and no marshaler
	UnsupportedRoot   // the configuration's own type is not a struct of fields
	NonHotBelowList   // another class below a Hot or Ignored list that is paired by position
	MixedSet          // elements of a set that are not of the set's own class
	InvalidKeyField   // key=NAME names no suitable field
	InvalidSelector   // hotwhen=NAME:VALUE names no suitable field or value
	InvalidDefault    // default=TEXT cannot be read as the field's type, or can never take effect
	InvalidPath       // an override's path is not well-formed
	UnknownPath       // an override's path matches no field
	DuplicatePath     // two overrides for one path

	// Codes of value problems, found when a configuration is read or walked.

	NoSchema           // no Schema was given
	TypeMismatch       // the value is not of the Schema's type
	PointerCycle       // the value contains itself
	TooDeep            // the value is nested beyond the limit
	NotFinite          // NaN or an infinity
	NumberRange        // a number outside the supported range
	InvalidUTF8        // text that is not valid UTF-8, or a lone surrogate
	InvalidTime        // a time that RFC 3339 cannot express
	InvalidJSON        // malformed JSON
	DuplicateMember    // a JSON object with the same member twice
	UnknownMember      // a JSON member that the Schema does not know
	WrongJSONType      // a JSON value of the wrong type for its field
	DuplicateMapKey    // two map keys with the same text
	DuplicateListKey   // two elements of a keyed list with the same key
	MissingListKey     // an element of a keyed list without its key
	MarshalFailed      // a marshaler returned an error or panicked
	InvalidIntOrString // an IntOrString of neither type
	NotCopyable        // a value that cannot be copied without sharing memory
	HalvesDiffer       // the two halves given to Merge do not belong together
	InvalidSchema      // a Schema in JSON that cannot be loaded
	NotPatchable       // a value that a JSON merge patch cannot carry
	UnknownNulls       // a choice about null that does not exist
)

// names are the codes in words, for people and for machine-readable output.
var names = [...]string{
	Unknown:            "Unknown",
	MalformedTag:       "MalformedTag",
	MisspelledKey:      "MisspelledKey",
	DuplicateTag:       "DuplicateTag",
	UnknownClass:       "UnknownClass",
	UnknownOption:      "UnknownOption",
	MalformedOption:    "MalformedOption",
	DuplicateOption:    "DuplicateOption",
	ConflictingOptions: "ConflictingOptions",
	MisplacedOption:    "MisplacedOption",
	UnexportedField:    "UnexportedField",
	OmittedField:       "OmittedField",
	NoJSONName:         "NoJSONName",
	InlineNamedField:   "InlineNamedField",
	ShadowedField:      "ShadowedField",
	BelowMarshaler:     "BelowMarshaler",
	PromotedMarshaler:  "PromotedMarshaler",
	BelowInterface:     "BelowInterface",
	IneffectiveTag:     "IneffectiveTag",
	UnsupportedType:    "UnsupportedType",
	UnsupportedMapKey:  "UnsupportedMapKey",
	OpaqueStruct:       "OpaqueStruct",
	UnsupportedRoot:    "UnsupportedRoot",
	NonHotBelowList:    "NonHotBelowList",
	MixedSet:           "MixedSet",
	InvalidKeyField:    "InvalidKeyField",
	InvalidSelector:    "InvalidSelector",
	InvalidDefault:     "InvalidDefault",
	InvalidPath:        "InvalidPath",
	UnknownPath:        "UnknownPath",
	DuplicatePath:      "DuplicatePath",
	InvalidSchema:      "InvalidSchema",
	NoSchema:           "NoSchema",
	TypeMismatch:       "TypeMismatch",
	PointerCycle:       "PointerCycle",
	TooDeep:            "TooDeep",
	NotFinite:          "NotFinite",
	NumberRange:        "NumberRange",
	InvalidUTF8:        "InvalidUTF8",
	InvalidTime:        "InvalidTime",
	InvalidJSON:        "InvalidJSON",
	DuplicateMember:    "DuplicateMember",
	UnknownMember:      "UnknownMember",
	WrongJSONType:      "WrongJSONType",
	DuplicateMapKey:    "DuplicateMapKey",
	DuplicateListKey:   "DuplicateListKey",
	MissingListKey:     "MissingListKey",
	MarshalFailed:      "MarshalFailed",
	InvalidIntOrString: "InvalidIntOrString",
	NotCopyable:        "NotCopyable",
	HalvesDiffer:       "HalvesDiffer",
	NotPatchable:       "NotPatchable",
	UnknownNulls:       "UnknownNulls",
}

// String returns the code's name.
func (c Code) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return names[Unknown]
}

// Error is one problem: where it is, what is wrong, and how to mend it. It never holds a value of a configuration.
type Error struct {
	Code  Code
	Field string // Go field, such as aws.WorkerConfig.Tags; empty for value problems
	Path  string // path of JSON names, such as dataVolumes[name=a].iops; empty for the root
	Type  string // Go type, where it says more than the field
	What  string // what is wrong
	Cure  string // what to write or do instead; may be empty
	Cause error  // what another package returned; its text is not shown, as it may quote a value
}

// Error returns "hotupdate: <where>: <what>; <cure>".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("hotupdate: ")
	switch {
	case e.Field != "":
		b.WriteString("field " + e.Field + " ")
	case e.Path != "":
		b.WriteString(e.Path + ": ")
	case e.Type != "":
		b.WriteString(e.Type + ": ")
	}
	b.WriteString(e.What)
	if e.Cause != nil {
		fmt.Fprintf(&b, " (%T)", e.Cause)
	}
	if e.Cure != "" {
		b.WriteString("; " + e.Cure)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// List collects problems and joins them at the edge.
type List []*Error

// Add appends a problem.
func (l *List) Add(e *Error) { *l = append(*l, e) }

// Err joins the problems; an empty list is nil.
func (l *List) Err() error {
	errs := make([]error, len(*l))
	for i, e := range *l {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// All returns every problem inside a possibly joined or wrapped error, in order.
func All(err error) List {
	var found List
	collect(err, &found)
	return found
}

func collect(err error, into *List) {
	switch e := err.(type) { //nolint:errorlint // walks the tree itself
	case nil:
	case *Error:
		into.Add(e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			collect(inner, into)
		}
	case interface{ Unwrap() error }:
		collect(e.Unwrap(), into)
	}
}
