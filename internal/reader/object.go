package reader

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

// seen is a set of fields.
type seen [maxFields / 64]uint64

// add is false if the field is there already.
func (s *seen) add(i int) bool {
	word, bit := i/64%len(s), uint64(1)<<(i%64)
	if s[word]&bit != 0 {
		return false
	}
	s[word] |= bit
	return true
}

// object reads an object into a struct.
func (r *run) object(n *node, v reflect.Value) bool {
	if empty, ok := r.open('}'); empty || !ok {
		return ok
	}
	var members seen
	for guess := 0; ; {
		i, ok := r.member(n, guess)
		if !ok || !members.add(i) || !r.field(&n.fields[i], v) {
			return false
		}
		if last, ok := r.next('}'); last || !ok {
			return ok
		}
		guess = i + 1
	}
}

// guesses are how many fields are tried before the name is looked up.
const guesses = 3

// member reads a member's name and the colon, and finds its field: mostly the one that is guessed or one soon behind it, since members
// stand in the order of the Go struct, some left out.
func (r *run) member(n *node, guess int) (i int, ok bool) {
	if !r.take('"') {
		return 0, false
	}
	rest := r.raw[r.at:]
	for i := guess; i < min(guess+guesses, len(n.fields)); i++ {
		if header := n.fields[i].header; len(rest) >= len(header) && string(rest[:len(header)]) == header {
			r.at += len(header)
			r.space()
			return i, true
		}
	}
	r.at--
	name, ok := r.name()
	if !ok || !r.colon() {
		return 0, false
	}
	i, ok = n.byName[string(name)]
	return i, ok
}

// field reads a member's value into the struct v. Embedded pointers on the way are set, be the value null or not.
func (r *run) field(f *field, v reflect.Value) bool {
	for _, i := range f.through {
		v = v.Field(i)
		if v.Kind() != reflect.Pointer {
			continue
		}
		if v.IsNil() {
			if !v.CanSet() {
				return false
			}
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return r.place(&f.place, v.Field(f.at))
}

// place reads a value into v, which is zero.
func (r *run) place(p *place, v reflect.Value) bool {
	if r.peek() == 'n' && (p.pointers > 0 || !p.node.kind.readsNull()) {
		return r.literal("null")
	}
	switch p.usual {
	case textPointer:
		to, ok := r.textPointer()
		v.Set(reflect.ValueOf(to))
		return ok
	case int32Pointer:
		to, ok := r.int32Pointer()
		v.Set(reflect.ValueOf(to))
		return ok
	case int64Pointer:
		to, ok := r.int64Pointer()
		v.Set(reflect.ValueOf(to))
		return ok
	case other:
	}
	for range p.pointers {
		pointer := reflect.New(v.Type().Elem())
		v.Set(pointer)
		v = pointer.Elem()
	}
	return r.value(p.node, v)
}

// value reads a value that is not null, or one of a type that reads null itself.
func (r *run) value(n *node, v reflect.Value) bool {
	switch n.kind {
	case object:
		return r.peek() == '{' && r.object(n, v)
	case list:
		return r.peek() == '[' && r.list(n, v)
	case array:
		return r.peek() == '[' && r.array(n, v)
	case mapOfAny:
		return r.peek() == '{' && r.mapOfAny(n, v)
	case mapOfText:
		return r.peek() == '{' && r.mapOfText(v)
	case mapOfQuantity:
		return r.peek() == '{' && r.mapOfQuantity(v)
	case text:
		s, ok := r.text()
		v.SetString(s)
		return ok
	case boolean, integer, unsigned, float:
		return r.scalar(n, v)
	case quantity:
		return r.quantity(v.Addr().Interface().(*resource.Quantity))
	case own, foreign:
		return r.own(n, v)
	case odd:
	}
	return false
}

// textPointer reads a string that a pointer leads to.
func (r *run) textPointer() (to *string, ok bool) {
	to = r.texts.next(r.life)
	*to, ok = r.text()
	return to, ok
}

func (r *run) int32Pointer() (to *int32, ok bool) {
	i, ok := r.integer(32)
	to = r.int32s.next(r.life)
	*to = int32(i) //nolint:gosec // it has been checked
	return to, ok
}

func (r *run) int64Pointer() (to *int64, ok bool) {
	to = r.int64s.next(r.life)
	*to, ok = r.integer(64)
	return to, ok
}
