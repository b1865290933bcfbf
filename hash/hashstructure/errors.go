package hashstructure

// Code says what kind of problem an [Error] reports. Codes are stable.
type Code uint8

// The codes.
const (
	CodeUnknown         Code = iota // no problem
	CodeUnknownFormat               // the options name no format
	CodeNoHasher                    // the options' Hasher returned nil
	CodeCycle                       // the value contains itself
	CodeTooDeep                     // the value is nested beyond 1000 levels
	CodeEndlessZero                 // with ZeroNil, a nil pointer stands for a zero value that holds such a pointer again, without end
	CodeUnsupportedKind             // chan, func, complex128, uintptr, unsafe.Pointer; with ZeroNil, a nil pointer to a pointer or interface
	CodeNotStringer                 // the struct tag asks for the text of a field that is no fmt.Stringer
	CodeInvalidTime                 // a time whose zone offset has no binary form
	CodeHiddenKeys                  // a map with hot and other parts below sensitive=keys: its entries cannot be told apart
	CodeMethodFailed                // a method of the configuration, or the Hasher, returned an error or panicked
)

// String returns the code's name without the prefix, such as Cycle.
func (c Code) String() string {
	return problems[c.known()].name
}

// known returns the code if there is such a one, and CodeUnknown otherwise.
func (c Code) known() Code {
	if int(c) < len(problems) {
		return c
	}
	return CodeUnknown
}

// Error is one reason why a configuration cannot be hashed. Functions return all that they find, joined.
//
// Code and Path are stable. The text is for people; it never quotes a value of the configuration.
type Error struct {
	// Code says what kind of problem it is.
	Code Code
	// Path is the path of JSON names, with Go names where there are none, and with positions for the elements of lists, such as
	// dataVolumes[0].iops. Keys that must not be shown read (sensitive). It is empty for the root and where it is not known.
	Path string
	// Type is the Go type concerned, where it says more than the path.
	Type string
	// Cause is what a method returned. It is not part of the text, since it may quote a value.
	Cause error
}

// Error returns the problem as a sentence.
func (e *Error) Error() string {
	text := "hash/hashstructure: "
	if e.Path != "" {
		text += e.Path + ": "
	}
	if e.Type != "" {
		text += "the type " + e.Type + " "
	}
	problem := problems[e.Code.known()]
	return text + problem.what + "; " + problem.cure
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// problems are the codes in words.
var problems = [...]struct{ name, what, cure string }{
	CodeUnknown:         {"Unknown", "has an unknown problem", "report it"},
	CodeUnknownFormat:   {"UnknownFormat", "the options name no format", "use FormatV2 or FormatV1"},
	CodeNoHasher:        {"NoHasher", "the options' Hasher returned nil", "return a new hash.Hash64, or leave Hasher out"},
	CodeCycle:           {"Cycle", "contains itself", "remove the cycle"},
	CodeTooDeep:         {"TooDeep", "is nested too deeply", "flatten the value"},
	CodeEndlessZero:     {"EndlessZero", "has a zero value that contains itself under ZeroNil", "set IgnoreZeroValue as well, or leave ZeroNil out"},
	CodeUnsupportedKind: {"UnsupportedKind", "has no bytes to hash", "use a type that JSON can carry"},
	CodeNotStringer:     {"NotStringer", "has no method String on the value, which the struct tag `string` asks for", "remove `string`, or use a pointer if only that has the method"},
	CodeInvalidTime:     {"InvalidTime", "has a zone offset that cannot be written", "correct the time, or use UTC"},
	CodeHiddenKeys:      {"HiddenKeys", "has hot and other parts below keys that must not be shown", "write `sensitive` in place of `sensitive=keys`, or give the map one class"},
	CodeMethodFailed:    {"MethodFailed", "has a method that failed", "correct the method or the value"},
}
