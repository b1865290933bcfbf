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
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemadiff"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// release is a row: two types, what the comparison says of them, and configurations that show it.
type release struct {
	name         string
	old, updated reflect.Type
	want         []string            // KIND PATH: rolls EFFECT; refuses EFFECT
	outcomes     map[string][]string // configurations by what becomes of them
}

// of is a release without any difference.
func of(name string, old, updated reflect.Type) release {
	return release{name: name, old: old, updated: updated, outcomes: map[string][]string{}}
}

func (r release) tells(want ...string) release {
	r.want = want
	return r
}

// keeps has configurations whose hash stays.
func (r release) keeps(raws ...string) release { return r.become("keeps", raws) }

// rolls has configurations with another hash.
func (r release) rolls(raws ...string) release { return r.become("rolls", raws) }

// refuses has configurations that the updated Schema refuses.
func (r release) refuses(raws ...string) release { return r.become("refuses", raws) }

func (r release) become(outcome string, raws []string) release {
	r.outcomes[outcome] = raws
	return r
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
	leafPointer struct {
		B *int32 `json:"b"`
	}
	leafDefault struct {
		B *int32 `json:"b" hotupdatable:"false,default=1"`
	}
	empty struct{}
	disk  struct {
		Size int32  `json:"size"`
		Type string `json:"type"`
	}
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
	byIDHeld struct {
		ID  int32  `json:"id"`
		New *int32 `json:"new" hotupdatable:"false"`
	}
	byPointerID struct {
		ID *int32 `json:"id"`
	}
	chain struct {
		B    *int32 `json:"b"`
		Next *chain `json:"next"`
	}
	sizes struct {
		Size *resource.Quantity   `json:"size"`
		All  []*resource.Quantity `json:"all"`
		Next *struct {
			Size *resource.Quantity `json:"size"`
		} `json:"next"`
	}
	byNameChain struct {
		Name  string `json:"name"`
		Chain *chain `json:"chain"`
		C     string `json:"c"     hotupdatable:"false"`
	}
	byNameChainInPlace struct {
		Name  string `json:"name"`
		Chain *chain `json:"chain"`
		C     string `json:"c"     hotupdatable:"inplace"`
	}
	byNameAll struct {
		Name string  `json:"name"`
		All  []disks `json:"all"`
	}
	disks struct {
		C string `json:"c" hotupdatable:"false"`
	}
	byNameAllInPlace struct {
		Name string         `json:"name"`
		All  []disksInPlace `json:"all"`
	}
	disksInPlace struct {
		C string `json:"c" hotupdatable:"inplace"`
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
	of("class of a whole object", member[leafBC](""), member[leafBC]("true")).
		tells("ClassChanged a: rolls every sets it").
		keeps(`{"a":{}}`).rolls(`{"a":{"b":1}}`),
	of("class of an object of which a part was hot", member[hotC](""), member[hotC]("true")).
		tells("ClassChanged a: rolls may sets it").
		keeps(`{"a":{"c":1}}`).rolls(`{"a":{"b":1}}`),
	of("class of an object of which a part is still hashed", member[heldC](""), member[heldC]("true")).
		tells("ClassChanged a: rolls may sets it").
		keeps(`{"a":{"c":1}}`).rolls(`{"a":{"b":1}}`),
	of("class of an object of which a part was hashed", member[heldC]("true"), member[heldC]("")).
		tells("ClassChanged a: rolls may sets it").
		keeps(`{"a":{"c":1}}`).rolls(`{"a":{"b":1}}`),
	of("class of an object of which a part is still hot", member[hotC]("true"), member[hotC]("")).
		tells("ClassChanged a: rolls may sets it").
		keeps(`{"a":{"c":1}}`).rolls(`{"a":{"b":1}}`),
	of("class below one that stays", typeOf[struct {
		A struct {
			B struct {
				C int32 `json:"c"`
			} `json:"b"`
		} `json:"a"`
	}](), typeOf[struct {
		A struct {
			B struct {
				C int32 `json:"c" hotupdatable:"true"`
			} `json:"b" hotupdatable:"false"`
		} `json:"a" hotupdatable:"true"`
	}]()).
		tells("ClassChanged a: rolls every sets it", "ClassChanged a.b.c: rolls every sets it").
		rolls(`{"a":{"b":{"c":1}}}`),
	of("another class below one that changes", member[leafBC](""), typeOf[struct {
		A struct {
			B int32 `json:"b"`
			C int32 `json:"c" hotupdatable:"ignore"`
		} `json:"a" hotupdatable:"true"`
	}]()).
		tells("ClassChanged a: rolls every sets it", "ClassChanged a.c: rolls every sets it").
		rolls(`{"a":{"b":1}}`, `{"a":{"c":1}}`),
	of("a keyed list that is hashed now", member[[]byName]("true,key=name"), member[[]byName]("false,key=name")).
		tells("ClassChanged a: rolls every sets it").
		keeps(`{}`).rolls(`{"a":[{"name":"x"}]}`, `{"a":[{"name":"x"},{"name":"x"}]}`, `{"a":[{"name":"x"},{}]}`),
	of("an object with a keyed list that is hashed now", member[*ignoredList]("ignore"), member[*inPlaceList]("inplace")).
		tells("ClassChanged a: rolls every sets it").
		keeps(`{"a":{}}`).rolls(`{"a":{"list":[{"name":"x"}]}}`, `{"a":{"list":[{},{}]}}`),
	of("a quantity that is hashed now", member[*resource.Quantity]("ignore"), member[*resource.Quantity]("")).
		tells("ClassChanged a: rolls every sets it; refuses may has it").
		keeps(`{}`).rolls(`{"a":"1"}`).refuses(`{"a":"1e100"}`),
	of("a quantity that is updated in place now", member[*resource.Quantity](""), member[*resource.Quantity]("inplace")).
		tells("ClassChanged a:").
		keeps(`{}`, `{"a":"1"}`),
	of("quantities below an object that is hashed now", member[*sizes]("ignore"), member[*sizes]("")).
		tells("ClassChanged a: rolls every sets it; refuses may has it").
		keeps(`{}`).rolls(`{"a":{"size":"1"}}`).
		refuses(`{"a":{"size":"1e100"}}`, `{"a":{"all":["1e100"]}}`, `{"a":{"next":{"size":"1e100"}}}`),
	of("quantities of a list that is hashed now", member[[]*resource.Quantity]("ignore"), member[[]*resource.Quantity]("")).
		tells("ClassChanged a: rolls every sets it; refuses may has it").
		keeps(`{}`).rolls(`{"a":["1"]}`).refuses(`{"a":["1e100"]}`),
	of(
		"elements of one key, of which one class is far below", member[[]byNameAll]("inplace,key=name"),
		member[[]byNameAllInPlace]("inplace,key=name"),
	).
		tells("ClassChanged a[].all[].c:", "PairingChanged a: rolls may has elements there").
		keeps(`{"a":[{"name":"x"},{"name":"y","all":[{"c":"k"}]}]}`).
		rolls(`{"a":[{"name":"x"},{"name":"x","all":[{"c":"k"}]}]}`),
	of("elements of a list that becomes hot", member[[]byNameHeld]("false,key=name"), member[[]byNameHeld]("true,key=name")).
		tells("ClassChanged a: rolls may sets it").
		keeps(`{"a":[{"name":"x","c":"k"}]}`, `{"a":[{"c":"k"}]}`).rolls(`{"a":[{"name":"x"}]}`),
	of(
		"elements of one key, of which one was all immutable", member[[]byNameHeld]("false,key=name"),
		member[[]byNameHeld]("inplace,key=name"),
	).
		tells("ClassChanged a:", "PairingChanged a: rolls may has elements there").
		keeps(
			`{"a":[{"name":"x"},{"name":"y","c":"k"}]}`, `{"a":[{"name":"x","c":"k"},{"name":"x"}]}`,
		).rolls(`{"a":[{"name":"x"},{"name":"x","c":"k"}]}`),
	of(
		"elements of one key, of which one class is below", member[[]byNameHeld]("inplace,key=name"),
		member[[]byNameInPlace]("inplace,key=name"),
	).
		tells("ClassChanged a[].c:", "PairingChanged a: rolls may has elements there").
		keeps(`{"a":[{"name":"x"},{"name":"y","c":"k"}]}`).rolls(`{"a":[{"name":"x"},{"name":"x","c":"k"}]}`),

	// Names.
	of("one field may be another by a new name", member[int32](""), typeOf[leafB]()).
		tells("FieldRenamed a: refuses every names it").
		keeps(`{}`).refuses(`{"a":1}`),
	of("a field may have moved into an object", typeOf[flat](), typeOf[nested]()).
		tells("FieldRenamed expireAfter: refuses every names it").
		keeps(`{"a":{"b":"x"}}`).refuses(`{"expireAfter":"x"}`),
	of("a field may have moved out of an object", typeOf[nested](), typeOf[flat]()).
		tells("FieldRenamed a.expireAfter: refuses every names it").
		keeps(`{"a":{"b":"x"}}`).refuses(`{"a":{"expireAfter":"x"}}`),
	of("a field may have moved into an object that is new", typeOf[flat](), typeOf[nestedDeeper]()).
		tells("FieldAdded a.template:", "FieldRenamed expireAfter: refuses every names it").
		keeps(`{"a":{"b":"x"}}`).refuses(`{"expireAfter":"x"}`),
	of("a field does not move into several objects", typeOf[flat](), typeOf[nestedTwice]()).
		tells("FieldAdded a.expireAfter:", "FieldAdded c:", "FieldRemoved expireAfter: refuses every names it").
		refuses(`{"expireAfter":"x"}`),
	of("a field does not move into a list", typeOf[flat](), typeOf[listed]()).
		tells("FieldAdded c:", "FieldRemoved expireAfter: refuses every names it").
		refuses(`{"expireAfter":"x"}`),
	of("a field of another class did not move", typeOf[flat](), typeOf[nestedHot]()).
		tells("FieldAdded a.expireAfter:", "FieldRemoved expireAfter: refuses every names it").
		refuses(`{"expireAfter":"x"}`),
	of("an object may have moved and have another name", typeOf[struct {
		Disk *disk `json:"disk"`
		A    empty `json:"a"`
	}](), typeOf[struct {
		A struct {
			Volume *disk `json:"volume"`
		} `json:"a"`
	}]()).
		tells("FieldRenamed disk: refuses every names it").
		keeps(`{}`).refuses(`{"disk":{"size":1}}`),
	of("a list of objects may have moved and have another name", typeOf[struct {
		Disks []disk `json:"disks"`
		A     empty  `json:"a"`
	}](), typeOf[struct {
		A struct {
			Volumes []disk `json:"volumes"`
		} `json:"a"`
	}]()).
		tells("FieldRenamed disks: refuses every names it").
		keeps(`{}`).refuses(`{"disks":[]}`),
	of("a scalar that moved and has another name is not guessed: many fields are a string", typeOf[struct {
		B string `json:"b"`
		A empty  `json:"a"`
	}](), typeOf[struct {
		A struct {
			C string `json:"c"`
		} `json:"a"`
	}]()).
		tells("FieldAdded a.c:", "FieldRemoved b: refuses every names it").
		refuses(`{"b":"x"}`),
	of("an object does not move to one of two names", typeOf[struct {
		Disk *disk `json:"disk"`
		A    empty `json:"a"`
	}](), typeOf[struct {
		A struct {
			Volume *disk `json:"volume"`
			Root   *disk `json:"root"`
		} `json:"a"`
	}]()).
		tells("FieldAdded a.root:", "FieldAdded a.volume:", "FieldRemoved disk: refuses every names it").
		refuses(`{"disk":{}}`),
	of("an object of its name is matched before one of another name", typeOf[struct {
		Disk *disk `json:"disk"`
		Log  *disk `json:"log"`
		A    empty `json:"a"`
	}](), typeOf[struct {
		A struct {
			Disk   *disk `json:"disk"`
			Volume *disk `json:"volume"`
		} `json:"a"`
	}]()).
		tells("FieldRenamed disk: refuses every names it", "FieldRenamed log: refuses every names it").
		refuses(`{"disk":{}}`, `{"log":{}}`),
	of("TypeMeta that is a field now", typeOf[struct {
		metav1.TypeMeta `json:",inline"`
	}](), typeOf[struct {
		Kind string `json:"kind"`
	}]()).
		tells("FieldRemoved apiVersion: refuses every names it", "ClassChanged kind: rolls every sets it").
		rolls(`{"kind":"x"}`).refuses(`{"apiVersion":"x"}`),
	of("one field may have become two", member[int32](""), typeOf[leafBC]()).
		tells("FieldRemoved a: refuses every names it", "FieldAdded b:", "FieldAdded c:").
		keeps(`{}`).refuses(`{"a":1}`, `{"a":null}`),
	of("two fields may have become one", typeOf[leafBC](), member[int32]("")).
		tells("FieldAdded a:", "FieldRemoved b: refuses every names it", "FieldRemoved c: refuses every names it").
		refuses(`{"b":1}`),

	// Types.
	of("keys of another kind", member[map[string]string](""), member[map[int32]string]("")).
		tells("TypeChanged a: rolls may has elements there; refuses may has elements there").
		keeps(`{"a":{"5":"x"}}`, `{"a":{}}`).refuses(`{"a":{"x":"x"}}`),
	of("sensitive", member[int32](""), member[int32]("false,sensitive")).
		tells("SensitivityChanged a:").
		keeps(`{"a":1}`),
	of("shape of a hot field that is hashed now", member[int32]("true"), member[[]string]("")).
		tells("TypeChanged a: rolls may has it; refuses may names it").
		refuses(`{"a":1}`),
	of("shape of a hashed field that is hot now", member[[]byte](""), member[any]("true")).
		tells("TypeChanged a: rolls may has it; refuses may names it", "ClassChanged a: rolls every sets it").
		rolls(`{"a":"YQ=="}`),
	of("shape of a hot field", member[int32]("true"), member[[]string]("true")).
		tells("TypeChanged a: refuses may names it").
		refuses(`{"a":1}`),
	of("shape of a hashed field that becomes a hot list", member[int32](""), member[[]string]("true")).
		tells("TypeChanged a: rolls may has it; refuses may names it").
		refuses(`{"a":1}`),
	of("leaf of a hot field that is hashed now", member[any]("true"), member[string]("")).
		tells("TypeChanged a: rolls may has it; refuses may names it", "ClassChanged a: rolls every sets it").
		rolls(`{"a":"x"}`).refuses(`{"a":1}`),
	of("leaf of a hot field", member[int32]("true"), member[string]("true")).
		tells("TypeChanged a: refuses may names it").
		refuses(`{"a":1}`),
	of("quoted and wider", member[int32](""), typeOf[struct {
		A int64 `json:"a,string"`
	}]()).
		tells("TypeChanged a: rolls may has it; refuses may has it", "TypeChanged a:").
		keeps(`{"a":null}`).refuses(`{"a":1}`),
	of("quoted and hot", member[int32]("true"), typeOf[struct {
		A int32 `json:"a,string" hotupdatable:"true"`
	}]()).
		tells("TypeChanged a: refuses may has it").
		refuses(`{"a":1}`),
	of("unsigned in a wider integer", member[uint8](""), member[int16]("")).
		tells("TypeChanged a:").
		keeps(`{"a":255}`),
	of("unsigned in an integer of its width", member[uint8](""), member[int8]("")).
		tells("TypeChanged a: refuses may has it").
		keeps(`{"a":127}`).refuses(`{"a":128}`),
	of("integer in a wider unsigned one", member[int8](""), member[uint16]("")).
		tells("TypeChanged a: refuses may has it").
		keeps(`{"a":127}`).refuses(`{"a":-1}`),
	of("narrower", member[int16](""), member[int8]("")).
		tells("TypeChanged a: refuses may has it").
		keeps(`{"a":127}`).refuses(`{"a":128}`),
	of("wider keys", member[map[int8]string](""), member[map[int16]string]("")).
		tells("TypeChanged a:").
		keeps(`{"a":{"5":"x"}}`),
	of("texts with another meaning", member[*string](""), member[*string]("false,as=quantity")).
		tells("TypeChanged a: rolls may has it").
		keeps(`{"a":"1"}`, `{"a":null}`, `{"a":"5%"}`).rolls(`{"a":"1Gi"}`),
	of("texts in a map that lose their meaning", member[map[string]string]("false,as=cidr"), member[map[string]string]("")).
		tells("TypeChanged a[]: rolls may has it").
		keeps(`{"a":{"x":"10.0.0.0/8"}}`).rolls(`{"a":{"x":"10.1.0.0/8"}}`),
	of("a duration that becomes text", member[*metav1.Duration](""), member[*string]("false,as=duration")).
		tells("TypeChanged a: rolls may has it; refuses may names it").
		keeps(`{"a":"60m"}`, `{"a":"1h"}`),
	of("elements of another shape", member[[]string](""), member[[][]string]("")).
		tells("TypeChanged a[]: rolls may has it; refuses may has it").
		keeps(`{"a":[]}`).refuses(`{"a":["x"]}`),
	of(
		"elements of arrays in a map, which are written where they are missing", member[map[string][1]uint64](""),
		member[map[string][1]bool](""),
	).
		tells("TypeChanged a[][]: rolls may has an array around it; refuses may names it").
		keeps(`{}`, `{"a":{}}`).rolls(`{"a":{"x":null}}`, `{"a":{"x":[]}}`).refuses(`{"a":{"x":[1]}}`),
	of("elements of an array, which is unset where it is missing", member[[1]uint64](""), member[[1]bool]("")).
		tells("TypeChanged a[]: rolls may has it; refuses may names it").
		keeps(`{}`, `{"a":null}`, `{"a":[null]}`).refuses(`{"a":[1]}`),
	of("null elements of arrays in a list", member[[][1]*uint64](""), member[[][1]uint64]("")).
		tells("NullabilityChanged a[][]: rolls may has an array around it").
		keeps(`{"a":[]}`, `{"a":[[1]]}`).rolls(`{"a":[null]}`),
	of("members of elements of arrays, which are unset where they are missing", member[[][1]leafB](""), member[[][1]struct {
		B bool `json:"b"`
	}]("")).
		tells("TypeChanged a[][].b: rolls may has it; refuses may names it").
		keeps(`{"a":[null]}`, `{"a":[[{}]]}`).refuses(`{"a":[[{"b":1}]]}`),
	of(
		"null entries of a key that is hashed", member[map[string]*int32]("true,keyclass=false:x"),
		member[map[string]int32]("true,keyclass=false:x"),
	).
		tells(`NullabilityChanged a["x"]: rolls every has a null element there`, "NullabilityChanged a[]: rolls may has a null element there").
		keeps(`{"a":{"y":null}}`, `{"a":{"x":1}}`).rolls(`{"a":{"x":null}}`),
	of(
		"null elements below a key that is hashed", member[map[string][]*int32]("true,keyclass=false:x"),
		member[map[string][]int32]("true,keyclass=false:x"),
	).
		tells(`NullabilityChanged a["x"][]: rolls every has a null element there`, "NullabilityChanged a[][]:").
		keeps(`{"a":{"x":null}}`, `{"a":{"x":[]}}`, `{"a":{"y":[null]}}`).rolls(`{"a":{"x":[null]}}`),
	of(
		"null elements below keys with a prefix", member[map[string][]*int32]("true,keyclass=false:x/*"),
		member[map[string][]int32]("true,keyclass=false:x/*"),
	).
		tells(`NullabilityChanged a["x/*"][]: rolls every has a null element there`, "NullabilityChanged a[][]:").
		keeps(`{"a":{"x":[null]}}`, `{"a":{"x/1":[]}}`).rolls(`{"a":{"x/1":[null]}}`),
	of(
		"null elements of arrays below keys with a prefix", member[map[string][1]*uint64]("true,keyclass=false:x/*"),
		member[map[string][1]uint64]("true,keyclass=false:x/*"),
	).
		tells(`NullabilityChanged a["x/*"][]: rolls may has an array around it`, "NullabilityChanged a[][]:").
		keeps(`{"a":{"x/1":[1]}}`, `{"a":{"y":null}}`).rolls(`{"a":{"x/1":null}}`, `{"a":{"x/1":[]}}`),
	of(
		"null elements of arrays in arrays below keys with a prefix", member[map[string][1][1]*uint64]("true,keyclass=false:x/*"),
		member[map[string][1][1]uint64]("true,keyclass=false:x/*"),
	).
		tells(`NullabilityChanged a["x/*"][][]: rolls may has an array around it`, "NullabilityChanged a[][][]:").
		rolls(`{"a":{"x/1":null}}`),
	of("hot elements of another shape", member[[]string]("true"), member[[][]string]("true")).
		tells("TypeChanged a[]: refuses may has it").
		refuses(`{"a":["x"]}`),
	of("two types that write their zero values differently", member[none](""), member[plain]("")).
		tells("NullabilityChanged a: rolls every spells out its zero value").
		keeps(`{"a":"x"}`, `{}`).rolls(`{"a":"none"}`),
	of("the same with a pointer before", member[*none](""), member[plain]("")).
		tells("NullabilityChanged a: rolls every spells out its zero value; refuses may names it").
		keeps(`{"a":"x"}`, `{}`).rolls(`{"a":""}`),
	of("the same with a pointer after", member[none](""), member[*plain]("")).
		tells("NullabilityChanged a: rolls every spells out its zero value").
		keeps(`{"a":"x"}`, `{}`).rolls(`{"a":"none"}`),

	// Null and zero.
	of("default that is new", member[*int32](""), member[*int32]("false,default=5")).
		tells("DefaultChanged a: rolls every spells out the old or the new default").
		keeps(`{"a":4}`).rolls(`{"a":5}`),
	of("hot pointer", member[int32]("true"), member[*int32]("true")).
		tells("NullabilityChanged a:").
		keeps(`{"a":0}`),
	of("pointer that is hashed now", member[int32]("true"), member[*int32]("")).
		tells("ClassChanged a: rolls every sets it", "NullabilityChanged a:").
		rolls(`{"a":0}`, `{"a":1}`),
	of("pointer to another kind", member[int32](""), member[*float32]("")).
		tells("NullabilityChanged a: rolls may spells out its zero value", "TypeChanged a: rolls may has it; refuses may names it").
		keeps(`{"a":1}`).rolls(`{"a":0}`),
	of("pointer to a duration", member[metav1.Duration](""), member[*metav1.Duration]("")).
		tells("NullabilityChanged a: rolls every spells out its zero value").
		keeps(`{"a":"1h"}`).rolls(`{"a":"0s"}`),
	of("no pointer to a type that marshals itself", member[*big.Int](""), member[big.Int]("")).
		tells("NullabilityChanged a: rolls every spells out its zero value; refuses may names it").
		keeps(`{"a":1}`, `{"a":null}`).rolls(`{"a":0}`),
	of("default that is gone", member[*int32]("false,default=5"), member[*int32]("")).
		tells("DefaultChanged a: rolls every spells out the old or the new default").
		keeps(`{"a":4}`).rolls(`{"a":5}`),
	of("pointer to an array", member[[2]int32](""), member[*[2]int32]("")).
		tells("NullabilityChanged a:").
		keeps(`{"a":[1,0]}`, `{"a":[0,0]}`, `{"a":[]}`, `{"a":null}`),
	of("null elements that are durations", member[[]*metav1.Duration](""), member[[]metav1.Duration]("")).
		tells("NullabilityChanged a[]: rolls every has a null element there; refuses may has a null element there").
		keeps(`{"a":["0s"]}`).refuses(`{"a":[null]}`),
	of("elements that are pointers to durations", member[[]metav1.Duration](""), member[[]*metav1.Duration]("")).
		tells("NullabilityChanged a[]: rolls every has a null element there").
		keeps(`{"a":["0s"]}`),
	of("elements whose zero value is null", member[[]any](""), member[[]*any]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null]}`),
	of("null elements of another leaf, whose null is null as well", member[map[string]*string](""), member[map[string]any]("")).
		tells("NullabilityChanged a[]:", "TypeChanged a[]: rolls may has it; refuses may names it").
		keeps(`{"a":{"x":null}}`, `{"a":{"x":"y"}}`),
	of("null elements of another leaf, whose null is zero", member[map[string]*string](""), member[map[string]int32]("")).
		tells("NullabilityChanged a[]: rolls every has a null element there", "TypeChanged a[]: rolls may has it; refuses may names it").
		rolls(`{"a":{"x":null}}`).refuses(`{"a":{"x":"y"}}`),
	of("elements of an array", member[[1]*int32](""), member[[1]int32]("")).
		tells("NullabilityChanged a[]: rolls may has it").
		keeps(`{"a":[1]}`).rolls(`{"a":[0]}`),
	of("hot elements", member[[]*int32]("true"), member[[]int32]("true")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null]}`),
	of("objects by position", member[[]*leafB](""), member[[]leafB]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null]}`),

	of("objects in an array", member[[1]*leafB](""), member[[1]leafB]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null]}`, `{"a":[{}]}`, `{"a":[{"b":1}]}`),
	of("objects in a map", member[map[string]*leafB](""), member[map[string]leafB]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":{"x":null}}`),
	of(
		"objects that may be hot", member[map[string]*byName]("false,hotwhen=mode:hot"),
		member[map[string]byName]("false,hotwhen=mode:hot"),
	).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":{"x":null}}`),
	of("lists in a list", member[[]*[]string](""), member[[][]string]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null,[]]}`),
	of("maps in a list", member[[]*map[string]string](""), member[[]map[string]string]("")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null,{}]}`),
	of("arrays in a list", member[[]*[1]int32](""), member[[][1]int32]("")).
		tells("NullabilityChanged a[]: rolls may has a null element there").
		keeps(`{"a":[[0]]}`).rolls(`{"a":[null]}`),
	of("hot arrays in a list", member[[]*[1]int32]("true"), member[[][1]int32]("true")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[null]}`),
	of("null is the key 0", member[[]byID]("false,key=id"), member[[]*byID]("false,key=id")).
		tells("NullabilityChanged a[]:").
		keeps(`{"a":[{"id":0}]}`, `{"a":[null]}`),

	// Presence.
	of("presence", member[*leafB](""), member[*leafB]("false,presence")).
		tells("PresenceChanged a: rolls every has it empty").
		keeps(`{"a":{"b":1}}`, `{"a":null}`).rolls(`{"a":{}}`),
	of("presence of what has no fields", member[*empty](""), member[*empty]("false,presence")).
		tells("PresenceChanged a:").
		keeps(`{"a":{}}`, `{"a":null}`),
	of("presence that is hashed now", member[*leafB]("true"), member[*leafB]("false,presence")).
		tells("ClassChanged a: rolls every sets it", "PresenceChanged a: rolls may has it empty").
		rolls(`{"a":{}}`),
	of("presence that was hashed", member[*leafB]("false,presence"), member[*leafB]("true")).
		tells("ClassChanged a: rolls every sets it", "PresenceChanged a: rolls may has it empty").
		rolls(`{"a":{}}`),
	of("hot presence", member[*leafB]("true"), member[*leafB]("true,presence")).
		tells("PresenceChanged a:").
		keeps(`{"a":{}}`),

	// Defaults of objects, lists and maps.
	of("default of a list that is new", member[*[]string](""), member[*[]string](`false,default='[\"a\"]'`)).
		tells("DefaultChanged a: rolls every spells out the old or the new default", "PresenceChanged a: rolls every has it empty").
		keeps(`{}`, `{"a":null}`, `{"a":["b"]}`, `{"a":["a","a"]}`).rolls(`{"a":["a"]}`, `{"a":[]}`),
	of("default of a list that was a value", member[[]string](""), member[*[]string](`false,default='[\"a\"]'`)).
		tells(
			"NullabilityChanged a:", "DefaultChanged a: rolls every spells out the old or the new default",
			"PresenceChanged a: rolls every has it empty",
		).
		keeps(`{}`, `{"a":["b"]}`).rolls(`{"a":["a"]}`, `{"a":[]}`),
	of("default of a list that is another", member[*[]string](`false,default='[\"a\"]'`), member[*[]string](`false,default='[\"b\"]'`)).
		tells("DefaultChanged a: rolls every spells out the old or the new default").
		keeps(`{}`, `{"a":[]}`, `{"a":["c"]}`).rolls(`{"a":["a"]}`, `{"a":["b"]}`),
	of(
		"default of a set in another order", member[*[]string](`false,set,default='[\"a\",\"b\"]'`),
		member[*[]string](`false,set,default='[\"b\",\"a\"]'`),
	).
		tells("DefaultChanged a:").
		keeps(`{"a":["a","b"]}`, `{"a":[]}`),
	of("default of a map that is gone", member[*map[string]string](`false,default='{\"k\":\"v\"}'`), member[*map[string]string]("")).
		tells("DefaultChanged a: rolls every spells out the old or the new default", "PresenceChanged a: rolls every has it empty").
		keeps(`{}`, `{"a":{"k":"w"}}`).rolls(`{"a":{"k":"v"}}`, `{"a":{}}`),
	of("default of an object with a hot part", member[*hotC](""), member[*hotC](`false,default='{\"b\":1,\"c\":2}'`)).
		tells("DefaultChanged a: rolls every spells out the old or the new default", "PresenceChanged a: rolls every has it empty").
		keeps(`{}`, `{"a":{"b":2}}`).rolls(`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{"a":{"c":2}}`),
	of("default of an object of which only a hot part is filled in", member[*hotC](""), member[*hotC](`false,default='{\"c\":2}'`)).
		tells("DefaultChanged a:", "PresenceChanged a:").
		keeps(`{}`, `{"a":{}}`, `{"a":{"c":2}}`, `{"a":{"b":2}}`),
	of("class below a default", member[*hotC](`false,default='{\"c\":2}'`), member[*leafBC](`false,default='{\"c\":2}'`)).
		tells("PresenceChanged a: rolls may has it empty", "ClassChanged a.c: rolls may sets it").
		keeps(`{}`, `{"a":{"c":2}}`).rolls(`{"a":{}}`, `{"a":{"c":3}}`),
	of(
		"default of a member below a default", member[*leafPointer](`false,default='{\"b\":1}'`),
		member[*leafDefault](`false,default='{\"b\":1}'`),
	).
		tells(
			"DefaultChanged a:", "PresenceChanged a: rolls may has it empty",
			"DefaultChanged a.b: rolls may spells out the old or the new default",
		).
		keeps(`{}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`).rolls(`{"a":{}}`),
	of(
		"default of a member that was one below a default", member[*leafDefault](`false,default='{\"b\":1}'`),
		member[*leafPointer](`false,default='{\"b\":1}'`),
	).
		tells(
			"DefaultChanged a:", "PresenceChanged a: rolls may has it empty",
			"DefaultChanged a.b: rolls may spells out the old or the new default",
		).
		keeps(`{}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`).rolls(`{"a":{}}`),
	of(
		"default of a member beside another one below a default", member[*leafPointer](`false,default='{\"b\":2}'`),
		member[*leafDefault](""),
	).
		tells(
			"DefaultChanged a: rolls may spells out the old or the new default", "PresenceChanged a: rolls may has it empty",
			"DefaultChanged a.b: rolls may spells out the old or the new default",
		).
		keeps(`{}`, `{"a":{"b":3}}`).rolls(`{"a":{}}`, `{"a":{"b":2}}`, `{"a":{"b":1}}`),
	of("hot default", member[*[]string]("true"), member[*[]string](`true,default='[\"a\"]'`)).
		tells("DefaultChanged a:", "PresenceChanged a:").
		keeps(`{"a":["a"]}`, `{"a":[]}`),
	of("default of a time", member[*metav1.Time](""), member[*metav1.Time]("false,default=2026-01-01T00:00:00Z")).
		tells("DefaultChanged a: rolls every spells out the old or the new default").
		keeps(`{}`, `{"a":"2027-01-01T00:00:00Z"}`).rolls(`{"a":"2026-01-01T01:00:00+01:00"}`),
	of("default of free JSON", member[json.RawMessage](""), member[json.RawMessage](`false,default='{\"b\":1}'`)).
		tells("DefaultChanged a: rolls every spells out the old or the new default").
		keeps(`{}`, `{"a":{}}`).rolls(`{"a":{"b":1.0}}`),
	of("default of bytes", member[*[]byte](""), member[*[]byte]("false,default=YQ==")).
		tells("DefaultChanged a: rolls every spells out the old or the new default", "PresenceChanged a: rolls every has it empty").
		keeps(`{}`, `{"a":"Yg=="}`).rolls(`{"a":"YQ=="}`, `{"a":""}`),

	// Pairing: what is certain of one element is only possible where elements are counted once or may be hot.
	of("elements that were a set", member[[]string]("false,set"), member[[]*string]("")).
		tells("PairingChanged a: rolls may has elements there", "NullabilityChanged a[]: rolls may has a null element there").
		keeps(`{"a":["x"]}`).rolls(`{"a":["b","a"]}`, `{"a":[null]}`),
	of("elements that are a set", member[[]string](""), member[[]*string]("false,set")).
		tells("PairingChanged a: rolls may has elements there", "NullabilityChanged a[]: rolls may has a null element there").
		keeps(`{"a":["x"]}`).rolls(`{"a":["b","a"]}`, `{"a":[null]}`),
	of("hot set", member[[]string]("true"), member[[]string]("true,set")).
		tells("PairingChanged a:").
		keeps(`{"a":["b","a"]}`),
	of("pointer in place of a key", member[[]byID]("false,key=id"), member[[]byPointerID]("false,key=id")).
		tells("PairingChanged a: rolls may has elements there", "NullabilityChanged a[].id:").
		keeps(`{"a":[{"id":0}]}`).rolls(`{"a":[{"id":null}]}`),
	of("key that was a pointer", member[[]byPointerID](""), member[[]byID]("false,key=id")).
		tells("PairingChanged a: rolls may has elements there", "NullabilityChanged a[].id:").
		keeps(`{"a":[{"id":0}]}`, `{"a":[{"id":1},{"id":1}]}`).rolls(`{"a":[{"id":2},{"id":1}]}`),
	of("key that becomes a pointer", member[[]byID]("false,key=id"), member[[]byPointerID]("")).
		tells("PairingChanged a: rolls may has elements there", "NullabilityChanged a[].id:").
		keeps(`{"a":[{"id":0}]}`).rolls(`{"a":[{"id":2},{"id":1}]}`),

	of("keys that are read because of a field below", member[[]byName]("true,key=name"), member[[]byNameHeld]("true,key=name")).
		tells("ClassChanged a[].c: rolls every sets it").
		keeps(`{"a":[{"name":"x"},{"name":"y"}]}`, `{"a":[{},{}]}`).rolls(`{"a":[{"name":"x","c":"z"}]}`),
	of("keys that are read because of a new field below", member[[]byID]("true,key=id"), member[[]byIDHeld]("true,key=id")).
		tells("FieldAdded a[].new:").
		keeps(`{"a":[{"id":1},{"id":2}]}`, `{"a":[{"id":1},{"id":1}]}`),

	// Hotwhen.
	of(
		"elements that may be hot now, whose key is a number and could not be left out before", member[[]byID]("false,key=id"),
		member[[]byID]("false,key=id,hotwhen=id:7"),
	).
		tells("HotWhenChanged a: rolls may has elements there").
		keeps(`{"a":[{"id":1}]}`, `{"a":[{}]}`).rolls(`{"a":[{"id":7}]}`),
	of(
		"member of elements that may be hot now", member[[]byName]("false,key=name"),
		member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"),
	).
		tells("HotWhenChanged a: rolls may has elements there", "NullabilityChanged a[].c: rolls may spells out its zero value").
		keeps(`{"a":[{"name":"n","mode":"m"}]}`, `{"a":[{"mode":"m"}]}`).rolls(`{"a":[{"name":"n","mode":"m","c":""}]}`),
	of(
		"member of elements that were sometimes hot", member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"),
		member[[]byName]("false,key=name"),
	).
		tells("HotWhenChanged a: rolls may has elements there", "NullabilityChanged a[].c: rolls may spells out its zero value").
		keeps(`{"a":[{"name":"n","mode":"m"}]}`).rolls(`{"a":[{"name":"n","mode":"m","c":""}]}`),
	of(
		"of a change that rolls in some elements the graver is told", member[[]byName]("false,key=name,hotwhen=mode:hot"),
		member[[]byNamePointer]("false,key=name,hotwhen=mode:hot"),
	).
		tells("NullabilityChanged a[].c: rolls may spells out its zero value").
		keeps(`{"a":[{"name":"n","mode":"hot","c":""}]}`).rolls(`{"a":[{"name":"n","mode":"m","c":""}]}`),
	of(
		"class in elements that are hot", member[[]byNameHeld]("false,key=name,hotwhen=mode:hot"),
		member[[]byName]("false,key=name,hotwhen=mode:hot"),
	).
		tells("ClassChanged a[].c: rolls may sets it").
		keeps(`{"a":[{"name":"n","mode":"m","c":"x"}]}`).rolls(`{"a":[{"name":"n","mode":"hot","c":"x"}]}`),
	of(
		"class of the list and in elements that are hot", member[[]byNameHeld]("false,key=name,hotwhen=mode:hot"),
		member[[]byNameInPlace]("inplace,key=name,hotwhen=mode:hot"),
	).
		tells("ClassChanged a:", "ClassChanged a[].c:").
		keeps(`{"a":[{"name":"n","mode":"m","c":"x"},{"name":"o","mode":"hot","c":"x"}]}`),
}

// TestCompare: each rule by a release that needs it, with configurations that show that what is said is so.
func TestCompare(t *testing.T) {
	for _, r := range releases {
		t.Run(r.name, func(t *testing.T) {
			before := planOf(t, r.old)
			after := planOf(t, r.updated)
			findings := schemadiff.Compare(before, after)
			assert.ElementsMatch(t, r.want, told(findings))
			for outcome, raws := range r.outcomes {
				for _, raw := range raws {
					assert.Equal(t, outcome, outcomeOf(t, r.old, r.updated, raw), raw)
					assertMet(t, findings, outcome, raw)
				}
			}
		})
	}
}

// assertMet expects that a configuration meets the condition of a finding with its outcome, and of none that says that all
// such configurations have another outcome.
func assertMet(t *testing.T, findings []schemadiff.Finding, outcome, raw string) {
	t.Helper()
	var rolls, refuses bool
	for _, f := range findings {
		isRolled := f.Meets(f.Roll, []byte(raw))
		isRefused := f.Meets(f.Forbidden, []byte(raw))
		rolls = rolls || isRolled
		refuses = refuses || isRefused
		assert.False(t, outcome == "keeps" && isRolled && f.Roll.Every, "%s of %s", raw, f.Sentence())
		assert.False(t, outcome != "refuses" && isRefused && f.Forbidden.Every, "%s of %s", raw, f.Sentence())
	}
	assert.True(t, rolls || outcome != "rolls", raw)
	assert.True(t, refuses || outcome != "refuses", raw)
}

// TestCompareRecursive: types that contain themselves are compared once.
func TestCompareRecursive(t *testing.T) {
	findings := schemadiff.Compare(planOf(t, member[*chain]("ignore")), planOf(t, member[*chain]("")))
	assert.Equal(t, []string{"ClassChanged a: rolls every sets it"}, told(findings))
	findings = schemadiff.Compare(
		planOf(t, member[[]byNameChain]("inplace,key=name")), planOf(t, member[[]byNameChainInPlace]("inplace,key=name")),
	)
	assert.ElementsMatch(t, []string{
		"ClassChanged a[].c:", "PairingChanged a: rolls may has elements there",
	}, told(findings))
}

// TestCompareOpen: where unknown members are admitted, a field that comes may have been one, and one that goes is one.
func TestCompareOpen(t *testing.T) {
	open := func(typ reflect.Type) *fieldplan.Plan {
		p, err := schemajson.AdmitUnknown(planOf(t, typ))
		require.NoError(t, err)
		return p
	}
	less := typeOf[leafB]()
	more := typeOf[leafBC]()
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
	const rolls = "a rewrite to the new name rolls"
	assert.Contains(t, schemadiff.Compare(planOf(t, typeOf[held]()), planOf(t, typeOf[leafB]()))[0].Sentence(), rolls)
	assert.NotContains(t, schemadiff.Compare(planOf(t, typeOf[hot]()), planOf(t, typeOf[hotNow]()))[0].Sentence(), rolls)
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
	p, err := fieldplan.Compile(typ, nil, rawjson.ReadPart)
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
func told(findings []schemadiff.Finding) (sentences []string) {
	for _, f := range findings {
		text := f.Kind + " " + f.Path + ":"
		if f.Roll.Where != "" {
			text += " rolls " + effect(f.Roll)
		}
		if f.Roll.Where != "" && f.Forbidden.Where != "" {
			text += ";"
		}
		if f.Forbidden.Where != "" {
			text += " refuses " + effect(f.Forbidden)
		}
		sentences = append(sentences, text)
	}
	return sentences
}

func effect(e schemadiff.Effect) string {
	return fmt.Sprintf("%s %s", map[bool]string{true: "every", false: "may"}[e.Every], e.Where)
}

// outcomeOf says what the release does to a configuration.
func outcomeOf(t *testing.T, old, updated reflect.Type, raw string) string {
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

// flat and the others have a field at one place or another.
type (
	flat struct {
		ExpireAfter *string `json:"expireAfter,omitempty"`
		A           struct {
			B string `json:"b,omitempty"`
		} `json:"a"`
	}
	nested struct {
		A struct {
			B           string  `json:"b,omitempty"`
			ExpireAfter *string `json:"expireAfter,omitempty"`
		} `json:"a"`
	}
	nestedHot struct {
		A struct {
			B           string  `json:"b,omitempty"`
			ExpireAfter *string `json:"expireAfter,omitempty" hotupdatable:"true"`
		} `json:"a"`
	}
	nestedDeeper struct {
		A struct {
			B        string `json:"b,omitempty"`
			Template *struct {
				Spec struct {
					ExpireAfter *string `json:"expireAfter,omitempty"`
				} `json:"spec"`
			} `json:"template,omitempty"`
		} `json:"a"`
	}
	nestedTwice struct {
		A struct {
			B           string  `json:"b,omitempty"`
			ExpireAfter *string `json:"expireAfter,omitempty"`
		} `json:"a"`
		C *struct {
			ExpireAfter *string `json:"expireAfter,omitempty"`
		} `json:"c,omitempty"`
	}
	listed struct {
		A struct {
			B string `json:"b,omitempty"`
		} `json:"a"`
		C []struct {
			ExpireAfter *string `json:"expireAfter,omitempty"`
		} `json:"c,omitempty"`
	}
)
