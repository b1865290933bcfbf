package engine

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// stay says when an object is written.
type stay uint8

const (
	ifSome stay = iota // if it has a member beside its identity
	anyway
)

func (r *run) object(n *node, m memory, when stay) bool {
	start, some := r.position(), false
	r.buf = append(r.buf, '{')
	if n.rest == nil {
		some, _ = r.members(n.ops, m, 0)
	} else {
		some = r.openMembers(n, m)
	}
	if !some && when == ifSome {
		r.cut(start)
		return false
	}
	r.buf = append(r.buf, '}')
	return true
}

// members writes members of the object at m, so many bytes of a comma before the first. It reports whether the object has a member beside
// its identity, and whether the next one needs a comma.
func (r *run) members(ops []op, m memory, comma int) (some bool, next int) {
	for i := range ops {
		o := &ops[i]
		value := o.location.in(m)
		if !exists(value) {
			if o.always {
				r.zeroIdentity(o, o.header[1-comma:])
				comma = 1
			}
			continue
		}
		if !r.member(o, value, o.header[1-comma:]) {
			continue
		}
		comma = 1
		if !o.always {
			some = true
			r.commit()
		}
	}
	return some, comma
}

// openMembers writes the members of an object with unknown ones among them.
func (r *run) openMembers(n *node, m memory) (some bool) {
	var unknown Unknown
	r.explain(r.depth-1, func(t *Trail) { unknown = UnknownMembers(t, n.plan, valueAt(m, n.plan.Type)) })
	comma := 0
	for i := range n.ops {
		if r.unknown(n, unknown.Before(n.ops[i].field.Name), comma) {
			some, comma = true, 1
		}
		known := false
		known, comma = r.members(n.ops[i:i+1], m, comma)
		some = some || known
	}
	return r.unknown(n, unknown.Left(), comma) || some
}

// unknown writes members that the plan does not know, and reports whether there were any.
func (r *run) unknown(n *node, members []Element, comma int) (some bool) {
	if len(members) == 0 {
		return false
	}
	r.explain(r.depth-1, func(t *Trail) {
		for _, e := range members {
			f, step := UnknownField(n.plan, e)
			t.Enter(step)
			start := len(r.buf)
			text, present := MemberText(t, append(r.buf, ("," + f.Header)[1-comma:]...), f, e.Value)
			if r.buf = text[:start]; present {
				r.buf, some, comma = text, true, 1
			}
			t.Leave()
		}
	})
	return some
}

// member writes header and value, or nothing where the value is absent.
func (r *run) member(o *op, m memory, header string) bool {
	start := len(r.buf)
	switch o.kind {
	case textKind:
		s := textAt(m)
		if s == "" && !o.zero {
			return false
		}
		if len(s) >= spillAt && !o.hasDefault && !o.always {
			r.buf = append(r.buf, header...)
			r.in(o)
			r.longText(s)
			return true
		}
		text, problem := canonjson.AppendString(append(r.buf, header...), s)
		if problem != nil {
			r.in(o)
			r.report(problem)
		}
		r.buf = text
	case intKind:
		i := intAt(m, o.bits)
		if i == 0 && !o.zero {
			return false
		}
		r.buf = appendInt(append(r.buf, header...), i)
	case boolKind:
		b := boolAt(m)
		if !b && !o.zero {
			return false
		}
		r.buf = strconv.AppendBool(append(r.buf, header...), b)
	case uintKind, floatKind, bytesKind, quantityKind, intOrStringKind, leafKind:
		return r.leafMember(o, m, header)
	case objectKind, listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind:
		return r.compositeMember(o, m, header)
	}
	return !o.hasDefault || r.differs(o, start, header)
}

// differs reports whether what stands behind the header differs from the member's default. Otherwise both are cut off.
func (r *run) differs(o *op, start int, header string) bool {
	if o.always || string(r.buf[start+len(header):]) != string(o.field.Default) {
		return true
	}
	r.buf = r.buf[:start]
	return false
}

// leafMember writes a leaf that is not among the most frequent ones.
func (r *run) leafMember(o *op, m memory, header string) bool {
	start := len(r.buf)
	switch {
	case o.kind == bytesKind && len(bytesAt(m)) >= spillAt && r.canFlush():
		r.buf = append(r.buf, header...)
		r.longBytes(bytesAt(m))
		return true
	case o.kind == leafKind && !o.zero && valueAt(m, o.node.plan.Type).IsZero():
		return false
	}
	r.buf = append(r.buf, header...)
	r.in(o)
	if !r.leaf(o.node, m) || !o.always && o.field.Unset(r.buf[start+len(header):]) {
		r.buf = r.buf[:start]
		return false
	}
	if o.quoted {
		r.buf = leaf.Spell(r.buf, start+len(header), o.node.plan.Leaf, leaf.Quoted)
	}
	return true
}

// zeroIdentity writes a key or selector that is not there, because an embedded pointer or the element is nil, as zero.
func (r *run) zeroIdentity(o *op, header string) {
	text := o.node.constant
	if text == "" {
		text = string(o.field.Zero)
	}
	r.buf = append(r.buf, header...)
	start := len(r.buf)
	r.buf = append(r.buf, text...)
	if o.quoted {
		r.buf = leaf.Spell(r.buf, start, o.node.plan.Leaf, leaf.Quoted)
	}
}

