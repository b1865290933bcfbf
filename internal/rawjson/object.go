package rawjson

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// fewFields is the number of fields that most objects have at most.
const fewFields = 64

func (r *decoding) object(n *Node, v reflect.Value) *fault.Error {
	var few [fewFields]bool
	seen := few[:]
	if len(n.fields) > fewFields {
		seen = make([]bool, len(n.fields))
	}
	first := len(r.faults)
	next := 0
	problem := r.Each(func(int) (problem *fault.Error) {
		next, problem = r.member(n, next, seen, v)
		return problem
	})
	if len(r.faults) > first {
		r.suggest(n, seen, r.faults[first:])
	}
	return problem
}

// member reads a member into the struct v, and returns the field that is expected after it.
func (r *decoding) member(n *Node, next int, seen []bool, v reflect.Value) (int, *fault.Error) {
	first := len(r.faults)
	i, spelled, problem := r.name(n, next)
	name := string(spelled)
	switch {
	case problem != nil:
		return next, problem
	case i == none && (n.rest == none || r.examines):
		r.tell(unknownMember(n))
		problem = r.Skip()
	case i == none:
		problem = r.unknown(v.Field(n.rest), name)
	default:
		name = n.fields[i].name
		next = i + 1
		if seen[i] {
			r.report(duplicateMember())
		}
		seen[i] = true
		problem = r.field(&n.fields[i], v)
	}
	if len(r.faults) > first {
		r.below(first, n.plan.Step(fieldpath.Step{Kind: fieldpath.Member, Name: name}))
	}
	return next, problem
}

func unknownMember(n *Node) *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.UnknownMember, What: "is not a field of " + n.plan.TypeName(),
		Hint: "check the name's spelling and case, and the apiVersion",
	}
}

// suggest tells for each unknown member of an object the missing field with a similar name, or the field
// whose name has another case.
func (r *decoding) suggest(n *Node, seen []bool, faults []located) {
	var missing []string
	for i := range n.fields {
		if !seen[i] {
			missing = append(missing, n.fields[i].name)
		}
	}
	slices.Sort(missing)
	for i := range faults {
		found := &faults[i]
		isOwn := len(found.path) == 1 && found.problem.Code == fault.UnknownMember
		if !isOwn {
			continue
		}
		name := found.path[0].Name
		found.meant = fieldpath.Nearest(name, missing)
		if similar := cmp.Or(found.meant, n.inOtherCase(name)); similar != "" {
			found.problem.Hint = "did you mean " + similar + "?"
		}
		if n.inOtherCase(name) != "" {
			found.problem.Cause = &fault.Error{Kind: fault.Invalid, Code: "other-case", What: "only the case differs"}
		}
	}
}

// inOtherCase returns the field whose name differs from another one only by the case; empty if there is none.
func (n *Node) inOtherCase(name string) string {
	for i := range n.fields {
		if strings.EqualFold(n.fields[i].name, name) {
			return n.fields[i].name
		}
	}
	return ""
}

func duplicateMember() *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.DuplicateMember, What: "stands twice in its object",
		Hint: "remove one of the members",
	}
}

// guesses is the number of fields that are tried before the name is looked up.
const guesses = 3

// name reads a member's name and the colon, and finds its field. That is mostly the expected field
// or one of the next, since members are written in the order of the Go struct, some left out. If
// there is no such field, name returns the name, which is valid until the next text.
func (r *decoding) name(n *Node, next int) (i int, name []byte, problem *fault.Error) {
	rest := r.Raw[r.At:]
	for i := next; i < min(next+guesses, len(n.fields)); i++ {
		if header := n.fields[i].header; len(rest) >= len(header) && string(rest[:len(header)]) == header {
			r.At += len(header)
			r.SkipSpace()
			return i, nil, nil
		}
	}
	spelled, problem := r.Text(&r.scratch)
	if problem != nil {
		return none, nil, problem
	}
	if i, ok := n.byName[string(spelled)]; ok {
		return i, nil, r.Colon()
	}
	return none, spelled, r.Colon()
}

// field reads a member's value into the struct v. It sets embedded pointers on the way, even if the
// value is null.
func (r *decoding) field(f *field, v reflect.Value) *fault.Error {
	switch {
	case f.dropped != nil:
		return r.drop(f.dropped)
	case f.node.kind == member:
		return r.delegate(f.node, v, f.header)
	}
	for _, i := range f.through {
		v = v.Field(i)
		if v.Kind() != reflect.Pointer {
			continue
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return r.fill(&f.target, v.Field(f.at))
}

// unknown keeps the raw JSON of a member that the plan does not know.
func (r *decoding) unknown(v reflect.Value, name string) *fault.Error {
	members := v.Addr().Interface().(*fieldplan.Unknown)
	if *members == nil {
		*members = fieldplan.Unknown{}
	}
	if _, twice := (*members)[name]; twice {
		r.report(duplicateMember())
	}
	raw, problem := r.extent()
	(*members)[name] = bytes.Clone(raw)
	return problem
}
