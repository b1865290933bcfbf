package side

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/validator"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// isValidated reports whether the API server's own code is asked about a pair: a custom resource
// that is created or changed.
func (p inputs) isValidated() bool {
	if p.updated == nil || p.updated.spec == nil {
		return false
	}
	return p.old == nil || !tree.Equal(p.old.tree, p.updated.tree)
}

// mayValidate reports whether [inputs.isValidated] may be true of a pair.
func (r *Reader) mayValidate(p pair) bool {
	return p.updated != nil && r.Schemas.custom.Has(p.updated.Type) && !p.isUnchanged()
}

// startValidator starts the program that asks the API server's own code, if there is one, and a pair to ask about.
func (r *Reader) startValidator(pairs []pair) (*validator.Session, error) {
	if r.Validator.Program == "" || r.Schemas.custom == nil || !slices.ContainsFunc(pairs, r.mayValidate) {
		return nil, nil //nolint:nilnil // there is no session
	}
	session, err := r.Validator.Start(r.Schemas.custom.Definitions())
	if err != nil {
		return nil, err
	}
	for _, ignored := range session.Ignored {
		r.Warnings = append(r.Warnings, "Kubernetes "+session.Version+": "+ignored)
	}
	return session, nil
}

// validate asks the API server's own code about custom resources. It returns the reasons for
// refusals, and notes on the answer. Without a session it asks nothing, and neither about objects
// in two versions, which webhooks convert.
func (p inputs) validate(session *validator.Session) (refused, notes []verdict.Rule, err error) {
	areOfTwoVersions := p.old != nil && p.old.Type != p.updated.Type
	if session == nil || areOfTwoVersions {
		return nil, []verdict.Rule{verdict.NotValidated}, nil
	}
	var old []byte
	updated := p.updated.tree.JSON()
	if p.old != nil {
		old = p.old.tree.JSON()
		if p.old.UID != "" && p.updated.UID == "" {
			updated = patched(old, updated)
		}
	}
	answer, err := session.Ask(old, updated)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.updated.From, err)
	}
	server := verdict.APIServer(session.Version)
	for _, refusal := range answer.Refusals {
		refused = append(refused, server.Refuses(strings.TrimPrefix(refusal.Path+": "+refusal.Text, ": ")))
	}
	if answer.More > 0 {
		notes = append(notes, server.More(answer.More))
	}
	switch {
	case answer.Error != "":
		notes = append(notes, server.Fails(answer.Error), verdict.NotValidated)
	case answer.Incomplete:
		notes = append(notes, server.Incomplete())
	case len(refused) == 0:
		notes = append(notes, server.Admits())
	}
	return refused, notes, nil
}

// patched returns the object of a cluster after a manifest was applied to it: the manifest is a
// merge patch. Fields that the manifest no longer has stay, so the result has at least the fields
// that kubectl apply keeps.
func patched(old, manifest []byte) []byte {
	before, oldErr := jsonpatch.Parse(old)
	patch, newErr := jsonpatch.Parse(manifest)
	if oldErr != nil || newErr != nil {
		return manifest
	}
	text, err := jsonpatch.Write(merged(before, patch))
	if err != nil {
		return manifest
	}
	return text
}

// merged returns a value with a merge patch. Source: RFC 7386.
func merged(value, patch any) any {
	members, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	object, _ := value.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	for name, member := range members {
		if member == nil {
			delete(object, name)
			continue
		}
		object[name] = merged(object[name], member)
	}
	return object
}