// compositeMember writes header and value, or nothing where nothing is in the value and its presence says nothing.
func (r *run) compositeMember(o *op, m memory, header string) bool {
	start, written := r.position(), false
	r.buf = append(r.buf, header...)
	r.in(o)
	if r.enter(o.node, m) {
		if o.kind == objectKind {
			written = r.object(o.node, m, ifSome)
		} else {
			written = r.composite(o.node, m, ifSome)
		}
		r.leave(o.node)
		if !written && o.presence && !o.node.isNil(m) {
			r.emptyElement(o.node, m)
			return true
		}
	}
	if !written {
		r.cut(start)
	}
	return written
}

func (r *run) composite(n *node, m memory, when stay) bool {
	switch n.kind {
	case objectKind:
		return r.object(n, m, when)
	case listKind:
		return r.list(n, m)
	case arrayKind:
		return r.array(n, m)
	case setKind:
		return r.set(n, m)
	case textKeyedKind, intKeyedKind:
		return r.keyedList(n, m)
	case textMapKind:
		return n.keeps && r.mapOfText(m)
	case quantityMapKind:
		return n.keeps && r.mapOfQuantity(m)
	case mapKind:
		return r.mapOfAny(n, m)
	case boolKind, intKind, uintKind, floatKind, textKind, bytesKind, quantityKind, intOrStringKind, leafKind:
	}
	return false
}

// element writes an element of a collection, whatever it holds: its presence belongs to the collection.
func (r *run) element(n *node, m memory) {
	if n.kind != objectKind || !exists(m) {
		r.otherElement(n, m)
		return
	}
	if r.enter(n, m) {
		r.object(n, m, anyway)
		r.leave(n)
	}
}

// otherElement is element for what is no object, or not there.
func (r *run) otherElement(n *node, m memory) {
	switch {
	case !exists(m):
		r.emptyElement(n, m)
	case n.kind == textKind:
		r.elementText(textAt(m))
	case n.kind.isLeaf():
		r.leaf(n, m)
	case r.enter(n, m):
		if n.kind == arrayKind {
			r.places(n, m)
		} else if !r.composite(n, m, anyway) {
			r.emptyElement(n, m)
		}
		r.leave(n)
	}
}

// traces writes what there is to write of an element whose presence is not written.
func (r *run) traces(n *node, m memory) bool {
	if !exists(m) || !n.writes || n.kind.isLeaf() || !r.enter(n, m) {
		return false
	}
	written := r.composite(n, m, ifSome)
	r.leave(n)
	return written
}

func (r *run) elementText(s string) {
	if len(s) >= spillAt {
		r.longText(s)
		return
	}
	r.text(s)
}

// emptyElement writes an element with nothing in it, an object with its identity.
func (r *run) emptyElement(n *node, m memory) {
	if n.kind == objectKind {
		r.buf = append(r.buf, n.empty...)
		return
	}
	r.buf = append(r.buf, emptyText(n.plan.Kind, !exists(m) || n.isNil(m))...)
}

// isNil reports whether there is a nil list or map.
func (n *node) isNil(m memory) bool {
	switch n.plan.Kind {
	case fieldplan.List:
		return isNilSlice(m)
	case fieldplan.Map:
		return isNilMap(m)
	case fieldplan.Leaf, fieldplan.Object, fieldplan.Array:
	}
	return false
}

func (r *run) leaf(n *node, m memory) bool {
	text, problem := appendLeaf(r.buf, n, m)
	if problem != nil {
		r.report(problem)
		return false
	}
	r.buf = text
	return true
}

// appendLeaf appends the text of a leaf. The most frequent ones need no reflection.
func appendLeaf(dst []byte, n *node, m memory) ([]byte, *fault.Error) {
	switch n.kind {
	case textKind:
		return canonjson.AppendString(dst, textAt(m))
	case intKind:
		return strconv.AppendInt(dst, intAt(m, n.bits), 10), nil
	case boolKind:
		return strconv.AppendBool(dst, boolAt(m)), nil
	case uintKind:
		return strconv.AppendUint(dst, uintAt(m, n.bits), 10), nil
	case quantityKind:
		return leaf.AppendQuantity(dst, at[resource.Quantity](m))
	case intOrStringKind:
		if v := at[intstr.IntOrString](m); v.Type == intstr.String {
			return canonjson.AppendString(dst, v.StrVal)
		}
	case objectKind, listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind, floatKind, bytesKind, leafKind:
	}
	if n.constant != "" {
		return append(dst, n.constant...), nil
	}
	text, problem := leaf.Append(dst, n.plan.Leaf, valueAt(m, n.plan.Type))
	if n.spelled && problem == nil {
		text = leaf.Spell(text, len(dst), n.plan.Leaf, leaf.Plain)
	}
	return text, problem
}

func (r *run) text(s string) {
	text, problem := canonjson.AppendString(r.buf, s)
	if problem != nil {
		r.report(problem)
	}
	r.buf = text
}

// longText writes a string that is known to stay, piece by piece if pieces may be handed on.
func (r *run) longText(s string) {
	if !r.canFlush() || !utf8.ValidString(s) {
		r.text(s)
		return
	}
	pieces(r, s, spillAt, canonjson.AppendEscaped[string])
}

// base64At is a number of bytes that base64 writes without padding.
const base64At = spillAt / 4 * 3

// longBytes writes bytes that are known to stay, piece by piece.
func (r *run) longBytes(b []byte) { pieces(r, b, base64At, base64.StdEncoding.AppendEncode) }

func pieces[T string | []byte](r *run, whole T, most int, write func(dst []byte, piece T) []byte) {
	r.buf = append(r.buf, '"')
	for len(whole) > 0 {
		r.commit()
		n := min(len(whole), most)
		r.buf = write(r.buf, whole[:n])
		whole = whole[n:]
	}
	r.buf = append(r.buf, '"')
}
