package schemajson_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// everyMember has each member of a document, a node and a field, in other orders and spellings than Export writes.
const everyMember = `{ "root" : {"fields":[
	{"type":{"kind":"list","elem":{"kind":"object","fields":[{"name":"a","type":{"bits":8,"kind":"uint"},"class":"hot"}]},
	  "elemNullable":true},"default":"[]","set":true,"key":"a","hotWhen":{"name":"a","value":"1"},"presence":true,
	  "name":"\u0061\"b","class":"immutable","nullable":true,"optional":true,"quoted":true,"sensitive":"sensitive",
	  "fills":"{}","zero":"0","inherited":true,"goField":"aws.\u00e4","override":true,"source":"x"},
	{"name":"c","nullable":false,"type":{"kind":"map","keys":"int","keyBits":64,"keyClasses":[{"key":"k","class":"hot"}]}},
	{"name":"d","type":{"kind":"array","length":2,"elem":{"kind":"string"}}},
	{"name":"e","type":{"kind":"ref","ref":"/root"}},{}
	],"kind":"object"},"typeMeta":["apiVersion"],"unknownMembers":"immutable","formatVersion":3,"fingerprint":"s1:0"}`

// TestReadOwn: documents are read as encoding/json reads them.
func TestReadOwn(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"every member": everyMember, "empty": `{"root":{}}`}
	for _, pattern := range []string{
		"../../hotupdate/cmd/hotupdate/internal/kinds/*.schema.json", "../extensions/schemas/*.json", "../../hotupdate/testdata/golden/*.schema.json",
	} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			texts[name] = string(text)
		}
	}
	for name, text := range texts {
		want := &schemajson.Document{}
		require.NoError(t, json.Unmarshal([]byte(text), want), name)
		got, err := schemajson.ReadOwn(text)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	for _, text := range []string{"", "[]", `{"root":["a"]}`, `{}`, `{"root":{"kind":1}}`, `{"root":{"fields":[{"name":"a"`, `{"formatVersion":"1"}`} {
		_, err := schemajson.ReadOwn(text)
		require.Error(t, err, text)
	}
}
