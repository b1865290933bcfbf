package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// everything has a field of every kind and with every option.
type everything struct {
	metav1.TypeMeta `json:",inline"`
	embeddedPart    `json:",inline" hotupdatable:"inplace,sensitive"`

	Bool bool `json:"bool,omitempty"`
	Ints struct {
		A int8   `json:"a"`
		B int16  `json:"b"`
		C *int32 `json:"c"`
		D int    `json:"d,string"`
		E uint8  `json:"e"`
		F uint16 `json:"f"`
		G uint32 `json:"g"`
		H uint   `json:"h"`
	} `json:"ints"`
	Float      float32                     `json:"float"      hotupdatable:"false,default=1.5"`
	Number     json.Number                 `json:"number"`
	Bytes      []byte                      `json:"bytes"`
	Quantity   *resource.Quantity          `json:"quantity"   hotupdatable:"false,default=1Gi"`
	Port       intstr.IntOrString          `json:"port"       hotupdatable:"false,default=http"`
	Time       time.Time                   `json:"time"`
	MetaTime   *metav1.Time                `json:"metaTime"`
	MicroTime  metav1.MicroTime            `json:"microTime"`
	Duration   metav1.Duration             `json:"duration"   hotupdatable:"false,default=60m"`
	Extension  runtime.RawExtension        `json:"extension"`
	Raw        json.RawMessage             `json:"raw"`
	Any        any                         `json:"any"`
	Big        big.Int                     `json:"big"`
	Addr       *netip.Addr                 `json:"addr"`
	Dash       string                      `json:"-,"         hotupdatable:"true,default='it''s, so'"`
	Presence   *embeddedPart               `json:"presence"   hotupdatable:"ignore,presence"`
	Set        []string                    `json:"set"        hotupdatable:"false,set"`
	Keyed      []keyedElement              `json:"keyed"      hotupdatable:"inplace,key=id,hotwhen=mode:'a,b'"`
	Positional []*keyedElement             `json:"positional"`
	Array      [2]*int                     `json:"array"`
	Map        map[netip.Addr]keyedElement `json:"map"        hotupdatable:"true,sensitive=keys"`
	IntMap     map[int16]keyedElement      `json:"intMap"     hotupdatable:"false,hotwhen=on:true"`
}

type embeddedPart struct {
	Embedded string `json:"embedded,omitempty"`
}

type keyedElement struct {
	ID    uint16 `json:"id"`
	Mode  string `json:"mode,omitempty"`
	On    bool   `json:"on,omitempty"`
	Value string `json:"value,omitempty"`
	Note  string `json:"note,omitempty"  hotupdatable:"ignore"`
}

const everythingJSON = `{
	"apiVersion": "v1", "kind": "Everything", "embedded": "e", "bool": true,
	"ints": {"a": -1, "b": 2, "c": 0, "d": "4", "e": 5, "f": 6, "g": 7, "h": 8}, "float": 2.5, "number": 1.50, "bytes": "AAE=",
	"quantity": "2Gi", "port": 80, "time": "2024-01-01T12:30:00.5+02:00", "metaTime": "2024-01-01T12:30:00Z",
	"microTime": "2024-01-01T12:30:00.123456Z", "duration": "90s", "extension": {"b": 1.0, "a": null}, "raw": [1e2], "any": {"x": [1]},
	"big": 12345678901234567890123, "addr": "10.0.0.1", "-": "dash", "presence": {}, "set": ["b", "a", "b"],
	"keyed": [{"id": 10, "value": "v"}, {"id": 9, "mode": "a,b", "value": "hot"}], "positional": [{"id": 0}, null, {"id": 1, "note": "n"}],
	"array": [null, 0], "map": {"10.0.0.2": {"id": 1, "value": "m"}}, "intMap": {"10": {"id": 1}, "9": {"id": 2, "on": true}}}`

func everythingSchema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	schema, err := hotupdate.SchemaOf[everything](hotupdate.WithTag("ints.b", "true"), hotupdate.WithTag("map[].value", "false"))
	require.NoError(t, err)
	return schema
}

func export(t *testing.T, s *hotupdate.Schema) []byte {
	t.Helper()
	data, err := s.MarshalJSON()
	require.NoError(t, err)
	return data
}

func TestLoadedSchemaIsTheExportedOne(t *testing.T) {
	schema := everythingSchema(t)
	exported := export(t, schema)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	assert.JSONEq(t, string(exported), string(export(t, loaded)))

	want, err := schema.DocumentRaw([]byte(everythingJSON))
	require.NoError(t, err)
	got, err := loaded.DocumentRaw([]byte(everythingJSON))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	wantChanges, err := schema.DiffRaw(nil, []byte(everythingJSON))
	require.NoError(t, err)
	changes, err := loaded.DiffRaw(nil, []byte(everythingJSON))
	require.NoError(t, err)
	assert.Equal(t, wantChanges, changes, "paths, classes, origins, sources and values")
}

