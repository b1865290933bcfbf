package inplace

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// ValidateVersion checks an update of a Kubernetes version, as Gardener's validation does. A
// version cannot be lowered. Pools that are updated in place, and Shoots with any strategy, cannot
// skip a minor. A partial version, such as 1.34, stands for the highest version that begins with
// it. Pre-release and build metadata do not count. An unreadable version is Invalid, every other error
// Forbidden.
func ValidateVersion(old, updated string, strategy hotupdate.Strategy, fldPath *field.Path) field.ErrorList {
	before, oldErr := parseVersion(old)
	after, newErr := parseVersion(updated)
	switch {
	case oldErr != nil || newErr != nil:
		const detail = "the old and the new value must be versions; write MAJOR.MINOR.PATCH"
		return field.ErrorList{field.Invalid(fldPath, field.OmitValueType{}, detail)}
	case isLower(updated, old):
		return forbidden(fldPath, "a Kubernetes version cannot be lowered, not even by a patch")
	case strategy != hotupdate.AutoRollingUpdate && skipsMinor(before, after):
		const detail = "a Shoot, and a pool that is updated in place, has to take one Kubernetes minor after the other"
		return forbidden(fldPath, detail)
	}
	return nil
}

func skipsMinor(before, after *version.Version) bool {
	return after.Major() != before.Major() || after.Minor() > before.Minor()+1
}

// ValidateStrategy checks a change of a pool's strategy. A pool cannot change between rolling and
// in-place updates; AutoInPlaceUpdate and ManualInPlaceUpdate may change into each other. An unknown
// strategy is Invalid, every other error Forbidden. Source: GEP-31, "Non-Goals".
func ValidateStrategy(old, updated hotupdate.Strategy, fldPath *field.Path) field.ErrorList {
	if !isKnown(old) || !isKnown(updated) {
		const detail = "the old and the new value must be AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate"
		return field.ErrorList{field.Invalid(fldPath, field.OmitValueType{}, detail)}
	}
	if (old == hotupdate.AutoRollingUpdate) == (updated == hotupdate.AutoRollingUpdate) {
		return nil
	}
	return forbidden(fldPath, "a pool cannot change between rolling and in-place updates")
}

func isKnown(strategy hotupdate.Strategy) bool {
	_, err := hotupdate.ParseStrategy(strategy.String())
	return err == nil
}

// ValidateImage checks the machine image of a pool that is updated in place, against the images of
// the CloudProfile that support in-place updates: the images with
// spec.machineImages[].versions[].inPlaceUpdates.supported true, each with its minVersionForUpdate,
// empty if it has none. The zero Image is the old image of a new pool, which needs no
// minVersionForUpdate. Versions are compared as in [ValidateVersion]. Unreadable versions are also
// refused.
func ValidateImage(old, updated hash.Image, supported map[hash.Image]string, fldPath *field.Path) field.ErrorList {
	minVersionForUpdate, ok := supported[updated]
	isLowered := old.Name == updated.Name && isLower(updated.Version, old.Version)
	switch {
	case old == hash.Image{} && !ok:
		return forbidden(fldPath, "the CloudProfile does not let the machine image be updated in place")
	case old == hash.Image{}:
		return nil
	case isLowered:
		return forbidden(fldPath, "the version of a machine image cannot be lowered in place")
	case !ok || !reaches(old.Version, minVersionForUpdate):
		const detail = "the CloudProfile does not let the machine image be updated in place from the old version"
		return forbidden(fldPath, detail)
	}
	return nil
}

// isLower reports whether a version is below another version. It is false if one of them cannot be
// read. A partial version stands for the highest version that begins with it.
func isLower(updated, old string) bool {
	before, oldErr := parseVersion(old)
	after, newErr := parseVersion(updated)
	switch {
	case oldErr != nil || newErr != nil:
		return false
	case strings.HasPrefix(old, updated+"."):
		return false
	}
	return after.LessThan(before)
}

// reaches reports whether both versions can be read, and the first is not below the minimum.
func reaches(text, minimum string) bool {
	if _, err := parseVersion(text); err != nil {
		return false
	}
	if _, err := parseVersion(minimum); err != nil {
		return false
	}
	return !isLower(text, minimum)
}

// parseVersion reads a version as Gardener's CompareVersions does: without pre-release and build metadata. Parts that
// are missing are zero.
func parseVersion(text string) (*version.Version, error) {
	if end := strings.IndexAny(text, "-+~"); end >= 0 {
		text = text[:end]
	}
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	if v, err := version.ParseSemantic(text); err == nil {
		return v, nil
	}
	return version.ParseGeneric(text)
}

// PendingUpdates are the pools that have not finished an in-place update:
// status.inPlaceUpdates.pendingWorkerUpdates of a Shoot. A pool leaves once the rollouts of all its
// MachineDeployments are [Selection.Finished].
type PendingUpdates struct {
	AutoInPlaceUpdate   []string `json:"autoInPlaceUpdate,omitempty"`
	ManualInPlaceUpdate []string `json:"manualInPlaceUpdate,omitempty"`
}

func (p PendingUpdates) has(pool string) bool {
	return slices.Contains(p.AutoInPlaceUpdate, pool) || slices.Contains(p.ManualInPlaceUpdate, pool)
}

// forceOperation is the value of the Shoot's annotation gardener.cloud/operation that lets a
// pending pool be changed.
const forceOperation = "force-in-place-update"

// ValidateChange checks a change of a pool, of its effective Kubernetes version including the
// patch, or of its effective kubelet configuration. The receiver has the pending updates of the old
// Shoot. Operations are the values of the annotation gardener.cloud/operation of the new Shoot:
// force-in-place-update permits the change.
func (p PendingUpdates) ValidateChange(pool string, operations []string, fldPath *field.Path) field.ErrorList {
	if !p.has(pool) || slices.Contains(operations, forceOperation) {
		return nil
	}
	const detail = "the pool has not finished an in-place update; wait for it, or set the annotation " +
		"gardener.cloud/operation: " + forceOperation
	return forbidden(fldPath, detail)
}

// ValidateRotation checks the start of a credentials rotation. Any pending pool blocks it, forced
// or not.
func (p PendingUpdates) ValidateRotation(fldPath *field.Path) field.ErrorList {
	if len(p.AutoInPlaceUpdate)+len(p.ManualInPlaceUpdate) == 0 {
		return nil
	}
	return forbidden(fldPath, "no rotation of credentials can begin while a pool has not finished an in-place update")
}

func forbidden(fldPath *field.Path, detail string) field.ErrorList {
	return field.ErrorList{field.Forbidden(fldPath, detail)}
}
