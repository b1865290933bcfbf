package tags

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns all errors of a user's infrastructure tags, for all kinds at once; nil if there
// are none. Their paths are JSON names below path, such as "tags.vm[owner]".
//
// See [Rules.Validate]. A kind that carries no infrastructure tags on this cloud must have none:
// they would be lost.
func (c Cloud) Validate(t, mandatory *Tags, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, kind := range Kinds() {
		below := path.Child(string(kind))
		rules, err := c.Rules(kind)
		switch {
		case err == nil:
			errs = append(errs, rules.Validate(t.Of(kind), mandatory.Of(kind), below)...)
		case len(t.Of(kind)) > 0:
			errs = append(errs, field.Forbidden(below,
				string(c)+" carries none on resources of this kind: they would be lost; leave them out"))
		}
	}
	return errs
}

// Validate returns all errors of a user's infrastructure tags of one kind, sorted by path; nil if
// there are none.
//
//   - TooMany counts mandatory keys too.
//   - Keys and values that the cloud does not allow are Required, TooLong or Invalid.
//   - Keys that the cloud takes for the same key are each a Duplicate.
//   - Keys that MCM, the driver or the cloud relies on are Forbidden. So is a mandatory key:
//     mandatory keys are merged last, so the user's value would be lost. The message says what
//     would happen.
//   - A value where keys have none is Forbidden.
//   - Mandatory keys of more than one cluster are each Invalid.
//
// No error shows a value.
func (r *Rules) Validate(tags, mandatory map[string]string, path *field.Path) field.ErrorList {
	p := newPlanner(r, &PlanInput{Desired: tags, PerKind: tags, Mandatory: mandatory})
	errs := p.keyErrors(path)
	if n := len(p.wanted); n > r.MaxTags {
		err := field.TooMany(path, n, r.MaxTags)
		err.Detail += fmt.Sprintf(", %d of them mandatory", len(mandatory))
		errs = append(errs, err)
	}
	for key, value := range tags {
		errs = append(errs, r.textErrors(key, value, path.Key(key))...)
	}
	return sortedErrors(errs)
}

// keyErrors returns the errors of wanted keys that cannot be set, whatever is live, sorted:
// reserved keys that are not mandatory, keys that the cloud takes for the same key, mandatory keys
// of several clusters, and mandatory keys that a user wrote.
func (p *planner) keyErrors(path *field.Path) (errs field.ErrorList) {
	clusters := 0
	for key := range p.state.Mandatory {
		if p.rules.isClusters(key) {
			clusters++
		}
	}
	for key := range p.state.Mandatory {
		if clusters > 1 && p.rules.isClusters(key) {
			errs = append(errs, field.Invalid(path.Key(key), field.OmitValueType{},
				"is mandatory beside keys of several clusters; pass only the keys of the machine's cluster"))
		}
		errs = p.clash(p.mandatory, key, path, errs)
	}
	for key := range p.state.Desired {
		if p.mandatory[p.rules.identity(key)] != nil {
			continue // the mandatory value counts
		}
		if why, pattern := p.rules.reserved(key); why != "" {
			errs = append(errs, field.Forbidden(path.Key(key), why.consequence(pattern)))
		}
		errs = p.clash(p.desired, key, path, errs)
	}
	for key := range p.state.PerKind {
		if p.mandatory[p.rules.identity(key)] != nil {
			errs = append(errs, field.Forbidden(path.Key(key),
				"is a mandatory key of the machine, which is set last: this value would be overwritten; leave it out"))
		}
	}
	return sortedErrors(errs)
}

// clash adds the error of a key that has another spelling.
func (p *planner) clash(in spec, key string, path *field.Path, errs field.ErrorList) field.ErrorList {
	if len(in[p.rules.identity(key)]) < 2 {
		return errs
	}
	return append(errs, duplicate(path.Key(key),
		"is one key to the cloud with another spelling of it, as the cloud ignores case"))
}

func (r *Rules) textErrors(key, value string, at *field.Path) field.ErrorList {
	errs := r.Key.errors("key", key, at)
	if key == "" {
		errs = field.ErrorList{field.Required(at, "key must not be empty")}
	}
	for _, err := range errs {
		err.BadValue = key
	}
	if !r.KeysOnly {
		return append(errs, r.Value.errors("value", value, at)...)
	}
	if value != "" {
		errs = append(errs, field.Forbidden(at, "keys have no values here: it would be lost; leave the value empty"))
	}
	return errs
}

// duplicate is the error of a key that equals another key, or becomes equal to it.
func duplicate(at *field.Path, why string) *field.Error {
	return &field.Error{
		Type: field.ErrorTypeDuplicate, Field: at.String(), BadValue: field.OmitValueType{},
		Detail: why + ": only one of their values would remain; keep one of them",
	}
}

func sortedErrors(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Detail, b.Detail))
	})
	return errs
}

// Text says what a key or a value may be. The zero value allows only the empty text.
type Text struct {
	Max     int            // the greatest length, in Unicode characters
	Match   *regexp.Regexp // what the whole text has to match, from ^ to $; nil matches anything
	Without *regexp.Regexp // what must not occur in the text; nil forbids nothing

	utf16    bool // UTF-16 code units are counted, as the length of a string in Java and .NET
	maxBytes int  // a further limit in bytes of UTF-8; 0 is none
}

// check reports the mistakes of a description.
func (t *Text) check(name string, require func(holds bool, field, what, hint string)) {
	isWhole := t.Match == nil || strings.HasPrefix(t.Match.String(), "^") && strings.HasSuffix(t.Match.String(), "$")
	require(t.Max > 0, name+".Max", "allows no text", "write the greatest length")
	require(isWhole, name+".Match", "may match a part of a text", "write ^ at its beginning and $ at its end")
}

// length returns the length of a text in the cloud's unit, and the unit in the words of messages.
func (t *Text) length(s string) (n int, unit string) {
	if t.utf16 {
		return len(utf16.Encode([]rune(s))), "UTF-16 code units"
	}
	return utf8.RuneCountInString(s), "characters"
}

// errors lists the rules that a text breaks; noun says whether it is a key or a value. The errors
// never quote the text.
func (t *Text) errors(noun, s string, at *field.Path) (errs field.ErrorList) {
	broken := func(kind field.ErrorType, format string, args ...any) {
		detail := noun + " " + fmt.Sprintf(format, args...)
		err := &field.Error{Type: kind, Field: at.String(), BadValue: field.OmitValueType{}, Detail: detail}
		errs = append(errs, err)
	}
	if !utf8.ValidString(s) {
		broken(field.ErrorTypeInvalid, "is not valid UTF-8")
		return errs
	}
	switch n, unit := t.length(s); {
	case n > t.Max:
		broken(field.ErrorTypeTooLong, "must have at most %d %s, has %d", t.Max, unit, n)
	case t.maxBytes > 0 && len(s) > t.maxBytes:
		broken(field.ErrorTypeTooLong, "must have at most %d bytes, has %d", t.maxBytes, len(s))
	}
	if t.Match != nil && !t.Match.MatchString(s) {
		broken(field.ErrorTypeInvalid, "must match %s", t.Match)
	}
	if t.Without != nil && t.Without.MatchString(s) {
		broken(field.ErrorTypeInvalid, "must not contain %s", t.Without)
	}
	return errs
}
