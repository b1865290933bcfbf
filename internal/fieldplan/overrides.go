package fieldplan

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// PathClass overrides the class of the field at a path.
type PathClass struct {
	Path  string
	Class structtag.Class
}

// overrideNode is a step of the overrides' paths. A nil node has no overrides below it.
type overrideNode struct {
	path    string // the whole path, if a path ends here
	class   structtag.Class
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
func (c *compiler) overrideTrie(overrides []PathClass) *overrideNode {
	if len(overrides) == 0 {
		return nil
	}
	root := &overrideNode{}
	for _, o := range overrides {
		steps, ok := fieldpath.ParsePattern(o.Path)
		if !ok {
			c.faults.Add(&fault.Error{
				Code: fault.InvalidPath, Path: o.Path,
				What: "is no path of a field", Cure: "write JSON names separated by dots, `[]` for the elements of a list or map, and `[\"name\"]` for a name with other characters",
			})
			continue
		}
		if !All.Any(Of(o.Class)) {
			c.faults.Add(&fault.Error{Code: fault.UnknownClass, Path: o.Path, What: "is overridden with a class that does not exist", Cure: "use one of the four classes"})
			continue
		}
		end := root.insert(steps)
		if end.declares() {
			c.faults.Add(&fault.Error{Code: fault.DuplicatePath, Path: o.Path, What: "is overridden twice", Cure: "remove one of the overrides"})
			continue
		}
		end.path, end.class = o.Path, o.Class
	}
	return root
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
			Code: fault.UnknownPath, Path: o.path,
			What: "matches no field of the type", Cure: "check the JSON names; inside free JSON and types that marshal themselves there are no fields",
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
