package engine_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// config has a field for every kind of operation.
type config struct {
	metav1.TypeMeta `json:",inline"`
	inner           `json:",inline"`
	*Far            `json:",inline"`

	Text      string                       `json:"text"`
	TextP     **word                       `json:"textP"`
	Default   string                       `json:"default"   hotupdatable:"false,default=usual"`
	DefaultI  *int32                       `json:"defaultI"  hotupdatable:"false,default=7"`
	Bool      bool                         `json:"bool"`
	BoolP     *bool                        `json:"boolP"`
	Int8      int8                         `json:"int8"`
	Int16     *int16                       `json:"int16"`
	Int64     int64                        `json:"int64"`
	Uint8     uint8                        `json:"uint8"`
	Uint16    uint16                       `json:"uint16"`
	Uint32    *uint32                      `json:"uint32"`
	Uint64    uint64                       `json:"uint64"`
	Float32   float32                      `json:"float32"`
	Float64   *float64                     `json:"float64"`
	Bytes     []byte                       `json:"bytes"`
	Quantity  resource.Quantity            `json:"quantity"`
	QuantityP *resource.Quantity           `json:"quantityP"`
	Mixed     intstr.IntOrString           `json:"mixed"`
	Duration  metav1.Duration              `json:"duration"`
	Time      metav1.Time                  `json:"time"`
	Raw       runtime.RawExtension         `json:"raw"`
	Any       any                          `json:"any"`
	Texts     []string                     `json:"texts"`
	Lists     [][]string                   `json:"lists"`
	Maps      []map[string]string          `json:"maps"`
	Kids      []*config                    `json:"kids"`
	Next      *config                      `json:"next"`
	Place     *place                       `json:"place"     hotupdatable:"false,presence"`
	Nothing   *struct{}                    `json:"nothing"`
	Array     [2]place                     `json:"array"`
	Nested    [1][2]int                    `json:"nested"`
	Set       []string                     `json:"set"       hotupdatable:"false,set"`
	Places    []place                      `json:"places"    hotupdatable:"false,set"`
	Named     []named                      `json:"named"     hotupdatable:"false,key=name"`
	NamedP    []*named                     `json:"namedP"    hotupdatable:"false,key=name"`
	Ranked    []ranked                     `json:"ranked"    hotupdatable:"false,key=rank"`
	Labels    []label                      `json:"labels"    hotupdatable:"false,key=name,hotwhen=live:true"`
	Switches  map[string]*label            `json:"switches"  hotupdatable:"false,hotwhen=live:true"`
	Tags      map[string]string            `json:"tags"`
	Words     map[word]word                `json:"words"`
	Capacity  map[string]resource.Quantity `json:"capacity"`
	Counts    map[string]int               `json:"counts"`
	Tree      map[string]place             `json:"tree"`
	HotTree   map[string]*place            `json:"hotTree"   hotupdatable:"true"`
	HotNamed  []named                      `json:"hotNamed"  hotupdatable:"true,key=name"`
	Hot       *hot                         `json:"hot"       hotupdatable:"true"`
	Ignored   string                       `json:"ignored"   hotupdatable:"ignore"`
}

type word string

type inner struct {
	Inner string `json:"inner"`
}

// Far is reached through a pointer.
type Far struct {
	FarText  string `json:"farText"`
	FarPlace *place `json:"farPlace"`
}

type place struct {
	Zone  string `json:"zone"`
	Kept  int    `json:"kept"            hotupdatable:"false"`
	Below *place `json:"below,omitempty"`
}

// hot has parts that are not hot.
type hot struct {
	Place  *place             `json:"place"`
	Tags   map[string]string  `json:"tags"`
	Trees  map[string][]named `json:"trees"  hotupdatable:"false"`
	Kept   *label             `json:"kept"   hotupdatable:"false"`
	Placed *place             `json:"placed" hotupdatable:"false,presence"`
}

type named struct {
	Name  string  `json:"name"`
	Extra *string `json:"extra"`
	Place place   `json:"place"`
}

