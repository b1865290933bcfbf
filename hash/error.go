package hash

import "strconv"

// Code says what kind of problem an [Error] reports. Codes are stable; the zero value is CodeUnknown.
type Code uint8

// CodeUnknown is the code of no problem.
const CodeUnknown Code = 0

// Codes of what Gardener's names are composed of.
const (
	CodeNoSecretName    Code = iota + 1 // the pool has no node-agent secret name
	CodeNoPoolName                      // the pool has no name
	CodeInvalidVersion                  // a Kubernetes version that cannot be read
	CodeUnknownStrategy                 // an update strategy that does not exist
	CodeUnknownRule                     // a rule for reservations that does not exist
	CodeInvalidDigest                   // a text that is no digest
)

// Codes of eras.
const (
	CodeNoEras           Code = iota + CodeInvalidDigest + 1 // there is no era at all
	CodeNoEraName                                            // an era without a name
	CodeDuplicateEraName                                     // two eras with one name
	CodeNoEraFunction                                        // an era without a function
	CodeFirstEraHasFrom                                      // the first era begins somewhere, so older pools would have none
	CodeNoFrom                                               // a later era does not say where it begins
	CodeInvalidFrom                                          // From is no MAJOR.MINOR
	CodeDuplicateFrom                                        // two eras begin at one minor, so they overlap
	CodeUnorderedFrom                                        // an era begins below one that stands before it
	CodeEraFailed                                            // an era's function returned an error
)

// Codes of a Sum's text.
const (
	CodeUnknownFormat Code = iota + CodeEraFailed + 1 // it does not begin with the name of a known format
	CodeWrongLength                                   // it does not have 64 digits
	CodeWrongDigit                                    // a character is no lower-case hexadecimal digit
)

var codeNames = [...]string{
	CodeUnknown:          "Unknown",
	CodeNoSecretName:     "NoSecretName",
	CodeNoPoolName:       "NoPoolName",
	CodeInvalidVersion:   "InvalidVersion",
	CodeUnknownStrategy:  "UnknownStrategy",
	CodeUnknownRule:      "UnknownRule",
	CodeInvalidDigest:    "InvalidDigest",
	CodeNoEras:           "NoEras",
	CodeNoEraName:        "NoEraName",
	CodeDuplicateEraName: "DuplicateEraName",
	CodeNoEraFunction:    "NoEraFunction",
	CodeFirstEraHasFrom:  "FirstEraHasFrom",
	CodeNoFrom:           "NoFrom",
	CodeInvalidFrom:      "InvalidFrom",
	CodeDuplicateFrom:    "DuplicateFrom",
	CodeUnorderedFrom:    "UnorderedFrom",
	CodeEraFailed:        "EraFailed",
	CodeUnknownFormat:    "UnknownFormat",
	CodeWrongLength:      "WrongLength",
	CodeWrongDigit:       "WrongDigit",
}

// String returns the code's name without the prefix, such as InvalidVersion.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[CodeUnknown]
}

// Error is one problem of what a name is composed of, or of eras. Functions return all problems that they find, joined.
//
// Code, Where and Cause are stable, the text is for people. It quotes names, versions and the like, and no provider config.
type Error struct {
	// Code says what kind of problem it is.
	Code Code
	// Where names the field, the era or the text concerned: Worker.KubernetesVersion, era 1 "list".
	Where string
	// Cause is what an era's function returned.
	Cause error

	what, cure string
}

// Error returns the problem as a sentence: where it is, what it is, how to mend it.
func (e *Error) Error() string {
	text := "hash: " + e.Where + ": " + e.what
	if e.cure != "" {
		text += "; " + e.cure
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns what an era's function returned.
func (e *Error) Unwrap() error { return e.Cause }

// quoted shows text that may be anything, and may be long.
func quoted(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "… (" + strconv.Itoa(len(text)) + " bytes)"
	}
	return strconv.Quote(text)
}
