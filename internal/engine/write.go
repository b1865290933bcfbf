package engine

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"sort"
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

// object writes an object, and reports whether it did.
func (r *run) object(n *routine, m memory, empty whenEmpty) (isWritten bool) {
	if !r.enter(n, m) {
		return false
	}
	start := r.position()
	before := byte('{')
	some := false
	if n.rest == nil {
		before, some = r.members(n.ops, m, before)
	} else {
		before, some = r.allMembers(n, m)
	}
	r.leave(n)
	return r.closeObject(start, before, some || empty == written)
}

// closeObject ends an object, or removes it if it is not to be written. Before is the byte before
// the next member.
func (r *run) closeObject(start int, before byte, isWritten bool) bool {
	switch {
	case !isWritten:
		r.cut(start)
		return false
	case before == '{':
		r.buf = append(r.buf, before)
	}
	r.buf = append(r.buf, '}')
	return true
}

// members writes members of an object after the byte before. It returns the byte before the next
// member, and whether one was written that is not part of the identity.
func (r *run) members(ops []op, m memory, before byte) (next byte, some bool) {
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
	return before, some
}

// allMembers is members of an object that may have unknown ones between the known ones.
func (r *run) allMembers(n *routine, m memory) (next byte, some bool) {
	var unknown []Element
	r.whole(func(t *Trail) { unknown = n.unknownMembers(t, valueAt(m, n.plan.Type)) })
	next = '{'
	ops := n.ops
	write := func(count int) {
		before, isContent := r.members(ops[:count], m, next)
		next = before
		some = some || isContent
		ops = ops[count:]
	}
	for _, member := range unknown {
		write(sort.Search(len(ops), func(i int) bool { return ops[i].field.Name > member.Key }))
		o := n.rest.unknown(member)
		if r.member(&o, valueOf(member.Value), next) {
			next = ','
			some = true
		}
	}
	write(len(ops))
	return next, some
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
	case o.kind == bytesKind && r.goesInPieces(o, bytesAt(m)):
		r.buf = r.header(o, before)
		r.longBytes(bytesAt(m))
		return true
	case o.kind == leafKind && !o.zero && valueAt(m, o.routine.plan.Type).IsZero():
		return false
	}
	r.buf = r.header(o, before)
	r.in(o)
	if !r.leaf(o.routine, m) || !o.always && o.isUnset(r.textOfMember(o, start)) {
		r.buf = r.buf[:start]
		return false
	}
	if o.quoted {
		r.buf = leaf.Spell(r.buf, start+len(o.header.text), o.routine.plan.Leaf, leaf.Quoted)
	}
	return true
}

// goesInPieces reports whether bytes are long, and what is written of them is final: it is not
// compared with a default afterwards.
func (r *run) goesInPieces(o *op, value []byte) bool {
	return len(value) >= spillAt && !o.hasDefault && r.canFlush()
}

// isUnset reports whether a leaf with this text counts as unset.
func (o *op) isUnset(text []byte) bool {
	return o.field.Unset(text) || o.spelled != nil && bytes.Equal(text, o.spelled)
}

// zeroIdentity writes a key or selector as zero, because the element or a pointer is nil. Of the
// fields behind a pointer, only a text is written as zero, and an integer as null.
func (r *run) zeroIdentity(o *op, before byte) {
	text := cmp.Or(o.routine.constant, string(o.field.Zero))
	isAbsent := text == "" && o.field.Node.Leaf != leaf.String
	if text == "" {
		text = `""`
	}
	if isAbsent {
		text = leaf.Null
	}
	r.buf = r.header(o, before)
	start := len(r.buf)
	r.buf = append(r.buf, text...)
	if o.quoted && !isAbsent {
		r.buf = leaf.Spell(r.buf, start, o.routine.plan.Leaf, leaf.Quoted)
	}
}

