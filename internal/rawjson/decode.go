// Package rawjson reads raw JSON into values of a field plan's type, as strictly as Kubernetes
// reads manifests.
//
// It owns the rules for refusing JSON: unknown and duplicate members, names in another case, wrong
// types, text that is not UTF-8, and values that decoding would change. It must not know classes.
//
// One pass over the bytes reads the value and reports every problem with its path. The pass reads
// the usual types of configurations: structs, lists, maps with string keys and scalars.
// It hands all other values to Kubernetes' decoder, one by one, so that the decoder's own rules
// decide: types with unmarshalers, the option string, map keys that are not strings, and types
// whose methods the decoder calls in some places only. JSON that is malformed or nested too deeply
// ends the pass.
//
// A [Reader] offers the steps of the pass to a caller that needs no Go value. It accepts what the pass
// accepts, through the same functions, and explains nothing: the caller then reads the value.
//
// A [Form] needs no plan. It takes the same pass over values that are only checked.
//
// A plan is compiled into nodes by Go type. The decoder's behaviour depends on the unmarshalers of
// a type, which a plan does not have, so this package looks them up.
package rawjson

import (
	"reflect"
	"slices"

	"sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// Decode reads raw into a new value of the plan's type and returns a pointer to it. Empty input,
// white space and null are the empty configuration. All problems are returned joined, each a
// *fault.Error with its path.
//
// The value of an interface is that of Kubernetes' decoder. Numbers that the decoder would round
// are refused.
func Decode(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	return read(p, decoding{Scanner: canonjson.NewScanner(raw)})
}

// Read is [Decode] for a value that represents the raw JSON: the empty interface holds
// json.RawMessage, so that all numbers are exact.
func Read(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	return read(p, decoding{Scanner: canonjson.NewScanner(raw), exact: true})
}

func read(p *fieldplan.Plan, r decoding) (reflect.Value, error) {
	config := reflect.New(p.Type)
	_, err := r.told(r.document(rootOf(p), config.Elem()))
	if err != nil {
		config = reflect.New(p.Type)
	}
	return config, err
}

// ReadPart is [Read] for the value of one node.
func ReadPart(n *fieldplan.Node, raw []byte) (reflect.Value, error) {
	r := decoding{Scanner: canonjson.NewScanner(raw), exact: true}
	value := reflect.New(n.Type).Elem()
	_, err := r.told(r.document(compiler{}.node(n), value))
	return value, err
}

// Tree reads a document that may hold more than a configuration into a tree, as strictly as [Decode]
// reads text, numbers and the names of members. Empty input and white space are null.
func Tree(raw []byte) (tree any, err error) {
	in := canonjson.NewScanner(raw)
	if problem := in.Begin(); problem != nil {
		return nil, problem
	}
	if in.At == len(raw) {
		return nil, nil //nolint:nilnil // the tree of null
	}
	if _, problem := canonjson.AppendValue(nil, raw); problem != nil {
		return nil, problem
	}
	return jsonpatch.Parse(raw)
}

// maxFaults bounds the problems that are reported, for example for a list of a million wrong
// elements.
const maxFaults = 100

// located is a problem or finding with the steps of its path, innermost first.
type located struct {
	problem   *fault.Error
	isFinding bool
	meant     string // see [Finding]
	path      fieldpath.Path
}

func (r *decoding) report(problem *fault.Error) {
	if r.problems < maxFaults {
		r.problems++
		r.faults = append(r.faults, located{problem: problem})
	}
}

// below adds a step to the paths of the problems from index first on.
func (r *decoding) below(first int, step fieldpath.Step) {
	for i := range r.faults[first:] {
		found := &r.faults[first+i]
		found.path = append(found.path, step)
	}
}

// told returns the findings, and joins the reported problems. A problem that ended the run is returned
// alone.
func (r *decoding) told(last *fault.Error) (findings []Finding, err error) {
	if last != nil {
		return nil, last
	}
	var all fault.List
	for _, found := range r.faults {
		slices.Reverse(found.path)
		found.problem.Path = found.path.String()
		if found.isFinding {
			findings = append(findings, Finding{found.problem, found.meant})
			continue
		}
		all.Add(found.problem)
	}
	return findings, all.Err()
}

// ends reports whether a problem leaves the run without knowing where the next value begins.
func ends(problem *fault.Error) bool {
	return problem.Code == fault.InvalidJSON || problem.Code == fault.TooDeep
}

// kubernetes reads raw into the value of the pointer, as Kubernetes reads manifests, and reports
// whether it could: names are case-sensitive, and unknown members, duplicate members and panics of
// a type's own unmarshaler are failures.
func kubernetes(raw []byte, pointer any) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	strict, err := json.UnmarshalStrict(raw, pointer)
	return err == nil && len(strict) == 0
}
