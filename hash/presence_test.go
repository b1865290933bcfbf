package hash_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// object has a field of every class.
type object struct {
	Size    int64  `json:"size"`
	Zone    string `json:"zone,omitempty"`
	Drained string `json:"drained,omitempty" hotupdatable:"inplace"`
	Tag     string `json:"tag,omitempty"     hotupdatable:"true"`
	Hint    string `json:"hint,omitempty"    hotupdatable:"ignore"`
}

// fieldless has no fields at all.
type fieldless struct{}

func q(s string) resource.Quantity { return resource.MustParse(s) }

// negativeZero is -0, which Go has no literal for.
var negativeZero = math.Copysign(0, -1)

func TestPresenceOfScalars(t *testing.T) {
	run(t, []row{
		leaf("bool", "", "the zero scalar is absent", false),
		leaf("int", "", "the zero scalar is absent", int64(0)),
		leaf("uint", "", "the zero scalar is absent", uint8(0)),
		leaf("float", "", "-0 is 0", 0.0, negativeZero),
		leaf("string", "", "the zero scalar is absent", ""),
		leaf("json.Number", "", "zero in any spelling; encoding/json writes the empty one as 0", json.Number(""), "0", "-0", "0.00", "0e7"),
		leaf("quantity", "", "zero in any spelling",
			resource.Quantity{}, q("0"), q("0Gi"), q("0.000"), *resource.NewQuantity(0, resource.BinarySI), difference("3", "3")),
		leaf("duration", "", "the zero scalar is absent", metav1.Duration{}),
		leaf("intorstring", "", "0, whatever the half for strings holds",
			intstr.IntOrString{}, intstr.FromInt32(0), intstr.IntOrString{Type: intstr.Int, StrVal: "stale"}),
		leaf("empty intorstring", `""`, "a string is not the zero IntOrString, which is the number 0", intstr.FromString("")),
		leaf("time", "", "the zero time is nil, in every zone", time.Time{}, time.Time{}.In(time.FixedZone("east", 3600))),
		leaf("metav1.Time", "", "the zero time is nil, and so is what its JSON form cuts to it",
			metav1.Time{}, metav1.Time{Time: time.Time{}.Add(time.Millisecond)}),
		leaf("metav1.MicroTime", "", "the zero time is nil, and so is what its JSON form cuts to it",
			metav1.MicroTime{}, metav1.MicroTime{Time: time.Time{}.Add(time.Nanosecond)}),

		leaf("pointer to false", `false`, "explicit false is not unset", new(false)),
		leaf("pointer to 0", `0`, "explicit 0 is not unset", new(int32(0))),
		leaf("pointer to 0.0", `0`, "explicit 0 is not unset; -0 is 0", new(0.0), new(negativeZero)),
		leaf("pointer to empty string", `""`, "explicit empty text is not unset", new("")),
		leaf("pointer to quantity 0", `"0"`, "explicit 0 is not unset", new(q("0")), new(q("0Gi")), new(difference("1Gi", "1024Mi"))),
		leaf("pointer to duration 0", `"0s"`, "explicit 0 is not unset", &metav1.Duration{}),
		leaf("pointer to intorstring 0", `0`, "explicit 0 is not unset", new(intstr.FromInt32(0)), &intstr.IntOrString{StrVal: "stale"}),
		leaf("pointer to zero time", "", "its JSON form is null", &metav1.Time{}, nil),
		leaf("pointer to pointer to 0", `0`, "explicit 0 is not unset", new(new(0))),
		leaf("pointer to nil pointer", "", "its JSON form is null", new((*int)(nil)), nil),

		leaf("nil pointer", "", "nil is absent", (*int)(nil)),
		leaf("nil interface", "", "nil is absent", any(nil), any((*int)(nil)), any(map[string]int(nil))),
	})
}

// difference is a - b, which leaves the internals of a quantity in another state than parsing does.
func difference(a, b string) resource.Quantity {
	d := q(a)
	d.Sub(q(b))
	return d
}

