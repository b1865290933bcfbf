package leaf

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Null is the text of a leaf without a value. A member with this text is absent.
const Null = "null"

// Append appends the canonical text of v, a leaf of kind k, not a pointer. It appends [Null] for a
// nil interface, the zero time, nil bytes and JSON null. Values of one meaning have one text.
func Append(dst []byte, k Kind, v reflect.Value) ([]byte, *fault.Error) {
	switch k {
	case Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case Int:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case Uint:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case Float:
		return canonjson.AppendFloat(dst, v.Float(), v.Type().Bits())
	case String:
		return canonjson.AppendString(dst, v.String())
	case QuantityText, DurationText, CIDRText, DNSText, TimeText:
		return AppendText(dst, k, v.String())
	case Number:
		return canonjson.AppendNumber(dst, []byte(cmp.Or(v.String(), "0"))) // as encoding/json does
	case Bytes:
		return appendBytes(dst, v.Bytes()), nil
	case Quantity:
		return AppendQuantity(dst, pointerTo[resource.Quantity](v))
	case IntOrString:
		return appendIntOrString(dst, pointerTo[intstr.IntOrString](v))
	case Time:
		return appendTime(dst, *pointerTo[time.Time](v), nanoseconds)
	case MetaTime:
		return appendTime(dst, pointerTo[metav1.Time](v).Time, seconds)
	case MicroTime:
		return appendTime(dst, pointerTo[metav1.MicroTime](v).Time, sixDigits)
	case Duration:
		return canonjson.AppendString(dst, pointerTo[metav1.Duration](v).Duration.String())
	case RawExtension:
		return appendRawExtension(dst, pointerTo[runtime.RawExtension](v))
	case HintQuantity, HintDuration, HintTime:
		return appendHintedValue(dst, k, v.Bytes())
	case RawMessage, Opaque:
		return appendRaw(dst, v.Bytes())
	case Interface:
		return appendDynamic(dst, v)
	case JSONMarshaler:
		return appendMarshaled(dst, v)
	case TextMarshaler:
		return appendMarshaledText(dst, v)
	case NotALeaf:
	}
	return dst, &fault.Error{
		Kind: fault.Misuse, Code: fault.TypeMismatch, Type: v.Type().String(), What: "is not a leaf",
	}
}

// AppendStanding appends the text by which v, a value of kind k without a canonical text, is compared.
// Quantities and times of one meaning have one text, and a json.Number is compared as it is spelled. None
// is a canonical text. It is false for kinds whose values have a canonical text if JSON has them, and for
// marshalers that fail.
func AppendStanding(dst []byte, k Kind, v reflect.Value) ([]byte, bool) {
	//exhaustive:ignore
	switch k {
	case Number:
		text, problem := canonjson.AppendString(dst, v.String())
		return text, problem == nil
	case Quantity:
		return AppendStandingQuantity(dst, pointerTo[resource.Quantity](v))
	case Time:
		return appendStandingTime(dst, *pointerTo[time.Time](v), nanoseconds), true
	case MetaTime:
		return appendStandingTime(dst, pointerTo[metav1.Time](v).Time, seconds), true
	case MicroTime:
		return appendStandingTime(dst, pointerTo[metav1.MicroTime](v).Time, sixDigits), true
	default:
		return dst, false
	}
}

// appendStandingTime writes a year that RFC 3339 does not have with a sign, or with more digits.
func appendStandingTime(dst []byte, t time.Time, layout string) []byte {
	return append(t.UTC().AppendFormat(append(dst, '"'), layout), '"')
}

// AppendText appends the canonical text of a string of a kind for which [Kind.IsText] holds.
func AppendText(dst []byte, k Kind, text string) ([]byte, *fault.Error) {
	return canonjson.AppendString(dst, k.normalize(text))
}

// pointerTo returns a pointer to v. It copies v only if v has no address.
func pointerTo[T any](v reflect.Value) *T {
	return Addressable(v).Addr().Interface().(*T)
}

// Addressable returns v, or a copy of it that has an address.
func Addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

