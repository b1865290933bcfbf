package imageversion_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/imageversion"
)

func TestIsLower(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		updated, old string
		want         bool
		reason       string
	}{
		{"1.33.2", "1.33.2", false, "equal"},
		{"1.33.4", "1.33.2", false, "higher"},
		{"1.33.1", "1.33.2", true, "a lower patch"},
		{"1.32.9", "1.33.2", true, "a lower minor"},
		{"1.9.0", "1.10.0", true, "by number, not by text"},
		{"1.33", "1.33.2", false, "admission completes it, perhaps to the version that there is"},
		{"1.3", "1.33.2", true, "another minor that is the beginning of the text"},
		{"1592", "1592.1.0", false, "one number is a version too"},
		{"1443", "1592.1.0", true, "one number, lower"},
		{"1.33.2-rc.1", "1.33.2", false, "Gardener compares without pre-release"},
		{"1.0.0+a", "1.0.0~b", false, "Gardener compares without build metadata"},
		{"latest", "1.34.0", false, "not a version"},
		{"1.34.0", "", false, "no version"},
	} {
		assert.Equal(t, tc.want, imageversion.IsLower(tc.updated, tc.old), "%s after %s: %s", tc.updated, tc.old, tc.reason)
	}
}

func TestReaches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, minimum string
		want          bool
		reason        string
	}{
		{"1443.8.0", "1312.3.0", true, "above the minimum"},
		{"1443.8.0", "1443.8.0", true, "the minimum"},
		{"1443.8.0", "1443.9.0", false, "below the minimum"},
		{"1443.8.0", "", false, "without a minimum, no version is high enough"},
		{"1443.8.0", "soon", false, "the minimum is not a version"},
		{"today", "1312.3.0", false, "not a version"},
		{"1443", "1443.8.0", true, "a partial version stands for the highest one that begins with it"},
		{"1443", "1400.0.0", true, "a partial version above the minimum"},
		{"1443", "1500.0.0", false, "a partial version below the minimum"},
		{"1443.8.0-dev.1", "1443.8.0", true, "Gardener compares without pre-release"},
		{"1592.1.0+a", "1592.1.0~c", true, "Gardener compares without build metadata"},
	} {
		assert.Equal(t, tc.want, imageversion.Reaches(tc.text, tc.minimum), "%s from %s: %s", tc.text, tc.minimum, tc.reason)
	}
}

func TestIsReadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.34.0": true, "1.34": true, "1592": true, "v1.2.3": true, "": false, "latest": false, "1.x": false,
	} {
		assert.Equal(t, want, imageversion.IsReadable(text), text)
	}
}
