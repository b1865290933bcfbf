package hotupdate

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// ValidateUpdate checks for an admission webhook whether a pool with this strategy can take the update. It returns an error for each
// change that [Changes.Causes] the outcome [UpdateForbidden], and for each problem of updated. Each configuration is a value of the Schema's
// type or a pointer to one; nil is the empty configuration. FldPath is the path of the configuration, nil if it is the root.
//
//   - Each error stands at the exact field: fldPath, and the path of the [Change].
//   - Forbidden changes are of type Forbidden. Problems of updated are Invalid, TypeInvalid, Required or Duplicate. A missing Schema, a
//     value of another type and an unknown strategy are Internal.
//   - No error holds or quotes a value, sensitive or not: BadValue is [field.OmitValueType].
//   - A pool that rolls can take every valid update, so old is not read. Otherwise it must be readable.
func (s *Schema) ValidateUpdate(old, updated any, strategy Strategy, fldPath *field.Path) field.ErrorList {
	return s.validateUpdate(strategy, fldPath, func() (any, error) { return old, nil }, func() (any, error) { return updated, nil })
}

// ValidateUpdateRaw is [Schema.ValidateUpdate] for raw JSON, read as by [Schema.Decode]. Equal bytes are no update and not read, so that
// objects stored under older rules remain valid.
func (s *Schema) ValidateUpdateRaw(old, updated []byte, strategy Strategy, fldPath *field.Path) field.ErrorList {
	if !s.isMissing() && strategy.isKnown() && bytes.Equal(old, updated) {
		return nil
	}
	return s.validateUpdate(strategy, fldPath, func() (any, error) { return s.read(old) }, func() (any, error) { return s.read(updated) })
}

func (s *Schema) validateUpdate(strategy Strategy, fldPath *field.Path, old, updated func() (any, error)) field.ErrorList {
	if !strategy.isKnown() {
		return field.ErrorList{at(fldPath, "", field.ErrorTypeInternal, "the update strategy is unknown; use AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate")}
	}
	after, err := updated()
	if err == nil {
		_, err = s.Diff(nil, after) // reads all of it
	}
	if err != nil {
		return fieldErrors(fldPath, err)
	}
	if strategy == AutoRollingUpdate {
		return nil
	}
	before, err := old()
	var changes Changes
	if err == nil {
		changes, err = s.Diff(before, after)
	}
	if err != nil {
		return field.ErrorList{at(fldPath, "", field.ErrorTypeForbidden, "the old configuration cannot be read, so it is not known whether "+strategy.String()+" allows the change: "+strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	return changes.forbidden(strategy, fldPath)
}

func (c Changes) forbidden(strategy Strategy, fldPath *field.Path) field.ErrorList {
	if c.Outcome(strategy) != UpdateForbidden {
		return nil
	}
	var errs field.ErrorList
	for _, change := range c.Causes(strategy) {
		errs = append(errs, at(fldPath, change.Path, field.ErrorTypeForbidden, "is "+change.Class.String()+": "+UpdateForbidden.Consequence(strategy)))
	}
	return errs
}

// at returns an error at a field, without its value.
func at(fldPath *field.Path, path string, typ field.ErrorType, detail string) *field.Error {
	return &field.Error{Type: typ, Field: below(fldPath, path), BadValue: field.OmitValueType{}, Detail: detail}
}

// below puts a path of JSON names below fldPath.
func below(fldPath *field.Path, path string) string {
	switch {
	case fldPath == nil:
		return path
	case path == "":
		return fldPath.String()
	case path[0] == '[':
		return fldPath.String() + path
	default:
		return fldPath.String() + "." + path
	}
}

// fieldErrors turns problems of a configuration into errors of fields, at least one: an update that fails is never admitted.
func fieldErrors(fldPath *field.Path, err error) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range fault.All(err) {
		detail := strings.TrimSuffix(problem.What+"; "+problem.Hint, "; ")
		errs = append(errs, at(fldPath, problem.Path, cmp.Or(fieldErrorTypes[problem.Kind], field.ErrorTypeInvalid), detail))
	}
	if len(errs) == 0 {
		return field.ErrorList{at(fldPath, "", field.ErrorTypeInternal, "cannot be checked")}
	}
	return errs
}

// fieldErrorTypes are those of the kinds that are not Invalid.
var fieldErrorTypes = map[fault.Kind]field.ErrorType{
	fault.Misuse: field.ErrorTypeInternal, fault.Declaration: field.ErrorTypeInternal, fault.Schema: field.ErrorTypeInternal,
	fault.WrongType: field.ErrorTypeTypeInvalid, fault.Missing: field.ErrorTypeRequired, fault.Duplicate: field.ErrorTypeDuplicate,
}

// Limits of admission warnings. An API server cuts warnings to 256 characters, and drops some, once those of a request exceed 4096.
const (
	maxWarning = 256
	// maxWarnedCauses keeps the warnings of one configuration below the limit of a request, with room for those of others.
	maxWarnedCauses = 10
)

// Warnings describes the outcome for the response of an admission webhook: what happens to the pool, and each change that causes it.
// There are none if no machine is drained or replaced. FldPath is the path of the configuration, nil if it is the root.
//
// There are at most 12 warnings, each of at most 256 characters and without control characters, as Kubernetes wants them. They name paths
// and no values.
func (c Changes) Warnings(strategy Strategy, fldPath *field.Path) []string {
	outcome := c.Outcome(strategy)
	switch outcome {
	case NoUpdate, HotUpdate:
		return nil
	case Indeterminate:
		return []string{warning(below(fldPath, ""), "the update strategy is unknown, so it is not known what the change does to machines")}
	case InPlaceUpdate, Roll, UpdateForbidden:
	}
	causes := c.Causes(strategy)
	warnings := []string{warning(below(fldPath, ""), outcome.String()+": "+outcome.Consequence(strategy))}
	for _, cause := range causes[:min(len(causes), maxWarnedCauses)] {
		warnings = append(warnings, warning(below(fldPath, cause.Path), "is "+cause.Class.String()+", so that its change causes: "+outcome.String()))
	}
	if more := len(causes) - maxWarnedCauses; more > 0 {
		warnings = append(warnings, warning(below(fldPath, ""), fmt.Sprintf("%d more changes cause: %s", more, outcome)))
	}
	return warnings
}

// warning puts a path before a text. The path may be long and hold anything.
func warning(path, text string) string {
	if path == "" {
		return text
	}
	room := maxWarning - utf8.RuneCountInString(text) - len(": ")
	return plaintext.Shorten(path, room, plaintext.Printable) + ": " + text
}
