package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// names are members' names of plain letters.
var names = regexp.MustCompile(`"[a-zA-Z0-9]+":`)

// respelledRaw returns the same JSON with other white space, with escaped names, or with members in another order.
func respelledRaw(t *rapid.T, raw []byte) []byte {
	var spelled bytes.Buffer
	switch pick(t, 3) {
	case 0:
		require.NoError(t, json.Indent(&spelled, raw, " ", "\t"))
	case 1:
		spelled.Write(names.ReplaceAllFunc(raw, func(name []byte) []byte {
			escaped := []byte{'"'}
			for _, c := range name[1 : len(name)-2] {
				escaped = fmt.Appendf(escaped, `\u%04x`, c)
			}
			return append(escaped, `":`...)
		}))
	default:
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var tree any
		require.NoError(t, decoder.Decode(&tree))
		written, err := json.Marshal(tree)
		require.NoError(t, err)
		spelled.Write(written)
	}
	return spelled.Bytes()
}

// TestRawJSONIsComparedAsIfDecoded: comparing two documents in any spelling agrees with decoding both.
func TestRawJSONIsComparedAsIfDecoded(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		first, second := s.drawPair(t)
		a := toJSON(t, first)
		b := toJSON(t, second)
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		b = respelledRaw(t, b)
		want := s.diff(t, s.decode(t, a), s.decode(t, b))
		got, err := s.schema.DiffRaw(a, b)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s\n%s\n%s", s.describe(), a, b)
	})
}

// spelling keeps the spelling of its JSON.
type spelling string

func (s *spelling) UnmarshalJSON(raw []byte) error {
	*s = spelling(raw)
	return nil
}

type spelled struct {
	Count int      `json:"count"`
	Text  string   `json:"text"`
	Self  spelling `json:"self"`
}

type unspelled struct {
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// measured stores the length of the JSON that the decoder gave to one of its fields. It has a marshaler of its own, but no unmarshaler.
type measured struct {
	Below []json.RawMessage `json:"below"`
}

func (m measured) MarshalJSON() ([]byte, error) { return json.Marshal(len(m.Below[0])) }

// length is a byte in lists that are written as base64, and reads the length of its JSON.
type length byte

func (l *length) UnmarshalJSON(raw []byte) error {
	*l = length(len(raw))
	return nil
}

// lengths only write themselves.
type lengths []length

func (l lengths) MarshalJSON() ([]byte, error) { return json.Marshal(l[0]) }

type measuring struct {
	Self measured `json:"self,omitempty"`
}

type quantities struct {
	Size resource.Quantity `json:"size"`
}

type byteLists struct {
	Bytes []length `json:"bytes"`
}

type writingByteLists struct {
	Bytes lengths `json:"bytes,omitempty"`
}

func TestSpelling(t *testing.T) {
	measuring, err := hotupdate.SchemaOf[measuring]()
	require.NoError(t, err)
	sized, err := hotupdate.SchemaOf[quantities]()
	require.NoError(t, err)
	inLists, err := hotupdate.SchemaOf[byteLists]()
	require.NoError(t, err)
	inWritingLists, err := hotupdate.SchemaOf[writingByteLists]()
	require.NoError(t, err)
	selfish, err := hotupdate.SchemaOf[spelled]()
	require.NoError(t, err)
	plain, err := hotupdate.SchemaOf[unspelled]()
	require.NoError(t, err)
	for _, tc := range []struct {
		name   string
		schema *hotupdate.Schema
		a, b   string
		same   bool
		fails  bool
		reason string
	}{
		{"white space", plain, `{"count":1,"text":"a"}`, "{ \"count\":1,\n\"text\" : \"a\" }", true, false, "one JSON value"},
		{"order and escapes", plain, `{"count":1,"text":"a"}`, `{"text":"\u0061","count":1}`, true, false, "one meaning"},
		{"unknown members", plain, `{"a":1,"b":[]}`, `{"a":1,"b":[ ]}`, false, true, "only equal bytes are not decoded"},
		{"an escape that is not taken", sized, `{"size":"1"}`, `{"size":"\u0031"}`, false, true, "a quantity takes no escapes"},
		{"an unknown member that changes", plain, `{"a":1}`, `{"a":2}`, false, true, "only what is equal is not looked at"},
		{"a number that is no integer", plain, `{"count":1}`, `{"count":1.0}`, false, true, "a decoder refuses it"},
		{"a member that stands twice", plain, `{"count":1, "count":1}`, `{"count":1,"count":1}`, false, true, "likewise"},
		{"no JSON", plain, `{"count":`, `{"count": `, false, true, "likewise"},
		{"equal bytes that are no JSON", plain, `{"count":`, `{"count":`, true, false, "they are not looked at"},
		{"other text", plain, `{"text":"a"}`, `{"text": "b"}`, false, false, "a change"},
		{"a type that sees spelling", selfish, `{"self":"a"}`, `{"self":"\u0061"}`, false, false, "it says different things"},
		{
			"a type that sees spelling, below one that only writes itself", measuring, `{"self":{"below":[[1,2]]}}`,
			`{"self":{"below":[[1, 2]]}}`, false, false, "likewise",
		},
		{"bytes that see spelling", inLists, `{"bytes":["a"]}`, `{"bytes":["\u0061"]}`, false, false, "likewise"},
		{
			"bytes that see spelling, in a list that only writes itself", inWritingLists, `{"bytes":["a"]}`, `{"bytes":["\u0061"]}`, false,
			false, "likewise",
		},
		{"an empty configuration", plain, ``, ` {}`, true, false, "nothing is the empty configuration"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := tc.schema.DiffRaw([]byte(tc.a), []byte(tc.b))
			assert.Equal(t, tc.fails, err != nil, tc.reason)
			assert.Equal(t, tc.same, err == nil && len(changes) == 0, tc.reason)
			first, err := tc.schema.HashRaw([]byte(tc.a))
			if err != nil {
				return
			}
			second, err := tc.schema.HashRaw([]byte(tc.b))
			if err == nil {
				assert.Equal(t, tc.same, first == second, "the hash says the same")
			}
		})
	}
}
