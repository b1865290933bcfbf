package leaf

import (
	"reflect"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ParseText returns the canonical text of a leaf of kind k and type t whose value is given as text
// in an option of a struct tag. It is false for text that t cannot hold, and for kinds that take no
// default.
func ParseText(k Kind, t reflect.Type, text string) ([]byte, bool) {
	v := reflect.New(loaded(t)).Elem()
	if !set(v, k, text) {
		return nil, false
	}
	out, problem := Append(nil, k, v)
	return out, problem == nil
}

func set(v reflect.Value, k Kind, text string) bool {
	//exhaustive:ignore
	switch k {
	case Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case Int, Uint, Float:
		return SetNumber(v, text)
	case String:
		v.SetString(text)
		return true
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
	default:
		return false
	}
}

// SetNumber sets v, an integer or a float, to the number in a text, and reports whether v can hold
// it. The text does not escape.
func SetNumber(v reflect.Value, text string) bool {
	var err error
	switch bits := v.Type().Bits(); {
	case v.CanInt():
		var i int64
		i, err = strconv.ParseInt(text, 10, bits)
		v.SetInt(i)
	case v.CanUint():
		var u uint64
		u, err = strconv.ParseUint(text, 10, bits)
		v.SetUint(u)
	default:
		var f float64
		f, err = strconv.ParseFloat(text, bits)
		v.SetFloat(f)
	}
	return err == nil
}
