package fieldplan

import (
	"cmp"
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
	meant   string // the field that was probably meant, if the step matches none
	members map[fieldpath.PatternStep]*overrideNode
}

func (o *overrideNode) declares() bool { return o != nil && o.path != "" }

// member steps to the field of a JSON name; whoever asks has found the field, so the step matches.
func (o *overrideNode) member(name string) *overrideNode {
	next := o.step(fieldpath.PatternStep{Name: name})
	if next != nil {
		next.matched = true
	}
	return next
}

func (o *overrideNode) element() *overrideNode { return o.step(fieldpath.PatternStep{Element: true}) }

func (o *overrideNode) step(s fieldpath.PatternStep) *overrideNode {
	if o == nil {
		return nil
	}
	return o.members[s]
}

// overrideTrie parses all paths; it returns nil without overrides, so that contexts are shared.
func (c *compiler) overrideTrie(overrides []Override) *overrideNode {
	if len(overrides) == 0 {
		return nil
	}
	root := &overrideNode{members: map[fieldpath.PatternStep]*overrideNode{}}
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
	what, hint := "is no path of a field", "write JSON names separated by dots, `[]` for the elements of a list or map, and `[\"name\"]` for a name with other characters"
	field := strings.TrimSuffix(path, "[]")
	if _, ok := fieldpath.ParsePattern(field); ok {
		what, hint = "ends at the elements of a collection, which have no struct tag", "override `"+field+"`, or a field of the elements"
	}
	return &fault.Error{Kind: fault.Declaration, Code: "invalid-path", What: what, Hint: hint}
}

func (o *overrideNode) insert(steps []fieldpath.PatternStep) *overrideNode {
	for _, step := range steps {
		if o.members[step] == nil {
			o.members[step] = &overrideNode{members: map[fieldpath.PatternStep]*overrideNode{}}
		}
		o = o.members[step]
	}
	return o
}

// suggest notes which fields of an object were probably meant by the steps that match none.
func (o *overrideNode) suggest(n *Node) {
	if o == nil {
		return
	}
	for step, next := range o.members {
		if !next.matched && !step.Element {
			next.meant = n.Nearest(step.Name)
		}
	}
}

// reportUnmatched reports every override whose path ended at no field, with what was meant there or above.
func (o *overrideNode) reportUnmatched(faults *fault.List, meant string) {
	if o == nil {
		return
	}
	meant = cmp.Or(meant, o.meant)
	if o.declares() && !o.matched {
		hint := "check the JSON names; inside free JSON and types that marshal themselves there are no fields"
		if meant != "" {
			hint = "did you mean " + meant + "?"
		}
		faults.Add(&fault.Error{Kind: fault.Declaration, Code: "unknown-path", Path: o.path, What: "matches no field of the type", Hint: hint})
	}
	for _, next := range o.members {
		next.reportUnmatched(faults, meant)
	}
}
