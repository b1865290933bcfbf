package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// reserved are the identifiers that CEL keeps for itself.
var reserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
	"namespace", "null", "package", "return", "true", "var", "void", "while",
}

var identifier = lazyregexp.New(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// member is the optional member of a value.
func member(of, name string) string {
	if identifier().MatchString(name) && !slices.Contains(reserved, name) {
		return of + ".?" + name
	}
	return of + "[?" + quoted(name) + "]"
}

// at is the optional value at the names of members below a value.
func at(of string, names ...string) string {
	for _, name := range names {
		of = member(of, name)
	}
	return of
}

// quoted is a string literal.
func quoted(text string) string { return strconv.QuoteToASCII(text) }

// quotedAll are literals of strings, in a list.
func quotedAll(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, quoted(text))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// below is the optional value that a pattern leads to. Where the pattern has the elements of a list
// or map, it is the list or map of what each element has there. Depth makes the names of nested
// lists distinct. Function last says what of the value is taken.
func below(of string, steps []fieldpath.PatternStep, depth int, last func(of string) string) string {
	for i, step := range steps {
		if !step.Element {
			of = member(of, step.Name)
			continue
		}
		list := fmt.Sprintf("l%d", depth)
		element := fmt.Sprintf("e%d", depth)
		inner := below(element, steps[i+1:], depth+1, last)
		return fmt.Sprintf("%s.optMap(%s, type(%s) == list ? dyn(%s.map(%s, %s)) : dyn(%s))",
			of, list, list, list, element, inner, list)
	}
	return last(of)
}

// itself takes a whole value.
func itself(of string) string { return of }

// lengthOf is the number of elements of an optional list.
func lengthOf(of string) string { return of + ".optMap(l, type(l) == list ? size(l) : 0).orValue(0)" }

// isThere is whether an optional value is there and not null.
func isThere(of string) string { return of + ".optMap(v, v != null).orValue(false)" }

// isTrue is whether an optional value is there and true.
func isTrue(of string) string { return of + " == optional.of(true)" }

// keysOf is the list of the keys of an optional map.
func keysOf(of string) string {
	return of + ".optMap(m, type(m) == map ? dyn(m.map(k, k)) : dyn([])).orValue(dyn([]))"
}

// entriesOf is the list of the entries of an optional map for whose key k a condition holds.
func entriesOf(of, condition string) string {
	entries := "m.filter(k, " + condition + ").map(k, [k, m[k]])"
	return of + ".optMap(m, type(m) == map ? dyn(" + entries + ") : dyn([])).orValue(dyn([]))"
}

// unequal is the condition that two values differ.
func unequal(updated, old string) string { return updated + " != " + old }

// notEquivalent is the condition that two lists do not have the same elements, in any order: that of maps varies.
func notEquivalent(updated, old string) string {
	return "!sets.equivalent(" + updated + ", " + old + ")"
}
