// Package kubeminor reads the Kubernetes minor version that a version belongs to.
//
// It owns which texts are versions, and the order of minors. It must not know eras, pools or hashes.
package kubeminor

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Minor is a Kubernetes minor version, such as 1.34. Minors are comparable with ==; [Minor.Compare]
// orders them. The zero value is 0.0.
type Minor struct{ major, minor uint32 }

// Parse returns the minor that a Kubernetes version belongs to.
//
//   - The version follows Semantic Versioning. It may begin with v, and the patch version may be
//     missing: 1.34.2, v1.34.2, 1.34.
//   - A pre-release belongs to its minor, 1.34.0-rc.1 to 1.34, although Semantic Versioning orders
//     it below 1.34.0. Gardener's hashes cover MAJOR.MINOR, so the update to the pre-release
//     replaces the machines, and the update from there to the release does not.
//   - Build metadata is ignored: 1.34.0+build.5 belongs to 1.34.
//   - Everything else is an error, never a guess: a missing minor, leading zeros, white space, a
//     fourth number, numbers of more than nine digits, trailing text.
//
// The code of the error is malformed-version.
func Parse(version string) (Minor, error) {
	m, ok := Read(version)
	if !ok {
		return m, Invalid(version)
	}
	return m, nil
}

// Of returns the minor with two numbers.
func Of(major, minor uint32) Minor { return Minor{major, minor} }

// Read is [Parse] without the error.
func Read(version string) (Minor, bool) {
	rest, build, hasBuild := strings.Cut(strings.TrimPrefix(version, "v"), "+")
	numbers, preRelease, hasPreRelease := strings.Cut(rest, "-")
	first, rest, _ := strings.Cut(numbers, ".")
	second, third, hasPatch := strings.Cut(rest, ".")
	major, isMajor := number(first)
	minor, isMinor := number(second)
	_, isPatch := number(third)
	isPatch = isPatch || !hasPatch
	if hasPreRelease && !areIdentifiers(preRelease, isIdentifier) {
		return Minor{}, false
	}
	if hasBuild && !areIdentifiers(build, isWord) {
		return Minor{}, false
	}
	if !isMajor || !isMinor || !isPatch {
		return Minor{}, false
	}
	return Minor{major, minor}, true
}

// maxDigits makes numbers short enough to be exact everywhere.
const maxDigits = 9

// number reads a number of Semantic Versioning, which has no leading zeros.
func number(text string) (uint32, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err == nil && len(text) <= maxDigits && !isPadded(text)
}

func isPadded(number string) bool { return len(number) > 1 && number[0] == '0' }

// areIdentifiers reports whether all identifiers of a list, separated by dots, have a form.
func areIdentifiers(list string, hasForm func(string) bool) bool {
	for one := range strings.SplitSeq(list, ".") {
		if !hasForm(one) {
			return false
		}
	}
	return true
}

// isIdentifier reports whether a text is an identifier of a pre-release: a number has no leading zeros.
func isIdentifier(text string) bool {
	isPaddedNumber := isPadded(text) && strings.Trim(text, "0123456789") == ""
	return isWord(text) && !isPaddedNumber
}

// isWord reports whether a text is an identifier of build metadata.
func isWord(text string) bool {
	return text != "" && strings.Trim(text, "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Invalid returns the error for a text that is not a version.
func Invalid(version string) *fault.Error {
	e := &fault.Error{
		Kind: fault.Invalid, Code: fault.MalformedVersion, Where: "Kubernetes version",
		What: "is " + plaintext.Quoted(version) + ", which is not a version",
		Hint: "write it as MAJOR.MINOR.PATCH, such as 1.34.2",
	}
	if version == "" {
		e.What = "is empty"
	}
	return e
}

// String returns MAJOR.MINOR.
func (m Minor) String() string {
	return strconv.FormatUint(uint64(m.major), 10) + "." + strconv.FormatUint(uint64(m.minor), 10)
}

// Compare returns -1 if m is below other, 1 if it is above, and 0 if they are the same. The order
// is by number: 1.9 is below 1.10.
func (m Minor) Compare(other Minor) int {
	return cmp.Or(cmp.Compare(m.major, other.major), cmp.Compare(m.minor, other.minor))
}
