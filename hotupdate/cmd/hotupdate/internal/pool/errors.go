package pool

import (
	"strconv"
	"strings"
)

// Code says what kind of problem an [Error] reports. Codes are stable; the zero value is CodeUnknown.
type Code uint8

// CodeUnknown is the code of no problem.
const CodeUnknown Code = 0

// The codes.
const (
	CodeInvalidJSON     Code = iota + 1 // the manifest is no JSON object
	CodeUnknownKind                     // it is neither a Worker nor a Shoot of a version that is known
	CodeWrongType                       // a member has another type than the API says
	CodeNoName                          // a pool has no name
	CodeDuplicateName                   // two pools have one name
	CodeDuplicateMember                 // an object has the same member twice
	CodeUnknownStrategy                 // an update strategy that does not exist
	CodeInvalidQuantity                 // a reservation that is no quantity
	CodeInvalidTime                     // a rotation's time that is none
	CodeInvalidPool                     // package hash refuses the pool; the cause says why
	CodeInvalidConfig                   // package hotupdate refuses the triggers or the provider config; the cause says why
	CodeOtherProvider                   // two manifests are of different providers or kinds
)

var codeNames = [...]string{
	CodeUnknown:         "Unknown",
	CodeInvalidJSON:     "InvalidJSON",
	CodeUnknownKind:     "UnknownKind",
	CodeWrongType:       "WrongType",
	CodeNoName:          "NoName",
	CodeDuplicateName:   "DuplicateName",
	CodeDuplicateMember: "DuplicateMember",
	CodeUnknownStrategy: "UnknownStrategy",
	CodeInvalidQuantity: "InvalidQuantity",
	CodeInvalidTime:     "InvalidTime",
	CodeInvalidPool:     "InvalidPool",
	CodeInvalidConfig:   "InvalidConfig",
	CodeOtherProvider:   "OtherProvider",
}

// String returns the code's name without the prefix, such as NoName.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[CodeUnknown]
}

// Error is one problem of a manifest or of a pool. Functions return all problems that they find, joined; [Errors] lists them.
//
// Code, Pool, Path and Cause are stable, the text is for people. It quotes names and no value.
type Error struct {
	// Code says what kind of problem it is.
	Code Code
	// Pool is the pool's name, empty if it is no pool's or if the pool has none.
	Pool string
	// Path is the path of JSON names, from the manifest's root or, if there is a Pool, from the pool; empty for the whole.
	Path string
	// Cause is what package hash or hotupdate returned.
	Cause error

	what, cure string
}

// Error returns the problem as a sentence: where it is, what it is, how to mend it.
func (e *Error) Error() string {
	where := e.Path
	if e.Pool != "" {
		where = "pool " + strconv.Quote(e.Pool)
		if e.Path != "" {
			where += ": " + e.Path
		}
	}
	if where == "" {
		where = "manifest"
	}
	text := "pool: " + where + ": " + e.what
	if e.Cause != nil {
		text = "pool: " + where + ": " + bare(e.Cause)
	}
	if e.cure != "" {
		text += "; " + e.cure
	}
	return text
}

// bare returns a problem without the name of the package that found it: the place is told already.
func bare(cause error) string {
	text := cause.Error()
	for _, library := range []string{"hotupdate: ", "hash: "} {
		text = strings.TrimPrefix(text, library)
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errors lists every [Error] in a possibly joined or wrapped error.
func Errors(err error) []*Error {
	var all []*Error
	switch e := err.(type) { //nolint:errorlint // walks the tree itself
	case nil:
	case *Error:
		all = append(all, e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, Errors(inner)...)
		}
	case interface{ Unwrap() error }:
		all = Errors(e.Unwrap())
	}
	return all
}
