package engine

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// whenEmpty says whether an object is written that has no member apart from its identity.
type whenEmpty uint8

const (
	omitted whenEmpty = iota
	written
)

func (r *run) object(n *routine, m memory, empty whenEmpty) bool {
	start, some, before := r.position(), false, byte('{')
	ops, later, unknown := n.ops, []op(nil), []Element(nil)
	if n.rest != nil {
		unknown = r.unknownMembers(n, m)
		ops, later = untilUnknown(n.ops, unknown)
	}
	for { // once, and once more after each unknown member
		for i := range ops {
			o := &ops[i]
			value := o.location.in(m)
			if !exists(value) {
				if o.always {
					r.zeroIdentity(o, before)
					before = ','
				}
				continue
			}
			if !r.member(o, value, before) {
				continue
			}
			before = ','
			if !o.always {
				some = true
				r.commit()
			}
		}
		if len(unknown) == 0 {
			break
		}
		if r.unknown(n, unknown[0], before) {
			some, before = true, ','
		}
		unknown = unknown[1:]
		ops, later = untilUnknown(later, unknown)
	}
	switch {
	case !some && empty == omitted:
		r.cut(start)
		return false
	case before == '{':
		r.buf = append(r.buf, before)
	}
	r.buf = append(r.buf, '}')
	return true
}

// unknownMembers returns the members that the plan does not know. Like unknown, it is not inlined:
// the loop of object needs the registers.
//
//go:noinline
func (r *run) unknownMembers(n *routine, m memory) (found []Element) {
	r.whole(func(t *Trail) { found = n.unknownMembers(t, valueAt(m, n.plan.Type)) })
	return found
}

// untilUnknown returns the ops whose names sort before the first unknown member, and those after it.
func untilUnknown(ops []op, unknown []Element) (before, after []op) {
	at := 0
	for at < len(ops) && (len(unknown) == 0 || ops[at].field.Name < unknown[0].Key) {
		at++
	}
	return ops[:at], ops[at:]
}

// unknown writes an unknown member, and reports whether it did.
//
//go:noinline
func (r *run) unknown(n *routine, member Element, before byte) bool {
	o := n.rest.unknown(member)
	return r.member(&o, valueOf(member.Value), before)
}

// header returns the buffer with the byte before a member, and the member's name.
func (r *run) header(o *op, before byte) []byte { return o.header.append(r.buf, before) }

// append is small enough to be inlined. A short header is copied without a call.
func (h *header) append(dst []byte, before byte) []byte {
	n := len(dst)
	if room := dst[n:cap(dst)]; len(room) >= len(h.short) && len(h.text) <= len(h.short) {
		*(*[len(h.short)]byte)(room) = h.short
		room[0] = before
		return dst[:n+len(h.text)]
	}
	return append(append(dst, before), h.text[1:]...)
}

// member writes a member after the byte before, and reports whether it did. It writes nothing if
// the value counts as unset.
func (r *run) member(o *op, m memory, before byte) bool {
	start := len(r.buf)
	switch o.kind {
	case textKind:
		s := textAt(m)
		if s == "" && !o.zero {
			return false
		}
		if len(s) >= spillAt && !o.hasDefault && !o.always {
			r.buf = r.header(o, before)
			r.in(o)
			r.longText(s)
			return true
		}
		text, problem := canonjson.AppendString(r.header(o, before), s)
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
		r.buf = strconv.AppendInt(r.header(o, before), i, 10)
	case boolKind:
		b := boolAt(m)
		if !b && !o.zero {
			return false
		}
		r.buf = strconv.AppendBool(r.header(o, before), b)
	case uintKind, floatKind, bytesKind, quantityKind, intOrStringKind, leafKind:
		return r.leafMember(o, m, before)
	case objectKind, listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind:
		return r.compositeMember(o, m, before)
	}
	return !o.hasDefault || r.differs(o, start)
}

// textOfMember returns the text of the value of a member that was written from start on.
func (r *run) textOfMember(o *op, start int) []byte { return r.buf[start+len(o.header.text):] }

// differs reports whether a member that was written from start on differs from its default.
// Otherwise it removes the member.
func (r *run) differs(o *op, start int) bool {
	if o.always || string(r.textOfMember(o, start)) != string(o.field.Default) {
		return true
	}
	r.buf = r.buf[:start]
	return false
}

// leafMember writes a leaf of a less frequent kind.
func (r *run) leafMember(o *op, m memory, before byte) bool {
	start := len(r.buf)
	switch {
	case o.kind == bytesKind && len(bytesAt(m)) >= spillAt && r.canFlush():
		r.buf = r.header(o, before)
		r.longBytes(bytesAt(m))
		return true
	case o.kind == leafKind && !o.zero && valueAt(m, o.routine.plan.Type).IsZero():
		return false
	}
	r.buf = r.header(o, before)
	r.in(o)
	if !r.leaf(o.routine, m) || !o.always && o.field.Unset(r.textOfMember(o, start)) {
		r.buf = r.buf[:start]
		return false
	}
	if o.quoted {
		r.buf = leaf.Spell(r.buf, start+len(o.header.text), o.routine.plan.Leaf, leaf.Quoted)
	}
	return true
}