func appendBytes(dst, b []byte) []byte {
	if b == nil {
		return append(dst, Null...)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// appendIntOrString writes the value that the type field selects. The other one may be stale.
func appendIntOrString(dst []byte, v *intstr.IntOrString) ([]byte, *fault.Error) {
	switch v.Type {
	case intstr.Int:
		return strconv.AppendInt(dst, int64(v.IntVal), 10), nil
	case intstr.String:
		return canonjson.AppendString(dst, v.StrVal)
	default:
		return dst, &fault.Error{
			Kind: fault.Invalid, Code: fault.InvalidIntOrString, What: "is neither an integer nor a string",
			Hint: "set Type to intstr.Int or intstr.String",
		}
	}
}

// The layouts of times: with all that RFC 3339 carries, and with what the types of Kubernetes keep.
const (
	nanoseconds = "2006-01-02T15:04:05.999999999Z"
	sixDigits   = "2006-01-02T15:04:05.999999Z"
	seconds     = "2006-01-02T15:04:05Z"
)

// zeroTime is the zero time in every layout. A time is zero if its JSON is that text.
const zeroTime = `"0001-01-01T00:00:00Z"`

func appendTime(dst []byte, t time.Time, layout string) ([]byte, *fault.Error) {
	t = t.UTC()
	if year := t.Year(); year < 0 || year > 9999 {
		return dst, &fault.Error{
			Kind: fault.Invalid, Code: "invalid-time",
			What: "has a year outside 0 to 9999, which RFC 3339 cannot express", Hint: "correct the time",
		}
	}
	mark := len(dst)
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, layout)
	dst = append(dst, '"')
	if string(dst[mark:]) == zeroTime {
		dst = append(dst[:mark], Null...)
	}
	return dst, nil
}

func appendRaw(dst, raw []byte) ([]byte, *fault.Error) {
	if len(raw) == 0 {
		return append(dst, Null...), nil
	}
	return canonjson.AppendValue(dst, raw)
}

// appendRawExtension prefers Raw to Object, like its own marshaler.
func appendRawExtension(dst []byte, v *runtime.RawExtension) ([]byte, *fault.Error) {
	if v.Raw == nil && v.Object != nil {
		return appendDynamic(dst, reflect.ValueOf(v.Object))
	}
	return appendRaw(dst, v.Raw)
}

func appendMarshaled(dst []byte, v reflect.Value) ([]byte, *fault.Error) {
	out, problem := Call(func() ([]byte, error) { return methods[json.Marshaler](v).MarshalJSON() })
	if problem != nil {
		return dst, problem
	}
	return canonjson.AppendValue(dst, out)
}

func appendMarshaledText(dst []byte, v reflect.Value) ([]byte, *fault.Error) {
	out, problem := Call(func() ([]byte, error) { return methods[encoding.TextMarshaler](v).MarshalText() })
	if problem != nil {
		return dst, problem
	}
	return canonjson.AppendString(dst, string(out))
}

// methods returns v, or a pointer to it if only the pointer has the methods.
func methods[I any](v reflect.Value) I {
	if m, ok := reflect.TypeAssert[I](v); ok {
		return m
	}
	return Addressable(v).Addr().Interface().(I)
}

// Call runs foreign code, which may fail or panic. Its message is kept as the cause and not shown,
// since it may quote the value.
func Call(marshal func() ([]byte, error)) (out []byte, problem *fault.Error) {
	defer func() {
		if recover() != nil {
			out = nil
			problem = marshalFailed("panicked", nil)
		}
	}()
	out, err := marshal()
	if err != nil {
		return nil, marshalFailed("failed", err)
	}
	return out, nil
}

func marshalFailed(how string, cause error) *fault.Error {
	return &fault.Error{
		Kind: fault.Failed, Code: "marshal-failed", What: "has a marshaler that " + how,
		Hint: "correct the marshaler or the value", Cause: cause,
	}
}

// microseconds is the layout that metav1.MicroTime reads and writes: with all six digits of the
// fraction.
const microseconds = ".000000"

// Spell turns the canonical text at dst[from:] into JSON that decodes into a value of kind k. Most
// texts need no change.
func Spell(dst []byte, from int, k Kind, spelling Spelling) []byte {
	if text := dst[from:]; k == MicroTime && bytes.HasSuffix(text, []byte(`Z"`)) {
		digits := 0
		if dot := bytes.LastIndexByte(text, '.'); dot >= 0 {
			digits = len(text) - len(`Z"`) - dot
		}
		dst = slices.Insert(dst, len(dst)-len(`Z"`), []byte(microseconds)[digits:]...)
	}
	if spelling == Quoted {
		dst = append(slices.Insert(dst, from, '"'), '"')
	}
	return dst
}

// Spelling says whether numbers and bools with encoding/json's option string are quoted. The zero
// value is Plain.
type Spelling uint8

// The spellings.
const (
	Plain Spelling = iota
	Quoted
)
