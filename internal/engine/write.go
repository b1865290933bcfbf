package engine

import (
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// stay says when an object is written.
type stay uint8

const (
	ifSome stay = iota // if it has a member beside its identity
	anyway
)

// object writes an object and reports whether it did.
func (r *run) object(n *node, m memory, when stay) bool {
	start, some, comma := r.position(), false, 0
	r.buf = append(r.buf, '{')
	for i := 0; i < len(n.ops) && !r.gaveUp; i++ {
		o := &n.ops[i]
		value := o.location.in(m)
		if !exists(value) {
			if o.always {
				r.giveUp()
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
	if !some && when == ifSome || r.gaveUp {
		r.cut(start)
		return false
	}
	r.buf = append(r.buf, '}')
	return true
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
		r.buf = append(r.buf, header...)
		if len(s) >= spillAt && !o.hasDefault && !o.always {
			r.longText(s)
			return true
		}
		r.text(s)
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
	r.buf = append(r.buf, header...)
	switch {
	case o.always:
		r.leaf(o.node, m)
		return true
	case o.kind == bytesKind:
		if b := bytesAt(m); len(b) >= spillAt && r.canFlush() {
			r.longBytes(b)
			return true
		}
	case o.kind == leafKind && !o.zero && valueAt(m, o.node.plan.Type).IsZero():
		r.buf = r.buf[:start]
		return false
	}
	r.leaf(o.node, m)
	if r.gaveUp || o.field.Unset(r.buf[start+len(header):]) {
		r.buf = r.buf[:start]
		return false
	}
	return true
}

func (r *run) compositeMember(o *op, m memory, header string) bool {
	start := r.position()
	r.buf = append(r.buf, header...)
	if !r.enter() {
		return false
	}
	written := false
	if o.kind == objectKind {
		written = r.object(o.node, m, ifSome)
	} else {
		written = r.composite(o.node, m, ifSome)
	}
	r.leave()
	switch {
	case written:
		return true
	case o.presence && o.kind == objectKind:
		r.buf = append(r.buf, "{}"...)
		return true
	default:
		r.cut(start)
		return false
	}
}

// composite writes a value that is no leaf, and nothing where it is empty.
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
		return n.keepsElements && r.mapOfText(m)
	case quantityMapKind:
		return n.keepsElements && r.mapOfQuantity(m)
	case mapKind:
		return r.mapOfAny(n, m)
	case boolKind, intKind, uintKind, floatKind, textKind, bytesKind, quantityKind, intOrStringKind, leafKind:
	}
	return false
}

// placed is element, with objects on a shorter way.
func (r *run) placed(n *node, m memory) {
	if n.kind != objectKind || !exists(m) {
		r.element(n, m)
		return
	}
	if r.enter() {
		r.object(n, m, anyway)
		r.leave()
	}
}

// element writes an element of a collection that is kept, whatever it holds.
func (r *run) element(n *node, m memory) {
	switch {
	case !exists(m):
		r.emptyElement(n, m)
	case n.kind == textKind:
		r.elementText(textAt(m))
	case n.kind.isLeaf():
		r.leaf(n, m)
	case r.enter():
		if n.kind == arrayKind {
			r.places(n, m)
		} else if !r.composite(n, m, anyway) {
			r.emptyElement(n, m)
		}
		r.leave()
	}
}

func (r *run) elementText(s string) {
	if len(s) >= spillAt {
		r.longText(s)
		return
	}
	r.text(s)
}

// emptyElement writes an element with nothing in it. One that is missing is known to nobody but package document if it has an identity.
func (r *run) emptyElement(n *node, m memory) {
	switch {
	case n.kind == objectKind:
		for i := range n.ops {
			if n.ops[i].always {
				r.giveUp()
			}
		}
		r.buf = append(r.buf, "{}"...)
	case n.kind == textMapKind || n.kind == quantityMapKind || n.kind == mapKind:
		r.buf = append(r.buf, "{}"...)
	case !exists(m) || n.kind != arrayKind && isNilSlice(m):
		r.buf = append(r.buf, leaf.Null...)
	default:
		r.buf = append(r.buf, "[]"...)
	}
}

// leaf writes the text of a leaf.
func (r *run) leaf(n *node, m memory) {
	switch n.kind {
	case textKind:
		r.text(textAt(m))
	case intKind:
		r.buf = appendInt(r.buf, intAt(m, n.bits))
	case boolKind:
		r.buf = strconv.AppendBool(r.buf, boolAt(m))
	case uintKind:
		r.buf = appendUint(r.buf, uintAt(m, n.bits))
	case quantityKind:
		r.quantity(at[resource.Quantity](m))
	case intOrStringKind:
		r.intOrString(n, m)
	case objectKind, listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind, floatKind, bytesKind, leafKind:
		r.anyLeaf(n, m)
	}
}

// anyLeaf leaves it to package leaf.
func (r *run) anyLeaf(n *node, m memory) {
	r.appended(leaf.Append(r.buf, n.plan.Leaf, valueAt(m, n.plan.Type)))
}

// appended takes what another package appended to the buffer.
func (r *run) appended(buf []byte, problem *fault.Error) {
	if problem != nil {
		r.giveUp()
		return
	}
	r.buf = buf
}

func (r *run) quantity(q *resource.Quantity) {
	i, ok := q.AsInt64()
	if !ok {
		r.appended(leaf.Append(r.buf, leaf.Quantity, reflect.ValueOf(q).Elem()))
		return
	}
	r.buf = append(appendInt(append(r.buf, '"'), i), '"')
}

func (r *run) intOrString(n *node, m memory) {
	if v := at[intstr.IntOrString](m); v.Type == intstr.String {
		r.text(v.StrVal)
		return
	}
	r.anyLeaf(n, m)
}

// text writes a string.
func (r *run) text(s string) {
	r.appended(canonjson.AppendString(r.buf, s))
}
