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
}

// noOverride is the path of every part at and below which there is no override. Parts of one type
// then have one context, and are compiled once.
const noOverride = "]"

// place returns the path, or noOverride if no override is at or below it.
func (c *compiler) place(path string) string {
	for overridden := range c.overrides {
		if strings.HasPrefix(overridden, path) {
			return path
		}
	}
	return noOverride
}

// readOverrides parses the overrides, by their paths in one spelling.
func (c *compiler) readOverrides(overrides []Override) {
	for _, o := range overrides {
		tag, problems := structtag.ParseValue(o.Tag)
		steps, ok := fieldpath.ParsePattern(o.Path)
		path := ""
		for _, s := range steps {
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
			c.overrides[path] = override{o.Path, steps, tag}
		}
	}
}

func invalidPath(path string) *fault.Error {
	what, hint := "is no path of a field",
		"write JSON names separated by dots, `[]` for the elements of a list or map, and `[\"name\"]` for a name "+
			"with other characters"
	field := strings.TrimSuffix(path, "[]")
	if _, ok := fieldpath.ParsePattern(field); ok {
		what, hint = "ends at the elements of a collection, which have no struct tag", overrideAll(field)
	}
	// as in labels[team], which is how a change of an element is shown
	if at := strings.LastIndexByte(path, '['); at >= 0 && !isMalformedBracket(path[at+1:]) {
		if _, ok := fieldpath.ParsePattern(path[:at]); ok {
			what, hint = singleElement, overrideAll(path[:at])
		}
	}
	return mistake("", "invalid-path", what, hint)
}

// isMalformedBracket reports whether the text after a bracket does not name an element.
func isMalformedBracket(rest string) bool {
	return rest == "" || rest[0] == ']' || rest[0] == '"' || !strings.Contains(rest, "]")
}

// singleElement is the mistake of a path to one element of a list or map.
const singleElement = "names a single element, and all elements of a list or map have one struct tag"

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
		if field := root.collectionIn(o.steps); field != "" {
			what, hint = singleElement, overrideAll(field)
		}
		unmatched := mistake("", "unknown-path", what, hint)
		unmatched.Path = o.path
		c.faults.Add(unmatched)
	}
}

// collectionIn returns the path of the first list or map of which steps name a single element, and
// nothing if there is none.
func (n *Node) collectionIn(steps []fieldpath.PatternStep) (path string) {
	for _, s := range steps {
		switch {
		case n == nil:
			return ""
		case s.Element:
			n = n.Elem
		case n.Kind == List || n.Kind == Map || n.Kind == Array:
			return path
		default:
			f := n.Lookup(s.Name)
			if f == nil {
				return ""
			}
			n = f.Node
		}
		path = s.After(path)
	}
	return ""
}

// follow returns the field to which steps lead. If they lead to none, it returns the field that was
// probably meant.
func (n *Node) follow(steps []fieldpath.PatternStep) (f *Field, meant string) {
	for _, s := range steps {
		switch {
		case n == nil:
			return nil, ""
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
