package structtag

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// reading is a parsed value CLASS[,OPTION...] with its problems.
type reading struct { //nolint:recvcheck // built by pointer, read by value
	value   string
	tag     Tag
	flaws   fault.List
	options []option // one for each known name, also if malformed
	inTag   string   // how the class is written, if it is named as in reports; "" otherwise
}

// option is the text of one option: NAME or NAME=ARG.
type option struct {
	text, name, arg string
	hasArg          bool
}

func read(value string) reading {
	r := reading{value: value}
	for i, text := range split(value) {
		if i == 0 {
			r.readClass(text)
		} else {
			r.readOption(text)
		}
	}
	r.findConflicts()
	return r
}

// split cuts at the commas outside single quotes.
func split(value string) (parts []string) {
	isQuoted := false
	for part := range strings.SplitSeq(value, ",") {
		if isQuoted {
			parts[len(parts)-1] += "," + part
		} else {
			parts = append(parts, part)
		}
		isQuoted = isQuoted != (strings.Count(part, "'")%2 == 1)
	}
	return parts
}

// mend returns CLASS[,OPTION...] with known words in their correct spelling: in lower case, without
// spaces, hyphens and underscores. A class that is named as in reports gets its word. It returns
// false if another problem is left.
func mend(value string) (mended string, ok bool) {
	parts := split(value)
	for i, part := range parts {
		if i == 0 {
			parts[i] = mendClass(part)
		} else {
			parts[i] = mendOption(part)
		}
	}
	mended = strings.Join(parts, ",")
	return mended, len(read(mended).flaws) == 0
}

// mendClass returns the word of a class that is misspelled or named as in reports. Any other text is
// returned unchanged.
func mendClass(text string) string {
	folded := fold(text)
	for class, word := range words {
		if folded == word || folded == fold(prose[class]) {
			return word
		}
	}
	return text
}

func mendOption(text string) string {
	name, arg, hasArg := strings.Cut(text, "=")
	if folded := fold(name); slices.Contains(OptionNames(), folded) {
		name = folded
	}
	if word, key, hasKey := strings.Cut(arg, ":"); name == repeatable && hasKey {
		arg = mendClass(word) + ":" + key
	}
	if hasArg {
		name += "="
	}
	return name + arg
}

func (r *reading) add(code, what, hint string) { r.flaws.Add(problem(code, what, hint)) }

func (r *reading) readClass(text string) {
	class, ok := ParseClass(text)
	r.tag.Class = class
	if ok {
		return
	}
	hint := "write one of `true`, `false`, `inplace` and `ignore` first"
	if named, isNamed := ClassNamed(text); isNamed {
		r.inTag = "the class " + text + " is written " + tick(named.Word())
		hint = r.inTag
	}
	r.add(fault.UnknownClass, "has unknown class "+tick(text), hint)
}

// optionKind describes the options of one name: all that this package and the compiler know of an option,
// but for its effect.
type optionKind struct {
	name string
	form string // for messages, such as key=NAME
	read func(t *Tag, o option) (ok bool)

	isGiven  func(t Tag) bool // in a Tag, parsed or not
	isSound  func(t Tag) bool // in a Tag that was not parsed; nil if every Tag is
	excludes []string         // options that must not stand beside it
	scope    scope
}

// scope says what an option is about. It decides which fields take the option, and what becomes of it if
// an override gives the field other options.
type scope uint8

const (
	ofField      scope = iota // the field alone; an override with options replaces it
	ofCollection              // the elements of a list or map; likewise
	ofTexts                   // strings at or below the field; only an override with the same option replaces it
	ofSecrets                 // all that is at or below the field, also of an embedded one; likewise
)

const quoting = "; a text needs 'quotes' if it is empty, has a comma or a quote, or starts or ends with a space"

