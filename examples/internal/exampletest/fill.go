package exampletest

import (
	"fmt"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// filled returns a T with all fields set except TypeMeta. Each leaf has a value of its own, so that
// a conversion that drops or swaps fields is found.
func filled[T any](t *testing.T) *T {
	t.Helper()
	f := filler{t: t}
	config := new(T)
	f.fill(reflect.ValueOf(config).Elem())
	return config
}

type filler struct {
	t *testing.T
	n int64
}

func (f *filler) fill(v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[metav1.TypeMeta]():
		return
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(*resource.NewQuantity(f.next(), resource.DecimalSI)))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			f.fill(field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		f.fillMap(v)
	case reflect.String:
		v.SetString(fmt.Sprint("value-", f.next()))
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.next())
	case reflect.Bool:
		v.SetBool(true)
	default:
		f.t.Fatalf("the test has no value for a %s", v.Type())
	}
}

func (f *filler) fillMap(v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	key := reflect.New(v.Type().Key()).Elem()
	value := reflect.New(v.Type().Elem()).Elem()
	f.fill(key)
	f.fill(value)
	v.SetMapIndex(key, value)
}

func (f *filler) next() int64 {
	f.n++
	return f.n
}
