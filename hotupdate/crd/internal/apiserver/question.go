package apiserver

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/crdplugin"
)

// answer answers a question.
func (d definitions) answer(question crdplugin.Question) (answer crdplugin.Answer) {
	updated, v, err := d.read(question.New)
	if err != nil {
		return crdplugin.Answer{Error: "the new object " + err.Error()}
	}
	if len(question.Old) == 0 {
		return v.create(updated)
	}
	old, before, err := d.read(question.Old)
	switch {
	case err != nil:
		return crdplugin.Answer{Error: "the old object " + err.Error()}
	case before != v:
		return crdplugin.Answer{Error: "the objects are of different versions or kinds"}
	}
	return v.answerTo(v.update(updated, old), func(*field.Error, *crdplugin.Refusal) {})
}

// create answers whether an object is created, and which updates of a stored one are refused.
func (v *version) create(object *unstructured.Unstructured) crdplugin.Answer {
	created := object.DeepCopy()
	v.strategy.PrepareForCreate(context.Background(), created)
	stored := &stored{version: v, object: object, tried: map[string]field.ErrorList{}}
	return v.answerTo(v.strategy.Validate(context.Background(), created),
		func(problem *field.Error, refusal *crdplugin.Refusal) {
			refusal.Update, refusal.Kept = stored.updates(problem)
		})
}

// update returns why an update is refused.
func (v *version) update(updated, old *unstructured.Unstructured) field.ErrorList {
	updated = updated.DeepCopy()
	old = old.DeepCopy()
	old.SetResourceVersion("1")
	updated.SetResourceVersion("1")
	updated.SetUID(old.GetUID())
	updated.SetName(old.GetName())
	updated.SetNamespace(old.GetNamespace())
	updated.SetCreationTimestamp(old.GetCreationTimestamp())
	updated.SetDeletionTimestamp(old.GetDeletionTimestamp())
	updated.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	v.strategy.PrepareForUpdate(context.Background(), updated, old)
	return v.strategy.ValidateUpdate(context.Background(), updated, old)
}

// answerTo returns what the API server found, in the order of paths. The function completes each refusal.
func (v *version) answerTo(
	found field.ErrorList, complete func(*field.Error, *crdplugin.Refusal),
) (answer crdplugin.Answer) {
	problems := slices.DeleteFunc(slices.Clone(found), isNotice)
	answer.Incomplete = len(problems) < len(found)
	slices.SortFunc(problems, func(a, b *field.Error) int {
		byText := strings.Compare(v.messages.textOf(a), v.messages.textOf(b))
		return cmp.Or(strings.Compare(pathOf(a), pathOf(b)), byText)
	})
	answer.More = max(0, len(problems)-crdplugin.MaxRefusals)
	for _, problem := range problems[:len(problems)-answer.More] {
		refusal := crdplugin.Refusal{Path: pathOf(problem), Text: v.messages.textOf(problem)}
		complete(problem, &refusal)
		answer.Refusals = append(answer.Refusals, refusal)
	}
	answer.Refusals = slices.Compact(answer.Refusals)
	return answer
}

// isNotice reports whether an error only says that more rules are checked later. Source: hasBlockingErr of
// pkg/registry/customresource/strategy.go.
func isNotice(problem *field.Error) bool {
	return strings.HasPrefix(problem.Detail, "some validation rules were not checked because the object was invalid")
}

// pathOf returns the path of an error. The API server writes <nil> for the object itself.
func pathOf(problem *field.Error) string {
	if problem.Field == "<nil>" {
		return ""
	}
	return strings.TrimPrefix(problem.Field, ".")
}

// textOf returns the text of an error without the values of the object.
func (m *messages) textOf(problem *field.Error) string {
	what := problem.Type.String()
	detail := strings.TrimPrefix(strings.TrimSpace(problem.Detail), problem.Field+" in body ")
	switch value, isText := problem.BadValue.(string); {
	case !m.isFixed(problem):
		detail = "a rule does not hold, whose text has values of the object"
	case isText && !slices.Contains(typeNames, value):
		detail = strings.ReplaceAll(detail, strconv.Quote(value), "the value")
	}
	if detail == "" {
		return what
	}
	return what + ": " + detail
}

// typeNames are the types of OpenAPI, one of which an error of a type has as its value.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// isFixed reports whether the text of an error is not computed from the object by a rule.
func (m *messages) isFixed(problem *field.Error) bool {
	detail := strings.TrimSpace(problem.Detail)
	if !m.isComputed || m.literal[detail] || strings.Contains(detail, " in body ") {
		return true
	}
	mayBeOfRule := slices.Contains(reasonsOfRules, problem.Type)
	return !mayBeOfRule || detail == ""
}

// reasonsOfRules are the types of errors that a rule may choose. Errors of metadata and lists have them, too.
var reasonsOfRules = []field.ErrorType{
	field.ErrorTypeInvalid, field.ErrorTypeForbidden, field.ErrorTypeRequired, field.ErrorTypeDuplicate,
}
