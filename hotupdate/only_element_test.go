package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// onlyElements are keyed lists of every class and kind of key. A volume has a hot and an Immutable
// part.
type onlyElements struct {
	Volumes  []volumeByName    `json:"volumes,omitempty"  hotupdatable:"false,key=name"`
	Pointers []*volumeByName   `json:"pointers,omitempty" hotupdatable:"false,key=name"`
	InPlace  []volumeByName    `json:"inPlace,omitempty"  hotupdatable:"inplace,key=name"`
	Named    []volumeByPointer `json:"named,omitempty"    hotupdatable:"false,key=name"`
	Ranked   []volumeByRank    `json:"ranked,omitempty"   hotupdatable:"false,key=rank"`
	Hot      []volumeByName    `json:"hot,omitempty"      hotupdatable:"true,key=name"`
	Ignored  []volumeByName    `json:"ignored,omitempty"  hotupdatable:"ignore,key=name"`
	Selected []volumeByName    `json:"selected,omitempty" hotupdatable:"false,key=name,hotwhen=size:0"`
}

type volumeByName struct {
	Name string `json:"name,omitempty"`
	Size int    `json:"size"`
	IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
	Type string `json:"type,omitempty" hotupdatable:"false"`
}

type volumeByPointer struct {
	Name *string `json:"name,omitempty"`
	IOPS int     `json:"iops,omitempty" hotupdatable:"true"`
}

type volumeByRank struct {
	Rank *uint8 `json:"rank,omitempty"`
	IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
}

// TestOnlyElementWithoutKey: the MachineClass of a pool without data volumes has one block device
// without a device name, as its driver accepts it.
func TestOnlyElementWithoutKey(t *testing.T) {
	schema := schemaFor[onlyElements](t)
	for _, tc := range []struct{ name, raw, document, hot string }{
		{"missing", `{"volumes":[{"size":1,"iops":3}]}`, `{"volumes":[{"name":"","size":1}]}`, `{"volumes":[{"iops":3,"name":""}]}`},
		{"empty", `{"volumes":[{"name":"","size":1}]}`, `{"volumes":[{"name":"","size":1}]}`, `{}`},
		{"nothing set", `{"volumes":[{}]}`, `{"volumes":[{"name":""}]}`, `{}`},
		{"null in place of a value", `{"volumes":[null]}`, `{"volumes":[{"name":""}]}`, `{}`},
		{"behind a pointer", `{"pointers":[{"size":1}]}`, `{"pointers":[{"name":"","size":1}]}`, `{}`},
		{"in place", `{"inPlace":[{"size":1}]}`, `{"inPlace":[{"name":"","size":1}]}`, `{}`},
		{"key behind a pointer", `{"named":[{"iops":3}]}`, `{"named":[{"name":""}]}`, `{"named":[{"iops":3,"name":""}]}`},
		{"empty key behind a pointer", `{"named":[{"name":""}]}`, `{"named":[{"name":""}]}`, `{}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			document, err := schema.DocumentRaw([]byte(tc.raw))
			require.NoError(t, err)
			assert.Equal(t, tc.document, string(document))
			config, err := schema.Decode([]byte(tc.raw))
			require.NoError(t, err)
			hot, err := (*schemabridge.Schema)(schema).HotPart(config)
			require.NoError(t, err)
			assert.Equal(t, tc.hot, string(hot))
		})
	}
}

// TestOnlyElementInDiffs: the missing key is a key like any other.
func TestOnlyElementInDiffs(t *testing.T) {
	schema := schemaFor[onlyElements](t)
	for _, tc := range []struct {
		name, old, updated string
		want               []string
	}{
		{
			"a hot change", `{"volumes":[{"size":1,"iops":3}]}`, `{"volumes":[{"size":1,"iops":4}]}`,
			[]string{`replace volumes[name=""].iops hot`},
		},
		{"missing or empty", `{"volumes":[{"size":1}]}`, `{"volumes":[{"name":"","size":1}]}`, nil},
		{"missing or empty behind a pointer", `{"named":[{"name":""}]}`, `{"named":[{}]}`, nil},
		{"a key is given", `{"volumes":[{"size":1}]}`, `{"volumes":[{"name":"a","size":1}]}`, []string{
			`remove volumes[name=""].size immutable`, `add volumes[name=a].size immutable`,
		}},
		{"one without key, then two with keys", `{"volumes":[{"iops":3}]}`, `{"volumes":[{"name":"b"},{"name":"a","iops":3}]}`, []string{
			`remove volumes[name=""] immutable`, `remove volumes[name=""].iops hot`, `add volumes[name=a] immutable`,
			`add volumes[name=a].iops hot`, `add volumes[name=b] immutable`,
		}},
		{"two with keys, then one without", `{"volumes":[{"name":"b"},{"name":"a"}]}`, `{"volumes":[{}]}`, []string{
			`add volumes[name=""] immutable`, `remove volumes[name=a] immutable`, `remove volumes[name=b] immutable`,
		}},
		{"the list goes", `{"volumes":[{}]}`, `{}`, []string{`remove volumes[name=""] immutable`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := schema.DiffRaw([]byte(tc.old), []byte(tc.updated))
			require.NoError(t, err)
			var got []string
			for _, c := range changes {
				got = append(got, string(c.Op)+" "+c.Path+" "+c.Class.String())
			}
			assert.Equal(t, tc.want, got)
			before, err := schema.HashRaw([]byte(tc.old))
			require.NoError(t, err)
			after, err := schema.HashRaw([]byte(tc.updated))
			require.NoError(t, err)
			assert.Equal(t, len(changes.Of(hotupdate.Immutable)) == 0, before == after, "as the differences say")
		})
	}
}

// TestCoverOfOnlyElements: elements without a key are compared by their members.
func TestCoverOfOnlyElements(t *testing.T) {
	schema := schemaFor[onlyElements](t)
	old := []byte(`{"volumes":[{"size":1,"iops":3}],"named":[{"iops":3}]}`)
	updated := []byte(`{"volumes":[{"size":2,"iops":4}],"named":[{"iops":4}]}`)
	coverage, err := schema.Cover(old, updated, "")
	require.NoError(t, err)
	assert.Len(t, coverage.Covered, 2)
	assert.Len(t, coverage.Left, 1)
}