func TestPresenceOfCollections(t *testing.T) {
	type hotMap struct {
		M map[string]*object `json:"m" hotupdatable:"true"`
	}
	run(t, []row{
		leaf("slice", "", "an empty slice is absent", nil, []string{}, make([]string, 0, 5)),
		leaf("map", "", "an empty map is absent", nil, map[string]string{}),
		leaf("bytes", "", "an empty slice is absent", nil, []byte{}),
		leaf("raw JSON", "", "null is nil", nil, json.RawMessage{}, json.RawMessage("null"), json.RawMessage(" null\n")),
		leaf("raw extension", "", "null is nil", runtime.RawExtension{}, runtime.RawExtension{Raw: []byte("null")}),
		leaf("pointer to raw extension", "", "null is nil", nil, &runtime.RawExtension{}, &runtime.RawExtension{Raw: []byte("null")}),
		leaf("list of a zero", `[0]`, "a list with an element is not empty", []int{0}),
		leaf("map of a zero", `{"":""}`, "a map with a key is not empty", map[string]string{"": ""}),
		leaf("list of an emptied object", `[{}]`, "the presence of an element belongs to its list", []object{{}}, []object{{Tag: "a"}}),
		leaf("map of an emptied object", `{"a":{}}`, "the presence of an element belongs to its map",
			map[string]object{"a": {}}, map[string]object{"a": {Hint: "a"}}),
		says("hot map of a nil object", `{}`, "a map with nothing left", hotMap{}, hotMap{map[string]*object{}}, hotMap{map[string]*object{"a": nil}}),
	})
}

func TestPresenceOfArrays(t *testing.T) {
	run(t, []row{
		leaf("zeros", "", "what the array of zeros says", [3]int{}),
		leaf("one value", `[0,7,0]`, "an array has all its elements", [3]int{1: 7}),
		leaf("floats", "", "-0 is 0", [2]float64{}, [2]float64{negativeZero, 0}),
		leaf("quantities", "", "zero in any spelling", [2]resource.Quantity{}, [2]resource.Quantity{q("0Mi"), q("0")}),
		leaf("nil pointers", "", "what the array of zeros says", [2]*int{}),
		leaf("pointer to 0", `[null,0]`, "explicit 0 is not unset", [2]*int{1: new(0)}),
		leaf("emptied objects", "", "what the array of zeros says", [2]object{}, [2]object{{Tag: "a"}, {Hint: "b"}}),
		leaf("objects", `[{},{"size":1}]`, "elements stay at their index", [2]object{1: {Size: 1}}, [2]object{{Tag: "a"}, {Size: 1, Tag: "b"}}),
		leaf("pointers to emptied objects", "", "nil and emptied objects are both {}", [2]*object{}, [2]*object{{}, {Tag: "b"}}),
		leaf("empty lists", `[[],null]`, "an empty list is not a nil one", [2][]int{{}}),
		leaf("array of arrays", "", "what the array of zeros says", [2][2]int{}),
		leaf("array of one array", `[[0,0],[0,1]]`, "an array has all its elements", [2][2]int{{}, {0, 1}}),
		leaf("no elements", "", "what the array of zeros says", [0]int{}),
		leaf("bytes", `[0,255]`, "only slices of bytes are base64", [2]byte{1: 255}),
	})
}

