package rawjson

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Finding is a part of a configuration that [Read] takes, but whose author probably meant something else.
type Finding struct {
	// Problem says where and what. The codes: unknown-member for a member that no field has, repeated-key for an
	// element of a list whose key an element before it has.
	Problem *fault.Error
	// Meant is the missing field whose name is similar to that of an unknown member; empty if there is none.
	Meant string
}

// IsRepeatedKey reports whether the finding is an element whose key an element before it has. All others are
// unknown members.
func (f Finding) IsRepeatedKey() bool { return f.Problem.Code == fault.RepeatedKey }

// maxFindings bounds the findings.
const maxFindings = 1000

// Examine reads raw as [Read] does, and returns what it finds beside the errors, in the order of the text.
// Unknown members are findings, whether or not the plan admits them; what they hold is not looked at. It
// returns at most 1000 findings.
func Examine(p *fieldplan.Plan, raw []byte) ([]Finding, error) {
	r := decoding{Scanner: canonjson.NewScanner(raw), exact: true, examines: true}
	return r.told(r.document(rootOf(p), reflect.New(p.Type).Elem()))
}

// tell adds a finding, or the problem that it is for those who do not examine. It is false if there are too
// many.
func (r *decoding) tell(found *fault.Error) (isTold bool) {
	before := len(r.faults)
	switch {
	case !r.examines:
		r.report(found)
	case r.findings < maxFindings:
		r.findings++
		r.faults = append(r.faults, located{problem: found, isFinding: true})
	}
	return len(r.faults) > before
}

// findRepeatedKeys tells the elements of a list whose key an element before them has.
func (r *decoding) findRepeatedKeys(n *Node, list reflect.Value) {
	seen := map[any]bool{}
	for i := range list.Len() {
		key := keyOf(n.plan.Key, list.Index(i))
		if seen[key] && r.tell(repeatedKey(n.plan.Key.Name, key)) {
			r.below(len(r.faults)-1, fieldpath.Step{Kind: fieldpath.Index, At: i})
		}
		seen[key] = true
	}
}

// repeatedKey names no key, since its value may be a secret. An absent key and an empty one are told alike.
func repeatedKey(name string, key any) *fault.Error {
	what := "has the " + name + " of an element before it"
	if key == nil || key == "" {
		what = "has no " + name + ", and neither has an element before it"
	}
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.RepeatedKey, What: what, Hint: "give each element a " + name + " of its own",
	}
}

// keyOf returns the key of an element, which is a string or an integer, and nil if it has none.
func keyOf(key *fieldplan.Field, elem reflect.Value) any {
	elem = behind(elem)
	if !elem.IsValid() {
		return nil
	}
	value, err := elem.FieldByIndexErr(key.Index)
	if err != nil { // below an embedded pointer
		return nil
	}
	if value = behind(value); !value.IsValid() {
		return nil
	}
	return value.Interface()
}

// behind returns the value behind pointers, and the zero Value behind a nil one.
func behind(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}
