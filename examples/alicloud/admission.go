package alicloud

import (
	"bytes"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// ValidateConfig returns the problems of the provider config of a pool, for admission. Old is the pool
// before an update, nil for a new one.
//
//   - Before the canonical era a config that did not change is valid: the release before this one took any.
//   - Before the canonical era fields that are not hot are ignored, so they may not change. A config that the
//     Schema refuses counts as empty there.
//   - Otherwise [hotupdate.Schema.ValidateUpdateRaw] decides. The config is also read if only the
//     Kubernetes minor changes.
//
// [ValidateTags] has the rules of the cloud.
func ValidateConfig(old, updated *gardener.WorkerPool, path *field.Path) field.ErrorList {
	schema, err := Schema()
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	isCanonical, err := isInCanonicalEra(schema, updated)
	if err != nil {
		return field.ErrorList{field.Invalid(path.Root(), field.OmitValueType{}, err.Error())}
	}
	var before []byte
	if old != nil {
		before = old.RawConfig()
	}
	after := updated.RawConfig()
	isUnchanged := old != nil && bytes.Equal(before, after)
	if isUnchanged && !isCanonical {
		return nil
	}
	if problems := schema.ValidateUpdateRaw(nil, after, hotupdate.AutoRollingUpdate, path); len(problems) > 0 {
		return problems
	}
	if !isCanonical {
		return ignoredChanges(schema, before, after, path)
	}
	return schema.ValidateUpdateRaw(before, after, updated.UpdateStrategy, path)
}

// ignoredChanges returns an error for each change that has no effect before the canonical era. The Schema
// takes the updated config.
func ignoredChanges(schema *hotupdate.Schema, old, updated []byte, path *field.Path) (problems field.ErrorList) {
	if _, err := schema.Decode(old); err != nil {
		old = nil
	}
	changes, err := schema.DiffRaw(old, updated)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	for _, change := range changes.Of(hotupdate.Immutable) {
		problems = append(problems, field.Forbidden(path.Child(change.Path),
			"has no effect before Kubernetes 1.37; change it with that version"))
	}
	return problems
}
