package rawjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type (
	selfJSON   struct{ plain }
	selfText   struct{ plain }
	listJSON   []string
	listText   []string
	mapJSON    map[string]string
	mapText    map[string]string
	arrayJSON  [2]int
	numberJSON int
	byteJSON   byte
	byteText   byte
	keyJSON    string
	digits     json.Number
	byteName   byte
	lists      []lists
	trees      map[string]trees
)

type plain struct {
	A string `json:"a"`
}

func (s *selfJSON) UnmarshalJSON(raw []byte) error {
	s.A = "read: " + string(raw)
	return nil
}

func (s *selfText) UnmarshalText(text []byte) error {
	s.A = "read: " + string(text)
	return nil
}

func (l *listJSON) UnmarshalJSON(raw []byte) error {
	*l = append(*l, string(raw))
	return nil
}

func (l *listText) UnmarshalText(text []byte) error {
	*l = append(*l, string(text))
	return nil
}

// UnmarshalJSON panics: the map is nil.
func (m mapJSON) UnmarshalJSON(raw []byte) error {
	m["read"] = string(raw)
	return nil
}

func (m *mapText) UnmarshalText(text []byte) error {
	*m = mapText{"read": string(text)}
	return nil
}

func (a *arrayJSON) UnmarshalJSON(raw []byte) error {
	a[1] += len(raw)
	return nil
}

func (n *numberJSON) UnmarshalJSON(raw []byte) error {
	*n = numberJSON(len(raw))
	return nil
}

func (b *byteJSON) UnmarshalJSON(raw []byte) error {
	*b = byteJSON(len(raw))
	return nil
}

func (b *byteText) UnmarshalText(text []byte) error {
	*b = byteText(len(text))
	return nil
}

func (k *keyJSON) UnmarshalJSON(raw []byte) error {
	*k = keyJSON("read: " + string(raw))
	return nil
}

// methodical has types with unmarshalers wherever there may be one.
type methodical struct {
	List       listJSON                   `json:"list"`
	ListPP     **listJSON                 `json:"listPP"`
	ListText   listText                   `json:"listText"`
	Map        mapJSON                    `json:"map"`
	MapP       *mapJSON                   `json:"mapP"`
	MapText    mapText                    `json:"mapText"`
	MapTextP   *mapText                   `json:"mapTextP"`
	Array      arrayJSON                  `json:"array"`
	Arrays     []arrayJSON                `json:"arrays"`
	ArrayMap   map[string]arrayJSON       `json:"arrayMap"`
	Number     numberJSON                 `json:"number"`
	NumberP    *numberJSON                `json:"numberP"`
	Numbers    []numberJSON               `json:"numbers"`
	NumberMap  map[string]*numberJSON     `json:"numberMap"`
	Bytes      []byteJSON                 `json:"bytes"`
	ByteTexts  []byteText                 `json:"byteTexts"`
	BytePs     []*byteJSON                `json:"bytePs"`
	ByteArray  [2]byteJSON                `json:"byteArray"`
	Named      []byteName                 `json:"named"`
	NamedArray [3]byteName                `json:"namedArray"`
	Keys       map[keyJSON]keyJSON        `json:"keys"`
	Digits     digits                     `json:"digits"`
	Self       selfJSON                   `json:"self"`
	Reads      json.Unmarshaler           `json:"reads"`
	Raws       []json.RawMessage          `json:"raws"`
	RawMap     map[string]json.RawMessage `json:"rawMap"`
	Times      map[string]*metav1.Time    `json:"times"`
	Places     map[string][2]*plain       `json:"places"`
	Dash       string                     `json:"-,"`
	Nowhere    [0]int                     `json:"nowhere"`
	Address    uintptr                    `json:"address"`
	Lists      lists                      `json:"lists"`
	Trees      trees                      `json:"trees"`
}

// embedding has members that are embedded and not exported: the decoder may not call their methods. Its own fields hide that it has them.
type embedding struct {
	selfJSON `json:"self"`
	selfText `json:"text"`
	plain    `json:"plain"`

	UnmarshalJSON string `json:"unmarshalJSON"`
	UnmarshalText string `json:"unmarshalText"`
}

// TestTypesWithMethods: a type's own methods are called where the decoder calls them, and nowhere else.
func TestTypesWithMethods(t *testing.T) {
	var took, bad int
	values := append([]string{`{"A":"b"}`, `["YQ=="]`, `{"Format":"DecimalSI"}`, `[[],[[]],null]`, `{"k":{},"l":null}`}, strange...)
	for _, typ := range []reflect.Type{reflect.TypeFor[methodical](), reflect.TypeFor[embedding]()} {
		p := build(t, typ)
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			for _, value := range values {
				for _, around := range []string{"%", "[%]", "[%,%]", `{"k":%}`, `{"k":%,"K":[%]}`} {
					read, could := check(t, p, `{"`+name+`":`+strings.ReplaceAll(around, "%", value)+`}`)
					took += count(read)
					bad += count(!could)
				}
			}
		}
	}
	t.Log(took, bad)
	assert.NotZero(t, took)
	assert.NotZero(t, bad)
}