// zeroIdentity writes a key or selector as zero, because the element or a pointer is nil. Of the
// fields behind a pointer, only a text is written as zero.
func (r *run) zeroIdentity(o *op, before byte) {
	text := cmp.Or(o.routine.constant, string(o.field.Zero), `""`)
	r.buf = r.header(o, before)
	start := len(r.buf)
	r.buf = append(r.buf, text...)
	if o.quoted {
		r.buf = leaf.Spell(r.buf, start, o.routine.plan.Leaf, leaf.Quoted)
	}
}

// compositeMember writes an object or collection, and reports whether it did. An empty one is
// written if its presence counts.
func (r *run) compositeMember(o *op, m memory, before byte) bool {
	if isNone(o.kind, m) {
		return false
	}
	start := r.position()
	r.buf = r.header(o, before)
	r.in(o)
	if r.part(o.routine, m) {
		return true
	}
	if o.presence {
		r.emptyElement(o.routine, m)
		return true
	}
	r.cut(start)
	return false
}

// part writes an object or collection, or nothing if it is empty.
func (r *run) part(n *routine, m memory) (written bool) {
	if !r.enter(n, m) {
		return false
	}
	if n.kind == objectKind {
		written = r.object(n, m, omitted)
	} else {
		written = r.composite(n, m, omitted)
	}
	r.leave(n)
	return written
}

func (r *run) composite(n *routine, m memory, empty whenEmpty) bool {
	switch n.kind {
	case objectKind:
		return r.object(n, m, empty)
	case listKind:
		return r.list(n, m)
	case arrayKind:
		return r.array(n, m, empty)
	case setKind:
		return r.set(n, m)
	case textKeyedKind, intKeyedKind:
		return r.keyedList(n, m)
	case textMapKind:
		return n.writesPresence && mapOf(r, n, textsAt(m), &r.texts, func(r *run, s *string) { r.elementText(*s) })
	case quantityMapKind:
		return n.writesPresence && mapOf(r, n, quantitiesAt(m), &r.quantities, (*run).quantity)
	case mapKind:
		return r.mapOfAny(n, m)
	case boolKind, intKind, uintKind, floatKind, textKind, bytesKind, quantityKind, intOrStringKind, leafKind:
	}
	return false
}

// element writes an element of a collection, even if it is empty: its presence belongs to the
// collection.
func (r *run) element(n *routine, m memory) {
	if n.kind != objectKind || !exists(m) {
		r.otherElement(n, m)
		return
	}
	if r.enter(n, m) {
		r.object(n, m, written)
		r.leave(n)
	}
}

// otherElement is element for nil, and for values that are not objects.
func (r *run) otherElement(n *routine, m memory) {
	switch {
	case !exists(m):
		r.emptyElement(n, m)
	case n.kind == textKind:
		r.elementText(textAt(m))
	case n.kind.isLeaf():
		r.leaf(n, m)
	case r.enter(n, m):
		if !r.composite(n, m, written) {
			r.emptyElement(n, m)
		}
		r.leave(n)
	}
}

// traces writes the content of an element whose presence is not written, and reports whether there
// was any.
func (r *run) traces(n *routine, m memory) bool {
	return exists(m) && n.writes && !n.kind.isLeaf() && r.part(n, m)
}

func (r *run) elementText(s string) {
	if len(s) >= spillAt {
		r.longText(s)
		return
	}
	r.text(s)
}

// emptyElement writes an empty element; an object with its identity.
func (r *run) emptyElement(n *routine, m memory) {
	if n.kind == objectKind {
		r.buf = append(r.buf, n.empty...)
		return
	}
	r.buf = append(r.buf, emptyText(n.plan.Kind, n.isNull(m))...)
}

func (r *run) leaf(n *routine, m memory) bool {
	text, problem := appendLeaf(r.buf, n, m)
	if problem != nil {
		r.report(problem)
		return false
	}
	r.buf = text
	return true
}

// appendLeaf appends the text of a leaf. The most frequent kinds need no reflection.
func appendLeaf(dst []byte, n *routine, m memory) ([]byte, *fault.Error) {
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
	case objectKind, listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind,
		floatKind, bytesKind, leafKind:
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

// longText writes a string that is final, in pieces if they may go to the digest.
func (r *run) longText(s string) {
	if !r.canFlush() || !utf8.ValidString(s) {
		r.text(s)
		return
	}
	pieces(r, s, spillAt, canonjson.AppendEscaped[string])
}

// base64At is a number of bytes that base64 writes without padding.
const base64At = spillAt / 4 * 3

// longBytes writes bytes that are final, in pieces.
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
