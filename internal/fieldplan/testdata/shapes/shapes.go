// Package shapes holds struct types on which encoding/json's rules for names, embedding and conflicts can be seen. It lies in testdata,
// since go vet rejects some of them.
package shapes

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// All are pointers to zero values of the types.
func All() []any {
	return []any{
		new(Plain), new(Options), new(OddNames), new(Value), new(Pointer), new(Unexported), new(Named), new(NamedUnexported), new(Shallower),
		new(ShallowerTwoDeep), new(SameDepth), new(SameDepthBelowWinner), new(SameStruct), new(Diamond), new(DiamondTwoDeep), new(DiamondOfDiamonds),
		new(AtTwoDepths), new(Renamed), new(Recursive), new(Mutual), new(WithTypeMeta), new(WithObjectMeta), new(Omitted), new(Generic[int]),
		new(Generic[Common]), new(Anonymous), new(Leaves), new(ThreeWay), new(Empty),
	}
}

// Plain has no embedding.
type Plain struct {
	B string `json:"b"`
	A int    `json:"a"`
	C bool   `json:"c"`
}

// Options has every option that encoding/json knows, and one that it does not.
type Options struct {
	Omitempty string  `json:"omitempty,omitempty"`
	Omitzero  int     `json:"omitzero,omitzero"`
	Quoted    int64   `json:"quoted,string"`
	QuotedB   bool    `json:"quotedB,omitempty,string"`
	QuotedF   float64 `json:"quotedF,string,omitempty"`
	QuotedS   string  `json:"quotedS,string"`
	QuotedP   *uint8  `json:"quotedP,string"`
	QuotedAll []int   `json:"quotedAll,string"`
	Unknown   string  `json:"unknown,future"`
}

// OddNames are all names that encoding/json takes from a struct tag.
type OddNames struct {
	Dash    string `json:"-,"`
	Dashes  string `json:"--"`
	Dot     string `json:"a.b"`
	Slash   string `json:"a/b"`
	Tilde   string `json:"a~b"`
	Bracket string `json:"a[0]"`
	Space   string `json:"a b"`
	Dollar  string `json:"$ref"`
	Digit   string `json:"0"`
	Less    string `json:"<&>"`
	Letter  string `json:"größe"`
	Case    string `json:"A"`
	Lower   string `json:"a"`
}

// Common is embedded in others.
type Common struct {
	Name string `json:"name"`
	Zone string `json:"zone"`
}

type common struct {
	Name string `json:"name"`
	Zone string `json:"zone"`
	text string
}

// Text keeps the unexported field in use.
func (c common) Text() string { return c.text }

// Value embeds by value.
type Value struct {
	Common
	Own string `json:"own"`
}

// Pointer embeds by pointer, in two steps.
type Pointer struct {
	*Value
	Last string `json:"last"`
}

// Unexported embeds an unexported struct.
type Unexported struct {
	common
	Own string `json:"own"`
}

// Named embeds under a JSON name, so nothing is promoted.
type Named struct {
	Common `json:"common"`
	*Plain `json:"plain,omitempty"`
	Own    string `json:"own"`
}

// NamedUnexported embeds an unexported struct under a JSON name.
type NamedUnexported struct {
	common `json:"common"`
	Own    string `json:"own"`
}

// Shallower has a field that wins over a promoted one.
type Shallower struct {
	Common
	Title string `json:"name"`
}

// ShallowerTwoDeep has winners at depth 1 and 2.
type ShallowerTwoDeep struct {
	*Shallower
	Zone string `json:"zone"`
}

// SameDepth has a name at one depth twice.
type SameDepth struct {
	Common
	Other
}

// Other has a name in common with Common.
type Other struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// SameDepthBelowWinner has a conflict that a shallower field settles.
type SameDepthBelowWinner struct {
	SameDepth
	Name string `json:"name"`
}

// SameStruct has one name on two fields.
type SameStruct struct {
	A string `json:"name"`
	B string `json:"name"`
	C string `json:"c"`
}

// Diamond embeds Common by two ways.
type Diamond struct {
	Left
	Right
}

// Left and Right embed Common.
type (
	Left struct {
		Common
		Left string `json:"left"`
	}
	Right struct {
		*Common
		Right string `json:"right"`
	}
)

// DiamondTwoDeep embeds at depth 3 what stands at depth 2 by two ways.
type DiamondTwoDeep struct {
	UpperLeft
	UpperRight
}

// UpperLeft and UpperRight lead to Left and Right.
type (
	UpperLeft  struct{ Left }
	UpperRight struct{ *Right }
)

// DiamondOfDiamonds embeds a struct twice that itself embeds.
type DiamondOfDiamonds struct {
	ToValueA
	ToValueB
}

// ToValueA and ToValueB embed Value, and by it Common.
type (
	ToValueA struct{ Value }
	ToValueB struct{ Value }
)

// AtTwoDepths embeds Common at depth 1 and 2.
type AtTwoDepths struct {
	Left
	Common
}

// Renamed embeds one struct promoted and under a name.
type Renamed struct {
	Common
	Renaming
}

// Renaming embeds Common under a name.
type Renaming struct {
	Common `json:"common"`
}

// Recursive embeds itself.
type Recursive struct {
	*Recursive
	Name string `json:"name"`
}

// Mutual embeds a struct that embeds it.
type Mutual struct {
	*Partner
	Name string `json:"name"`
}

// Partner embeds Mutual.
type Partner struct {
	*Mutual
	Name string `json:"name"`
	Zone string `json:"zone"`
}

// WithTypeMeta is like a root in Kubernetes.
type WithTypeMeta struct {
	metav1.TypeMeta `json:",inline"`
	Name            string `json:"name"`
}

// WithObjectMeta is like an object in Kubernetes.
type WithObjectMeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" hotupdatable:"false"`
}

// Omitted leaves fields out.
type Omitted struct {
	Common `json:"-"`
	A      string   `json:"-"`
	B      chan int `json:"-"`
	c      string
	D      string `json:"d"`
}

// C keeps the unexported field in use.
func (o Omitted) C() string { return o.c }

// Generic embeds and holds its parameter.
type Generic[T any] struct {
	Box[T]
	Own T `json:"own"`
}

// Box is embedded in Generic.
type Box[T any] struct {
	Boxed T `json:"boxed"`
}

// Anonymous holds structs without a name.
type Anonymous struct {
	Inner struct {
		Common
		Own string `json:"own"`
	} `json:"inner"`
}

// Leaves holds types that marshal themselves.
type Leaves struct {
	Time     metav1.Time     `json:"time"`
	TimeP    *metav1.Time    `json:"timeP"`
	Plain    time.Time       `json:"plain"`
	Duration metav1.Duration `json:"duration"`
}

// ThreeWay has a name three times at one depth.
type ThreeWay struct {
	Common
	Other
	*Third
}

// Third has a name in common with Common and Other.
type Third struct {
	Name  string `json:"name"`
	Third string `json:"third"`
}

// Empty has nothing.
type Empty struct{}
