package hotupdate

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/plaintext"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// ValidateUpdateRaw tells an admission webhook whether a pool with this strategy can take the update
// of its raw JSON, read as by [Schema.Decode]. It returns an error for each change that
// [Changes.Causes] the outcome [OutcomeForbidden], and for each problem of updated. FldPath is the
// path of the configuration, nil if it is the root.
//
//   - Equal bytes are not an update and are not read, so objects stored under older rules remain
//     valid.
//   - Each error names the exact field: fldPath followed by the path of the [Change].
//   - Forbidden changes are of type Forbidden. Problems of updated are Invalid, TypeInvalid
//     or Duplicate. Duplicate is also an element of a list with key= whose key the list has
//     more often than in old: a hash takes it, but drivers cannot tell such elements apart. One that
//     old has may stay, and may be mended like any other change.
//   - A missing Schema and an unknown strategy are Internal.
//   - No error holds or quotes a value, sensitive or not: BadValue is [field.OmitValueType].
//   - A pool that rolls can take every other valid update, so old need not be readable. Otherwise it
//     must be.
//   - A pool whose era has an older Schema, see package hash, is judged by that one: its name may
//     still depend on a field that is Hot today.
func (s *Schema) ValidateUpdateRaw(old, updated []byte, strategy Strategy, fldPath *field.Path) field.ErrorList {
	if !strategy.isKnown() {
		return field.ErrorList{
			at(fldPath, "", field.ErrorTypeInternal,
				"the update strategy is unknown; use AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate"),
		}
	}
	if !s.isMissing() && bytes.Equal(old, updated) {
		return nil
	}
	after, err := s.read(updated)
	if err != nil {
		return fieldErrors(fldPath, err)
	}
	repetitions, err := engine.Repetitions(s.plan(), reflect.Value{}, after) // reads all of it
	if err != nil {
		return fieldErrors(fldPath, err)
	}
	isRolled := strategy == AutoRollingUpdate
	if isRolled && len(repetitions) == 0 {
		return nil
	}
	before, err := s.read(old)
	errs := s.repeated(before, after, repetitions, fldPath)
	if isRolled {
		return errs
	}
	return append(errs, s.forbidden(before, after, err, strategy, fldPath)...)
}

// repeated returns an error for each key of a keyed list that updated repeats and old does not. It gets
// all repetitions of updated. An old configuration that cannot be read has none.
func (s *Schema) repeated(
	old, updated reflect.Value, all []fieldpath.Path, fldPath *field.Path,
) (errs field.ErrorList) {
	if len(all) == 0 {
		return nil
	}
	if added, err := engine.Repetitions(s.plan(), old, updated); err == nil {
		all = added
	}
	for _, path := range all {
		errs = append(errs, at(fldPath, path.String(), field.ErrorTypeDuplicate,
			"has the key of an element before it; give each element a key of its own"))
	}
	return errs
}

// forbidden returns an error for each change that the strategy does not allow. It gets the error of
// reading old.
func (s *Schema) forbidden(
	old, updated reflect.Value, err error, strategy Strategy, fldPath *field.Path,
) field.ErrorList {
	var found []engine.Difference
	if err == nil { // nothing but Immutable changes is forbidden
		found, err = engine.DiffOf(s.plan(), fieldplan.Of(structtag.Immutable), old, updated)
	}
	if err != nil {
		return field.ErrorList{
			at(fldPath, "", field.ErrorTypeForbidden,
				"the old configuration cannot be read, so it is not known whether "+strategy.String()+
					" allows the change: "+strings.ReplaceAll(err.Error(), "\n", "; ")),
		}
	}
	return publicChanges(found).forbidden(strategy, fldPath)
}

func (c Changes) forbidden(strategy Strategy, fldPath *field.Path) field.ErrorList {
	if c.Outcome(strategy) != OutcomeForbidden {
		return nil
	}
	var errs field.ErrorList
	for _, change := range c.Causes(strategy) {
		errs = append(errs, at(fldPath, change.Path, field.ErrorTypeForbidden,
			"is "+change.Class.String()+": "+OutcomeForbidden.Consequence(strategy)))
	}
	return errs
}

