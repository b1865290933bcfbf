// Package rawjson reads raw JSON into values of a field plan's type, as strictly as Kubernetes reads manifests.
//
// It owns what is refused: unknown and duplicate members, names in another case, wrong types, text that is not UTF-8, and what would not
// survive decoding. It must not know classes.
//
// One pass over the bytes reads the value and reports every problem where it stands. The pass reads what is usual in the types of
// configurations: structs, lists, maps with string keys, scalars and quantities. Everything else is handed to Kubernetes' decoder, piece by
// piece, and so is decided by the rules as they are written down there: types that read themselves, the option string, map keys that are no
// strings, and types whose methods that decoder sees in some places only. JSON that is malformed or nested too deeply ends the pass.
//
// A plan is compiled into nodes by Go type. What the decoder does depends on the unmarshalers of a type, of which a plan says nothing, and
// so they are looked up here.
package rawjson

import (
	"reflect"
	"slices"

	"sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Decode reads raw into a new value of the plan's type and returns a pointer to it. Nothing, white space and null are the empty
// configuration. All problems come back joined, each a *fault.Error with the path at which it stands.
//
// An interface holds what Kubernetes' decoder makes of JSON. Numbers that it would round are refused.
func Decode(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	config, _, err := read(p, raw, decoded)
	return config, err
}

// Read is [Decode] for a value that stands for the raw JSON: the empty interface holds json.RawMessage, and so all numbers are exact.
func Read(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	config, _, err := read(p, raw, exact)
	return config, err
}

// Borrow is [Read] for a value that is looked at and given back: done must be called when neither the value nor anything in it is used
// any more, and raw must not change before that. Also after an error done may be called.
func Borrow(p *fieldplan.Plan, raw []byte) (config reflect.Value, done func(), err error) {
	return read(p, raw, borrowed)
}

// Part is [Decode] for a type that has a part of what the document says: unknown members are passed over. Beside problems it returns what
// could be read.
func Part(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	config, _, err := read(p, raw, partly)
	return config, err
}

// use says what a value that is read is for.
type use uint8

const (
	decoded use = iota
	exact
	borrowed
	partly
)

func read(p *fieldplan.Plan, raw []byte, u use) (config reflect.Value, done func(), err error) {
	r := tableOf(p).run(raw, u)
	config = r.take(&r.table.config)
	problem := r.document(config.Elem())
	if problem == nil && len(r.faults) == 0 {
		if u == borrowed {
			return config, r.done, nil
		}
		r.release() // another goroutine may have the run from here on
		return config, func() {}, nil
	}
	err = r.err(problem)
	r.release()
	if u != partly {
		config = reflect.New(p.Type)
	}
	return config, func() {}, err
}

// maxFaults bounds the problems that are reported; a list of a million wrong elements needs no million errors.
const maxFaults = 100

// located is a problem with the steps that lead to it, innermost first.
type located struct {
	problem *fault.Error
	path    fieldpath.Path
}

func (r *run) report(problem *fault.Error) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, located{problem: problem})
	}
}

// below adds a step to the problems that were reported since there were so many.
func (r *run) below(first int, step fieldpath.Step) {
	for i := range r.faults[first:] {
		found := &r.faults[first+i]
		found.path = append(found.path, step)
	}
}

// err joins what was reported. A problem that ended the run stands alone.
func (r *run) err(last *fault.Error) error {
	if last != nil {
		return last
	}
	var all fault.List
	for _, found := range r.faults {
		slices.Reverse(found.path)
		found.problem.Path = found.path.String()
		all.Add(found.problem)
	}
	return all.Err()
}

// ends reports whether a problem leaves the run without knowing where the next value begins.
func ends(problem *fault.Error) bool {
	return problem.Code == "invalid-json" || problem.Code == "too-deep"
}

// kubernetes reads raw into what the pointer leads to as Kubernetes reads manifests, and reports whether it could: names are
// case-sensitive, and unknown or duplicate members are failures. So are panics, as a type's own unmarshaler may.
func kubernetes(raw []byte, pointer any) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	strict, err := json.UnmarshalStrict(raw, pointer)
	return err == nil && len(strict) == 0
}
