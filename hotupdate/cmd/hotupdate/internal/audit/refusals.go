package audit

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/crdplugin"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The codes of the reasons why an API server refuses an object.
const (
	refusedWhenCreated = "refused-when-created"
	refusedWhenChanged = "refused-when-changed"
	notValidated       = "not-validated"
)

// refusals says which requests an API server with the new release refuses: to create the object, to
// restore the object that the old release has stored, or to update it. Without a validator, it
// lists the constraints that may refuse the object. An error comes from the validator.
func (r *Resources) refusals(of facts.TypeMeta, object *tree.Node, part []byte) (verdict.Verdict, []Reason, error) {
	if r.validator == nil {
		return r.mayRefuse(of, part)
	}
	stored := object
	if filled := r.old.Returned(of, part); !r.old.IsWhole(of) {
		stored = object.With([]string{"spec"}, tree.Of(filled))
	}
	created, err := r.validator.Ask(nil, object.JSON())
	if err != nil {
		return verdict.None, nil, err
	}
	restored := created
	if !tree.Equal(object, stored) {
		if restored, err = r.validator.Ask(nil, stored.JSON()); err != nil {
			return verdict.None, nil, err
		}
	}
	for _, answer := range []crdplugin.Answer{created, restored} {
		if answer.Error != "" {
			text := "the API server's code has no answer: " + answer.Error
			return verdict.Indeterminate, []Reason{{Code: notValidated, Text: text}}, nil
		}
	}
	reasons := reasonsOfRefusals(created, restored)
	if len(reasons) == 0 {
		return verdict.None, nil, nil
	}
	return verdict.Forbidden, reasons, nil
}

// reasonsOfRefusals returns the reasons for refusing an object, and for refusing the stored object.
func reasonsOfRefusals(created, restored crdplugin.Answer) (reasons []Reason) {
	for _, refusal := range slices.Concat(created.Refusals, restored.Refusals) {
		reason := Reason{
			Path: refusal.Path, Code: refusedWhenCreated, Text: "refused when created or restored: " + textOf(refusal),
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	for _, refusal := range restored.Refusals {
		reason := Reason{Path: refusal.Kept, Code: refusedWhenChanged}
		switch refusal.Update {
		case crdplugin.RefusedWhereChanged:
			reason.Text = "refused when " + refusal.Kept + " is changed: " + textOf(refusal)
		case crdplugin.RefusedAlways:
			reason.Text = "refused when anything is changed: " + textOf(refusal)
		case crdplugin.NeverRefused:
			continue
		}
		reasons = append(reasons, reason)
	}
	if more := max(created.More, restored.More); more > 0 {
		reasons = append(reasons, Reason{
			Code: refusedWhenCreated,
			Text: "refused when created or restored: for " + plaintext.Counted(more, "more reason"),
		})
	}
	if created.Incomplete || restored.Incomplete {
		reasons = append(reasons, Reason{
			Code: notValidated, Text: "the API server checks further rules only once these refusals are mended",
		})
	}
	return reasons
}

func textOf(refusal crdplugin.Refusal) string {
	return strings.TrimPrefix(refusal.Path+": "+refusal.Text, ": ")
}

// mayRefuse returns the constraints that the new release narrows and that concern an object.
// Whether the object meets them is not checked.
func (r *Resources) mayRefuse(of facts.TypeMeta, part []byte) (effect verdict.Verdict, reasons []Reason, err error) {
	effect = verdict.None
	for _, f := range crds.MayRefuse(r.old, r.updated, of, part) {
		effect = verdict.Indeterminate
		reasons = append(reasons, Reason{
			Path: f.Path, Finding: f.Kind, Code: notValidated,
			Text: f.Text + "; install hotupdate-crd, which asks the API server's code, or ask an API server with " +
				"the new CRD, as by kubectl apply --dry-run=server",
		})
	}
	return effect, reasons, nil
}
