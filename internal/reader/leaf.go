package reader

import (
	"encoding/json"
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/strictjson"
)

// text reads a string.
func (r *run) text() (string, bool) {
	if r.peek() != '"' {
		return "", false
	}
	start := r.at + 1
	end := canonjson.PlainEnd(r.raw, start)
	if end < len(r.raw) && r.raw[end] == '"' {
		r.at = end + 1
		return r.piece(start, end), true
	}
	if !r.unescape() {
		return "", false
	}
	if end = r.at - 1; len(r.scratch) == end-start { // it has no escapes, each of which is longer than what it stands for
		return r.piece(start, end), true
	}
	return string(r.scratch), true
}

// piece returns a piece of raw.
func (r *run) piece(start, end int) string {
	if r.life == Passing {
		return r.whole[start:end]
	}
	return string(r.raw[start:end])
}

// name reads a string that is looked at only once.
func (r *run) name() ([]byte, bool) {
	start := r.at + 1
	if end := canonjson.PlainEnd(r.raw, start); end < len(r.raw) && r.raw[end] == '"' {
		r.at = end + 1
		return r.raw[start:end], true
	}
	ok := r.unescape()
	return r.scratch, ok
}

// unescape reads a string of any spelling into scratch.
func (r *run) unescape() bool {
	text, end, problem := canonjson.AppendText(r.scratch[:0], r.raw, r.at)
	r.scratch, r.at = text, end
	return problem == nil
}

// scalar reads a bool or a number.
func (r *run) scalar(n *node, v reflect.Value) bool {
	switch n.kind {
	case boolean:
		if r.peek() == 't' {
			v.SetBool(true)
			return r.literal("true")
		}
		return r.literal("false")
	case integer:
		i, ok := r.integer(n.bits)
		v.SetInt(i)
		return ok
	case unsigned:
		u, ok := r.digits()
		v.SetUint(u)
		return ok && u>>(n.bits-1)>>1 == 0
	case float:
		return r.float(n, v)
	case odd, object, list, array, mapOfAny, mapOfText, mapOfQuantity, text, quantity, own, foreign:
	}
	return false
}

// integer reads an integer of so many bits.
func (r *run) integer(bits uint8) (int64, bool) {
	negative := r.take('-')
	u, ok := r.digits()
	limit := uint64(1) << (bits - 1)
	if negative {
		return -int64(u), ok && u <= limit //nolint:gosec // checked
	}
	return int64(u), ok && u < limit //nolint:gosec // checked
}

// safeDigits are so many that no number of as many is out of range.
const safeDigits = 19

// digits reads a number that has nothing but digits. What may follow in other numbers is nothing that follows a value.
func (r *run) digits() (u uint64, ok bool) {
	start := r.at
	for ; r.at < len(r.raw); r.at++ {
		digit := r.raw[r.at] - '0'
		if digit > 9 {
			break
		}
		u = u*10 + uint64(digit)
	}
	count := r.at - start
	if count > safeDigits {
		u, err := strconv.ParseUint(string(r.raw[start:r.at]), 10, 64)
		return u, err == nil && r.raw[start] != '0'
	}
	return u, count == 1 || count > 1 && r.raw[start] != '0'
}

// float reads a number into a float.
func (r *run) float(n *node, v reflect.Value) bool {
	literal := r.raw[r.at:r.numberEnd()]
	text, problem := canonjson.AppendNumber(r.scratch[:0], literal)
	r.scratch = text
	if problem != nil {
		return false
	}
	f, err := strconv.ParseFloat(string(literal), int(n.bits))
	if err != nil {
		return false
	}
	v.SetFloat(f)
	r.at += len(literal)
	return true
}

// numberEnd returns where the number ends that is next.
func (r *run) numberEnd() int {
	at := r.at
	for ; at < len(r.raw); at++ {
		switch c := r.raw[at]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c|0x20 == 'e':
		default:
			return at
		}
	}
	return at
}

// quantity reads a quantity, which is spelled as a plain string or a number.
func (r *run) quantity(q *resource.Quantity) bool {
	raw, ok := r.extent()
	return ok && unmarshal(q, raw)
}

// own hands a value to its type or to the decoder.
func (r *run) own(n *node, v reflect.Value) bool {
	raw, ok := r.extent()
	if !ok {
		return false
	}
	if n.kind == foreign {
		return strictjson.Read(raw, v.Addr().Interface())
	}
	u, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr())
	return ok && unmarshal(u, raw)
}

// unmarshal lets a type read itself. It may panic.
func unmarshal(u json.Unmarshaler, raw []byte) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	return u.UnmarshalJSON(raw) == nil
}

// extent reads a value of any kind and returns its bytes, which have been checked.
func (r *run) extent() ([]byte, bool) {
	start, ok := r.at, true
	switch r.peek() {
	case '"':
		_, ok = r.name()
		return r.raw[start:r.at], ok
	case '{', '[':
		ok = r.brackets()
	default:
		for r.at < len(r.raw) && !ends(r.raw[r.at]) {
			r.at++
		}
	}
	if !ok {
		return nil, false
	}
	text, problem := canonjson.AppendValue(r.scratch[:0], r.raw[start:r.at])
	r.scratch = text
	return r.raw[start:r.at], problem == nil
}

// ends reports whether c ends a number or a word.
func ends(c byte) bool { return c <= ' ' || c == ',' || c == ']' || c == '}' }

// brackets reads from an opening bracket to the one that closes it, be there JSON in between or not.
func (r *run) brackets() bool {
	for open := 0; r.at < len(r.raw); {
		switch r.raw[r.at] {
		case '"':
			if _, ok := r.name(); !ok {
				return false
			}
			continue
		case '{', '[':
			if open++; open > canonjson.MaxDepth-maxDepth {
				return false
			}
		case '}', ']':
			open--
		}
		r.at++
		if open == 0 {
			return true
		}
	}
	return false
}