func TestPresenceOfDefaults(t *testing.T) {
	type config struct {
		Type     *string             `json:"type,omitempty"     hotupdatable:"false,default=interface"`
		Mode     string              `json:"mode,omitempty"     hotupdatable:"false,default='a, b''c'"`
		Hops     *int32              `json:"hops,omitempty"     hotupdatable:"false,default=2"`
		Port     int32               `json:"port,omitempty"     hotupdatable:"false,default=22"`
		On       *bool               `json:"on,omitempty"       hotupdatable:"false,default=true"`
		Off      *bool               `json:"off,omitempty"      hotupdatable:"false,default=false"`
		Ratio    *float64            `json:"ratio,omitempty"    hotupdatable:"false,default=0.50"`
		Size     *resource.Quantity  `json:"size,omitempty"     hotupdatable:"false,default=1Gi"`
		Timeout  *metav1.Duration    `json:"timeout,omitempty"  hotupdatable:"false,default=60m"`
		Surge    *intstr.IntOrString `json:"surge,omitempty"    hotupdatable:"false,default=10%"`
		Replicas *int64              `json:"replicas,omitempty" hotupdatable:"inplace,default=0"`
	}
	run(t, []row{
		says("text", `{}`, "equal to the default is unset", config{}, config{Type: new("interface")}),
		says("other text", `{"type":"Interface"}`, "text is compared exactly", config{Type: new("Interface")}),
		says("empty text", `{"type":""}`, "explicit empty text is neither unset nor the default", config{Type: new("")}),
		says("quoted text", `{}`, "quotes keep commas, and two stand for one; the empty string is absent as any zero", config{}, config{Mode: "a, b'c"}),
		says("integer", `{}`, "equal to the default is unset", config{Hops: new(int32(2)), Port: 22}),
		says("explicit 0", `{"hops":0}`, "0 is neither unset nor the default", config{Hops: new(int32(0))}, config{Hops: new(int32(0)), Port: 22}),
		says("true", `{}`, "equal to the default is unset", config{On: new(true)}),
		says("not true", `{"on":false}`, "explicit false is neither unset nor the default", config{On: new(false)}),
		says("false", `{}`, "equal to the default is unset", config{Off: new(false)}),
		says("not false", `{"off":true}`, "not the default", config{Off: new(true)}),
		says("float", `{}`, "0.50 and 0.5 are one number", config{Ratio: new(0.5)}),
		says("other float", `{"ratio":0.25}`, "not the default", config{Ratio: new(0.25)}),
		says("quantity", `{}`, "compared by meaning", config{Size: new(q("1Gi"))}, config{Size: new(q("1024Mi"))}, config{Size: new(q("1073741824"))},
			config{Size: new(q("1073741824000m"))}),
		says("other quantity", `{"size":"1000000000"}`, "1G is not 1Gi", config{Size: new(q("1G"))}, config{Size: new(q("1000M"))}),
		says("duration", `{}`, "compared by meaning", config{Timeout: &metav1.Duration{Duration: time.Hour}}, config{Timeout: &metav1.Duration{Duration: 60 * time.Minute}}),
		says("other duration", `{"timeout":"59m59s"}`, "not the default", config{Timeout: &metav1.Duration{Duration: time.Hour - time.Second}}),
		says("intorstring", `{}`, "stale halves are ignored", config{Surge: new(intstr.FromString("10%"))},
			config{Surge: &intstr.IntOrString{Type: intstr.String, StrVal: "10%", IntVal: 3}}),
		says("number for a string", `{"surge":10}`, "10 is not 10%", config{Surge: new(intstr.FromInt32(10))}),
		says("zero by default", `{}`, "a default may be the zero value", config{Replicas: new(int64(0))}),
		says("everything defaulted", `{}`, "a defaulter that runs before hashing changes nothing", config{
			Type: new("interface"), Mode: "a, b'c", Hops: new(int32(2)), Port: 22, On: new(true), Off: new(false), Ratio: new(0.5),
			Size: new(q("1024Mi")), Timeout: &metav1.Duration{Duration: time.Hour}, Surge: new(intstr.FromString("10%")), Replicas: new(int64(0)),
		}),
	})
}

func TestPresenceOfObjects(t *testing.T) {
	type Embedded struct {
		Iops *int32 `json:"iops,omitempty"`
		Note string `json:"note,omitempty" hotupdatable:"true"`
	}
	type middle struct {
		Inner *object `json:"inner,omitempty"`
		Plain object  `json:"plain"`
	}
	type config struct {
		*Embedded
		Pointer *object    `json:"pointer,omitempty"`
		Value   object     `json:"value"`
		Deep    *middle    `json:"deep,omitempty"`
		Spot    *object    `json:"spot,omitempty"    hotupdatable:"false,presence"`
		Marker  *fieldless `json:"marker,omitempty"`
		Nothing fieldless  `json:"nothing"`
		Hot     *middle    `json:"hot,omitempty"     hotupdatable:"true"`
		Twice   **object   `json:"twice,omitempty"`
	}
	gone := object{Tag: "a", Hint: "b"}
	run(t, []row{
		says("pointer", `{}`, "an object with nothing left is absent", config{}, config{Pointer: &object{}}, config{Pointer: &gone}),
		says("value", `{}`, "an object with nothing left is absent", config{Value: gone}),
		says("embedded", `{}`, "an embedded object has no presence of its own", config{Embedded: &Embedded{}}, config{Embedded: &Embedded{Note: "a"}}),
		says("embedded field", `{"iops":0}`, "a field of an embedded object is a field of the outer one",
			config{Embedded: &Embedded{Iops: new(int32(0))}}, config{Embedded: &Embedded{Iops: new(int32(0)), Note: "a"}}),
		says("two levels", `{}`, "an object of objects with nothing left has nothing left",
			config{Deep: &middle{}}, config{Deep: &middle{Inner: &object{}}}, config{Deep: &middle{Inner: &gone, Plain: gone}}),
		says("two levels, one value", `{"deep":{"plain":{"drained":"x"}}}`, "what is left keeps its parents; siblings with nothing left go",
			config{Deep: &middle{Plain: object{Drained: "x"}}}, config{Deep: &middle{Plain: object{Drained: "x", Tag: "t"}, Inner: &gone}}),
		says("every class", `{"pointer":{"drained":"d","size":1,"zone":"z"}}`, "Immutable and InPlace stay, Hot and Ignored go",
			config{Pointer: &object{Size: 1, Zone: "z", Drained: "d", Tag: "t", Hint: "h"}}),
		says("presence", `{"spot":{}}`, "presence says that an empty object carries meaning", config{Spot: &object{}}, config{Spot: &gone}),
		says("presence with content", `{"spot":{"size":2}}`, "presence changes nothing else", config{Spot: &object{Size: 2}}),
		says("marker", `{"marker":{}}`, "a type without fields can say nothing but that it is there", config{Marker: &fieldless{}}),
		says("fieldless value", `{}`, "a value is always there, so it says nothing", config{Nothing: fieldless{}}),
		says("hot object", `{}`, "everything below is hot", config{Hot: &middle{Plain: object{Size: 1}}}),
		says("pointer to pointer", `{}`, "behind a pointer or not", config{Twice: new((*object)(nil))}, config{Twice: new(&gone)}),
	})
}

