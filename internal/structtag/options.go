package structtag

import (
	"slices"
	"strings"
	"unicode"
)

// reading is what a value CLASS[,OPTION...] says, what is wrong with it, and how it would be right.
type reading struct { //nolint:recvcheck // built by pointer, read by value
	tag     Tag
	flaws   []flaw
	options []option // one for each known name, malformed ones included
	mended  []string // the class and the options, with every flaw mended that has one obvious remedy
}

type flaw struct {
	code   string
	what   string
	hint   string // what comes before the advice
	advice string // what to write, if the value as a whole cannot be mended
}

// option is one option as it stands: NAME or NAME=ARG.
type option struct {
	text, name, arg string
	hasArg          bool
}

func read(value string) reading {
	var r reading
	text, rest, more := cutOption(value)
	r.readClass(text)
	for more {
		text, rest, more = cutOption(rest)
		r.readOption(newOption(text))
	}
	r.findConflicts()
	return r
}

// mend returns the value without its flaws, if each has one obvious remedy.
func (r reading) mend() (string, bool) {
	value := strings.Join(r.mended, ",")
	return value, len(r.flaws) == 0 || len(read(value).flaws) == 0
}

// cutOption splits at the first comma outside single quotes. A quote that is never closed hides no comma.
func cutOption(value string) (text, rest string, more bool) {
	quoted := false
	for i := range len(value) {
		switch {
		case value[i] == '\'':
			quoted = !quoted
		case value[i] == ',' && !quoted:
			return value[:i], value[i+1:], true
		}
	}
	if quoted {
		return strings.Cut(value, ",")
	}
	return value, "", false
}

func newOption(text string) option {
	name, arg, hasArg := strings.Cut(text, "=")
	return option{text: text, name: name, arg: arg, hasArg: hasArg}
}

func (r *reading) add(f flaw) { r.flaws = append(r.flaws, f) }

// remedy replaces what was read last; the empty text drops it.
func (r *reading) remedy(text string) {
	r.mended = r.mended[:len(r.mended)-1]
	if text != "" {
		r.mended = append(r.mended, text)
	}
}

func (r *reading) readClass(text string) {
	r.mended = append(r.mended, text)
	class, ok := ParseClass(text)
	r.tag.Class = class
	if ok {
		return
	}
	f := flaw{code: "unknown-class", what: "has unknown class " + tick(text), advice: "write one of `true`, `false`, `inplace` and `ignore`"}
	_, isOption := optionKinds[newOption(text).name]
	switch meant := nearest(strings.TrimSpace(text), words); {
	case text == "":
		f.what, f.advice = "has no class", f.advice+" first"
	case isOption:
		f.advice = "write a class first, for example " + tick("false,"+text)
	case meant != "":
		f.hint, f.advice = spaceHint(text), "write "+tick(meant)
		r.remedy(meant)
	}
	r.add(f)
}

// optionKind is what is known about the options of one name.
type optionKind struct {
	purpose string // the fields that it is for; empty if it excludes no other option
	read    func(r *reading, o option)
}

var optionNames = []string{"set", "key", "hotwhen", "default", "presence", "sensitive"}

var optionKinds = map[string]optionKind{
	"set":       {"lists in which order carries no meaning", func(r *reading, o option) { r.tag.Set = r.readFlag(o) }},
	"key":       {"lists that are looked up by a field of the element", func(r *reading, o option) { r.tag.Key = r.readName(o, o.arg, "key=NAME", "") }},
	"hotwhen":   {"keyed lists and maps", func(r *reading, o option) { r.tag.HotWhen = r.readHotWhen(o) }},
	"default":   {"scalars", func(r *reading, o option) { r.tag.Default = new(r.readText(o, "default=", o.arg)) }},
	"presence":  {"pointers to structs, lists and maps", func(r *reading, o option) { r.tag.Presence = r.readFlag(o) }},
	"sensitive": {read: func(r *reading, o option) { r.tag.Sensitive = r.readSensitivity(o) }},
}

func (r *reading) readOption(o option) {
	r.mended = append(r.mended, o.text)
	kind, known := optionKinds[o.name]
	if !known {
		r.readUnknown(o)
		return
	}
	kind.read(r, o)
	if !r.isDuplicate(o) {
		r.options = append(r.options, o)
	}
}

func (r *reading) isDuplicate(o option) bool {
	i := slices.IndexFunc(r.options, func(p option) bool { return p.name == o.name })
	if i < 0 {
		return false
	}
	f := flaw{code: "duplicate-option", what: "has option " + tick(o.name) + " twice", advice: "write it once"}
	if first := r.options[i]; first.text == o.text {
		r.remedy("")
	} else {
		f.advice = "keep one of " + tick(first.text) + " and " + tick(o.text)
	}
	r.add(f)
	return true
}

// malformed reports an option; the remedy is what to write instead, or "" if nobody can know.
func (r *reading) malformed(o option, hint, advice, remedy string) {
	if remedy != "" {
		r.remedy(remedy)
		advice = "write " + tick(remedy)
	}
	r.add(flaw{code: "malformed-option", what: "has malformed option " + tick(o.text), hint: hint, advice: advice})
}

