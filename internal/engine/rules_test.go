package engine_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// item has members of two classes, for collections of any class.
type item struct {
	Name string `json:"name"`
	Rank int    `json:"rank,string"`
	Mode string `json:"mode"`
	Kept int    `json:"kept"        hotupdatable:"false"`
	Hot  int    `json:"hot"         hotupdatable:"true"`
}

type number int

func (n number) MarshalText() ([]byte, error) { return []byte{'n', byte('0' + n/10)}, nil }

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

// fickle is a leaf whose marshaler fails every other time.
type fickle struct{ calls *int }

func (f fickle) MarshalText() ([]byte, error) {
	if f.calls == nil {
		return nil, nil
	}
	if *f.calls++; *f.calls%2 == 1 {
		return nil, errors.New("not now")
	}
	return []byte("text"), nil
}

// TestFickleMarshaler: a fault counts even if it does not occur again in the second run, which finds its path.
func TestFickleMarshaler(t *testing.T) {
	p, err := fieldplan.Compile(reflect.TypeFor[struct {
		Leaf fickle `json:"leaf"`
	}](), nil)
	require.NoError(t, err)
	for _, write := range []func(v reflect.Value) error{
		func(v reflect.Value) error { _, err := engine.Of(p).Append(nil, v); return err },
		func(v reflect.Value) error { _, err := engine.Of(p).Sum(v); return err },
	} {
		v := reflect.New(p.Type)
		v.Elem().Field(0).Set(reflect.ValueOf(fickle{new(int)}))
		require.Error(t, write(v))
		require.Error(t, write(v))
	}
}
