package tags

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// cleaning says how infrastructure tags are repaired. The zero value repairs nothing.
type cleaning struct {
	key, value clean
	dropEmpty  bool // leave out keys with an empty value
}

// clean says how one text is repaired, in the order of the fields. The zero value repairs nothing.
type clean struct {
	lower       bool
	keep        alphabet // each character that is not of it becomes replacement
	replacement rune     // 0: nothing is replaced
	begin       alphabet // characters at the beginning that are not of it are cut off
	cut         int      // the length in code points at which the text is cut; 0 is nowhere
}

// Sanitized is the result of [Rules.Sanitize].
type Sanitized struct {
	// Tags passes [Rules.Validate] without mandatory keys, except for its number, which then stands in Errors.
	Tags    map[string]string
	Changes []Change // repairs, sorted by key; they need no attention
	// Errors are problems that could not be repaired, sorted by key. Keys with an error are not in Tags: a caller that ignores the errors
	// removes them from its machines.
	Errors field.ErrorList
}

// Change is one repair of one key. Values are not shown.
type Change struct {
	Key    string // as it was given
	To     string // as it is in Tags; empty for Dropped
	Action Action
}

// Action is what became of a key. The zero value is Dropped, the gravest.
type Action uint8

// The actions.
const (
	Dropped      Action = iota // left out, as its value is empty and empty values are not set
	Merged                     // one of several keys that became one, all with the same value
	Renamed                    // the key was changed
	ValueChanged               // the value was changed
)

// String returns the action's name.
func (a Action) String() string {
	return enumName(a, "Action", "Dropped", "Merged", "Renamed", "ValueChanged")
}

// Sanitize turns pool labels, and other keys that were not written for the cloud, into infrastructure tags. It repairs them as the provider
// extensions do today, so that adopting it renames no live key, and it reports an error where they pick a winner at random.
//
//   - The result depends on the input only, not on the order of a map. Sanitizing it again changes nothing.
//   - Keys that become one key with one value are merged. With several values each is a Duplicate, and none is in the result.
//   - What is not valid after the repair is an error, as [Rules.Validate] would put it, and not in the result: a key that has no
//     character left, a key that is too long and may not be cut, a key that contains MCM's texts after the repair, text that is not UTF-8.
//   - A valid key may be changed too: Azure's in capitals or with spaces, GCP's with international letters.
//
// Errors point to the key as it was given, below path.
func (r *Rules) Sanitize(tags map[string]string, path *field.Path) Sanitized {
	out := Sanitized{Tags: make(map[string]string, len(tags))}
	groups := make(map[string][]cleaned, len(tags))
	for _, key := range Keys(tags) {
		if c, ok := r.cleanOne(key, tags[key], path, &out); ok {
			id := r.identity(c.key)
			groups[id] = append(groups[id], c)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		r.unite(groups[id], path, &out)
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortStableFunc(out.Errors, func(a, b *field.Error) int { return cmp.Compare(a.Field, b.Field) })
	if n := len(out.Tags); n > r.MaxTags {
		out.Errors = append(out.Errors, field.TooMany(path, n, r.MaxTags))
	}
	return out
}

// cleaned is one infrastructure tag on its way through Sanitize.
type cleaned struct {
	fromKey, fromValue string
	key, value         string
}

// cleanOne repairs one infrastructure tag and reports whether it is worth keeping.
func (r *Rules) cleanOne(key, value string, path *field.Path, out *Sanitized) (c cleaned, ok bool) {
	c = cleaned{fromKey: key, fromValue: value, key: r.cleaning.key.apply(key), value: r.cleaning.value.apply(value)}
	errs := r.textErrors(c.key, c.value, path.Key(key))
	if k := r.reserved(c.key); k != nil {
		errs = append(errs, field.Forbidden(path.Key(key), "as "+strconv.Quote(c.key)+" "+k.consequence()+"; "+anotherKey))
	}
	out.Errors = append(out.Errors, errs...)
	if ok = len(errs) == 0; ok && c.value == "" && r.cleaning.dropEmpty {
		out.Changes = append(out.Changes, Change{Key: key, Action: Dropped})
		ok = false
	}
	return c, ok
}

// unite puts keys that became one key into the result, or reports that they clash. The group is sorted by the keys as they were given.
func (r *Rules) unite(group []cleaned, path *field.Path, out *Sanitized) {
	first := slices.MinFunc(group, func(a, b cleaned) int { return cmp.Compare(a.key, b.key) })
	if slices.ContainsFunc(group, func(c cleaned) bool { return c.value != first.value }) {
		sources := make([]string, len(group))
		for i, c := range group {
			sources[i] = c.fromKey
		}
		for _, c := range group {
			why := "becomes the key " + strconv.Quote(c.key) + " of the cloud"
			out.Errors = append(out.Errors, duplicate(path.Key(c.fromKey), c.fromKey, why, sources))
		}
		return
	}
	out.Tags[first.key] = first.value
	for _, c := range group {
		if len(group) > 1 {
			out.Changes = append(out.Changes, Change{c.fromKey, first.key, Merged})
		} else if c.key != c.fromKey {
			out.Changes = append(out.Changes, Change{c.fromKey, first.key, Renamed})
		}
		if c.value != c.fromValue {
			out.Changes = append(out.Changes, Change{c.fromKey, first.key, ValueChanged})
		}
	}
}

// apply repairs one text. Text that is not UTF-8 stays as it is: a repair would hide it from validation.
func (c *clean) apply(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	if c.lower {
		s = strings.ToLower(s)
	}
	if c.replacement != 0 {
		s = strings.Map(func(r rune) rune {
			if c.keep.contains(r) {
				return r
			}
			return c.replacement
		}, s)
	}
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !c.begin.contains(r) })
	if c.cut > 0 && utf8.RuneCountInString(s) > c.cut {
		s = string([]rune(s)[:c.cut])
	}
	return s
}