func TestPresenceKeepsParents(t *testing.T) {
	type level struct {
		Spot   *object    `json:"spot,omitempty"   hotupdatable:"false,presence"`
		Marker *fieldless `json:"marker,omitempty"`
		Hidden *object    `json:"hidden,omitempty" hotupdatable:"true"`
	}
	type overridden struct {
		Frozen *object `json:"frozen,omitempty"`
	}
	type tree struct {
		Level level       `json:"level"`
		Hot   *overridden `json:"hot,omitempty" hotupdatable:"true"`
	}
	run(t, []row{
		says("nothing", `{}`, "no level has anything", tree{}, tree{Level: level{Hidden: &object{Size: 1}}}),
		says("presence", `{"level":{"spot":{}}}`, "an object that is present keeps its parents", tree{Level: level{Spot: &object{}}}),
		says("marker", `{"level":{"marker":{}}}`, "an object that is present keeps its parents", tree{Level: level{Marker: &fieldless{}}}),
		says("inplace below hot", `{"hot":{"frozen":{"drained":"x"}}}`, "a child's class wins over that of its parents, whose presence it keeps",
			tree{Hot: &overridden{Frozen: &object{Drained: "x", Size: 1}}}),
	})
}

func TestPresenceOfElements(t *testing.T) {
	one := new("")
	run(t, []row{
		leaf("objects", `[{"size":1},{},{},{"size":2}]`, "elements stay at their index",
			[]object{{Size: 1}, {}, {Tag: "a"}, {Size: 2, Hint: "b"}}),
		leaf("pointers to objects", `[{},{},{},{"size":1}]`, "nil and emptied objects are {}",
			[]*object{nil, {}, {Tag: "a"}, {Size: 1}}, []*object{{}, nil, nil, {Size: 1}}),
		leaf("maps", `[{},{},{"a":""}]`, "nil and empty maps are {}", []map[string]string{nil, {}, {"a": ""}}, []map[string]string{{}, nil, {"a": ""}}),
		leaf("zeros", `[0,1,0]`, "a zero element is an element", []int{0, 1, 0}),
		leaf("empty texts", `["",""]`, "a zero element is an element", []string{"", ""}),
		leaf("quantities", `["0","0","1"]`, "a zero element is an element", []resource.Quantity{{}, q("0Gi"), q("1000m")}),
		leaf("scalar pointers", `[null,""]`, "other nil elements are null", []*string{nil, one}),
		leaf("lists", `[null,[],[""],[null]]`, "an empty list is []; a nil one is null", [][]*string{nil, {}, {one}, {nil}}),
		leaf("times", `[null,"2026-01-02T03:04:05Z"]`, "the zero time is nil", []metav1.Time{{}, metav1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}),
		leaf("interfaces", `[null,null,0,{},[]]`, "nothing is left out of an interface", []any{nil, (*int)(nil), 0, map[string]any{}, []int{}}),
		leaf("raw extensions", `[null,null,{"a":null}]`, "nothing is left out of raw JSON",
			[]runtime.RawExtension{{}, {Raw: []byte("null")}, {Raw: []byte(`{"a":null}`)}}),
		leaf("fieldless", `[{},{}]`, "an element of a type without fields is {}", []fieldless{{}, {}}),
		leaf("arrays", `[[0,0],[0,1]]`, "an element of zeros is an element", [][2]int{{}, {0, 1}}),
		leaf("map of objects", `{"a":{},"b":{},"c":{},"d":{"size":1}}`, "nil and emptied objects are {}, under their keys",
			map[string]*object{"a": nil, "b": {}, "c": {Tag: "x"}, "d": {Size: 1, Hint: "y"}}),
		leaf("map of scalar pointers", `{"a":null,"b":""}`, "null in an immutable map is an entry", map[string]*string{"a": nil, "b": one}),
		leaf("map of lists", `{"a":null,"b":[],"c":[0]}`, "an empty list is []; a nil one is null", map[string][]int{"a": nil, "b": {}, "c": {0}}),
		leaf("map of maps", `{"a":{},"b":{},"c":{"d":0}}`, "nil and empty maps are {}", map[string]map[string]int{"a": nil, "b": {}, "c": {"d": 0}}),
		leaf("map of quantities", `{"cpu":"0"}`, "a zero element is an element", map[string]resource.Quantity{"cpu": {}}, map[string]resource.Quantity{"cpu": q("0Ki")}),
		leaf("map of interfaces", `{"a":null,"b":null,"c":{}}`, "null in an immutable map is an entry", map[string]any{"a": nil, "b": (*int)(nil), "c": struct{}{}}),
	})
}