var optionKinds = []optionKind{
	{
		name: "set", form: "`set` alone", scope: ofCollection, excludes: []string{"key", "hotwhen"},
		isGiven: func(t Tag) bool { return t.Set },
		read: func(t *Tag, o option) bool {
			t.Set = true
			return !o.hasArg
		},
	},
	{
		name: "key", form: "`key=NAME` with the JSON name of a field of the element", scope: ofCollection,
		isGiven: func(t Tag) bool { return t.Key != "" },
		isSound: func(t Tag) bool { return isName(t.Key) },
		read: func(t *Tag, o option) bool {
			t.Key = o.arg
			return isName(o.arg)
		},
	},
	{
		name: "hotwhen", form: "`hotwhen=NAME:VALUE` with the JSON name of a field of the element" + quoting,
		scope:   ofCollection,
		isGiven: func(t Tag) bool { return t.HotWhen != nil },
		isSound: func(t Tag) bool { return isName(t.HotWhen.Name) },
		read: func(t *Tag, o option) bool {
			name, value, _ := strings.Cut(o.arg, ":")
			text, ok := unquote(value)
			t.HotWhen = &HotWhen{Name: name, Value: text}
			return ok && isName(name)
		},
	},
	{
		name:  repeatable,
		form:  "`keyclass=CLASS:KEY` with a class and a key, or a prefix of keys and `*`" + quoting,
		scope: ofCollection, excludes: []string{"set", "key", "hotwhen"},
		isGiven: func(t Tag) bool { return len(t.Keys) > 0 },
		read: func(t *Tag, o option) bool {
			word, key, found := strings.Cut(o.arg, ":")
			class, isClass := ParseClass(word)
			text, ok := unquote(key)
			t.Keys = append(t.Keys, KeyClass{text, class})
			return found && isClass && ok
		},
	},
	{
		name: "default", form: "`default=TEXT`" + quoting, excludes: []string{"presence"},
		isGiven: func(t Tag) bool { return t.Default != nil },
		read: func(t *Tag, o option) bool {
			text, ok := unquote(o.arg)
			t.Default = &text
			return ok
		},
	},
	{
		name: "presence", form: "`presence` alone",
		isGiven: func(t Tag) bool { return t.Presence },
		read: func(t *Tag, o option) bool {
			t.Presence = true
			return !o.hasArg
		},
	},
	{
		name: "as", form: "`as=KIND` with one of quantity, duration, cidr, dns, time and text", scope: ofTexts,
		isGiven: func(t Tag) bool { return t.As != Undeclared },
		read: func(t *Tag, o option) (ok bool) {
			t.As, ok = MeaningNamed(o.arg)
			return ok
		},
	},
	{
		name: "sensitive", form: "`sensitive` to hide values, or `sensitive=keys` to hide map keys too",
		scope:   ofSecrets,
		isGiven: func(t Tag) bool { return t.Sensitive != Shown },
		read: func(t *Tag, o option) bool {
			if t.Sensitive = HideValues; o.hasArg {
				t.Sensitive = HideKeys
			}
			return !o.hasArg || o.arg == "keys"
		},
	},
}

// repeatable is the option that may occur several times, with a KEY each.
const repeatable = "keyclass"

// OptionNames returns the names of all options.
func OptionNames() (names []string) {
	for _, kind := range optionKinds {
		names = append(names, kind.name)
	}
	return names
}

func (r *reading) readOption(text string) {
	name, arg, hasArg := strings.Cut(text, "=")
	o := option{text, name, arg, hasArg}
	kind := kindIndex(o.name)
	first := slices.IndexFunc(r.options, func(p option) bool { return p.name == o.name })
	switch {
	case o.text == "":
		r.add("malformed-option", "has an empty option", "remove the comma")
		return
	case kind < 0:
		r.add("unknown-option", "has unknown option "+tick(o.text),
			"write one of `"+strings.Join(OptionNames(), "`, `")+"`, and 'quotes' around a text with a comma")
		return
	case !optionKinds[kind].read(&r.tag, o):
		r.add("malformed-option", "has malformed option "+tick(o.text), "write "+optionKinds[kind].form)
	}
	if o.name == repeatable {
		r.findRepeatedKey(text)
	} else if first >= 0 {
		r.add("duplicate-option", "has option "+tick(o.name)+" twice",
			"keep one of "+tick(r.options[first].text)+" and "+tick(o.text))
		return
	}
	r.options = append(r.options, o)
}

