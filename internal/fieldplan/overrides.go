package fieldplan

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Override gives the field at a path the struct tag CLASS[,OPTION...].
type Override struct{ Path, Tag string }

// overrideNode is a step of the overrides' paths. A nil node has no overrides below it.
type overrideNode struct {
	path    string // the whole path, if a path ends here
	tag     structtag.Tag
	matched bool
	members map[string]*overrideNode
	elem    *overrideNode
}

func (o *overrideNode) declares() bool { return o != nil && o.path != "" }

// member steps to a JSON name; whoever asks has found the field, so the step matches.
func (o *overrideNode) member(name string) *overrideNode {
	if o == nil {
		return nil
	}
	next := o.members[name]
	if next != nil {
		next.matched = true
	}
	return next
}

func (o *overrideNode) element() *overrideNode {
	if o == nil {
		return nil
	}
	return o.elem
}

// overrideTrie parses all paths; it returns nil without overrides, so that contexts are shared.
func (c *compiler) overrideTrie(overrides []Override) *overrideNode {
	if len(overrides) == 0 {
		return nil
	}
	root := &overrideNode{}
	for _, o := range overrides {
		tag, problems := structtag.ParseValue(o.Tag)
		steps, ok := fieldpath.ParsePattern(o.Path)
		if !ok {
			problems.Add(invalidPath(o.Path))
		}
		for _, problem := range problems {
			problem.Path = o.Path
			c.faults.Add(problem)
		}
		if len(problems) > 0 {
			continue
		}
		end := root.insert(steps)
		if end.declares() {
			c.faults.Add(&fault.Error{Kind: fault.Declaration, Code: "duplicate-path", Path: o.Path, What: "is overridden twice", Hint: "remove one of the overrides"})
			continue
		}
		end.path, end.tag = o.Path, tag
	}
	return root
}

func invalidPath(path string) *fault.Error {
	if field := strings.TrimSuffix(path, "[]"); field != path {
		if _, ok := fieldpath.ParsePattern(field); ok {
			return &fault.Error{
				Kind: fault.Declaration, Code: "invalid-path", What: "ends at the elements of a collection, which have no struct tag", Hint: "override `" + field + "`, or a field of the elements",
			}
		}
	}
	return &fault.Error{
		Kind: fault.Declaration, Code: "invalid-path",
		What: "is no path of a field", Hint: "write JSON names separated by dots, `[]` for the elements of a list or map, and `[\"name\"]` for a name with other characters",
	}
}

func (o *overrideNode) insert(steps []fieldpath.PatternStep) *overrideNode {
	for _, step := range steps {
		if step.Element {
			if o.elem == nil {
				o.elem = &overrideNode{}
			}
			o = o.elem
			continue
		}
		if o.members == nil {
			o.members = map[string]*overrideNode{}
		}
		if o.members[step.Name] == nil {
			o.members[step.Name] = &overrideNode{}
		}
		o = o.members[step.Name]
	}
	return o
}

// reportUnmatched reports every override whose path ended at no field.
func (c *compiler) reportUnmatched(o *overrideNode) {
	if o == nil {
		return
	}
	if o.declares() && !o.matched {
		c.faults.Add(&fault.Error{
			Kind: fault.Declaration, Code: "unknown-path", Path: o.path,
			What: "matches no field of the type", Hint: "check the JSON names; inside free JSON and types that marshal themselves there are no fields",
		})
	}
	names := make([]string, 0, len(o.members))
	for name := range o.members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.reportUnmatched(o.members[name])
	}
	c.reportUnmatched(o.elem)
}
