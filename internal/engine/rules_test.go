package engine_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// item has members of two classes, for collections of any class.
type item struct {
	Name string `json:"name"`
	Rank int    `json:"rank,string"`
	Mode string `json:"mode"`
	Kept int    `json:"kept"        hotupdatable:"false"`
	Hot  int    `json:"hot"         hotupdatable:"true"`
}

// other is like item, for a collection that is Ignored by default.
type other struct {
	Name string `json:"name"`
	Mode string `json:"mode"`
	Hot  int    `json:"hot"  hotupdatable:"true"`
}

type number int

func (n number) MarshalText() ([]byte, error) { return []byte{'n', byte('0' + n/10)}, nil }

func at(second int) time.Time { return time.Date(2020, 1, 1, 0, 0, second, 500000, time.UTC) }

// TestRules has rows for each rule in the table of the package documentation.
func TestRules(t *testing.T) {
	type rules struct {
		Text      string             `json:"text"`
		Pointer   *string            `json:"pointer"`
		Default   *int               `json:"default"   hotupdatable:"false,default=7"`
		Object    *item              `json:"object"`
		Present   *item              `json:"present"   hotupdatable:"false,presence"`
		List      []*item            `json:"list"`
		Lists     [][]string         `json:"lists"`
		Array     [2]string          `json:"array"`
		Set       []int              `json:"set"       hotupdatable:"false,set"`
		Keyed     []item             `json:"keyed"     hotupdatable:"false,key=name"`
		Ranked    []item             `json:"ranked"    hotupdatable:"false,key=rank"`
		HotKeyed  []item             `json:"hotKeyed"  hotupdatable:"true,key=name"`
		Selected  []item             `json:"selected"  hotupdatable:"false,key=name,hotwhen=mode:h"`
		Unlabeled map[string]*item   `json:"unlabeled" hotupdatable:"false,hotwhen=mode:''"`
		Others    map[string]other   `json:"others"    hotupdatable:"ignore,hotwhen=mode:h"`
		Map       map[string]*item   `json:"map"`
		HotMap    map[string]*item   `json:"hotMap"    hotupdatable:"true"`
		HotLists  map[string][]int   `json:"hotLists"  hotupdatable:"true"`
		HotTime   *metav1.MicroTime  `json:"hotTime"   hotupdatable:"true"`
		HotTimes  []metav1.MicroTime `json:"hotTimes"  hotupdatable:"true"`
		Integers  map[int8]string    `json:"integers"`
		Marshaled map[number]string  `json:"marshaled"`
		Pointers  map[*number]int    `json:"pointers"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[rules](), nil)
	require.NoError(t, err)
	for _, tc := range []struct {
		rule   string
		value  rules
		want   string
		hot    string
		reason string
	}{
		{"presence", rules{}, `{}`, `{}`, "zero"},
		{"presence", rules{Pointer: new("")}, `{"pointer":""}`, `{}`, "zero behind a pointer"},
		{"presence", rules{Object: &item{}}, `{}`, `{}`, "an object with nothing in it"},
		{"presence", rules{Object: &item{Hot: 1}}, `{}`, `{"object":{"hot":1}}`, "an object with nothing left in it"},
		{"presence", rules{Present: &item{Hot: 1}}, `{"present":{}}`, `{"present":{"hot":1}}`, "where presence says something"},
		{"presence", rules{List: []*item{}, Lists: [][]string{}, Set: []int{}, Keyed: []item{}, Map: map[string]*item{}}, `{}`, `{}`, "empty collections"},
		{"presence", rules{List: []*item{nil, {}}}, `{"list":[{},{}]}`, `{}`, "objects in a list stay"},
		{"presence", rules{Lists: [][]string{nil, {}}}, `{"lists":[null,[]]}`, `{}`, "a nil list in a list is null"},
		{"presence", rules{List: []*item{nil, {Hot: 1}, {Kept: 1}}}, `{"list":[{},{},{"kept":1}]}`, `{"list":[{},{"hot":1}]}`, "in their places, to the last one with something in it"},
		{"presence", rules{Array: [2]string{"", "a"}}, `{"array":["","a"]}`, `{}`, "an array has all of its places"},
		{"default", rules{Default: new(7)}, `{}`, `{}`, "the default"},
		{"default", rules{Default: new(0)}, `{"default":0}`, `{}`, "zero is not the default"},
		{"order", rules{Set: []int{10, 9, 10}}, `{"set":[10,9]}`, `{}`, "a set by its bytes, each element once"},
		{"order", rules{Keyed: []item{{Name: "b"}, {Name: "a"}}}, `{"keyed":[{"name":"a"},{"name":"b"}]}`, `{}`, "texts by their bytes"},
		{"order", rules{Ranked: []item{{Rank: 10}, {Rank: -1}, {Rank: 9}}}, `{"ranked":[{"rank":-1},{"rank":9},{"rank":10}]}`, `{}`, "integers by their value"},
		{"identity", rules{Ranked: []item{{Rank: 0, Hot: 1}}}, `{"ranked":[{"rank":0}]}`, `{"ranked":[{"hot":1,"rank":"0"}]}`, "a zero key"},
		{"identity", rules{HotKeyed: []item{{Name: "a"}, {Name: "b", Kept: 1}}}, `{"hotKeyed":[{"kept":1,"name":"b"}]}`, `{"hotKeyed":[{"name":"a"},{"name":"b"}]}`, "a key keeps no element"},
		{"hotwhen", rules{Selected: []item{{Name: "a", Mode: "h"}, {Name: "b", Mode: "x", Hot: 1}}}, `{"selected":[{"mode":"x","name":"b"}]}`, `{"selected":[{"mode":"h","name":"a"},{"hot":1,"mode":"x","name":"b"}]}`, "what is selected is hot"},
		{"hotwhen", rules{Selected: []item{{Name: "a", Mode: "h", Kept: 1}}}, `{"selected":[{"kept":1,"mode":"h","name":"a"}]}`, `{"selected":[{"mode":"h","name":"a"}]}`, "what stays of it has its identity"},
		{"hotwhen", rules{Unlabeled: map[string]*item{"a": nil, "b": {Mode: "x"}}}, `{"unlabeled":{"b":{"mode":"x"}}}`, `{"unlabeled":{"a":{"mode":""}}}`, "a nil element has the zero selector"},
		{"hotwhen", rules{Others: map[string]other{"a": {Mode: "h"}, "b": {Mode: "x", Name: "n"}}}, `{}`, `{"others":{"a":{"mode":"h"}}}`, "among ignored ones"},
		{"null", rules{HotMap: map[string]*item{"a": nil, "b": {}}}, `{}`, `{"hotMap":{"b":{}}}`, "null in a hot map is no element"},
		{"null", rules{HotLists: map[string][]int{"a": nil, "b": {}}}, `{}`, `{"hotLists":{"b":[]}}`, "null in a hot map is no element"},
		{"null", rules{Map: map[string]*item{"a": nil}}, `{"map":{"a":{}}}`, `{}`, "in another map it is an element"},
		{"keys", rules{Integers: map[int8]string{10: "a", -9: "b"}}, `{"integers":{"-9":"b","10":"a"}}`, `{}`, "integers by the bytes of their text"},
		{"keys", rules{Marshaled: map[number]string{10: "a"}}, `{"marshaled":{"n1":"a"}}`, `{}`, "the text of a marshaler"},
		{"keys", rules{Pointers: map[*number]int{nil: 1}}, `{"pointers":{"":1}}`, `{}`, "a nil pointer has no text"},
		{
			"spelling",
			rules{HotTime: &metav1.MicroTime{Time: at(1)}, HotTimes: []metav1.MicroTime{{Time: at(2)}}},
			`{}`,
			`{"hotTime":"2020-01-01T00:00:01.000500Z","hotTimes":["2020-01-01T00:00:02.000500Z"]}`, "with the digits that are read",
		},
	} {
		t.Run(tc.rule+"/"+tc.reason, func(t *testing.T) {
			got, err := engine.Of(p).Append(nil, reflect.ValueOf(tc.value))
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got))
			got, err = engine.Of(p).AppendReadable(nil, structtag.Hot, reflect.ValueOf(&tc.value))
			require.NoError(t, err)
			assert.Equal(t, tc.hot, string(got))
		})
	}
}

// TestUnknownMembersStandAmongTheOthers: unknown members are written in the order of names among the others; null members are left out.
func TestUnknownMembersStandAmongTheOthers(t *testing.T) {
	type part struct {
		B    int               `json:"b"    hotupdatable:"false"`
		D    int               `json:"d"`
		Rest fieldplan.Unknown `json:"rest" hotupdatable:"false"`
	}
	type root struct {
		Part part              `json:"part" hotupdatable:"true"`
		Rest fieldplan.Unknown `json:"rest"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[root](), nil)
	require.NoError(t, err)
	unknown := fieldplan.Unknown{"z": json.RawMessage(`{"y":1.0,"x":2}`), "a": json.RawMessage(`"text"`), "c": json.RawMessage(`[ ]`), "null": json.RawMessage(`null`)}
	value := &root{Part: part{B: 1, D: 2, Rest: unknown}}
	got, err := engine.Of(p).Append(nil, reflect.ValueOf(value))
	require.NoError(t, err)
	assert.Equal(t, `{"part":{"a":"text","b":1,"c":[],"z":{"x":2,"y":1}}}`, string(got))
	assert.True(t, isSame(p, value, root{Part: part{B: 1, D: 2, Rest: unknown}}))

	broken := &root{Rest: fieldplan.Unknown{"a": json.RawMessage(`{`), "b\xff": nil}, Part: part{Rest: fieldplan.Unknown{"b": json.RawMessage(`"\ud800"`)}}}
	_, err = engine.Of(p).Append(nil, reflect.ValueOf(broken))
	assert.Equal(t, []string{" invalid-utf8", "a invalid-json", "part.b invalid-utf8"}, faults(err))
}