// findRepeatedKey reports the last key if it has a class already.
func (r *reading) findRepeatedKey(text string) {
	last := len(r.tag.Keys) - 1
	isSame := func(k KeyClass) bool { return k.Key == r.tag.Keys[last].Key }
	if slices.ContainsFunc(r.tag.Keys[:last], isSame) {
		r.add("duplicate-option", "has a second class for the key of "+tick(text), "keep one of them")
	}
}

// Option returns the option of k in a struct tag.
func (k KeyClass) Option() string { return repeatable + "=" + k.Class.Word() + ":" + Quote(k.Key) }

// Check returns the problems of a Tag that was not parsed: names that no struct tag can have, and
// options that exclude each other.
func (t Tag) Check() fault.List {
	r := reading{tag: t}
	for _, kind := range optionKinds {
		if !kind.isGiven(t) {
			continue
		}
		r.options = append(r.options, option{text: kind.name, name: kind.name})
		if kind.isSound != nil && !kind.isSound(t) {
			r.add("malformed-option", "has malformed option "+tick(kind.name), "write "+kind.form)
		}
	}
	r.findConflicts()
	return r.flaws
}

func isName(name string) bool {
	return name != "" && !strings.ContainsAny(name, `'"`) && strings.TrimSpace(name) == name
}

// unquote parses 'text', in which two quotes stand for one, or text without a quote.
func unquote(arg string) (text string, ok bool) {
	inner, isQuoted := strings.CutPrefix(arg, "'")
	if !isQuoted {
		return arg, arg != "" && !strings.Contains(arg, "'") && strings.TrimSpace(arg) == arg
	}
	inner, closed := strings.CutSuffix(inner, "'")
	if !closed || strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
		return "", false
	}
	return strings.ReplaceAll(inner, "''", "'"), true
}

// Quote writes a text as an argument of default=, hotwhen=NAME: or keyclass=CLASS:, with quotes only
// if it needs them.
func Quote(text string) string {
	if _, ok := unquote(text); ok && !strings.ContainsAny(text, "',") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func (r *reading) findConflicts() {
	for i, a := range r.options {
		for _, b := range r.options[i+1:] {
			if a.excludes(b) || b.excludes(a) {
				r.add("conflicting-options",
					"has conflicting options "+tick(a.text)+" and "+tick(b.text), "keep one of them")
			}
		}
	}
}

func (o option) excludes(other option) bool {
	at := kindIndex(o.name)
	return slices.Contains(optionKinds[at].excludes, other.name)
}

// kindIndex returns the index of an option in optionKinds; negative for an unknown name.
func kindIndex(name string) int {
	return slices.IndexFunc(optionKinds, func(k optionKind) bool { return k.name == name })
}

// hasOption reports whether t has an option of one of the scopes.
func (t Tag) hasOption(scopes ...scope) bool {
	return slices.ContainsFunc(optionKinds, func(k optionKind) bool {
		return slices.Contains(scopes, k.scope) && k.isGiven(t)
	})
}

// IsForCollection reports whether t has an option that only lists and maps take.
func (t Tag) IsForCollection() bool { return t.hasOption(ofCollection) }

// ReplacesOptions reports whether t, as an override, has an option that replaces the options of the
// overridden struct tag: any option but as and sensitive.
func (t Tag) ReplacesOptions() bool { return t.hasOption(ofField, ofCollection) }

// CanBeHandedDown reports whether all options of t may stand at an embedded field without a JSON name,
// whose fields get them: sensitive alone.
func (t Tag) CanBeHandedDown() bool { return !t.hasOption(ofField, ofCollection, ofTexts) }

// HasOptions reports whether t says more than a class.
func (t Tag) HasOptions() bool { return t.hasOption(ofField, ofCollection, ofTexts, ofSecrets) }
