package gardener

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// refusalsOf returns the refusals in an error of the API server, at least one for an error.
func refusalsOf(by string, err error) (refusals []gardenerplugin.Refusal) {
	if err == nil {
		return nil
	}
	if strict, is := runtime.AsStrictDecodingError(err); is {
		for _, e := range strict.Errors() {
			refusals = append(refusals, ofText(by, e.Error()))
		}
		return refusals
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		if details := status.Status().Details; apierrors.IsInvalid(err) && details != nil {
			for _, cause := range details.Causes {
				refusal := gardenerplugin.Refusal{Field: pathOf(cause.Field), Text: cause.Message, By: by}
				if !slices.Contains(refusals, refusal) { // the API server validates metadata twice
					refusals = append(refusals, refusal)
				}
			}
		}
	}
	if len(refusals) > 0 {
		return refusals
	}
	return ofTexts(by, err.Error())
}

// forbidden is what the API server writes before the reasons of admission plugins.
var forbidden = regexp.MustCompile(`^\S+ ("[^"]*" )?is forbidden: `)

// ofTexts returns the refusals in the text of an admission plugin, which may have several of the
// type [field.Error].
func ofTexts(by, text string) (refusals []gardenerplugin.Refusal) {
	text = forbidden.ReplaceAllString(text, "")
	starts := fieldError.FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][2] > 1 {
		return []gardenerplugin.Refusal{ofText(by, text)}
	}
	isList := strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
	for i, start := range starts {
		end := len(text)
		switch {
		case i+1 < len(starts):
			end = starts[i+1][0]
		case isList:
			end--
		}
		path := text[start[2]:start[3]]
		reason := text[start[4]:end]
		refusals = append(refusals, gardenerplugin.Refusal{Field: pathOf(path), Text: reason, By: by})
	}
	return refusals
}

// fieldError matches the beginning of a [field.Error] in an aggregate of them: its path, and then its
// type.
var fieldError = regexp.MustCompile(
	`(?:^\[?|, )([a-z][\w-]*(?:[.\[][^:, ]*)?): ((?:` + strings.Join(fieldErrorTypes(), "|") + `))`)

func fieldErrorTypes() (names []string) {
	for _, t := range []field.ErrorType{
		field.ErrorTypeNotFound, field.ErrorTypeRequired, field.ErrorTypeDuplicate, field.ErrorTypeInvalid,
		field.ErrorTypeNotSupported, field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
		field.ErrorTypeInternal, field.ErrorTypeTypeInvalid,
	} {
		names = append(names, regexp.QuoteMeta(t.String()))
	}
	return names
}

// quotedField matches the field in texts of the decoder: unknown field "spec.x", duplicate field "spec.x", and Go
// struct field Shoot.spec.x of type int32.
var quotedField = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"|Go struct field [A-Z]\w*\.(\S+) of type`)

// ofText returns a refusal whose field stands in the text, if anywhere.
func ofText(by, text string) gardenerplugin.Refusal {
	r := gardenerplugin.Refusal{Text: text, By: by}
	if found := quotedField.FindStringSubmatch(text); by == byDecoding && found != nil {
		r.Field = found[1] + pathOf(found[2])
	}
	return r
}