// at returns an error for a field. The error does not hold the field's value.
func at(fldPath *field.Path, path string, typ field.ErrorType, detail string) *field.Error {
	return &field.Error{Type: typ, Field: below(fldPath, path), BadValue: field.OmitValueType{}, Detail: detail}
}

// below appends a path of JSON names to fldPath.
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

// fieldErrors turns problems of a configuration into field errors. It returns at least one, so an
// update that fails is never admitted.
func fieldErrors(fldPath *field.Path, err error) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range fault.All(err) {
		detail := strings.TrimSuffix(problem.What+"; "+problem.Hint, "; ")
		errs = append(errs, at(fldPath, problem.Path, fieldErrorType(problem), detail))
	}
	if len(errs) == 0 {
		return field.ErrorList{at(fldPath, "", field.ErrorTypeInternal, "cannot be checked")}
	}
	return errs
}

// fieldErrorTypes maps codes of problems to types of field errors. Codes that are missing here are
// Invalid.
var fieldErrorTypes = map[string]field.ErrorType{
	fault.WrongJSONType: field.ErrorTypeTypeInvalid, fault.InvalidIntOrString: field.ErrorTypeTypeInvalid,
	fault.DuplicateMember: field.ErrorTypeDuplicate, fault.DuplicateMapKey: field.ErrorTypeDuplicate,
	fault.DuplicateListKey: field.ErrorTypeDuplicate, fault.RepeatedKey: field.ErrorTypeDuplicate,
}

// fieldErrorType returns the type of a field error. A problem of the program is Internal.
func fieldErrorType(problem *fault.Error) field.ErrorType {
	switch problem.Kind { //nolint:exhaustive // the others are problems of the input
	case fault.Misuse, fault.Declaration, fault.InvalidSchema:
		return field.ErrorTypeInternal
	}
	return cmp.Or(fieldErrorTypes[problem.Code], field.ErrorTypeInvalid)
}

// Limits of admission warnings. An API server cuts each warning to 256 characters, and drops
// warnings once those of a request exceed 4096 characters.
const (
	maxWarning = 256
	// maxWarnedCauses keeps the warnings of one configuration below the limit of a request, with
	// room for other warnings.
	maxWarnedCauses = 10
)

// Warnings describes the outcome for the response of an admission webhook: what happens to the
// pool, and each change that causes it. It returns none if no machine is drained or replaced.
// FldPath is the path of the configuration, nil if it is the root.
//
// There are at most 12 warnings. Each has at most 256 characters and no control characters, as
// Kubernetes requires. They name paths, never values. As for [Changes.Outcome], the changes must
// come from the Schema of the pool's era.
func (c Changes) Warnings(strategy Strategy, fldPath *field.Path) []string {
	outcome := c.Outcome(strategy)
	switch outcome {
	case OutcomeNone, OutcomeHotUpdate:
		return nil
	case OutcomeIndeterminate:
		return []string{
			warning(below(fldPath, ""),
				"the update strategy is unknown, so it is not known what the change does to machines"),
		}
	case OutcomeInPlaceUpdate, OutcomeRoll, OutcomeForbidden:
	}
	causes := c.Causes(strategy)
	warnings := []string{warning(below(fldPath, ""), outcome.String()+": "+outcome.Consequence(strategy))}
	for _, cause := range causes[:min(len(causes), maxWarnedCauses)] {
		warnings = append(warnings, warning(below(fldPath, cause.Path),
			"is "+cause.Class.String()+", so that its change causes: "+outcome.String()))
	}
	if more := len(causes) - maxWarnedCauses; more > 0 {
		warnings = append(warnings, warning(below(fldPath, ""),
			fmt.Sprintf("%d more changes cause: %s", more, outcome)))
	}
	return warnings
}

// warning prefixes a text with a path. The path may be long and may contain any character.
func warning(path, text string) string {
	if path == "" {
		return text
	}
	room := maxWarning - utf8.RuneCountInString(text) - len(": ")
	return plaintext.Shorten(path, room, plaintext.Printable) + ": " + text
}
