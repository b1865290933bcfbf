package rawjson

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// decoding reads one document. Its functions return a problem if it cannot go on, and report other
// problems.
type decoding struct {
	canonjson.Scanner

	exact    bool // the empty interface holds json.RawMessage
	examines bool // findings are told, and unknown members are findings
	faults   []located
	problems int    // how many faults are problems
	findings int    // and how many are findings
	scratch  []byte // the last text with escapes
}

// document reads the whole document.
func (r *decoding) document(root *Node, config reflect.Value) *fault.Error {
	problem := r.Begin()
	if problem != nil || r.At == len(r.Raw) {
		return problem
	}
	if problem = r.fill(&target{node: root}, config); problem != nil {
		return problem
	}
	return r.End()
}

// fill reads a value into v, which must be zero.
func (r *decoding) fill(t *target, v reflect.Value) *fault.Error {
	if r.Peek() == 'n' && (t.pointers > 0 || !t.node.kind.readsNull()) {
		return r.Literal("null")
	}
	for range t.pointers {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return r.value(t.node, v)
}

// value reads a value that is not null, or a value of a type that reads null itself.
func (r *decoding) value(n *Node, v reflect.Value) *fault.Error {
	if n.begins != 0 && n.begins != r.Peek() {
		return r.wrong(n)
	}
	switch n.kind {
	case object:
		return r.object(n, v)
	case list:
		return r.list(n, v)
	case array:
		return r.array(n, v)
	case mapOfAny, mapByKeys:
		return r.entries(n, v)
	case text:
		return r.text(v)
	case boolean:
		return r.boolean(n, v)
	case number:
		return r.number(n, v)
	case free, own, foreign, member:
	}
	return r.delegate(n, v, "")
}
