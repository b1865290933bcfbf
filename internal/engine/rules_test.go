package engine_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
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

// faults lists the path and code of each fault.
func faults(err error) (texts []string) {
	for _, problem := range fault.All(err) {
		texts = append(texts, problem.Path+" "+problem.Code)
	}
	return texts
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
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	c := &config{
		Ints:    map[string]int{bad: 1},
		Inner:   &config{List: []string{"a", bad}},
		Keyed:   []item{{Name: "b", Mode: bad}, {Mode: bad}, {Name: bad}, {Name: "a"}, {Name: "b", Mode: bad}},
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
		"keyed[2] invalid-utf8", `keyed[name=""].mode invalid-utf8`, "keyed[name=b].mode invalid-utf8", "keyed[name=b]#2.mode invalid-utf8",
		"numbers[n0] duplicate-map-key",
		"ranked[rank=1]#2.mode invalid-utf8",
		"secret[(sensitive)].mode invalid-utf8",
		"set[1][1] invalid-utf8",
		"tags[a] invalid-utf8", "tags invalid-utf8",
	}, faults(err))
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
	}](), nil, rawjson.ReadPart)
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