func (r *reading) readFlag(o option) bool {
	switch {
	case !o.hasArg:
	case o.arg == "", o.arg == "true":
		r.malformed(o, "", "", o.name)
	default:
		r.malformed(o, "", "write "+tick(o.name)+" alone, or leave it out", "")
	}
	return true
}

// readName reads a JSON name. The form is how the option ought to look, the rest what follows the name in the option.
func (r *reading) readName(o option, name, form, rest string) string {
	switch bare := strings.Trim(name, `'"`); {
	case strings.TrimSpace(bare) == "":
		r.malformed(o, "", "write "+tick(form)+" with the JSON name of a field of the element", "")
	case strings.ContainsAny(bare, `'"`):
		r.malformed(o, "", "write "+tick(form)+" with a name without quotes", "")
	case bare != name:
		r.malformed(o, "", "", o.name+"="+bare+rest)
	case strings.TrimSpace(name) != name:
		r.malformed(o, spaceHint(name), "", o.name+"="+strings.TrimSpace(name)+rest)
	}
	return name
}

func (r *reading) readHotWhen(o option) *HotWhen {
	name, value, _ := strings.Cut(o.arg, ":")
	flaws := len(r.flaws)
	r.readName(o, name, "hotwhen=NAME:VALUE", ":"+value)
	if len(r.flaws) > flaws {
		return nil
	}
	return &HotWhen{Name: name, Value: r.readText(o, "hotwhen="+name+":", value)}
}

// readText reads TEXT or VALUE, which stands after the prefix of the option.
func (r *reading) readText(o option, prefix, arg string) string {
	text, ok := unquote(arg)
	switch trimmed := strings.TrimSpace(arg); {
	case trimmed == "":
		r.malformed(o, "", "write a text behind "+tick(prefix)+", or "+tick(prefix+quote(arg))+" if nothing else is meant", "")
	case !ok:
		r.malformed(o, "", "write 'text' in quotes, and two quotes for one in it", "")
	case trimmed != arg:
		r.malformed(o, spaceHint(arg), "", prefix+trimmed)
	}
	return text
}

// unquote reads 'text', in which two quotes stand for one, or text without any quote.
func unquote(arg string) (text string, ok bool) {
	if !strings.HasPrefix(arg, "'") {
		return arg, !strings.Contains(arg, "'")
	}
	inner, closed := strings.CutSuffix(arg[1:], "'")
	if !closed || strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
		return "", false
	}
	return strings.ReplaceAll(inner, "''", "'"), true
}

// Quote writes a text as the argument of default= or hotwhen=NAME: wants it, with quotes only where it needs them.
func Quote(text string) string {
	if text == "" || strings.ContainsAny(text, "',") || strings.TrimSpace(text) != text {
		return quote(text)
	}
	return text
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (r *reading) readSensitivity(o option) Sensitivity {
	switch {
	case !o.hasArg:
		return HideValues
	case o.arg == "keys":
		return HideKeys
	case nearest(strings.TrimSpace(o.arg), []string{"keys"}) != "":
		r.malformed(o, spaceHint(o.arg), "", "sensitive=keys")
	default:
		r.malformed(o, "", "write `sensitive` to hide values, or `sensitive=keys` to hide map keys too", "")
	}
	return HideKeys
}

func (r *reading) readUnknown(o option) {
	f := flaw{code: "unknown-option", what: "has unknown option " + tick(o.text), advice: "write one of `" + strings.Join(optionNames, "`, `") + "`, and 'quotes' around a text with a comma"}
	switch meant := meantOption(o); {
	case o.text == "":
		f = flaw{code: "malformed-option", what: "has an empty option", advice: "remove the comma"}
		r.remedy("")
	case meant != "":
		f.hint, f.advice = spaceHint(o.name), "write "+tick(meant)
		r.remedy(meant)
	}
	r.add(f)
}

// meantOption guesses how an unknown option was meant: another spelling, a space, a colon for the equals sign.
func meantOption(o option) string {
	name, arg, hasArg := o.name, o.arg, o.hasArg
	if before, after, ok := strings.Cut(o.text, ":"); ok && !strings.Contains(before, "=") {
		name, arg, hasArg = before, after, true
	}
	meant := nearest(strings.TrimSpace(name), optionNames)
	if meant == "" || !hasArg {
		return meant
	}
	return meant + "=" + strings.TrimSpace(arg)
}

func (r *reading) findConflicts() {
	for i, a := range r.options {
		for _, b := range r.options[i+1:] {
			first, second := optionKinds[a.name].purpose, optionKinds[b.name].purpose
			has := func(name string) bool { return a.name == name || b.name == name }
			if first == "" || second == "" || !has("default") && (!has("set") || has("presence")) {
				continue
			}
			r.add(flaw{
				code: "conflicting-options", what: "has conflicting options " + tick(a.text) + " and " + tick(b.text),
				advice: "keep one: " + tick(a.name) + " is for " + first + ", " + tick(b.name) + " for " + second,
			})
		}
	}
}

// spaceHint says to remove the space at the ends of a text, if there is any.
func spaceHint(text string) string {
	if strings.TrimFunc(text, unicode.IsSpace) == text {
		return ""
	}
	return "remove the space: "
}
