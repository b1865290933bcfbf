package structtag

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Tag is a parsed hotupdatable struct tag.
type Tag struct {
	Class     Class
	Set       bool
	Key       string   // JSON name of the element's field; "" if none
	HotWhen   *HotWhen // nil if none
	Keys      []KeyClass
	Default   *string // the text without its quotes; nil if none
	Presence  bool
	As        Meaning
	Sensitive Sensitivity
}

// HotWhen says that an element is hot while its field with the JSON name Name has Value.
type HotWhen struct{ Name, Value string }

// KeyClass gives a key of a map a class. A Key that ends in * stands for all keys that begin with the
// text before it.
type KeyClass struct {
	Key   string
	Class Class
}

// Sensitivity says which texts of a field are never shown.
type Sensitivity uint8

// The sensitivities; each hides what the previous one hides, too.
const (
	Shown      Sensitivity = iota // nothing is hidden
	HideValues                    // values are hidden: sensitive
	HideKeys                      // values and map keys are hidden: sensitive=keys
)

var sensitivities = []string{Shown: "shown", HideValues: "sensitive", HideKeys: "sensitive=keys"}

// String returns the option of the sensitivity, or "shown".
func (s Sensitivity) String() string { return nameIn(sensitivities, "Sensitivity", int(s)) }

// SensitivityNamed parses the option of a sensitivity, and an empty text as [Shown].
func SensitivityNamed(option string) (Sensitivity, bool) {
	if option == "" {
		return Shown, true
	}
	at := slices.Index(sensitivities[HideValues:], option)
	return HideValues + Sensitivity(max(at, 0)), at >= 0 //nolint:gosec // there are two
}

// Parse parses the hotupdatable struct tag in the whole text of a field's struct tag.
//
// The value is CLASS[,OPTION...]. CLASS is one of true, false, inplace and ignore. OPTION is one of
//
//		set  key=NAME  hotwhen=NAME:VALUE  keyclass=CLASS:KEY  default=TEXT  presence  as=KIND  sensitive
//		sensitive=keys
//
//	  - NAME is a JSON name without quotes. In hotwhen it ends at the first colon.
//	  - KIND is quantity, duration, cidr, dns, time or text.
//	  - TEXT, VALUE and KEY are 'quoted', two quotes inside standing for one, or hold neither a quote
//	    nor a comma. Only quoted text may be empty, or start or end with a space.
//	  - Spaces are not trimmed: a space around a class, an option or a name is a problem.
//	  - No option occurs twice but keyclass, and keyclass has no KEY twice. default excludes presence,
//	    set excludes key and hotwhen, and keyclass excludes set, key and hotwhen.
//
// ok reports whether the field has the struct tag, well-formed or not; without it there are no
// problems. If there are problems, the Tag must not be used. All problems are returned at once,
// including those of a struct tag that reflect does not see, because its key is misspelled, or
// because it, or something before it, is not written as key:"value". Problems have no Field; the
// caller adds it.
func Parse(tag reflect.StructTag) (t Tag, ok bool, problems fault.List) {
	found := find(string(tag))
	for i, f := range found {
		r := read(f.value)
		if i == 0 {
			t = r.tag
		}
		if f.problem != nil {
			problems.Add(f.problem)
		}
		if f.problem == nil || f.value != "" {
			problems = append(problems, r.problems(" in struct tag "+tick(f.text), pair)...)
		}
	}
	if len(found) > 1 {
		problems.Add(problem("duplicate-tag", "has more than one struct tag for "+key+": "+tick(found[0].text)+" and "+
			tick(found[1].text), "keep one of them"))
	}
	return t, len(found) > 0, problems
}

// ParseValue parses CLASS[,OPTION...] alone, as in an override, by the rules of [Parse].
func ParseValue(value string) (Tag, fault.List) {
	if found := find(value); len(found) > 0 && found[0].value != "" {
		return Tag{}, fault.List{
			problem("malformed-tag", "has the whole struct tag "+tick(value)+" in place of its value",
				"write "+tick(found[0].value)),
		}
	}
	r := read(value)
	return r.tag, r.problems(" in override "+tick(value), func(mended string) string { return mended })
}

// problems returns the problems of a value, and adds where the value is. If the value can be mended,
// the hint of each is the whole corrected value.
func (r reading) problems(where string, spelled func(string) string) fault.List {
	mended, ok := mend(r.value)
	for _, flaw := range r.flaws {
		flaw.What += where
		if ok {
			flaw.Hint = "write " + tick(spelled(mended))
		}
		if ok && flaw.Code == fault.UnknownClass && r.inTag != "" {
			flaw.Hint += ": " + r.inTag
		}
	}
	return r.flaws
}

func problem(code, what, hint string) *fault.Error {
	return &fault.Error{Kind: fault.Declaration, Code: code, What: what, Hint: hint}
}

// Mend returns the whole struct tag with the key and its value in the correct spelling, if it is
// certain what was meant: if its only problems are quotes, the case, spaces, hyphens and underscores
// of known words, classes that are named as in reports, such as hot for true, and the other spelling
// of the key, hotupdateable.
//
// It returns false if the struct tag has no problem, or another one. A mended struct tag has no
// problems, and reflect sees all of it.
func Mend(tag reflect.StructTag) (mended reflect.StructTag, ok bool) {
	found := find(string(tag))
	if _, _, problems := Parse(tag); len(problems) == 0 || len(found) > 1 || !isCertain(found[0].word) {
		return tag, false
	}
	f := found[0]
	value, ok := mend(f.value)
	text := tag[:f.at] + reflect.StructTag(pair(value)) + tag[f.at+len(f.text):]
	_, present, problems := Parse(text)
	isMended := ok && present && len(problems) == 0
	if !isMended || !allPairs().MatchString(string(text)) {
		return tag, false
	}
	return text, true
}

// Override returns t with an override applied. The override gives the class and, if [Tag.ReplacesOptions]
// holds for it, the options. The option as replaces as only. The stronger sensitivity of both
// applies.
func (t Tag) Override(o Tag) Tag {
	o.Sensitive = max(t.Sensitive, o.Sensitive)
	if o.As == Undeclared {
		o.As = t.As
	}
	if o.ReplacesOptions() {
		return o
	}
	t.Class = o.Class
	t.As = o.As
	t.Sensitive = o.Sensitive
	return t
}

func pair(value string) string { return key + ":" + strconv.Quote(value) }

// tick puts a text into backquotes and escapes unprintable characters.
func tick(text string) string { return "`" + plaintext.Printable(text) + "`" }
