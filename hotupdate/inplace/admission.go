package inplace

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// ValidateVersion checks an update of a Kubernetes version, as Gardener's validation does. No version can be lowered. A pool that is
// updated in place, and a Shoot with any strategy, takes one minor after the other. A partial version, such as 1.34, stands for the
// highest one that begins with it. What cannot be read as a version is Invalid, everything else Forbidden.
func ValidateVersion(old, updated string, strategy hotupdate.Strategy, fldPath *field.Path) field.ErrorList {
	before, oldErr := parseVersion(old)
	after, newErr := parseVersion(updated)
	switch {
	case oldErr != nil || newErr != nil:
		return field.ErrorList{field.Invalid(fldPath, field.OmitValueType{}, "the old or the new value is no version; write MAJOR.MINOR.PATCH")}
	case isLower(updated, old):
		return forbidden(fldPath, "a Kubernetes version cannot be lowered, not even by a patch")
	case strategy != hotupdate.AutoRollingUpdate && (after.Major() != before.Major() || after.Minor() > before.Minor()+1):
		return forbidden(fldPath, "a Shoot, and a pool that is updated in place, has to take one Kubernetes minor after the other")
	}
	return nil
}

// ValidateImage checks an update in place from one machine image to another. MinVersionForUpdate is that of the updated image in the
// CloudProfile, empty if it has none, or does not support updates in place (spec.machineImages[].versions[].inPlaceUpdates). Versions that
// cannot be read are refused as well.
func ValidateImage(old, updated hash.Image, minVersionForUpdate string, fldPath *field.Path) field.ErrorList {
	if old.Name == updated.Name && isLower(updated.Version, old.Version) {
		return forbidden(fldPath, "the version of a machine image cannot be lowered in place")
	}
	_, oldErr := parseVersion(old.Version)
	_, err := parseVersion(minVersionForUpdate)
	if oldErr != nil || err != nil || isLower(old.Version, minVersionForUpdate) {
		return forbidden(fldPath, "the CloudProfile does not let the machine image be updated in place from the old version")
	}
	return nil
}

// isLower reports whether a version is below another one. One of them that cannot be read is not.
func isLower(updated, old string) bool {
	before, oldErr := parseVersion(old)
	after, newErr := parseVersion(updated)
	return oldErr == nil && newErr == nil && !strings.HasPrefix(old, updated+".") && after.LessThan(before)
}

func parseVersion(text string) (*version.Version, error) {
	if v, err := version.ParseSemantic(text); err == nil {
		return v, nil
	}
	return version.ParseGeneric(text)
}

// PendingUpdates are the pools that have not finished an in-place update: status.inPlaceUpdates.pendingWorkerUpdates of a Shoot.
type PendingUpdates struct {
	AutoInPlaceUpdate   []string `json:"autoInPlaceUpdate,omitempty"`
	ManualInPlaceUpdate []string `json:"manualInPlaceUpdate,omitempty"`
}

// After returns what is pending after a pool has been changed: it is listed under its new strategy if the outcome of its changes is an
// in-place update, and also if it was listed before. A pool that rolls is not listed.
func (p PendingUpdates) After(pool string, strategy hotupdate.Strategy, outcome hotupdate.Outcome) PendingUpdates {
	listed := outcome == hotupdate.InPlaceUpdate || p.has(pool)
	without := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == pool })
	}
	after := PendingUpdates{without(p.AutoInPlaceUpdate), without(p.ManualInPlaceUpdate)}
	switch {
	case listed && strategy == hotupdate.AutoInPlaceUpdate:
		after.AutoInPlaceUpdate = append(after.AutoInPlaceUpdate, pool)
	case listed && strategy == hotupdate.ManualInPlaceUpdate:
		after.ManualInPlaceUpdate = append(after.ManualInPlaceUpdate, pool)
	}
	return after
}

func (p PendingUpdates) has(pool string) bool {
	return slices.Contains(p.AutoInPlaceUpdate, pool) || slices.Contains(p.ManualInPlaceUpdate, pool)
}

// forceOperation is the value of the Shoot's annotation gardener.cloud/operation that lets a pending pool be changed.
const forceOperation = "force-in-place-update"

// ValidateChange checks a change of a pool, of its effective Kubernetes version with the patch, or of its effective kubelet configuration.
// What is pending is that of the old Shoot. Operations are what the annotation gardener.cloud/operation of the new one asks for:
// force-in-place-update lets the change pass.
func (p PendingUpdates) ValidateChange(pool string, operations []string, fldPath *field.Path) field.ErrorList {
	if !p.has(pool) || slices.Contains(operations, forceOperation) {
		return nil
	}
	return forbidden(fldPath, "the pool has not finished an in-place update: until then every change of it is refused, but for the annotation gardener.cloud/operation: "+forceOperation)
}

// ValidateRotation checks the begin of a rotation of credentials, which any pending pool blocks, forced or not.
func (p PendingUpdates) ValidateRotation(fldPath *field.Path) field.ErrorList {
	if len(p.AutoInPlaceUpdate)+len(p.ManualInPlaceUpdate) == 0 {
		return nil
	}
	return forbidden(fldPath, "no rotation of credentials can begin while a pool has not finished an in-place update")
}

func forbidden(fldPath *field.Path, detail string) field.ErrorList {
	return field.ErrorList{field.Forbidden(fldPath, detail)}
}
