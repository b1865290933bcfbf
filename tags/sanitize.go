package tags

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// cleaning says how infrastructure tags are repaired. The zero value repairs nothing.
type cleaning struct {
	key, value func(string) string // nil repairs nothing
	dropEmpty  bool                // leave out keys with an empty value
}

// Sanitize turns pool labels, and other keys that were not written for the cloud, into
// infrastructure tags. It repairs them as the provider extensions do today, so adopting it renames
// no live key. Where the extensions pick a winner at random, it reports an error.
//
//   - The result depends on the input only, not on the order of a map. Sanitizing it again changes
//     nothing.
//   - The result passes [Rules.Validate] without mandatory keys. Only the number of tags may be too
//     large, which is an error here too.
//   - Keys that become the same key with the same value are merged. With different values each is a
//     Duplicate, and none is in the result.
//   - Where a cloud's extension leaves out keys with an empty value (Alibaba Cloud), they are left
//     out.
//   - A key or value that is not valid after the repair is an error of [Rules.Validate], and not in
//     the result: a key that has no character left, a key that is too long and may not be cut, a
//     key that contains MCM's texts after the repair, text that is not UTF-8. A caller that ignores
//     the errors removes these keys from its machines.
//   - Valid keys may also be changed: on Azure keys with capitals or spaces, on GCP keys with
//     international letters.
//
// Errors are sorted, and their paths have the original key below path.
func (r *Rules) Sanitize(tags map[string]string, path *field.Path) (map[string]string, field.ErrorList) {
	var errs field.ErrorList
	groups := make(map[string][]cleaned, len(tags))
	for key, value := range tags {
		c := cleaned{from: path.Key(key), key: repaired(key, r.cleaning.key), value: repaired(value, r.cleaning.value)}
		problems := r.textErrors(c.key, c.value, c.from)
		if why, pattern := r.reserved(c.key); why != "" {
			detail := "as " + strconv.Quote(c.key) + " " + why.consequence(pattern)
			problems = append(problems, field.Forbidden(c.from, detail))
		}
		if len(problems) > 0 {
			errs = append(errs, problems...)
		} else if id := r.identity(c.key); c.value != "" || !r.cleaning.dropEmpty {
			groups[id] = append(groups[id], c)
		}
	}
	clean := make(map[string]string, len(groups))
	for _, group := range groups {
		first := slices.MinFunc(group, func(a, b cleaned) int { return cmp.Compare(a.key, b.key) })
		if !slices.ContainsFunc(group, func(c cleaned) bool { return c.value != first.value }) {
			clean[first.key] = first.value
			continue
		}
		for _, c := range group {
			errs = append(errs, duplicate(c.from,
				"becomes the key "+strconv.Quote(c.key)+" of the cloud, as a key with another value does"))
		}
	}
	if n := len(clean); n > r.MaxTags {
		errs = append(errs, field.TooMany(path, n, r.MaxTags))
	}
	return clean, sortedErrors(errs)
}

// cleaned is one infrastructure tag while it is sanitized.
type cleaned struct {
	from       *field.Path // the original key
	key, value string
}

// repaired applies a repair to a text. Text that is not UTF-8 stays unchanged: a repair would hide
// it from validation.
func repaired(s string, repair func(string) string) string {
	if repair == nil || !utf8.ValidString(s) {
		return s
	}
	return repair(s)
}
