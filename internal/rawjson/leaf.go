package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

func (r *decoding) text(v reflect.Value) *fault.Error {
	s, problem := r.str()
	v.SetString(s)
	return r.skip(problem)
}

// skip reports a problem of the next value, and skips the value. If the run cannot go on, it
// returns the problem.
func (r *decoding) skip(problem *fault.Error) *fault.Error {
	if problem == nil || ends(problem) {
		return problem
	}
	r.report(problem)
	return r.Skip()
}

// str reads a string. It reads nothing if the string is not valid text, and then returns any text.
func (r *decoding) str() (string, *fault.Error) {
	text, problem := r.Text(&r.scratch)
	return string(text), problem
}

func (r *decoding) boolean(n *Node, v reflect.Value) *fault.Error {
	c := r.Peek()
	if c != 't' && c != 'f' {
		return r.wrong(n)
	}
	v.SetBool(c == 't')
	return r.Scalar()
}

func (r *decoding) number(n *Node, v reflect.Value) *fault.Error {
	start := r.At
	if literal, ok := r.literal(); ok && leaf.SetNumber(v, string(literal)) && isInRange(v.CanFloat(), literal) {
		return nil
	}
	r.At = start
	return r.wrong(n)
}

// literal reads a number.
func (r *decoding) literal() (literal []byte, ok bool) {
	start := r.At
	ok = canonjson.StartsNumber(r.Peek()) && r.Scalar() == nil
	return r.Raw[start:r.At], ok
}

// isInRange reports whether the exponent of a number is not too large for a float.
func isInRange(isFloat bool, literal []byte) bool { //nolint:revive // as asked
	if !isFloat {
		return true
	}
	var space [64]byte
	_, problem := canonjson.AppendNumber(space[:0], literal)
	return problem == nil
}

// extent reads a value of any kind and returns its bytes, or nil after a problem.
func (r *decoding) extent() ([]byte, *fault.Error) {
	start := r.At
	if problem := r.Check(); problem != nil {
		return nil, r.skip(problem)
	}
	return r.Raw[start:r.At], nil
}

// delegate lets the decoder or the value's own type read a value. V is the struct if the value is a
// member.
func (r *decoding) delegate(n *Node, v reflect.Value, header string) *fault.Error {
	raw, problem := r.extent()
	if raw == nil {
		return problem
	}
	if n.quantities {
		problem = leaf.CheckQuantities(raw)
	}
	switch {
	case problem != nil:
		r.report(problem)
	case n.kind == free && r.exact:
		v.Set(reflect.ValueOf(json.RawMessage(bytes.Clone(raw))))
	case !n.decode(raw, v, header):
		r.report(n.mismatch(raw))
	case n.rounds && !isExact(raw):
		r.report(&fault.Error{
			Kind: fault.Invalid, Code: "number-range", Type: n.plan.TypeName(),
			What: "holds a number that " + n.plan.TypeName() + " cannot hold exactly",
			Hint: "use json.RawMessage as the field's type, or fewer digits",
		})
	}
	return nil
}

// decode lets the decoder, or the type itself, read a value.
func (n *Node) decode(raw []byte, v reflect.Value, header string) bool {
	//exhaustive:ignore
	switch n.kind {
	case own:
		u, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr())
		if !ok {
			return false
		}
		_, problem := leaf.Call(func() ([]byte, error) { return nil, u.UnmarshalJSON(raw) })
		return problem == nil
	case member:
		return kubernetes(slices.Concat([]byte("{"+header), raw, []byte("}")), v.Addr().Interface())
	default:
		return kubernetes(raw, v.Addr().Interface())
	}
}

// isExact reports whether every number in well-formed JSON keeps its value when it is read into an
// interface.
func isExact(raw []byte) bool {
	for s := canonjson.NewScanner(raw); ; {
		token := s.Token()
		if token == nil {
			return true
		}
		if token[0] != '"' && !isExactNumber(token) {
			return false
		}
	}
}

// isExactNumber reports whether a number is an int64, or the shortest text of a float64.
func isExactNumber(literal []byte) bool {
	if _, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return true
	}
	var space [2][64]byte
	f, _ := strconv.ParseFloat(string(literal), 64)
	got, problem := canonjson.AppendFloat(space[0][:0], f, 64)
	want, otherProblem := canonjson.AppendNumber(space[1][:0], literal)
	return problem == nil && otherProblem == nil && bytes.Equal(got, want)
}

// wrong reports a value of a wrong type, unless something in it is reported.
func (r *decoding) wrong(n *Node) *fault.Error {
	raw, problem := r.extent()
	if raw != nil {
		r.report(n.mismatch(raw))
	}
	return problem
}

func (n *Node) mismatch(raw []byte) *fault.Error {
	what := "is " + jsonType(raw) + " that is not " + plaintext.WithArticle(n.want)
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.WrongJSONType, Type: n.plan.TypeName(), What: what, Hint: n.hint(),
	}
}

// wants are the words for leaves whose Go types most writers of configurations do not know.
var wants = map[leaf.Kind]string{
	leaf.Quantity: "quantity", leaf.Duration: "duration", leaf.Time: "time", leaf.MetaTime: "time",
	leaf.MicroTime: "time", leaf.IntOrString: "integer or string", leaf.Bytes: "string in base64",
}

// hint says how a value is written.
func (n *Node) hint() string {
	//exhaustive:ignore
	switch n.plan.Leaf {
	case leaf.Quantity:
		return "write a number with an optional unit, such as 80m or 1Gi"
	case leaf.Duration:
		return "write a number with a unit, such as 1h30m"
	case leaf.Bytes:
		return "write the bytes in base64"
	case leaf.Time, leaf.MetaTime, leaf.MicroTime:
		return "write it as in 2026-01-31T12:00:00Z"
	}
	switch {
	case n.kind == text:
		return "put it in quotes"
	case n.kind == boolean:
		return "write true or false without quotes"
	case n.kind == number && n.plan.Leaf != leaf.Float:
		return "write a whole number of at most " + strconv.Itoa(n.bits) + " bits, without quotes"
	}
	return "write a value of that type"
}

// jsonType names the type of a JSON value without quoting it.
func jsonType(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string of " + plaintext.Counted(len(raw)-len(`""`), "byte")
	case 't', 'f':
		return "a bool"
	case 'n':
		return leaf.Null
	default:
		return "a number"
	}
}
