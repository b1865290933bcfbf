package leaf

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// ParseText returns the canonical text of a leaf of kind k and type t whose value is given as text
// in an option of a struct tag: scalars and times as themselves, free JSON as JSON. A text with the
// digits of an integer, as a value of intstr.IntOrString, is given as JSON. It is false for text
// that t cannot hold, for null, and for kinds that take no default.
func ParseText(k Kind, t reflect.Type, text string) ([]byte, bool) {
	if k.isFree() || k == IntOrString && strings.HasPrefix(text, `"`) {
		return unlessNull(ParseJSON(k, t, []byte(text)))
	}
	v := reflect.New(loaded(t)).Elem()
	if !set(v, k, text) {
		return nil, false
	}
	canonical, problem := Append(nil, k, v)
	return unlessNull(canonical, problem == nil)
}

func unlessNull(canonical []byte, isValid bool) ([]byte, bool) { //nolint:revive // as returned
	if !isValid || string(canonical) == Null {
		return nil, false
	}
	return canonical, true
}

// OptionText is the text of an option of a struct tag from which [ParseText] makes a canonical text
// of kind k.
func OptionText(k Kind, canonical string) string {
	var text string
	isString := strings.HasPrefix(canonical, `"`) && json.Unmarshal([]byte(canonical), &text) == nil
	switch {
	case !isString, k.isFree():
		return canonical
	case k == IntOrString && (intstr.Parse(text).Type == intstr.Int || strings.HasPrefix(text, `"`)):
		return canonical
	default:
		return text
	}
}

// isFree reports whether values of kind k are any JSON.
func (k Kind) isFree() bool { return k == RawMessage || k == RawExtension || k == Interface }

// KeepsJSON reports whether values of kind k are read from JSON as the JSON itself.
func (k Kind) KeepsJSON() bool { return k == RawMessage || k == RawExtension || k == Opaque }

// ParseJSON returns the canonical text of a leaf of kind k and type t whose value is given as JSON.
// It is false for JSON that t cannot hold. The JSON of a type that marshals itself and is not loaded
// is kept as it is.
func ParseJSON(k Kind, t reflect.Type, raw []byte) ([]byte, bool) {
	if _, isUnloaded := t.(Unloaded); k.isFree() || k.MarshalsItself() && isUnloaded {
		text, problem := canonjson.AppendValue(nil, raw)
		return text, problem == nil
	}
	v, ok := Read(loaded(t), raw)
	if !ok {
		return nil, false
	}
	text, problem := Append(nil, k, v)
	return text, problem == nil
}

// Read returns the value of type t, which is loaded, that is given as JSON. It is false for JSON
// that t cannot hold.
func Read(t reflect.Type, raw []byte) (v reflect.Value, ok bool) {
	text, problem := canonjson.AppendValue(nil, raw)
	if problem != nil || HoldsQuantity(t) && CheckQuantities(text) != nil {
		return v, false
	}
	v = reflect.New(t)
	_, problem = Call(func() ([]byte, error) { // a foreign unmarshaler may panic
		strict, err := sigsjson.UnmarshalStrict(text, v.Interface())
		return nil, errors.Join(append(strict, err)...)
	})
	return v.Elem(), problem == nil
}

func set(v reflect.Value, k Kind, text string) bool {
	//exhaustive:ignore
	switch k {
	case Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case Int, Uint, Float:
		return SetNumber(v, text)
	case String, Number, QuantityText, DurationText, CIDRText, DNSText, TimeText:
		v.SetString(text)
		return k != Number || text != ""
	case Quantity:
		q, err := ParseQuantity(text)
		v.Set(reflect.ValueOf(q))
		return err == nil
	case IntOrString:
		v.Set(reflect.ValueOf(intstr.Parse(text)))
		return true
	case Duration:
		d, err := time.ParseDuration(text)
		v.Set(reflect.ValueOf(metav1.Duration{Duration: d}))
		return err == nil
	case HintQuantity, HintDuration, HintTime:
		quoted, problem := canonjson.AppendString(nil, text)
		v.SetBytes(quoted)
		return problem == nil
	case Bytes:
		b, err := base64.StdEncoding.DecodeString(text)
		v.SetBytes(b)
		return err == nil
	case Time, MetaTime, MicroTime:
		t, err := time.Parse(time.RFC3339, text)
		setTime(v, k, t)
		return err == nil
	default:
		return false
	}
}

func setTime(v reflect.Value, k Kind, t time.Time) {
	//exhaustive:ignore
	switch k {
	case MetaTime:
		v.Set(reflect.ValueOf(metav1.NewTime(t)))
	case MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(t)))
	default:
		v.Set(reflect.ValueOf(t))
	}
}

// SetNumber sets v, an integer or a float, to the number in a text, and reports whether v can hold
// it. The text does not escape.
func SetNumber(v reflect.Value, text string) bool {
	//exhaustive:ignore
	switch k := kindByReflect(v.Type()); k {
	case Int:
		n, ok := parseNumber(k, v.Type().Bits(), text)
		v.SetInt(n.i)
		return ok
	case Uint:
		n, ok := parseNumber(k, v.Type().Bits(), text)
		v.SetUint(n.u)
		return ok
	default:
		n, ok := parseNumber(Float, v.Type().Bits(), text)
		v.SetFloat(n.f)
		return ok
	}
}

// AppendNumber appends the canonical text of the number in a text, which is of kind Int, Uint or
// Float and so many bits wide. It is false, and appends nothing, if such a number cannot hold it.
// The text does not escape.
func AppendNumber(dst []byte, k Kind, bits int, text string) ([]byte, bool) {
	n, ok := parseNumber(k, bits, text)
	switch {
	case !ok:
		return dst, false
	case k == Int:
		return strconv.AppendInt(dst, n.i, 10), true
	case k == Uint:
		return strconv.AppendUint(dst, n.u, 10), true
	default:
		dst, problem := canonjson.AppendFloat(dst, n.f, bits)
		return dst, problem == nil
	}
}

// HoldsNatural reports whether an integer of kind Int or Uint and so many bits can be n.
func HoldsNatural(k Kind, bits int, n uint64) bool {
	if k == Int {
		bits--
	}
	return n>>bits == 0
}

// number is an integer or a float: one of its fields.
type number struct {
	i int64
	u uint64
	f float64
}

// parseNumber reads a number of a kind and width.
func parseNumber(k Kind, bits int, text string) (n number, ok bool) {
	var err error
	//exhaustive:ignore
	switch k {
	case Int:
		n.i, err = strconv.ParseInt(text, 10, bits)
	case Uint:
		n.u, err = strconv.ParseUint(text, 10, bits)
	default:
		n.f, err = strconv.ParseFloat(text, bits)
	}
	return n, err == nil
}