func TestPresenceBelowHotCollections(t *testing.T) {
	type part struct {
		Name   string   `json:"name"`
		Size   *int32   `json:"size,omitempty"   hotupdatable:"false"`
		Zones  []string `json:"zones,omitempty"  hotupdatable:"inplace"`
		Weight int32    `json:"weight,omitempty"`
	}
	type config struct {
		Map     map[string]part    `json:"map,omitempty"     hotupdatable:"true"`
		Nil     map[string]*part   `json:"nil,omitempty"     hotupdatable:"ignore"`
		List    []part             `json:"list,omitempty"    hotupdatable:"true,key=name"`
		Ignored []part             `json:"ignored,omitempty" hotupdatable:"ignore,key=name"`
		Texts   []string           `json:"texts,omitempty"   hotupdatable:"true"`
		Labels  map[string]*string `json:"labels,omitempty"  hotupdatable:"true"`
	}
	run(t, []row{
		says("nothing", `{}`, "elements with nothing left vanish, and so does the collection", config{},
			config{Map: map[string]part{}}, config{Map: map[string]part{"a": {}, "b": {Name: "b", Weight: 3}}},
			config{Nil: map[string]*part{"a": nil, "b": {Weight: 1}}},
			config{List: []part{{Name: "a"}, {Name: "b", Weight: 1}}}, config{Ignored: []part{{Name: "a", Weight: 1}}},
			config{Texts: []string{"a", "b"}}, config{Labels: map[string]*string{"a": nil, "b": new("c")}}),
		says("map", `{"map":{"b":{"size":0}}}`, "an element is written only if something in it is",
			config{Map: map[string]part{"b": {Size: new(int32(0))}}},
			config{Map: map[string]part{"b": {Size: new(int32(0)), Weight: 1}, "a": {Name: "a", Zones: []string{}}}}),
		says("map of pointers", `{"nil":{"b":{"zones":["z"]}}}`, "null counts as an absent key",
			config{Nil: map[string]*part{"b": {Zones: []string{"z"}}}}, config{Nil: map[string]*part{"a": nil, "b": {Name: "x", Zones: []string{"z"}}}}),
		says("keyed list", `{"list":[{"name":"b","size":1}]}`, "an element that is written has its key, although the key is hot",
			config{List: []part{{Name: "b", Size: new(int32(1))}}},
			config{List: []part{{Name: "c", Weight: 1}, {Name: "b", Size: new(int32(1)), Weight: 2}, {Name: "a"}}}),
		says("ignored keyed list", `{"ignored":[{"name":"a","zones":["z"]},{"name":"b","size":2}]}`, "an element that is written has its key",
			config{Ignored: []part{{Name: "b", Size: new(int32(2))}, {Name: "a", Zones: []string{"z"}}}}),
	})
}

