// Package fault holds the one error type of this module. It depends on the standard library only.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrorKind says what a caller can do about an [Error].
type ErrorKind string

// The kinds.
const (
	// Misuse: the call is wrong: no Schema, a value of another type, an option that does not exist.
	// Correct the program.
	Misuse ErrorKind = "misuse"
	// Declaration: a Go type, struct tag, override or era cannot be compiled. Correct the program.
	Declaration ErrorKind = "declaration"
	// InvalidSchema: a Schema in JSON cannot be loaded. Correct the document.
	InvalidSchema ErrorKind = "schema"
	// Invalid: the input is malformed, of the wrong type, missing, a duplicate, outside a limit or not
	// known. Correct the input. The code says which.
	Invalid ErrorKind = "invalid"
	// Unsupported: a valid value cannot be used by this operation.
	Unsupported ErrorKind = "unsupported"
	// Conflict: two inputs contradict each other.
	Conflict ErrorKind = "conflict"
	// Failed: code outside of this module returned an error or panicked.
	Failed ErrorKind = "failed"
)

// Error is one problem: where it is, what is wrong, and how to fix it. Functions return all
// problems that they find, joined; [All] lists them.
//
// All fields but What and Hint are stable. What and Hint are for people. No field holds a value of
// a configuration; only Cause may.
type Error struct {
	Kind  ErrorKind // what a caller can do about it
	Code  string    // the exact problem, such as malformed-tag; each code has one kind, see [Is]
	Where string    // what the problem is about, where Field and Path do not tell: machine m1, or pool "a"
	Field string    // Go field of a type, such as aws.WorkerConfig.Tags
	Path  string    // path of JSON names in a value, such as dataVolumes[name=a].iops; empty for the root
	Type  string    // Go type, where it says more than the field
	What  string    // what is wrong
	Hint  string    // what to write or do instead; may be empty
	Cause error     // the underlying error; Error shows the text of an [Error], and only the Go type of any other
}

// Error returns "hotupdate: <where>: <what>; <hint>".
func (e *Error) Error() string { return "hotupdate: " + e.text() }

func (e *Error) text() string {
	var b strings.Builder
	if e.Where != "" {
		b.WriteString(e.Where + ": ")
	}
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
		b.WriteString(" (" + causeText(e.Cause) + ")")
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// causeText hides the text of foreign errors, which may quote a value.
func causeText(cause error) string {
	var texts []string
	for _, e := range All(cause) {
		texts = append(texts, e.text())
	}
	if len(texts) == 0 {
		return fmt.Sprintf("%T", cause)
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether an error has a problem with a code, such as [UnknownMember]. It looks at what
// [All] lists.
func Is(err error, code string) bool {
	return slices.ContainsFunc(All(err), func(e *Error) bool { return e.Code == code })
}

// List collects problems, which Err joins.
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

// All returns every [Error] inside a possibly joined or wrapped error, in order. It does not list
// the causes of an Error.
func All(err error) List {
	switch e := err.(type) { //nolint:errorlint // walks the tree itself
	case *Error:
		return List{e}
	case interface{ Unwrap() []error }:
		var all List
		for _, inner := range e.Unwrap() {
			all = append(all, All(inner)...)
		}
		return all
	case interface{ Unwrap() error }:
		return All(e.Unwrap())
	}
	return nil
}
