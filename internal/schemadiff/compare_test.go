package schemadiff_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemadiff"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// release is a row: two types, what the comparison says of them, and configurations that show it.
type release struct {
	name         string
	old, updated reflect.Type
	want         []string // KIND PATH: rolls EFFECT; refuses EFFECT
	keeps        []string // configurations whose hash stays
	rolls        []string // configurations with another hash
	refuses      []string // configurations that the updated Schema refuses
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// member is a type with one member, a, which has a struct tag unless that is empty.
func member[T any](hotupdatable string) reflect.Type {
	tag := `json:"a"`
	if hotupdatable != "" {
		tag += ` hotupdatable:"` + hotupdatable + `"`
	}
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: typeOf[T](), Tag: reflect.StructTag(tag)}})
}

// The fields of the types below.
type (
	leafB struct {
		B int32 `json:"b"`
	}
	leafBC struct {
		B int32 `json:"b"`
		C int32 `json:"c"`
	}
	hotC struct {
		B int32 `json:"b"`
		C int32 `json:"c" hotupdatable:"true"`
	}
	heldC struct {
		B int32 `json:"b"`
		C int32 `json:"c" hotupdatable:"false"`
	}
	empty  struct{}
	byName struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
		C    string `json:"c"`
	}
	byNameHeld struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
		C    string `json:"c"    hotupdatable:"false"`
	}
	ignoredList struct {
		List []byName `json:"list" hotupdatable:"ignore,key=name"`
	}
	inPlaceList struct {
		List []byName `json:"list" hotupdatable:"inplace,key=name"`
	}
	byNameInPlace struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
		C    string `json:"c"    hotupdatable:"inplace"`
	}
	byNamePointer struct {
		Name string  `json:"name"`
		Mode string  `json:"mode"`
		C    *string `json:"c"`
	}
	byID struct {
		ID int32 `json:"id"`
	}
	byPointerID struct {
		ID *int32 `json:"id"`
	}
)

// none is text whose zero value is spelled "none".
type none struct{ text string }

func (n none) MarshalText() ([]byte, error) {
	if n.text == "" {
		return []byte("none"), nil
	}
	return []byte(n.text), nil
}

func (n *none) UnmarshalText(text []byte) error {
	n.text = string(text)
	return nil
}

// plain is text whose zero value is spelled "".
type plain struct{ text string }

func (p plain) MarshalText() ([]byte, error) { return []byte(p.text), nil }

func (p *plain) UnmarshalText(text []byte) error {
	p.text = string(text)
	return nil
}