func TestPresenceOfKeys(t *testing.T) {
	type numbered struct {
		Index int64  `json:"index"`
		Text  string `json:"text,omitempty"`
		Tag   string `json:"tag,omitempty"  hotupdatable:"true"`
	}
	type config struct {
		List []numbered  `json:"list" hotupdatable:"false,key=index"`
		Ptrs []*numbered `json:"ptrs" hotupdatable:"inplace,key=index"`
	}
	run(t, []row{
		says("zero key", `{"list":[{"index":0}]}`, "a key is written, be it zero or not", config{List: []numbered{{}}}, config{List: []numbered{{Tag: "a"}}}),
		says("order", `{"list":[{"index":-3},{"index":0},{"index":2,"text":"b"},{"index":10,"text":"a"}]}`, "integers by value",
			config{List: []numbered{{Index: 10, Text: "a"}, {Index: 2, Text: "b"}, {}, {Index: -3}}},
			config{List: []numbered{{}, {Index: -3, Tag: "t"}, {Index: 2, Text: "b"}, {Index: 10, Text: "a"}}}),
		says("pointers", `{"ptrs":[{"index":0},{"index":1}]}`, "behind a pointer or not", config{Ptrs: []*numbered{{Index: 1}, {}}}),
		fails("nil element", "missing-list-key", "ptrs[1]", "an element without its key", config{Ptrs: []*numbered{{Index: 1}, nil}}),
	})
}

func TestPresenceWhereHotwhenHolds(t *testing.T) {
	type label struct {
		Name    string `json:"name"`
		Value   string `json:"value"`
		Trigger bool   `json:"trigger,omitempty"`
		Note    string `json:"note,omitempty"    hotupdatable:"true"`
	}
	type mode struct {
		Mode  string `json:"mode,omitempty"`
		Value *int   `json:"value,omitempty"`
	}
	type config struct {
		Labels []label          `json:"labels" hotupdatable:"false,key=name,hotwhen=trigger:false"`
		Calm   []label          `json:"calm"   hotupdatable:"false,key=name,hotwhen=trigger:true"`
		Modes  map[string]mode  `json:"modes"  hotupdatable:"inplace,hotwhen=mode:live"`
		Ptrs   map[string]*mode `json:"ptrs"   hotupdatable:"false,hotwhen=mode:live"`
	}
	run(t, []row{
		says("all hot", `{}`, "an element is written only if something in it is", config{},
			config{Labels: []label{{Name: "a", Value: "1"}}}, config{Calm: []label{{Name: "a", Value: "1", Trigger: true}}},
			config{Modes: map[string]mode{"a": {Mode: "live", Value: new(0)}}}),
		says("some hot", `{"labels":[{"name":"b","trigger":true,"value":"2"},{"name":"c","trigger":true}]}`,
			"elements for which hotwhen does not hold are those of an immutable list",
			config{Labels: []label{{Name: "c", Trigger: true}, {Name: "b", Value: "2", Trigger: true}}},
			config{Labels: []label{{Name: "b", Value: "2", Trigger: true, Note: "n"}, {Name: "a", Value: "1"}, {Name: "c", Trigger: true}}}),
		says("zero selector", `{"calm":[{"name":"a","trigger":false}]}`, "the selector is written, be it zero or not", config{Calm: []label{{Name: "a"}}},
			config{Calm: []label{{Name: "a", Note: "n"}, {Name: "b", Trigger: true}}}),
		says("map", `{"modes":{"b":{"mode":""},"c":{"mode":"dead","value":0}}}`, "the selector is written, be it zero or not",
			config{Modes: map[string]mode{"a": {Mode: "live", Value: new(7)}, "b": {}, "c": {Mode: "dead", Value: new(0)}}},
			config{Modes: map[string]mode{"b": {}, "c": {Mode: "dead", Value: new(0)}}}),
	})
}

