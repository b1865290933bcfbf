package fieldplan

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Override gives the field at a path the struct tag CLASS[,OPTION...].
type Override struct{ Path, Tag string }

// override is a parsed Override.
type override struct {
	path  string
	steps []fieldpath.PatternStep
	tag   structtag.Tag
	// parent is the path without its last step. If it is that of a map, the override is for a single
	// key, or for all keys with a prefix.
	parent string
}

// noOverride is the path of every part at and below which there is no override. Parts of one type
// then have one context, and are compiled once.
const noOverride = "]"

// readOverrides parses the overrides, by their paths in one spelling.
func (c *compiler) readOverrides(overrides []Override) {
	for _, o := range overrides {
		tag, problems := structtag.ParseValue(o.Tag)
		steps, ok := fieldpath.ParsePattern(o.Path)
		path := ""
		parent := ""
		for _, s := range steps {
			parent = path
			path = s.After(path)
		}
		if _, twice := c.overrides[path]; twice {
			problems.Add(mistake("", "duplicate-path", "is overridden twice", "remove one of the overrides"))
		}
		if !ok {
			problems.Add(invalidPath(o.Path))
		}
		for _, problem := range problems {
			problem.Path = o.Path
			c.faults.Add(problem)
		}
		if len(problems) == 0 {
			c.overrides[path] = override{o.Path, steps, tag, parent}
		}
	}
}

func invalidPath(path string) *fault.Error {
	what := "is not a path of a field"
	hint := "write JSON names separated by dots, `[]` for the elements of a list or map, and `[\"name\"]` for a name " +
		"with other characters"
	field := strings.TrimSuffix(path, "[]")
	if _, ok := fieldpath.ParsePattern(field); ok {
		what = "ends at the elements of a collection, which have no struct tag"
		hint = overrideAll(field)
	}
	// as in labels[team], which is how a change of an element is shown
	if at := strings.LastIndexByte(path, '['); at >= 0 && !isMalformedBracket(path[at+1:]) {
		if _, ok := fieldpath.ParsePattern(path[:at]); ok {
			key, _, _ := strings.Cut(path[at+1:], "]")
			what = withoutQuotes
			hint = keyHint(path[:at], key)
		}
	}
	return mistake("", "invalid-path", what, hint)
}

// isMalformedBracket reports whether the text after a bracket does not name an element.
func isMalformedBracket(rest string) bool {
	return !strings.Contains(rest, "]") || rest[0] == ']' || rest[0] == '"'
}

// singleElement is the mistake of a path to one element of a list or map.
const singleElement = "names a single element, and all elements of a list have one struct tag"

// belowKey is the mistake of a path to a part of the value under one key of a map.
const belowKey = "leads below a single key of a map, and an override of a key is for the whole value under it"

// withoutQuotes is the mistake of a path to one element that is not written as a key of a map.
const withoutQuotes = "names a single element without quotes"

func keyHint(field, key string) string {
	return "for a key of a map, write `" + fieldpath.Key(field, key) + "`; otherwise " + overrideAll(field)
}

func overrideAll(field string) string {
	return "override `" + field + "` or, if its elements are objects, a field of them, as in `" + field + "[].NAME`"
}

// reportUnmatched reports every override whose path leads to no field.
func (c *compiler) reportUnmatched(root *Node) {
	for _, o := range c.overrides {
		f, meant := root.follow(o.steps)
		if f != nil {
			continue
		}
		what := "matches no field of the type"
		hint := "check the JSON names; inside free JSON and types that marshal themselves there are no fields"
		if meant != "" {
			hint = "did you mean " + meant + "?"
		}
		switch field, at, isMap := root.collectionIn(o.steps); {
		case at == nil:
		case isMap && at.Quoted:
			what = belowKey
			hint = overrideAll(field)
		case isMap:
			what = withoutQuotes
			hint = keyHint(field, at.Name)
		default:
			what = singleElement
			hint = overrideAll(field)
		}
		unmatched := mistake("", fault.UnknownPath, what, hint)
		unmatched.Path = o.path
		c.faults.Add(unmatched)
	}
}

// collectionIn returns the path of the first list or map of which steps name a single element, the
// step that names it, and whether it is a map. There is no step if there is none.
func (n *Node) collectionIn(steps []fieldpath.PatternStep) (path string, at *fieldpath.PatternStep, isMap bool) {
	for _, s := range steps {
		switch {
		case n == nil:
			return "", nil, false
		case s.Element:
			n = n.Elem
		case n.Kind == List || n.Kind == Map || n.Kind == Array:
			return path, &s, n.Kind == Map
		default:
			f := n.Lookup(s.Name)
			if f == nil {
				return "", nil, false
			}
			n = f.Node
		}
		path = s.After(path)
	}
	return "", nil, false
}

// follow returns the field to which steps lead, or the field of the map of which they name a key. If
// they lead to none, it returns the field that was
// probably meant.
func (n *Node) follow(steps []fieldpath.PatternStep) (f *Field, meant string) {
	for i, s := range steps {
		switch {
		case n == nil:
			return nil, ""
		case n.Kind == Map && s.Quoted && i == len(steps)-1:
			return f, ""
		case s.Element:
			n = n.Elem
		default:
			if f = n.Lookup(s.Name); f == nil {
				return nil, n.Nearest(s.Name)
			}
			n = f.Node
		}
	}
	return f, ""
}
