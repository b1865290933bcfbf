package fieldpath

import (
	"strconv"
	"strings"
)

// PatternStep is one step of a path through a type: a member, or any element of a collection.
type PatternStep struct {
	Name    string
	Element bool
	Quoted  bool // the name is written in brackets, as that of a key of a map is
	Ordinal int  // of an element of a shown path: the number of elements with its key before it
}

// Elements returns the pattern of the elements of a collection.
func Elements(pattern string) string { return pattern + "[]" }

// After returns the pattern that leads one step on.
func (s PatternStep) After(pattern string) string {
	if s.Element {
		return Elements(pattern)
	}
	return Join(pattern, s.Name)
}

// ParsePattern reads a path that names a field for all values of a type: members separated by dots,
// [] for the elements of a collection, ["name"] for a member with other characters, or for a key of
// a map. A pattern ends at a member.
func ParsePattern(text string) ([]PatternStep, bool) {
	if text == "" {
		return nil, false
	}
	rest := text
	if text[0] != '[' {
		rest = "." + text // as every later name has it
	}
	var steps []PatternStep
	for rest != "" {
		step, tail, ok := nextStep(rest)
		if !ok {
			return nil, false
		}
		steps = append(steps, step)
		rest = tail
	}
	return steps, !steps[0].Element && !steps[len(steps)-1].Element
}

// HideKey returns the pattern of a key of a map as it may be shown if the keys of the map are
// sensitive: labels["team"] as labels[(sensitive)]. Of a text that is not a pattern, nothing may be
// shown.
func HideKey(pattern string) string {
	steps, ok := ParsePattern(pattern)
	if !ok {
		return Hidden
	}
	path := ""
	for _, s := range steps[:len(steps)-1] {
		path = s.After(path)
	}
	return path + "[" + Hidden + "]"
}

func nextStep(rest string) (step PatternStep, tail string, ok bool) {
	if tail, ok = strings.CutPrefix(rest, "[]"); ok {
		return PatternStep{Element: true}, tail, true
	}
	if rest[0] == '[' {
		return quotedStep(rest[1:])
	}
	if rest, ok = strings.CutPrefix(rest, "."); !ok {
		return step, "", false
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	return PatternStep{Name: name}, rest[end:], isPlain(name, `[]"=.`)
}

func quotedStep(rest string) (step PatternStep, tail string, ok bool) {
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil || quoted[0] != '"' {
		return step, "", false
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return step, "", false
	}
	tail, ok = strings.CutPrefix(rest[len(quoted):], "]")
	return PatternStep{Name: name, Quoted: true}, tail, ok
}

// ParseShown reads a path that [Path.String] has written. A step in brackets is an element, whose
// name is the text in the brackets without quotes: 3, name=a.b, cost-center. A number behind the
// brackets is its ordinal: 1 for the second element of a key.
func ParseShown(shown string) (steps []PatternStep) {
	for shown != "" {
		var step PatternStep
		if shown[0] == '[' {
			step.Element = true
			step.Name, shown = inBrackets(shown[1:])
			step.Ordinal, shown = ordinalOf(shown)
		} else {
			shown = strings.TrimPrefix(shown, ".")
			step.Name = shown[:strings.IndexAny(shown+".", ".[")]
			shown = shown[len(step.Name):]
		}
		steps = append(steps, step)
	}
	return steps
}

// ordinalOf reads the number behind the brackets of a second or later element of a key.
func ordinalOf(rest string) (ordinal int, tail string) {
	number, isNumbered := strings.CutPrefix(rest, "#")
	if !isNumbered {
		return 0, rest
	}
	number = number[:strings.IndexAny(number+".", ".[")]
	ordinal, err := strconv.Atoi(number)
	if err != nil {
		return 0, rest
	}
	return ordinal - 1, rest[len("#")+len(number):]
}

// PatternOf returns the pattern of a path that [Path.String] has written: with [] for each element of a
// list or map.
func PatternOf(shown string) (pattern string) {
	for _, step := range ParseShown(shown) {
		pattern = step.After(pattern)
	}
	return pattern
}

func inBrackets(rest string) (text, tail string) {
	if at := strings.IndexAny(rest, `]"`); at >= 0 && rest[at] == '"' {
		if quoted, err := strconv.QuotedPrefix(rest[at:]); err == nil {
			value, _ := strconv.Unquote(quoted)
			return rest[:at] + value, strings.TrimPrefix(rest[at+len(quoted):], "]")
		}
	}
	text, tail, _ = strings.Cut(rest, "]")
	return text, tail
}