func TestPresenceOfFieldsBelowHotwhen(t *testing.T) {
	type part struct {
		Name  string `json:"name"`
		Live  bool   `json:"live,omitempty"`
		Value string `json:"value,omitempty"`
		Size  *int   `json:"size,omitempty"  hotupdatable:"inplace"`
	}
	type config struct {
		List    []part          `json:"list,omitempty"    hotupdatable:"false,key=name,hotwhen=live:true"`
		Map     map[string]part `json:"map,omitempty"     hotupdatable:"false,hotwhen=live:true"`
		Ignored []part          `json:"ignored,omitempty" hotupdatable:"ignore,key=name,hotwhen=live:true"`
	}
	a, b, c, d := part{Name: "a", Live: true, Value: "x", Size: new(0)}, part{Name: "b", Live: true, Value: "x"}, part{Name: "c", Size: new(0)}, part{Name: "d"}
	run(t, []row{
		says("list", `{"list":[{"live":true,"name":"a","size":0},{"live":false,"name":"c","size":0},{"live":false,"name":"d"}]}`,
			"an element that holds something of another class is written, with key and selector", config{List: []part{a, b, c, d}}, config{List: []part{d, a, c}}),
		says("map", `{"map":{"a":{"live":true,"size":0},"c":{"live":false,"name":"c","size":0},"d":{"live":false,"name":"d"}}}`,
			"an element that holds something of another class is written, with its selector", config{Map: map[string]part{"a": a, "b": b, "c": c, "d": d}}),
		says("ignored list", `{"ignored":[{"name":"a","size":0},{"name":"c","size":0}]}`,
			"hot or ignored, what has nothing left vanishes, and the selector is ignored itself", config{Ignored: []part{d, c, b, a}}),
	})
}

func TestPresenceOfTheRoot(t *testing.T) {
	type config struct {
		metav1.TypeMeta `json:",inline"`
		Size            *int32  `json:"size,omitempty"`
		Below           *object `json:"below,omitempty"`
		Tag             string  `json:"tag,omitempty"   hotupdatable:"true"`
		Inner           struct {
			metav1.TypeMeta `json:",inline"`
		} `json:"inner"`
	}
	inner := config{}
	inner.Inner.Kind = "Inner"
	inner.Inner.APIVersion = "v1"
	run(t, []row{
		says("nil", `{}`, "nil is the empty configuration", (*config)(nil)),
		says("empty", `{}`, "nothing is left", config{}),
		says("only hot", `{}`, "nothing is left", config{Tag: "a"}, config{Tag: "a", Below: &object{Hint: "b"}}),
		says("TypeMeta", `{}`, "TypeMeta of the root is left out", config{TypeMeta: metav1.TypeMeta{Kind: "WorkerConfig", APIVersion: "v1alpha1"}}),
		says("explicit 0", `{"size":0}`, "an API version bump alone is no change", config{Size: new(int32(0))},
			config{Size: new(int32(0)), TypeMeta: metav1.TypeMeta{Kind: "WorkerConfig", APIVersion: "v1beta1"}}),
		says("TypeMeta elsewhere", `{"inner":{"apiVersion":"v1","kind":"Inner"}}`, "elsewhere kind is a field", inner),
	})

	s, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	assertDocument(t, s, nil, `{}`, "nil without a type is the empty configuration")
	want, err := s.Hash(config{})
	require.NoError(t, err)
	for _, raw := range []string{"", " \t\r\n", "null", " null ", "{}", `{"tag":"a"}`, `{"apiVersion":"v1","kind":"WorkerConfig"}`, `{"below":{}}`, `{"below":null}`} {
		got, err := s.HashRaw([]byte(raw))
		require.NoError(t, err, "%q", raw)
		assert.Equal(t, want, got, "%q", raw)
		doc, err := s.DocumentRaw([]byte(raw))
		require.NoError(t, err, "%q", raw)
		assert.Equal(t, `{}`, string(doc), "%q", raw)
	}
	got, err := s.HashRaw(nil)
	require.NoError(t, err)
	assert.Equal(t, want, got, "no bytes at all")
}

func TestNamesOfMembers(t *testing.T) {
	type Left struct {
		Both  int `json:"both"`
		Outer int `json:"outer"`
		Left  int `json:"left"`
	}
	type Right struct {
		Both  int `json:"both"`
		Right int `json:"right"`
	}
	type config struct {
		Left
		Right   `json:"named"`
		Outer   int    `json:"outer"`
		Dash    string `json:"-,"`
		Omitted string `json:"-"`
		private string
	}
	run(t, []row{
		says("embedding", `{"both":1,"left":2,"named":{"both":3,"right":4},"outer":5}`, "an embedded struct without a name is no object; the outer field wins",
			config{Left: Left{Both: 1, Left: 2, Outer: 9}, Right: Right{Both: 3, Right: 4}, Outer: 5}),
		says("left out", `{"-":"d"}`, `json:"-" and unexported fields do not exist; json:"-," is a name`,
			config{Dash: "d"}, config{Dash: "d", Omitted: "o", private: "p"}),
	})
}

