// Package imageversion compares versions of machine images as Gardener's admission does: without
// pre-release and build metadata. A partial version, such as 1.34, stands for the highest version
// that begins with it.
package imageversion

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// IsReadable reports whether a text is a version.
func IsReadable(text string) bool {
	_, err := parse(text)
	return err == nil
}

// IsLower reports whether a version is below another version. It is false if one of them cannot be
// read.
func IsLower(updated, old string) bool {
	before, oldErr := parse(old)
	after, newErr := parse(updated)
	switch {
	case oldErr != nil || newErr != nil:
		return false
	case strings.HasPrefix(old, updated+"."):
		return false
	}
	return after.LessThan(before)
}

// Reaches reports whether both versions can be read, and the first is not below the minimum.
func Reaches(text, minimum string) bool {
	return IsReadable(text) && IsReadable(minimum) && !IsLower(text, minimum)
}

// parse reads a version as Gardener's CompareVersions does. Parts that are missing are zero.
func parse(text string) (*version.Version, error) {
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
