// Package kinds has a type of every kind, by name and without, with methods and embedded.
package kinds

import (
	"encoding/json"
	"fmt"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// All has them all.
type All struct {
	metav1.TypeMeta `json:",inline"`
	embedded
	*Pointed `json:"pointed"`
	Alias

	Bool       bool
	Int        int
	Int8       int8
	Int16      int16
	Int32      int32
	Int64      int64
	Uint       uint
	Uint8      uint8
	Uint16     uint16
	Uint32     uint32
	Uint64     uint64
	Uintptr    uintptr
	Float32    float32
	Float64    float64
	Complex64  complex64
	Complex128 complex128
	Text       string
	Byte       byte
	Rune       rune
	Unsafe     unsafe.Pointer

	NamedBool  Bool
	NamedInt   Int
	NamedText  Text
	NamedBytes Bytes
	NamedMap   Map
	NamedFunc  Func
	NamedAny   Any
	Shouter    Shouter

	Chan    chan int
	Send    chan<- *Text
	Receive <-chan []byte
	Nested  chan (<-chan int)
	Func    func(a int, b ...string) (*Text, error)
	Simple  func()
	One     func(...any) error
	Any     any
	Error   error
	Unnamed interface {
		Close() error
		Write(p []byte) (n int, err error)
	}
	Array  [3]**Text
	Slice  [][]Int
	Map    map[Text]map[int8]*All
	Struct struct{}
	Fields struct {
		A int    `json:"a"`
		b string //nolint:unused // reflect sees it
		Text
	}
	Box     Box[int]
	Boxes   *Box[[]Text]
	Pair    Pair[string, map[string]Bool]
	private int `json:"private" hotupdatable:"true"`

	Quantity  resource.Quantity
	Time      *metav1.Time
	MicroTime metav1.MicroTime
	Duration  metav1.Duration
	GoTime    time.Time
	Mixed     intstr.IntOrString
	Raw       runtime.RawExtension
	RawJSON   json.RawMessage
	Number    json.Number
	Meta      metav1.ObjectMeta
}

type (
	// Bool and the others have no methods.
	Bool bool
	// Bytes is a list.
	Bytes []byte
	// Map is a map.
	Map map[string]Int
	// Any is an interface.
	Any any
	// Alias is another name.
	Alias = Aliased
	// Func is a function.
	Func func(Int) Text
	// Shouter is an interface with a method.
	Shouter interface{ MarshalText() ([]byte, error) }
)

// Int marshals itself by value.
type Int int16

// MarshalJSON has the method's right signature.
func (i Int) MarshalJSON() ([]byte, error) { return fmt.Append(nil, int16(i)), nil }

// Text marshals itself by pointer.
type Text string

// MarshalText has the method's right signature.
func (t *Text) MarshalText() ([]byte, error) { return []byte(*t), nil }

// Aliased has a method with a wrong signature.
type Aliased struct{ A Int }

// MarshalText is no MarshalText.
func (Aliased) MarshalText() (string, error) { return "", nil }

// Pointed promotes a marshaler.
type Pointed struct {
	metav1.Duration
	Next *Pointed
}

type embedded struct {
	Inner Text `json:"inner"`
}

// Box is generic.
type Box[T any] struct {
	Value T
	Next  *Box[T]
}

// Pair has two type parameters.
type Pair[K comparable, V any] struct {
	Of map[K]V
}

var _ = All{private: 1}
