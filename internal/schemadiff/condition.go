package schemadiff

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// Meets reports whether a configuration in JSON meets the condition of an effect of the finding, under
// one of the plans that can read it.
func (f Finding) Meets(e Effect, raw []byte) bool {
	tree, err := jsonpatch.Parse(raw)
	if e == none || err != nil {
		return false
	}
	steps := stepsOf(f.at)
	return slices.ContainsFunc(f.plans[:], func(p *fieldplan.Plan) bool {
		config, err := rawjson.Decode(p, raw)
		c := condition{
			plan: p, program: engine.Of(p), where: e.Where, others: f.others, zeros: f.zeros, length: len(steps),
		}
		return err == nil && c.holds(tree, config, steps)
	})
}

// stepsOf are the steps of a path, which may end with several [].
func stepsOf(path string) []fieldpath.PatternStep {
	elements := 0
	for ; strings.HasSuffix(path, "[]"); elements++ {
		path = strings.TrimSuffix(path, "[]")
	}
	steps, _ := fieldpath.ParsePattern(path)
	return append(steps, slices.Repeat([]fieldpath.PatternStep{{Element: true}}, elements)...)
}

// condition is a condition on configurations of a plan.
type condition struct {
	plan    *fieldplan.Plan
	program *engine.Program
	where   string
	others  otherKeys
	zeros   [2][]byte // as in [Finding]
	length  int       // of the path
}

// holds reports whether the condition holds for the value at a path. Some conditions are about the
// spelling, and the others about the meaning.
func (c *condition) holds(tree any, config reflect.Value, steps []fieldpath.PatternStep) bool {
	switch c.where {
	case whereNamed, whereHeld, whereFilled, whereNull:
		return c.isSpelled(c.plan.Root, tree, steps)
	case whereAround:
		return c.hasArrayAround(c.plan.Root, tree, steps)
	default:
		return c.isMeant(c.plan.Root, nil, config, steps)
	}
}

// isSpelled reports whether the condition holds for the JSON below a value.
func (c *condition) isSpelled(n *fieldplan.Node, tree any, steps []fieldpath.PatternStep) bool {
	if len(steps) == 0 {
		return c.where == whereFilled && len(elementsOf(tree)) > 0
	}
	isLast := len(steps) == 1
	object, _ := tree.(map[string]any)
	if n != nil && n.Kind == fieldplan.Map && !steps[0].Element {
		for name, value := range object {
			if !c.concerns(steps, n.KeyText(name)) {
				continue
			}
			isMet := isLast && c.isMetBy(value)
			if isMet || c.isSpelled(n.Entry(n.KeyText(name)), value, steps[1:]) {
				return true
			}
		}
		return false
	}
	below := below(n, steps[0])
	if !steps[0].Element {
		member, isNamed := object[steps[0].Name]
		if !isNamed {
			return false
		}
		isMet := c.where == whereNamed || c.where == whereHeld && member != nil
		return isLast && isMet || c.isSpelled(below, member, steps[1:])
	}
	return slices.ContainsFunc(elementsOf(tree), func(elem any) bool {
		return isLast && c.isMetBy(elem) || c.isSpelled(below, elem, steps[1:])
	})
}

// isMetBy reports whether the condition holds for an element of a list, or a value of a map.
func (c *condition) isMetBy(elem any) bool {
	switch c.where {
	case whereNamed, whereHeld:
		return true
	case whereNull:
		return elem == nil
	default:
		return false
	}
}

// below is the node one step below a node; nil if the plan does not know it.
func below(n *fieldplan.Node, step fieldpath.PatternStep) *fieldplan.Node {
	switch {
	case n == nil:
	case step.Element:
		return n.Elem
	case n.Kind == fieldplan.Object:
		if f := n.Lookup(step.Name); f != nil {
			return f.Node
		}
	}
	return nil
}

// concerns reports whether the finding is about a key of the map before the steps.
func (c *condition) concerns(steps []fieldpath.PatternStep, key string) bool {
	pattern := steps[0].Name
	others := c.others[c.length-len(steps)]
	return matches(pattern, key) &&
		!slices.ContainsFunc(others, func(other string) bool { return isWithin(other, pattern) && matches(other, key) })
}

// matches reports whether a key is one of those that a pattern stands for.
func matches(pattern, key string) bool {
	prefix, isPrefix := fieldplan.PrefixOf(pattern)
	if isPrefix {
		return strings.HasPrefix(key, prefix)
	}
	return key == pattern
}

// isWithin reports whether a pattern stands for some of the keys of another one and for no others.
func isWithin(pattern, other string) bool {
	prefix, isPrefix := fieldplan.PrefixOf(other)
	return isPrefix && pattern != other && strings.HasPrefix(pattern, prefix)
}