type ranked struct {
	Rank int16  `json:"rank"`
	Text string `json:"text"`
}

type label struct {
	Name string `json:"name"`
	Live bool   `json:"live"`
	Text string `json:"text" hotupdatable:"false"`
}

func plan(t require.TestingT) *fieldplan.Plan {
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil)
	require.NoError(t, err)
	return p
}

// author fills values that have documents. The same seed gives the same value again, in other memory.
type author struct{ *rand.Rand }

func draw(seed uint64) *config {
	c := &config{}
	author{rand.New(rand.NewPCG(seed, 0))}.fill(reflect.ValueOf(c).Elem(), 3)
	return c
}

// fill fills v, with so many levels of configurations below.
func (a author) fill(v reflect.Value, levels int) {
	if a.IntN(3) == 0 || levels == 0 && v.Type() == reflect.TypeFor[config]() {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse(pick(a, "0", "1", "1Gi", "1024Mi", "100m", "-3", "1e20", "0.5", "1n"))
		return
	case *intstr.IntOrString:
		*p = pick(a, intstr.FromInt32(0), intstr.FromInt32(4), intstr.FromString(""), intstr.FromString("25%"))
		return
	case *metav1.Time:
		*p = metav1.Unix(a.Int64N(1e9), 5)
		return
	case *runtime.RawExtension:
		p.Raw = []byte(pick(a, "", "null", `{"b":1,"a":[]}`, "1e0"))
		return
	case *any:
		*p = pick[any](a, nil, 1, "x", []string{"a"})
		return
	}
	a.fillKind(v, levels)
}

func (a author) fillKind(v reflect.Value, levels int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(a.IntN(2) == 0)
	case reflect.String:
		v.SetString(a.text())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(a, 0, math.Copysign(0, -1), 1.5, 1e30, 3))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		a.fill(v.Elem(), levels)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), a.IntN(4), 5))
		a.fillElements(v, levels)
	case reflect.Array:
		a.fillElements(v, levels)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range a.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(a.text())
			a.fill(value, levels)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[config]() {
			levels--
		}
		for _, field := range v.Fields() {
			if field.CanSet() {
				a.fill(field, levels)
			}
		}
	default:
		a.fillNumber(v)
	}
}

func (a author) fillElements(v reflect.Value, levels int) {
	for i := range v.Len() {
		a.fill(v.Index(i), levels)
		a.identify(v.Index(i))
	}
}

// identify gives elements of keyed lists a key of their own.
func (a author) identify(v reflect.Value) {
	if v.Type() == reflect.TypeFor[*named]() && v.IsNil() {
		v.Set(reflect.ValueOf(&named{}))
	}
	switch p := v.Addr().Interface().(type) {
	case *named:
		p.Name = a.key()
	case **named:
		(*p).Name = a.key()
	case *label:
		p.Name = a.key()
	case *ranked:
		p.Rank = int16(a.Int32()) //nolint:gosec // any will do
	}
}

func (a author) key() string {
	return pick(a, "", "a key of some length ", "\"") + strconv.Itoa(a.IntN(1e6))
}

func (a author) fillNumber(v reflect.Value) {
	if v.CanInt() {
		v.SetInt(pick(a, 0, 7, -1, math.MaxInt8, math.MinInt8, a.Int64N(100)))
		return
	}
	v.SetUint(pick(a, 0, 7, math.MaxUint8, a.Uint64N(100)))
}

func (a author) text() string {
	switch a.IntN(40) {
	case 0:
		return strings.Repeat("long ", 780+a.IntN(900)) + pick(a, "", "é", "\"")
	case 1, 2:
		return strings.Repeat("same beginning ", 3) + pick(a, "", "a", "b", "a\x00", "\x00")
	case 3:
		return "controls \x01\n\"\\ and 世界 😀\u2028"
	}
	return pick(a, "", "usual", "a", "b", "c", "eight by", "a longer text of ASCII", "é")
}

func pick[T any](a author, values ...T) T { return values[a.IntN(len(values))] }