var releases = []release{
	// Class.
	{
		"class of a whole object", member[leafBC](""), member[leafBC]("true"),
		[]string{"ClassChanged a: rolls every sets it"},
		[]string{`{"a":{}}`},
		[]string{`{"a":{"b":1}}`},
		nil,
	},
	{
		"class of an object of which a part was hot", member[hotC](""), member[hotC]("true"),
		[]string{"ClassChanged a: rolls may sets it"},
		[]string{`{"a":{"c":1}}`},
		[]string{`{"a":{"b":1}}`},
		nil,
	},
	{
		"class of an object of which a part is still hashed", member[heldC](""), member[heldC]("true"),
		[]string{"ClassChanged a: rolls may sets it"},
		[]string{`{"a":{"c":1}}`},
		[]string{`{"a":{"b":1}}`},
		nil,
	},
	{
		"class of an object of which a part was hashed", member[heldC]("true"), member[heldC](""),
		[]string{"ClassChanged a: rolls may sets it"},
		[]string{`{"a":{"c":1}}`},
		[]string{`{"a":{"b":1}}`},
		nil,
	},
	{
		"class of an object of which a part is still hot", member[hotC]("true"), member[hotC](""),
		[]string{"ClassChanged a: rolls may sets it"},
		[]string{`{"a":{"c":1}}`},
		[]string{`{"a":{"b":1}}`},
		nil,
	},
	{
		"class below one that stays",
		typeOf[struct {
			A struct {
				B struct {
					C int32 `json:"c"`
				} `json:"b"`
			} `json:"a"`
		}](),
		typeOf[struct {
			A struct {
				B struct {
					C int32 `json:"c" hotupdatable:"true"`
				} `json:"b" hotupdatable:"false"`
			} `json:"a" hotupdatable:"true"`
		}](),
		[]string{"ClassChanged a: rolls every sets it", "ClassChanged a.b.c: rolls every sets it"},
		nil,
		[]string{`{"a":{"b":{"c":1}}}`},
		nil,
	},
	{
		"another class below one that changes", member[leafBC](""),
		typeOf[struct {
			A struct {
				B int32 `json:"b"`
				C int32 `json:"c" hotupdatable:"ignore"`
			} `json:"a" hotupdatable:"true"`
		}](),
		[]string{"ClassChanged a: rolls every sets it", "ClassChanged a.c: rolls every sets it"},
		nil,
		[]string{`{"a":{"b":1}}`, `{"a":{"c":1}}`},
		nil,
	},
	{
		"a keyed list that is hashed now", member[[]byName]("true,key=name"), member[[]byName]("false,key=name"),
		[]string{"ClassChanged a: rolls every sets it; refuses may has it"},
		[]string{`{}`},
		[]string{`{"a":[{"name":"x"}]}`},
		[]string{`{"a":[{"name":"x"},{"name":"x"}]}`, `{"a":[{"name":"x"},{}]}`},
	},
	{
		"an object with a keyed list that is hashed now", member[*ignoredList]("ignore"), member[*inPlaceList]("inplace"),
		[]string{"ClassChanged a: rolls every sets it; refuses may has it"},
		[]string{`{"a":{}}`},
		[]string{`{"a":{"list":[{"name":"x"}]}}`},
		[]string{`{"a":{"list":[{},{}]}}`},
	},
	{
		"a quantity that is hashed now", member[*resource.Quantity]("ignore"), member[*resource.Quantity](""),
		[]string{"ClassChanged a: rolls every sets it; refuses may has it"},
		[]string{`{}`},
		[]string{`{"a":"1"}`},
		[]string{`{"a":"1e100"}`},
	},
	{
		"a hot element needs its key, the only immutable one did not",
		member[[]byNameHeld]("false,key=name"), member[[]byNameHeld]("true,key=name"),
		[]string{"ClassChanged a: rolls may sets it; refuses may has it"},
		[]string{`{"a":[{"name":"x","c":"k"}]}`},
		[]string{`{"a":[{"name":"x"}]}`},
		[]string{`{"a":[{"c":"k"}]}`},
	},

	// Names.
	{
		"one field may be another by a new name", member[int32](""), typeOf[leafB](),
		[]string{"FieldRenamed a: refuses every names it"},
		[]string{`{}`},
		nil,
		[]string{`{"a":1}`},
	},
	{
		"TypeMeta that is a field now", typeOf[struct {
			metav1.TypeMeta `json:",inline"`
		}](), typeOf[struct {
			Kind string `json:"kind"`
		}](),
		[]string{"FieldRemoved apiVersion: refuses every names it", "ClassChanged kind: rolls every sets it"},
		nil,
		[]string{`{"kind":"x"}`},
		[]string{`{"apiVersion":"x"}`},
	},
	{
		"one field may have become two", member[int32](""), typeOf[leafBC](),
		[]string{"FieldRemoved a: refuses every names it", "FieldAdded b:", "FieldAdded c:"},
		[]string{`{}`},
		nil,
		[]string{`{"a":1}`, `{"a":null}`},
	},
	{
		"two fields may have become one", typeOf[leafBC](), member[int32](""),
		[]string{"FieldAdded a:", "FieldRemoved b: refuses every names it", "FieldRemoved c: refuses every names it"},
		nil, nil,
		[]string{`{"b":1}`},
	},

	// Types.
	{
		"keys of another kind", member[map[string]string](""), member[map[int32]string](""),
		[]string{"TypeChanged a: rolls may has elements there; refuses may has elements there"},
		[]string{`{"a":{"5":"x"}}`, `{"a":{}}`},
		nil,
		[]string{`{"a":{"x":"x"}}`},
	},
	{
		"sensitive", member[int32](""), member[int32]("false,sensitive"),
		[]string{"SensitivityChanged a:"},
		[]string{`{"a":1}`},
		nil, nil,
	},
	{
		"shape of a hot field that is hashed now", member[int32]("true"), member[[]string](""),
		[]string{"TypeChanged a: rolls may has it; refuses may names it"},
		nil, nil,
		[]string{`{"a":1}`},
	},
	{
		"shape of a hashed field that is hot now", member[[]byte](""), member[any]("true"),
		[]string{"TypeChanged a: rolls may has it; refuses may names it", "ClassChanged a: rolls every sets it"},
		nil,
		[]string{`{"a":"YQ=="}`},
		nil,
	},
	{
		"shape of a hot field", member[int32]("true"), member[[]string]("true"),
		[]string{"TypeChanged a: refuses may names it"},
		nil, nil,
		[]string{`{"a":1}`},
	},
	{
		"shape of a hashed field that becomes a hot list", member[int32](""), member[[]string]("true"),
		[]string{"TypeChanged a: rolls may has it; refuses may names it"},
		nil, nil,
		[]string{`{"a":1}`},
	},
	{
		"leaf of a hot field that is hashed now", member[any]("true"), member[string](""),
		[]string{"TypeChanged a: rolls may has it; refuses may names it", "ClassChanged a: rolls every sets it"},
		nil,
		[]string{`{"a":"x"}`},
		[]string{`{"a":1}`},
	},
	{
		"leaf of a hot field", member[int32]("true"), member[string]("true"),
		[]string{"TypeChanged a: refuses may names it"},
		nil, nil,
		[]string{`{"a":1}`},
	},
	{
		"quoted and wider", member[int32](""), typeOf[struct {
			A int64 `json:"a,string"`
		}](),
		[]string{"TypeChanged a: rolls may has it; refuses may has it", "TypeChanged a:"},
		[]string{`{"a":null}`},
		nil,
		[]string{`{"a":1}`},
	},
	{
		"quoted and hot", member[int32]("true"), typeOf[struct {
			A int32 `json:"a,string" hotupdatable:"true"`
		}](),
		[]string{"TypeChanged a: refuses may has it"},
		nil, nil,
		[]string{`{"a":1}`},
	},
	{
		"unsigned in a wider integer", member[uint8](""), member[int16](""),
		[]string{"TypeChanged a:"},
		[]string{`{"a":255}`},
		nil, nil,
	},
	{
		"unsigned in an integer of its width", member[uint8](""), member[int8](""),
		[]string{"TypeChanged a: refuses may has it"},
		[]string{`{"a":127}`},
		nil,
		[]string{`{"a":128}`},
	},
	{
		"integer in a wider unsigned one", member[int8](""), member[uint16](""),
		[]string{"TypeChanged a: refuses may has it"},
		[]string{`{"a":127}`},
		nil,
		[]string{`{"a":-1}`},
	},
	{
		"narrower", member[int16](""), member[int8](""),
		[]string{"TypeChanged a: refuses may has it"},
		[]string{`{"a":127}`},
		nil,
		[]string{`{"a":128}`},
	},
	{
		"wider keys", member[map[int8]string](""), member[map[int16]string](""),
		[]string{"TypeChanged a:"},
		[]string{`{"a":{"5":"x"}}`},
		nil, nil,
	},
	{
		"elements of another shape", member[[]string](""), member[[][]string](""),
		[]string{"TypeChanged a[]: rolls may has it; refuses may has it"},
		[]string{`{"a":[]}`},
		nil,
		[]string{`{"a":["x"]}`},
	},
	{
		"hot elements of another shape", member[[]string]("true"), member[[][]string]("true"),
		[]string{"TypeChanged a[]: refuses may has it"},
		nil, nil,
		[]string{`{"a":["x"]}`},
	},
	{
		"two types that write their zero values differently", member[none](""), member[plain](""),
		[]string{"NullabilityChanged a: rolls every spells out its zero value"},
		[]string{`{"a":"x"}`, `{}`},
		[]string{`{"a":"none"}`},
		nil,
	},

	// Null and zero.
	{
		"default that is new", member[*int32](""), member[*int32]("false,default=5"),
		[]string{"DefaultChanged a: rolls every spells out the old or the new default"},
		[]string{`{"a":4}`},
		[]string{`{"a":5}`},
		nil,
	},
	{
		"hot pointer", member[int32]("true"), member[*int32]("true"),
		[]string{"NullabilityChanged a:"},
		[]string{`{"a":0}`},
		nil, nil,
	},
	{
		"pointer that is hashed now", member[int32]("true"), member[*int32](""),
		[]string{"ClassChanged a: rolls every sets it", "NullabilityChanged a:"},
		nil,
		[]string{`{"a":0}`, `{"a":1}`},
		nil,
	},
	{
		"pointer to another kind", member[int32](""), member[*float32](""),
		[]string{"NullabilityChanged a: rolls may spells out its zero value", "TypeChanged a: rolls may has it; refuses may names it"},
		[]string{`{"a":1}`},
		[]string{`{"a":0}`},
		nil,
	},
	{
		"pointer to a duration", member[metav1.Duration](""), member[*metav1.Duration](""),
		[]string{"NullabilityChanged a: rolls every spells out its zero value"},
		[]string{`{"a":"1h"}`},
		[]string{`{"a":"0s"}`},
		nil,
	},
	{
		"no pointer to a type that marshals itself", member[*big.Int](""), member[big.Int](""),
		[]string{"NullabilityChanged a: rolls every spells out its zero value; refuses may names it"},
		[]string{`{"a":1}`, `{"a":null}`},
		[]string{`{"a":0}`},
		nil,
	},
	{
		"default that is gone", member[*int32]("false,default=5"), member[*int32](""),
		[]string{"DefaultChanged a: rolls every spells out the old or the new default"},
		[]string{`{"a":4}`},
		[]string{`{"a":5}`},
		nil,
	},
	{
		"pointer to an array", member[[2]int32](""), member[*[2]int32](""),
		[]string{"NullabilityChanged a:"},
		[]string{`{"a":[1,0]}`, `{"a":[0,0]}`, `{"a":[]}`, `{"a":null}`},
		nil, nil,
	},
	{
		"null elements that are durations", member[[]*metav1.Duration](""), member[[]metav1.Duration](""),
		[]string{"NullabilityChanged a[]: rolls every has a null element there; refuses may has a null element there"},
		[]string{`{"a":["0s"]}`},
		nil,
		[]string{`{"a":[null]}`},
	},
	{
		"elements that are pointers to durations", member[[]metav1.Duration](""), member[[]*metav1.Duration](""),
		[]string{"NullabilityChanged a[]: rolls every has a null element there"},
		[]string{`{"a":["0s"]}`},
		nil, nil,
	},
	{
		"elements whose zero value is null", member[[]any](""), member[[]*any](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null]}`},
		nil, nil,
	},
	{
		"elements of an array", member[[1]*int32](""), member[[1]int32](""),
		[]string{"NullabilityChanged a[]: rolls may has it"},
		[]string{`{"a":[1]}`},
		[]string{`{"a":[0]}`},
		nil,
	},
	{
		"hot elements", member[[]*int32]("true"), member[[]int32]("true"),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null]}`},
		nil, nil,
	},
	{
		"objects by position", member[[]*leafB](""), member[[]leafB](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null]}`},
		nil, nil,
	},

	{
		"objects in an array", member[[1]*leafB](""), member[[1]leafB](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null]}`, `{"a":[{}]}`, `{"a":[{"b":1}]}`},
		nil, nil,
	},
	{
		"objects in a map", member[map[string]*leafB](""), member[map[string]leafB](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":{"x":null}}`},
		nil, nil,
	},
	{
		"objects that may be hot", member[map[string]*byName]("false,hotwhen=mode:hot"), member[map[string]byName]("false,hotwhen=mode:hot"),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":{"x":null}}`},
		nil, nil,
	},
	{
		"lists in a list", member[[]*[]string](""), member[[][]string](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null,[]]}`},
		nil, nil,
	},
	{
		"maps in a list", member[[]*map[string]string](""), member[[]map[string]string](""),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null,{}]}`},
		nil, nil,
	},
	{
		"arrays in a list", member[[]*[1]int32](""), member[[][1]int32](""),
		[]string{"NullabilityChanged a[]: rolls may has a null element there"},
		[]string{`{"a":[[0]]}`},
		[]string{`{"a":[null]}`},
		nil,
	},
	{
		"hot arrays in a list", member[[]*[1]int32]("true"), member[[][1]int32]("true"),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[null]}`},
		nil, nil,
	},
	{
		"null was the key 0 and is none", member[[]byID]("false,key=id"), member[[]*byID]("false,key=id"),
		[]string{"NullabilityChanged a[]: refuses may has a null element there"},
		[]string{`{"a":[{"id":0}]}`},
		nil,
		[]string{`{"a":[null]}`},
	},
	{
		"null is the key 0 and was none", member[[]*byID]("false,key=id"), member[[]byID]("false,key=id"),
		[]string{"NullabilityChanged a[]:"},
		[]string{`{"a":[{"id":0}]}`},
		nil, nil,
	},

	// Presence.
	{
		"presence", member[*leafB](""), member[*leafB]("false,presence"),
		[]string{"PresenceChanged a: rolls every has it empty"},
		[]string{`{"a":{"b":1}}`, `{"a":null}`},
		[]string{`{"a":{}}`},
		nil,
	},
	{
		"presence of what has no fields", member[*empty](""), member[*empty]("false,presence"),
		[]string{"PresenceChanged a:"},
		[]string{`{"a":{}}`, `{"a":null}`},
		nil, nil,
	},
	{
		"presence that is hashed now", member[*leafB]("true"), member[*leafB]("false,presence"),
		[]string{"ClassChanged a: rolls every sets it", "PresenceChanged a: rolls may has it empty"},
		nil,
		[]string{`{"a":{}}`},
		nil,
	},
	{
		"presence that was hashed", member[*leafB]("false,presence"), member[*leafB]("true"),
		[]string{"ClassChanged a: rolls every sets it", "PresenceChanged a: rolls may has it empty"},
		nil,
		[]string{`{"a":{}}`},
		nil,
	},
	{
		"hot presence", member[*leafB]("true"), member[*leafB]("true,presence"),
		[]string{"PresenceChanged a:"},
		[]string{`{"a":{}}`},
		nil, nil,
	},

	// Pairing: what is certain of one element is only possible where elements are counted once or may be hot.
	{
		"elements that were a set", member[[]string]("false,set"), member[[]*string](""),
		[]string{"PairingChanged a: rolls may has elements there", "NullabilityChanged a[]: rolls may has a null element there"},
		[]string{`{"a":["x"]}`},
		[]string{`{"a":["b","a"]}`, `{"a":[null]}`},
		nil,
	},
	{
		"elements that are a set", member[[]string](""), member[[]*string]("false,set"),
		[]string{"PairingChanged a: rolls may has elements there", "NullabilityChanged a[]: rolls may has a null element there"},
		[]string{`{"a":["x"]}`},
		[]string{`{"a":["b","a"]}`, `{"a":[null]}`},
		nil,
	},
	{
		"hot set", member[[]string]("true"), member[[]string]("true,set"),
		[]string{"PairingChanged a:"},
		[]string{`{"a":["b","a"]}`},
		nil, nil,
	},
	{
		"pointer in place of a key", member[[]byID]("false,key=id"), member[[]byPointerID]("false,key=id"),
		[]string{"PairingChanged a: rolls may has elements there; refuses may has elements there", "NullabilityChanged a[].id:"},
		[]string{`{"a":[{"id":0}]}`},
		nil,
		[]string{`{"a":[{"id":null}]}`},
	},
	{
		"key that was a pointer", member[[]byPointerID](""), member[[]byID]("false,key=id"),
		[]string{"PairingChanged a: rolls may has elements there; refuses may has elements there", "NullabilityChanged a[].id:"},
		[]string{`{"a":[{"id":0}]}`},
		[]string{`{"a":[{"id":2},{"id":1}]}`},
		[]string{`{"a":[{"id":1},{"id":1}]}`},
	},
	{
		"key that becomes a pointer", member[[]byID]("false,key=id"), member[[]byPointerID](""),
		[]string{"PairingChanged a: rolls may has elements there", "NullabilityChanged a[].id:"},
		[]string{`{"a":[{"id":0}]}`},
		[]string{`{"a":[{"id":2},{"id":1}]}`},
		nil,
	},

	// Hotwhen.
	{
		"elements that may be hot now, whose key is a number and could not be left out before", member[[]byID]("false,key=id"), member[[]byID]("false,key=id,hotwhen=id:7"),
		[]string{"HotWhenChanged a: rolls may has elements there"},
		[]string{`{"a":[{"id":1}]}`, `{"a":[{}]}`},
		[]string{`{"a":[{"id":7}]}`},
		nil,
	},
	{
		"member of elements that may be hot now", member[[]byName]("false,key=name"), member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"),
		[]string{"HotWhenChanged a: rolls may has elements there; refuses may has elements there", "NullabilityChanged a[].c: rolls may spells out its zero value"},
		[]string{`{"a":[{"name":"n","mode":"m"}]}`},
		[]string{`{"a":[{"name":"n","mode":"m","c":""}]}`},
		nil,
	},
	{
		"member of elements that were sometimes hot",
		member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"), member[[]byName]("false,key=name"),
		[]string{"HotWhenChanged a: rolls may has elements there", "NullabilityChanged a[].c: rolls may spells out its zero value"},
		[]string{`{"a":[{"name":"n","mode":"m"}]}`},
		[]string{`{"a":[{"name":"n","mode":"m","c":""}]}`},
		nil,
	},
	{
		"of a change that rolls in some elements the graver is told",
		member[[]byName]("false,key=name,hotwhen=mode:hot"), member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"),
		[]string{"NullabilityChanged a[].c: rolls may spells out its zero value"},
		[]string{`{"a":[{"name":"n","mode":"hot","c":""}]}`},
		[]string{`{"a":[{"name":"n","mode":"m","c":""}]}`},
		nil,
	},
	{
		"class in elements that are hot",
		member[[]byNameHeld]("false,key=name,hotwhen=mode:hot"), member[[]byName]("false,key=name,hotwhen=mode:hot"),
		[]string{"ClassChanged a[].c: rolls may sets it"},
		[]string{`{"a":[{"name":"n","mode":"m","c":"x"}]}`},
		[]string{`{"a":[{"name":"n","mode":"hot","c":"x"}]}`},
		nil,
	},
	{
		"class of the list and in elements that are hot",
		member[[]byNameHeld]("false,key=name,hotwhen=mode:hot"), member[[]byNameInPlace]("inplace,key=name,hotwhen=mode:hot"),
		[]string{"ClassChanged a:", "ClassChanged a[].c:"},
		[]string{`{"a":[{"name":"n","mode":"m","c":"x"},{"name":"o","mode":"hot","c":"x"}]}`},
		nil, nil,
	},
}

// TestCompare: each rule by a release that needs it, with configurations that show that what is said is so.
func TestCompare(t *testing.T) {
	for _, r := range releases {
		t.Run(r.name, func(t *testing.T) {
			before, after := planOf(t, r.old), planOf(t, r.updated)
			assert.ElementsMatch(t, r.want, told(schemadiff.Compare(before, after)))
			for kind, raws := range map[string][]string{"keeps": r.keeps, "rolls": r.rolls, "refuses": r.refuses} {
				for _, raw := range raws {
					assert.Equal(t, kind, fateOf(t, r.old, r.updated, raw), raw)
				}
			}
		})
	}
}

// TestCompareOpen: where unknown members are admitted, a field that comes may have been one, and one that goes is one.
func TestCompareOpen(t *testing.T) {
	open := func(typ reflect.Type) *fieldplan.Plan {
		p, err := schemajson.AdmitUnknown(planOf(t, typ))
		require.NoError(t, err)
		return p
	}
	less, more := typeOf[leafB](), typeOf[leafBC]()
	for _, tc := range []struct {
		name         string
		old, updated *fieldplan.Plan
		want         []string
	}{
		{"opened", planOf(t, less), open(less), []string{"UnknownMembersChanged *:"}},
		{"closed", open(less), planOf(t, less), []string{"UnknownMembersChanged *: refuses every names it"}},
		{"a field comes", open(less), open(more), []string{"FieldAdded c: rolls may has it; refuses may has it"}},
		{"a field goes", open(more), open(less), []string{"FieldRemoved c: rolls may has it"}},
	} {
		assert.Equal(t, tc.want, told(schemadiff.Compare(tc.old, tc.updated)), tc.name)
	}
}

// TestRenamedFieldTellsWhoRolls: only a field that is hashed rolls those who write its new name.
func TestRenamedFieldTellsWhoRolls(t *testing.T) {
	type (
		hot struct {
			A int32 `json:"a" hotupdatable:"true"`
		}
		hotNow struct {
			B int32 `json:"b" hotupdatable:"true"`
		}
		held struct {
			A int32 `json:"a"`
		}
	)
	const rolls = "one that is rewritten with the new name rolls"
	assert.Contains(t, schemadiff.Compare(planOf(t, typeOf[held]()), planOf(t, typeOf[leafB]()))[0].Text, rolls)
	assert.NotContains(t, schemadiff.Compare(planOf(t, typeOf[hot]()), planOf(t, typeOf[hotNow]()))[0].Text, rolls)
}

// TestCompareLoaded: the rules hold without the Go types.
func TestCompareLoaded(t *testing.T) {
	for _, r := range releases {
		t.Run(r.name, func(t *testing.T) {
			assert.ElementsMatch(t, r.want, told(schemadiff.Compare(loaded(t, r.old), loaded(t, r.updated))))
		})
	}
}

func planOf(t *testing.T, typ reflect.Type) *fieldplan.Plan {
	t.Helper()
	p, err := fieldplan.Compile(typ, nil)
	require.NoError(t, err)
	return p
}

func exported(t *testing.T, typ reflect.Type) []byte {
	t.Helper()
	d, err := schemajson.Export(planOf(t, typ))
	require.NoError(t, err)
	data, err := json.Marshal(d)
	require.NoError(t, err)
	return data
}

func loaded(t *testing.T, typ reflect.Type) *fieldplan.Plan {
	t.Helper()
	p, err := schemajson.Load(exported(t, typ))
	require.NoError(t, err)
	return p
}

// told writes the findings as the rows do.
func told(findings []schemadiff.Finding) (all []string) {
	for _, f := range findings {
		text := f.Kind + " " + f.Path + ":"
		if f.Rolls.Where != "" {
			text += " rolls " + effect(f.Rolls)
		}
		if f.Rolls.Where != "" && f.Refuses.Where != "" {
			text += ";"
		}
		if f.Refuses.Where != "" {
			text += " refuses " + effect(f.Refuses)
		}
		all = append(all, text)
	}
	return all
}

func effect(e schemadiff.Effect) string {
	return fmt.Sprintf("%s %s", map[bool]string{true: "every", false: "may"}[e.Every], e.Where)
}

// fateOf says what the release does to a configuration.
func fateOf(t *testing.T, old, updated reflect.Type, raw string) string {
	t.Helper()
	var hashes [2]hotupdate.Sum
	for i, typ := range []reflect.Type{old, updated} {
		schema, err := hotupdate.LoadSchema(exported(t, typ))
		require.NoError(t, err)
		hashes[i], err = schema.HashRaw([]byte(raw))
		if i == 1 && err != nil {
			return "refuses"
		}
		require.NoError(t, err)
	}
	if hashes[0] != hashes[1] {
		return "rolls"
	}
	return "keeps"
}