// compositeMember writes an object or collection, and reports whether it did. An empty one is
// written if its presence counts.
func (r *run) compositeMember(o *op, m memory, before byte) bool {
	if isNone(o.kind, m) {
		return false
	}
	if o.fallback != nil {
		return r.memberWithDefault(o, m, before)
	}
	start := r.position()
	r.buf = r.header(o, before)
	r.in(o)
	isWritten := false
	if o.kind == objectKind { // one call less for most
		isWritten = r.object(o.routine, m, omitted)
	} else {
		isWritten = r.composite(o.routine, m, omitted)
	}
	return r.closeMember(o, start, isWritten)
}

// closeMember ends a member that is an object or collection, of which something was written or
// nothing. It reports whether the member is written.
func (r *run) closeMember(o *op, start int, isWritten bool) bool {
	switch {
	case isWritten:
	case o.presence:
		r.emptyMember(o.routine)
		isWritten = true
	default:
		r.cut(start)
	}
	return isWritten
}

// emptyMember writes an empty object, list or map that is not nil.
func (r *run) emptyMember(n *routine) {
	if n.kind == objectKind {
		r.buf = append(r.buf, n.empty...)
		return
	}
	r.buf = append(r.buf, emptyText(n.plan.Kind, false)...)
}

// memberWithDefault writes an object or collection that differs from its default, and reports
// whether it did. An empty one is written if something of the default would be written.
func (r *run) memberWithDefault(o *op, m memory, before byte) bool {
	start := len(r.buf)
	r.buf = r.header(o, before)
	r.in(o)
	r.held++
	isWritten := r.composite(o.routine, m, omitted)
	r.held--
	return r.closeDefault(o, start, isWritten)
}

// closeDefault is closeMember for a member with a default.
func (r *run) closeDefault(o *op, start int, isWritten bool) bool {
	text := o.fallback().text
	switch isDefault := isWritten == (text != nil) && bytes.Equal(r.textOfMember(o, start), text); {
	case isDefault:
		r.buf = r.buf[:start]
		return false
	case !isWritten:
		r.emptyMember(o.routine)
	}
	return true
}

// composite writes an object or collection, and reports whether it did.
func (r *run) composite(n *routine, m memory, empty whenEmpty) (isWritten bool) {
	if n.kind == objectKind {
		return r.object(n, m, empty)
	}
	if !r.enter(n, m) {
		return false
	}
	switch n.kind {
	case listKind:
		isWritten = r.list(n, m)
	case arrayKind:
		isWritten = r.array(n, m, empty)
	case setKind:
		isWritten = r.set(n, m)
	case textKeyedKind, intKeyedKind:
		isWritten = r.keyedList(n, m)
	case textMapKind:
		isWritten = (n.writesPresence || n.ruled != nil) &&
			mapOf(r, n, textsAt(m), &r.texts, func(r *run, s *string) { r.elementText(*s) })
	case quantityMapKind:
		isWritten = (n.writesPresence || n.ruled != nil) && mapOf(r, n, quantitiesAt(m), &r.quantities, (*run).quantity)
	case mapKind:
		isWritten = r.mapOfAny(n, m)
	case objectKind, boolKind, intKind, uintKind, floatKind, textKind, bytesKind, quantityKind, intOrStringKind,
		leafKind:
	}
	r.leave(n)
	return isWritten
}

// element writes an element of a collection, even if it is empty: its presence belongs to the
// collection.
func (r *run) element(n *routine, m memory) {
	if n.kind != objectKind || !exists(m) {
		r.otherElement(n, m)
		return
	}
	r.object(n, m, written)
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
	case !r.composite(n, m, written):
		r.emptyElement(n, m)
	}
}

// traces writes the content of an element whose presence is not written, and reports whether there
// was any.
func (r *run) traces(n *routine, m memory) bool {
	if !exists(m) || !n.writes {
		return false
	}
	return !n.kind.isLeaf() && r.composite(n, m, omitted)
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
	switch {
	case problem == nil:
		r.buf = text
		return true
	case r.stands:
		text, stands := leaf.AppendStanding(r.buf, n.plan.Leaf, valueAt(m, n.plan.Type))
		if stands {
			r.buf = text
			return true
		}
	}
	r.report(problem)
	return false
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
