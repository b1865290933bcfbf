package audit

import (
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
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

// comparison is a comparison of two Schemas.
type comparison struct {
	findings []hotupdate.Finding
	open     []*hotupdate.Schema // both, with unknown members admitted
}

// compare compares two Schemas, once.
func (r *Releases) compare(old, updated *hotupdate.Schema) *comparison {
	key := [2]*hotupdate.Schema{old, updated}
	known, ok := r.comparisons.Load(key)
	if !ok {
		c := &comparison{}
		c.findings, _ = hotupdate.Compatibility(old, updated) // fails only for nil
		for _, s := range key {
			open, _ := s.AdmitUnknown() // which has been compiled
			c.open = append(c.open, open)
		}
		known, _ = r.comparisons.LoadOrStore(key, c)
	}
	return known.(*comparison)
}

// differences says why two releases hash a provider config differently: the findings between the
// Schemas of their eras at the paths where the hashed documents differ. A path without a finding is
// a reason itself.
func (r *Releases) differences(old, updated release.Hashed, raw []byte) (all []Reason) {
	before, after := hashedJSON(old, raw), hashedJSON(updated, raw)
	if before == nil || after == nil ||
		(old.Era.Hash == release.Canonical) != (updated.Era.Hash == release.Canonical) {
		return nil
	}
	c := r.compare(old.Era.Schema, updated.Era.Schema)
	paths := c.paths(before, after)
	unexplained := slices.Clone(paths)
	for _, f := range c.findings {
		isConcerned := func(path string) bool { return within(path, f.Path) || within(f.Path, path) }
		if f.Rolls.Where != "" && slices.ContainsFunc(paths, isConcerned) {
			all = append(all, Reason{Path: f.Path, Finding: f.Kind, Text: f.String()})
			unexplained = slices.DeleteFunc(unexplained, isConcerned)
		}
	}
	for _, path := range unexplained {
		all = append(all, Reason{Path: path, Text: path + ": is hashed in another way"})
	}
	return all
}

// hashedJSON returns the hashed bytes of a provider config: its canonical document, or its JSON. It
// is nil if they are not known.
func hashedJSON(h release.Hashed, raw []byte) []byte {
	if pool.IsNull(raw) {
		raw = nil
	}
	switch {
	case h.Era.Hash == release.Canonical:
		document, _ := h.Era.Schema.DocumentRaw(raw) // cannot fail, since raw was hashed
		return document
	case len(h.Data) == 1 && (h.Era.Hash == release.RawBytes || h.Era.Hash == release.CutBytes):
		return []byte(h.Data[0])
	}
	return nil
}

// paths lists the paths, without duplicates and in the form of WithTag, at which two hashed
// documents differ under one of the Schemas. They also differ where the Schema of one document
// cannot read the other.
func (c *comparison) paths(before, after []byte) []string {
	found := map[string]bool{}
	for _, s := range c.open {
		changes, err := s.DiffRaw(before, after)
		for _, change := range changes {
			found[patternOf(change.Path)] = true
		}
		for _, problem := range fault.All(err) {
			found[patternOf(problem.Path)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
