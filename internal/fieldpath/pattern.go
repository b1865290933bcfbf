package fieldpath

import (
	"strconv"
	"strings"
)

// PatternStep is one step of a path through a type: a member, or any element of a collection.
type PatternStep struct {
	Name    string
	Element bool
}

// ParsePattern reads a path that names a field for all values of a type: members separated by dots, [] for the elements of a
// collection, ["name"] for a member with other characters. A pattern ends at a member.
func ParsePattern(text string) ([]PatternStep, bool) {
	var steps []PatternStep
	for rest := text; rest != ""; {
		step, tail, ok := nextStep(rest, len(steps) == 0)
		if !ok {
			return nil, false
		}
		steps, rest = append(steps, step), tail
	}
	return steps, len(steps) > 0 && !steps[len(steps)-1].Element
}

func nextStep(rest string, first bool) (step PatternStep, tail string, ok bool) {
	if tail, ok := strings.CutPrefix(rest, "[]"); ok {
		return PatternStep{Element: true}, tail, !first
	}
	if strings.HasPrefix(rest, "[") {
		return quotedStep(rest[1:])
	}
	if !first {
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return step, "", false
		}
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
	return PatternStep{Name: name}, tail, ok
}
