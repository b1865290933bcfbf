package audit

import (
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// within reports whether a path is equal to or below another one.
func within(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || above == "" || rest[0] == '.' || rest[0] == '[')
}

// patternOf turns the path of an element into the pattern of all elements: dataVolumes[name=a].iops
// into dataVolumes[].iops. Names in brackets become [], too.
func patternOf(path string) (pattern string) {
	for _, step := range fieldpath.ParseShown(path) {
		pattern = step.After(pattern)
	}
	return pattern
}

// differences lists the paths, without duplicates and in the form of WithTag, at which two hashed
// documents differ under one of the Schemas. They also differ where the Schema of one document
// cannot read the other.
func (r *Releases) differences(old, updated *hotupdate.Schema, before, after []byte) []string {
	found := map[string]bool{}
	for _, s := range []*hotupdate.Schema{old, updated} {
		open := cached(&r.open, s, func() *hotupdate.Schema {
			open, _ := s.AdmitUnknown() // which has been compiled
			return open
		})
		changes, err := open.DiffRaw(before, after)
		for _, c := range changes {
			found[patternOf(c.Path)] = true
		}
		for _, problem := range fault.All(err) {
			found[patternOf(problem.Path)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
