package rawjson

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Reader reads raw JSON step by step for a caller that needs no Go value of most of it. It accepts
// only what [Read] accepts. It does not say what is wrong with other JSON: its methods return false,
// and the caller uses Read, which finds all problems.
type Reader struct {
	decoding

	textAt int // where the last string is
}

// maxScratch is the size of the largest text with escapes whose memory is kept.
const maxScratch = 16 << 10

// Reset prepares the reader for another document.
func (r *Reader) Reset(raw []byte) {
	if cap(r.scratch) > maxScratch {
		r.scratch = nil
	}
	r.decoding = decoding{Scanner: canonjson.NewScanner(raw), exact: true, scratch: r.scratch[:0]}
	r.textAt = 0
}

// Clear overwrites the text that the reader keeps for the next document.
func (r *Reader) Clear() { clear(r.scratch[:cap(r.scratch)]) }

// RootOf returns how the configuration of a plan is read.
func RootOf(p *fieldplan.Plan) *Node { return rootOf(p) }

// Shape says how the JSON of a node can be read.
type Shape uint8

// The shapes. The value of any shape can be read by [Reader.Fill].
const (
	ByValue Shape = iota // only by Fill
	Scalar               // by AppendLeaf
	Object               // its members: Member for the name, then Field or what Value says
	List                 // its elements
	Map                  // its entries: a text for the key, then the element
)

// Shape returns the node's shape.
func (n *Node) Shape() Shape {
	switch n.kind {
	case object:
		return Object
	case list:
		return List
	case mapOfAny:
		return Map
	case text, boolean, number, free:
		return Scalar
	case own:
		if n.plan.Leaf == leaf.Quantity || n.plan.Leaf.IsHint() || n.plan.Leaf.KeepsJSON() {
			return Scalar
		}
	case array, mapByKeys, foreign, member:
	}
	return ByValue
}

// Plan returns the description of the node's values.
func (n *Node) Plan() *fieldplan.Node { return n.plan }

// Type returns the type of the node's values, without pointers.
func (n *Node) Type() reflect.Type { return n.typ }

// Len is the number of an object's fields.
func (n *Node) Len() int { return len(n.fields) }

// Field returns the JSON name and the node of field i of an object.
func (n *Node) Field(i int) (string, *Node) { return n.fields[i].name, n.fields[i].node }

// Elem returns the node of the elements of a list or map.
func (n *Node) Elem() *Node { return n.elem.node }

// AdmitsUnknown reports whether an object may have members that the plan does not know.
func (n *Node) AdmitsUnknown() bool { return n.rest != none }

// Unknown is the index of a member that the plan does not know.
const Unknown = none

// Member reads the name of an object's member, up to its value, and returns the index of its field.
// Next is the index of the field that is expected: the one after the last. Of an Unknown member that
// is admitted, Member returns the name, which is valid until the next call.
func (r *Reader) Member(n *Node, next int) (i int, name []byte, ok bool) {
	i, name, problem := r.name(n, next)
	return i, name, problem == nil && (i != Unknown || n.AdmitsUnknown())
}

// IsNull reports whether the next value is null, which is the absence of a value of every shape but
// ByValue, and reads it.
func (r *Reader) IsNull() bool { return r.Peek() == 'n' && r.Literal(leaf.Null) == nil }

// AppendText reads a string and appends its canonical text. It returns the string itself, too, which
// is valid until the next call.
func (r *Reader) AppendText(dst []byte) (appended, text []byte, ok bool) {
	dst, text, problem := r.decoding.AppendText(dst, &r.scratch)
	return dst, text, problem == nil
}

// LastText is the last leaf that was read, if it is a string without a meaning. It is valid until the
// next call.
func (r *Reader) LastText() []byte {
	s := canonjson.NewScanner(r.Raw)
	s.At = r.textAt
	text, _ := s.Text(&r.scratch)
	return text
}

// FillField reads the value of field i into the struct v.
func (r *Reader) FillField(n *Node, i int, v reflect.Value) (ok bool) {
	return r.isFine(r.field(&n.fields[i], v))
}

// FillElem reads an element of a list or map into v, which has the type of the element.
func (r *Reader) FillElem(n *Node, v reflect.Value) (ok bool) { return r.isFine(r.fill(&n.elem, v)) }

func (r *Reader) isFine(problem *fault.Error) bool { return problem == nil && len(r.faults) == 0 }

// AppendLeaf reads a value of a node of shape Scalar, other than null, and appends its canonical
// text.
func (r *Reader) AppendLeaf(dst []byte, n *Node) (appended []byte, ok bool) {
	//exhaustive:ignore
	switch n.kind {
	case text:
		if n.plan.Leaf != leaf.String {
			return r.appendMeaning(dst, n)
		}
		r.textAt = r.At
		dst, problem := r.AppendString(dst, &r.scratch)
		return dst, problem == nil
	case boolean:
		return r.appendBool(dst)
	case number:
		return r.appendNumber(dst, n)
	default:
		if n.plan.Leaf == leaf.Quantity || n.plan.Leaf.IsHint() {
			return r.appendTextOrNumber(dst, n.plan.Leaf)
		}
		dst, problem := r.AppendValue(dst)
		return dst, problem == nil
	}
}

// appendMeaning reads a string with a meaning.
func (r *Reader) appendMeaning(dst []byte, n *Node) ([]byte, bool) {
	text, problem := r.Text(&r.scratch)
	if problem == nil {
		dst, problem = leaf.AppendText(dst, n.plan.Leaf, string(text))
	}
	return dst, problem == nil
}

// appendNumber copies most numbers: integers whose spelling is their canonical text.
func (r *Reader) appendNumber(dst []byte, n *Node) ([]byte, bool) {
	start := r.At
	k := n.plan.Leaf
	if k != leaf.Float {
		if i, ok := r.Natural(); ok {
			return append(dst, r.Raw[start:r.At]...), leaf.HoldsNatural(k, n.bits, i)
		}
	}
	literal, ok := r.literal()
	if !ok || !isInRange(k == leaf.Float, literal) {
		return dst, false
	}
	return leaf.AppendNumber(dst, k, n.bits, string(literal))
}

func (r *Reader) appendBool(dst []byte) ([]byte, bool) {
	start := r.At
	isBool := r.Peek() == 't' || r.Peek() == 'f'
	if !isBool || r.Scalar() != nil {
		return dst, false
	}
	return append(dst, r.Raw[start:r.At]...), true
}

// appendTextOrNumber reads a quantity, or a value of a kind with a hint.
func (r *Reader) appendTextOrNumber(dst []byte, k leaf.Kind) ([]byte, bool) {
	start := r.At
	text, ok := r.literal()
	if !ok && r.Peek() == '"' {
		var problem *fault.Error
		text, problem = r.Text(&r.scratch)
		ok = problem == nil
	}
	if !ok {
		return dst, false
	}
	token := r.Raw[start:r.At]
	if k.IsHint() {
		return leaf.AppendHintedJSON(dst, k, token, text)
	}
	return leaf.AppendQuantityJSON(dst, token, text)
}
