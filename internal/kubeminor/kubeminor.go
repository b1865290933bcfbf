// Package kubeminor reads the Kubernetes minor version that a version belongs to.
//
// It owns which texts are versions, and the order of minors. It must not know eras, pools or hashes.
package kubeminor

import (
	"cmp"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Minor is a Kubernetes minor version, such as 1.34. Minors are comparable with ==; [Minor.Compare]
// orders them. The zero value is 0.0.
type Minor struct{ major, minor uint32 }

// number is a number of Semantic Versioning, short enough to be exact everywhere.
const number = `(0|[1-9][0-9]{0,8})`

// semanticVersion is the grammar of semver.org with an optional v before it and an optional patch
// version.
var semanticVersion = lazyregexp.New(`^v?` + number + `\.` + number + `(?:\.` + number + `)?` +
	`(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?` +
	`(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

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
	groups := semanticVersion().FindStringSubmatch(version)
	if groups == nil {
		return Minor{}, false
	}
	major, errMajor := strconv.ParseUint(groups[1], 10, 32)
	minor, errMinor := strconv.ParseUint(groups[2], 10, 32)
	return Minor{uint32(major), uint32(minor)}, errMajor == nil && errMinor == nil
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