// elementsOf are the elements of a list, or the values of a map.
func elementsOf(tree any) (elements []any) {
	switch tree := tree.(type) {
	case []any:
		return tree
	case map[string]any:
		for _, value := range tree {
			elements = append(elements, value)
		}
	}
	return elements
}

// hasArrayAround reports whether an array of fixed length, or arrays in one another, hold the place of
// an element. The outermost of them is itself an element.
func (c *condition) hasArrayAround(n *fieldplan.Node, tree any, steps []fieldpath.PatternStep) bool {
	if len(steps) == 0 {
		return false
	}
	object, _ := tree.(map[string]any)
	if n.Kind == fieldplan.Map && !steps[0].Element {
		for name, value := range object {
			if !c.concerns(steps, n.KeyText(name)) {
				continue
			}
			if isPlaceInArrays(n.Elem, steps[1:]) || c.hasArrayAround(n.Entry(n.KeyText(name)), value, steps[1:]) {
				return true
			}
		}
		return false
	}
	if !steps[0].Element {
		f := n.Lookup(steps[0].Name)
		return f != nil && c.hasArrayAround(f.Node, object[steps[0].Name], steps[1:])
	}
	if n.Elem == nil {
		return false
	}
	elements := elementsOf(tree)
	if len(elements) > 0 && isPlaceInArrays(n.Elem, steps[1:]) {
		return true
	}
	return slices.ContainsFunc(elements, func(elem any) bool { return c.hasArrayAround(n.Elem, elem, steps[1:]) })
}

// isPlaceInArrays reports whether the steps lead from an array through arrays to an element.
func isPlaceInArrays(n *fieldplan.Node, steps []fieldpath.PatternStep) bool {
	for _, step := range steps {
		if !step.Element || n.Kind != fieldplan.Array {
			return false
		}
		n = n.Elem
	}
	return len(steps) > 0
}

// isMeant reports whether the condition holds for the values below one of a node, which is an element of
// collection in, or in is nil.
func (c *condition) isMeant(n, in *fieldplan.Node, v reflect.Value, steps []fieldpath.PatternStep) bool {
	v, isThere := engine.Deref(v)
	if !isThere || len(steps) == 0 {
		return false
	}
	isLast := len(steps) == 1
	if !steps[0].Element && n.Kind != fieldplan.Map {
		f := n.Lookup(steps[0].Name)
		if f == nil {
			return false
		}
		member := engine.Member(v, f)
		if isLast {
			return c.isMeantBy(n, in, f, member)
		}
		return c.isMeant(f.Node, nil, member, steps[1:])
	}
	if n.Elem == nil {
		return false
	}
	for at, elem := range v.Seq2() {
		key := ""
		if n.Kind == fieldplan.Map {
			key = engine.KeyStep(n, at).Name
		}
		if !steps[0].Element && !c.concerns(steps, key) {
			continue
		}
		node := c.program.ElementNode(n, key, behind(elem))
		if isLast && c.where == whereSet || c.isMeant(node, n, elem, steps[1:]) {
			return true
		}
	}
	return false
}

// behind is the value behind pointers; the zero reflect.Value if there is none.
func behind(v reflect.Value) reflect.Value {
	v, _ = engine.Deref(v)
	return v
}

// isMeantBy reports whether the condition holds for a member.
func (c *condition) isMeantBy(n, in *fieldplan.Node, f *fieldplan.Field, v reflect.Value) bool {
	v, isThere := engine.Deref(v)
	if !isThere {
		return false
	}
	isLeaf := f.Node.Kind == fieldplan.Leaf
	hashed := c.program.HashedMember(n, in, f, v)
	switch c.where {
	case whereSet:
		return hashed.IsSet
	case whereZero:
		return isLeaf && c.spellsZero(f, v)
	case whereDefault:
		if isLeaf {
			return f.Default != nil && bytes.Equal(c.program.LeafText(f.Node, v), f.Default)
		}
		return f.Default != nil && !hashed.IsSet
	case whereEmpty:
		mayBeNil := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
		isNil := mayBeNil && v.IsNil()
		if isLeaf {
			return v.Kind() == reflect.Slice && !isNil && v.Len() == 0
		}
		return f.Pointer && !isNil && !hashed.IsFilled
	}
	return false
}

// spellsZero reports whether a leaf has the zero value of its type, or the text of the zero value in the other plan.
// Without a pointer, its own zero value may also stand for a member that is missing.
func (c *condition) spellsZero(f *fieldplan.Field, v reflect.Value) bool {
	text := c.program.LeafText(f.Node, v)
	if bytes.Equal(text, leaf.Zero(f.Node.Leaf, f.Node.Type)) {
		return f.Pointer
	}
	return bytes.Equal(text, c.zeros[0]) || bytes.Equal(text, c.zeros[1])
}
