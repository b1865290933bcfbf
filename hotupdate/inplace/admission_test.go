package inplace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// refusal is the type and the detail of the only error, empty if there is none.
func refusal(t *testing.T, errs field.ErrorList) string {
	t.Helper()
	if len(errs) == 0 {
		return ""
	}
	require.Len(t, errs, 1)
	require.Equal(t, "spec.x", errs[0].Field)
	return string(errs[0].Type) + ": " + errs[0].Detail
}

var at = field.NewPath("spec", "x")

func TestValidateVersion(t *testing.T) {
	t.Parallel()
	const (
		lowered = "cannot be lowered"
		skipped = "one Kubernetes minor after the other"
	)
	for _, tc := range []struct {
		old, updated string
		strategy     hotupdate.Strategy
		want         string
	}{
		{"1.33.2", "1.33.2", hotupdate.AutoInPlaceUpdate, ""},
		{"1.33.2", "1.33.4", hotupdate.AutoInPlaceUpdate, ""},
		{"1.33.2", "1.34.0", hotupdate.AutoInPlaceUpdate, ""},
		{"1.33.2", "1.35.0", hotupdate.AutoInPlaceUpdate, skipped},
		{"1.33.2", "1.35.0", hotupdate.ManualInPlaceUpdate, skipped},
		{"1.33.2", "1.35.0", hotupdate.AutoRollingUpdate, ""},
		{"1.33.2", "2.0.0", hotupdate.AutoInPlaceUpdate, skipped},
		{"1.33.2", "1.33.1", hotupdate.AutoInPlaceUpdate, lowered},
		{"1.33.2", "1.32.9", hotupdate.AutoRollingUpdate, lowered},
		{"1.33.2", "1.33", hotupdate.AutoInPlaceUpdate, ""}, // admission completes it
		{"1.33.2", "1.3", hotupdate.AutoInPlaceUpdate, lowered},
		{"1.33", "1.34", hotupdate.AutoInPlaceUpdate, ""},
		{"1.33.2", "1.33.2-rc.1", hotupdate.AutoInPlaceUpdate, ""}, // Gardener compares without pre-release and build
		{"latest", "1.34", hotupdate.AutoInPlaceUpdate, "FieldValueInvalid"},
		{"1.34", "", hotupdate.AutoInPlaceUpdate, "FieldValueInvalid"},
	} {
		got := refusal(t, inplace.ValidateVersion(tc.old, tc.updated, tc.strategy, at))
		assert.Equal(t, tc.want == "", got == "", "%+v: %s", tc, got)
		assert.Contains(t, got, tc.want, tc)
	}
}

func TestValidateImage(t *testing.T) {
	t.Parallel()
	const (
		lowered      = "cannot be lowered in place"
		notFromThere = "in place from the old version"
	)
	for _, tc := range []struct{ oldName, old, name, updated, least, want string }{
		{"a", "1443.8.0", "a", "1592.1.0", "1312.3.0", ""},
		{"a", "1443.8.0", "a", "1592.1.0", "1443.8.0", ""},
		{"a", "1443.8.0", "a", "1592.1.0", "1443.9.0", notFromThere},
		{"a", "1443.8.0", "a", "1592.1.0", "", notFromThere},
		{"a", "1443.8.0", "a", "1592.1.0", "soon", notFromThere},
		{"a", "1443.8.0", "a", "1443.7.0", "1312.3.0", lowered},
		{"a", "1443.8.0", "b", "1443.7.0", "1312.3.0", ""}, // another image has other versions
		{"a", "today", "a", "1443.7.0", "1312.3.0", notFromThere},
		{"a", "1443", "a", "1443.9.0", "1443.8.0", ""}, // a part stands for the highest version that begins with it
		{"a", "1443", "a", "1592.1.0", "1400.0.0", ""},
		{"a", "1443", "a", "1592.1.0", "1500.0.0", notFromThere},
		{"a", "1443", "a", "1312.7.0", "1300.0.0", lowered},
		{"a", "1443.8.0-dev.1", "a", "1592.1.0", "1443.8.0", ""}, // Gardener compares without pre-release and build
		{"a", "1592.1.0", "a", "1592.1.0-dev.1", "1443.8.0", ""},
		{"a", "1592.1.0+a", "a", "1592.1.0+b", "1592.1.0~c", ""},
		{"", "", "a", "1443.7.0", "", ""}, // a new pool
		{"", "", "a", "soon", "", ""},
	} {
		image := hash.Image{Name: tc.name, Version: tc.updated}
		supported := map[hash.Image]string{image: tc.least, {Name: "c", Version: "1.0.0"}: ""}
		old := hash.Image{Name: tc.oldName, Version: tc.old}
		got := refusal(t, inplace.ValidateImage(old, image, supported, at))
		assert.Equal(t, tc.want == "", got == "", "%+v: %s", tc, got)
		assert.Contains(t, got, tc.want, tc)
		delete(supported, image)
		assert.Contains(t, refusal(t, inplace.ValidateImage(old, image, supported, at)), "in place", "%+v: not supported", tc)
	}
}

func TestValidateStrategy(t *testing.T) {
	t.Parallel()
	const (
		auto    = hotupdate.AutoInPlaceUpdate
		manual  = hotupdate.ManualInPlaceUpdate
		rolling = hotupdate.AutoRollingUpdate
	)
	for _, change := range [][2]hotupdate.Strategy{{rolling, rolling}, {auto, auto}, {auto, manual}, {manual, auto}} {
		assert.Empty(t, inplace.ValidateStrategy(change[0], change[1], at), change)
	}
	for _, change := range [][2]hotupdate.Strategy{{rolling, auto}, {auto, rolling}, {manual, rolling}, {rolling, manual}} {
		got := refusal(t, inplace.ValidateStrategy(change[0], change[1], at))
		assert.Contains(t, got, "FieldValueForbidden: a pool cannot change", change)
	}
	unknown := hotupdate.StrategyOf(new("InPlaceUpdate"))
	for _, change := range [][2]hotupdate.Strategy{{unknown, unknown}, {auto, unknown}, {unknown, manual}, {rolling, unknown}, {unknown, rolling}} {
		got := refusal(t, inplace.ValidateStrategy(change[0], change[1], at))
		assert.Contains(t, got, "FieldValueInvalid: the old and the new value must be AutoRollingUpdate, ", change)
	}
}

func TestPendingUpdates(t *testing.T) {
	t.Parallel()
	var none inplace.PendingUpdates
	pending := inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}, ManualInPlaceUpdate: []string{"b"}}
	require.Contains(t, refusal(t, pending.ValidateChange("b", nil, at)), "FieldValueForbidden: the pool has not finished")
	require.Contains(t, refusal(t, pending.ValidateChange("a", []string{"reconcile"}, at)), "force-in-place-update")
	require.Empty(t, pending.ValidateChange("a", []string{"force-in-place-update"}, at))
	require.Empty(t, pending.ValidateChange("c", nil, at))
	require.Contains(t, refusal(t, pending.ValidateRotation(at)), "FieldValueForbidden: no rotation")
	require.Contains(t, refusal(t, inplace.PendingUpdates{ManualInPlaceUpdate: []string{"b"}}.ValidateRotation(at)), "no rotation")
	require.Empty(t, none.ValidateRotation(at))
}