func TestOrderOfMembersAndElements(t *testing.T) {
	type config struct {
		Z       int                 `json:"z,omitempty"`
		A       int                 `json:"a,omitempty"`
		B10     int                 `json:"b10,omitempty"`
		B9      int                 `json:"b9,omitempty"`
		Upper   int                 `json:"A,omitempty"`
		Umlaut  int                 `json:"ä,omitempty"`
		Map     map[string]int      `json:"map,omitempty"`
		Numbers map[int16]string    `json:"numbers,omitempty"`
		Set     []string            `json:"set,omitempty"     hotupdatable:"false,set"`
		Ints    []int               `json:"ints,omitempty"    hotupdatable:"false,set"`
		Sizes   []resource.Quantity `json:"sizes,omitempty"   hotupdatable:"false,set"`
		Objects []object            `json:"objects,omitempty" hotupdatable:"false"`
		List    []string            `json:"list,omitempty"`
	}
	type pair struct {
		A *int   `json:"a,omitempty"`
		B string `json:"b,omitempty"`
	}
	type sets struct {
		Pairs []*pair `json:"pairs,omitempty" hotupdatable:"false,set"`
		Named []named `json:"named,omitempty" hotupdatable:"false,key=name"`
	}
	run(t, []row{
		says("members", `{"A":5,"a":2,"b10":3,"b9":4,"z":1,"ä":6}`, "by the bytes of the names, not by the order of the Go fields",
			config{Z: 1, A: 2, B10: 3, B9: 4, Upper: 5, Umlaut: 6}),
		says("map", "{\"map\":{\"\":0,\"\\u0000\":1,\"\\\"\":2,\"&<>\":3,\"10\":4,\"9\":5,\"a\":6,\"ab\":7,\"\u00e4\":8,\"\u2028\":9,\"\uffee\":10,\"\U0001f600\":11}}",
			"by the bytes of the unescaped key, in UTF-8 and not in UTF-16; nothing is escaped that need not be",
			config{Map: map[string]int{
				"\U0001f600": 11, "\uffee": 10, "\u2028": 9, "ä": 8, "ab": 7, "a": 6, "9": 5, "10": 4, "&<>": 3, `"`: 2, "\x00": 1, "": 0,
			}}),
		says("integer keys", `{"numbers":{"-1":"a","-10":"b","10":"c","9":"d"}}`, "by the bytes of the text",
			config{Numbers: map[int16]string{9: "d", 10: "c", -10: "b", -1: "a"}}),
		says("set of texts", `{"set":["","a","b"]}`, "sorted, each once", config{Set: []string{"b", "a", ""}}, config{Set: []string{"a", "", "b", "a", "b", ""}}),
		says("set of integers", `{"ints":[-1,10,9]}`, "sorted by their texts, each once", config{Ints: []int{9, 10, -1}}, config{Ints: []int{10, 10, -1, 9, -1}}),
		says("set of quantities", `{"sizes":["1","1073741824"]}`, "one in every spelling", config{Sizes: []resource.Quantity{q("1Gi"), q("1000m"), q("1024Mi"), q("1")}}),
		says("set of objects", `{"pairs":[{"a":0},{"a":1,"b":"x"},{}]}`, "sorted by their texts, each once",
			sets{Pairs: []*pair{nil, {A: new(1), B: "x"}, {A: new(0)}, {}, {A: new(1), B: "x"}}}, sets{Pairs: []*pair{{A: new(0)}, {A: new(1), B: "x"}, {}}}),
		says("keyed list", `{"named":[{"name":"A"},{"name":"a"},{"name":"a!","size":1},{"name":"ä"}]}`, "sorted by key; strings by their bytes",
			sets{Named: []named{{Name: "ä"}, {Name: "a!", Size: 1}, {Name: "a"}, {Name: "A"}}}),
		says("list", `{"list":["b","a","b"]}`, "other lists as they stand", config{List: []string{"b", "a", "b"}}),
	})
}

type named struct {
	Name string `json:"name"`
	Size int    `json:"size,omitempty"`
}