// TestUnsetIsUnsetWithoutTheGoType removes each member, and sets each member to a value that counts as unset.
func TestUnsetIsUnsetWithoutTheGoType(t *testing.T) {
	schema := everythingSchema(t)
	loaded, err := hotupdate.LoadSchema(export(t, schema))
	require.NoError(t, err)
	for _, members := range []string{
		`{}`, `{"bool":false}`, `{"ints":{}}`, `{"ints":{"c":0}}`, `{"float":1.5}`, `{"float":0}`, `{"number":0}`, `{"bytes":""}`,
		`{"quantity":"1024Mi"}`, `{"quantity":"0"}`, `{"port":"http"}`, `{"port":0}`, `{"port":""}`, `{"time":"0001-01-01T00:00:00Z"}`,
		`{"duration":"1h"}`, `{"extension":null}`, `{"raw":null}`, `{"any":null}`, `{"big":0}`, `{"addr":""}`, `{"addr":null}`,
		`{"-":"it's, so"}`, `{"presence":{}}`, `{"set":[]}`, `{"keyed":[]}`, `{"positional":[null]}`, `{"array":[null,null]}`,
		`{"map":{"::1":null}}`, `{"intMap":{"1":{"id":0,"on":true}}}`,
	} {
		want, err := schema.DocumentRaw([]byte(members))
		require.NoError(t, err, members)
		got, err := loaded.DocumentRaw([]byte(members))
		require.NoError(t, err, members)
		assert.Equal(t, string(want), string(got), members)
	}
}

func TestFingerprint(t *testing.T) {
	type before struct {
		A int32   `json:"a"`
		B *string `json:"b,omitempty" hotupdatable:"false,default=x"`
		C []int   `json:"c"`
	}
	type renamed struct {
		Third []int   `json:"c"`
		First int32   `json:"a"`
		Twice *string `json:"b,omitempty" hotupdatable:"false,default=x"`
	}
	want := fingerprint[before](t)
	assert.Regexp(t, `^s1:[0-9a-f]{64}$`, want)
	assert.Equal(t, want, fingerprint[renamed](t), "Go names and the order of fields mean nothing")
}

func fingerprint[T any](t *testing.T) string {
	t.Helper()
	schema, err := hotupdate.SchemaOf[T]()
	require.NoError(t, err)
	text, err := schema.Fingerprint()
	require.NoError(t, err)
	return text
}

// TestLoadSchemaRefuses: what is no JSON of a Schema is a typed error; package schemajson tests which ones are none.
func TestLoadSchemaRefuses(t *testing.T) {
	type small struct {
		A []int32 `json:"a" hotupdatable:"true,set"`
	}
	schema, err := hotupdate.SchemaOf[small]()
	require.NoError(t, err)
	good := string(export(t, schema))
	unknown := strings.Replace(good, `"root"`, `"x":1,"root"`, 1)
	other := strings.Replace(good, `"root"`, `"Root"`, 1)
	for _, broken := range []string{"", "null", "[]", "{", good + "x", unknown, other} {
		_, err := hotupdate.LoadSchema([]byte(broken))
		assert.NotEmpty(t, fault.All(err), broken)
	}
	var none *hotupdate.Schema
	_, err = none.MarshalJSON()
	assert.Equal(t, "no-schema", fault.All(err)[0].Code)
}

// TestLoadSchemaOfALaterRelease: the error names the format, and not the first member that this release does not know.
func TestLoadSchemaOfALaterRelease(t *testing.T) {
	for _, later := range []string{
		`{"formatVersion":9,"fingerprint":"s1:","root":{"kind":"object","laws":[{"name":"new"}]}}`,
		`{"formatVersion":9,"root":["another form"]}`,
	} {
		_, err := hotupdate.LoadSchema([]byte(later))
		problems := fault.All(err)
		require.Len(t, problems, 1, later)
		assert.Contains(t, problems[0].Error(), "/formatVersion: is 9")
		assert.Contains(t, problems[0].Hint, "use a release of this library that knows the format")
	}
}

func FuzzLoadSchema(f *testing.F) {
	schema, err := hotupdate.SchemaOf[everything]()
	if err != nil {
		f.Fatal(err)
	}
	good, err := schema.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"formatVersion":1,"fingerprint":"s1:","root":{"kind":"object","fields":[null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		loaded, err := hotupdate.LoadSchema(data)
		if err != nil {
			require.NotEmpty(t, fault.All(err), "a typed error")
			return
		}
		again, err := loaded.MarshalJSON()
		require.NoError(t, err)
		reloaded, err := hotupdate.LoadSchema(again)
		require.NoError(t, err)
		once := export(t, reloaded)
		require.True(t, bytes.Equal(again, once), "a loaded Schema is exported as it was loaded")
	})
}