// failing has a marshaler that fails on its zero value.
type failing struct{ text string }

func (f failing) MarshalText() ([]byte, error) {
	if f.text == "" {
		return nil, errors.New("no text")
	}
	return []byte(f.text), nil
}

// TestZeroValueWhoseMarshalerFails: such a value is unset if JSON leaves it out, or if it is not hashed. Behind a pointer and as an element it is a
// fault like any other value without a text.
func TestZeroValueWhoseMarshalerFails(t *testing.T) {
	type config struct {
		Hot  failing   `json:"hot"          hotupdatable:"true"`
		List []failing `json:"list"`
		May  failing   `json:"may,omitzero"`
		None *failing  `json:"none"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil)
	require.NoError(t, err)
	got, err := engine.Of(p).Append(nil, reflect.ValueOf(config{May: failing{"x"}}))
	require.NoError(t, err)
	assert.Equal(t, `{"may":"x"}`, string(got))
	changes, err := engine.Diff(p, reflect.ValueOf(config{}), reflect.ValueOf(config{May: failing{"x"}}))
	require.NoError(t, err)
	require.Len(t, changes, 1)
	assert.Equal(t, "may", changes[0].Path.String())
	_, err = engine.Of(p).Sum(reflect.ValueOf(config{List: make([]failing, 1), None: &failing{}}))
	require.Len(t, fault.All(err), 2)
	for i, path := range []string{"list[0]", "none"} {
		assert.Equal(t, "marshal-failed", fault.All(err)[i].Code)
		assert.Equal(t, path, fault.All(err)[i].Path)
	}
}

// faults lists the path and code of each fault.
func faults(err error) (all []string) {
	for _, problem := range fault.All(err) {
		all = append(all, problem.Path+" "+problem.Code)
	}
	return all
}

// TestFaultsTellWhere: each fault is reported once, with its path, in the order of the document.
func TestFaultsTellWhere(t *testing.T) {
	const bad = "\xff"
	type config struct {
		Ints    map[string]int    `json:"ints"`
		Inner   *config           `json:"inner"`
		Keyed   []item            `json:"keyed"   hotupdatable:"false,key=name"`
		List    []string          `json:"list"`
		Numbers map[number]int    `json:"numbers"`
		Ranked  []*item           `json:"ranked"  hotupdatable:"false,key=rank"`
		Secret  map[string]item   `json:"secret"  hotupdatable:"false,sensitive=keys"`
		Set     [][]string        `json:"set"     hotupdatable:"false,set"`
		Tags    map[string]string `json:"tags"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil)
	require.NoError(t, err)
	c := &config{
		Ints:    map[string]int{bad: 1},
		Inner:   &config{List: []string{"a", bad}},
		Keyed:   []item{{Name: "b", Mode: bad}, {}, {Name: bad}, {Name: "a"}, {Name: "b"}},
		Numbers: map[number]int{1: 1, 2: 2},
		Ranked:  []*item{{Rank: 1}, nil, {Rank: 1, Mode: bad}},
		Secret:  map[string]item{"key": {Mode: bad}},
		Set:     [][]string{{"a"}, {"b", bad}},
		Tags:    map[string]string{"a": bad, bad: "b"},
	}
	_, err = engine.Of(p).Sum(reflect.ValueOf(c))
	assert.Equal(t, []string{
		"inner.list[1] invalid-utf8",
		"ints invalid-utf8",
		"keyed[1] missing-list-key", "keyed[2] invalid-utf8", "keyed[name=b] duplicate-list-key", "keyed[name=b].mode invalid-utf8",
		"numbers[n0] duplicate-map-key",
		"ranked[1] missing-list-key", "ranked[rank=1] duplicate-list-key",
		"secret[(sensitive)].mode invalid-utf8",
		"set[1][1] invalid-utf8",
		"tags[a] invalid-utf8", "tags invalid-utf8",
	}, faults(err))
}

// pointed is a type of keys. Two keys may have the same text.
type pointed struct{ text string }

func (p *pointed) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// TestTwoKeysOfOneText: all functions that read a map refuse two keys with one text.
func TestTwoKeysOfOneText(t *testing.T) {
	type config struct {
		Map map[*pointed]item `json:"map"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil)
	require.NoError(t, err)
	for _, texts := range [][]string{{"a", "a"}, {"a", "a", "b"}, {"a", "b", "b"}} {
		c := &config{Map: map[*pointed]item{}}
		for _, text := range texts {
			c.Map[&pointed{text}] = item{Kept: 1, Hot: 1}
		}
		v := reflect.ValueOf(c)
		_, sumErr := engine.Of(p).Sum(v)
		_, diffErr := engine.Diff(p, v, reflect.ValueOf(&config{}))
		_, mergeErr := engine.Merge(p, v, v)
		for _, err := range []error{sumErr, diffErr, mergeErr} {
			require.Error(t, err)
			assert.Equal(t, "duplicate-map-key", fault.All(err)[0].Code)
		}
	}
}
