package audit

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestIsBelow: a field is below itself and the fields around it.
func TestIsBelow(t *testing.T) {
	for _, tc := range []struct {
		path, above string
		want        bool
	}{
		{"volume.iops", "volume", true},
		{"volume", "volume", true},
		{"volumes", "volume", false},
		{"disks[].size", "disks", true},
		{"volume", "volume.iops", false},
		{"volume", "", true},
	} {
		assert.Equal(t, tc.want, within(tc.path, tc.above), "%s below %s", tc.path, tc.above)
	}
}

// TestDifferences: paths come from what either Schema finds, and from what one of them cannot read; keys of maps are not shown.
func TestDifferences(t *testing.T) {
	type list struct {
		Zones []string          `json:"zones,omitempty"`
		Size  int               `json:"size,omitempty"`
		Tags  map[string]string `json:"tags,omitempty"`
	}
	type set struct {
		Zones []string          `json:"zones,omitempty" hotupdatable:"false,set"`
		Size  string            `json:"size,omitempty"`
		Tags  map[string]string `json:"tags,omitempty"`
		More  string            `json:"more,omitempty"`
	}
	lists, listErr := hotupdate.SchemaOf[list]()
	sets, setErr := hotupdate.SchemaOf[set]()
	require.NoError(t, errors.Join(listErr, setErr))
	for _, tc := range []struct {
		before, after string
		want          []string
	}{
		{`{}`, `{}`, nil},
		{`{"zones":["b","a"]}`, `{"zones":["a","b"]}`, []string{"zones[]"}},
		{`{"size":1}`, `{"size":"1"}`, []string{"size"}},
		{`{"tags":{"secret":"a"}}`, `{"more":"x"}`, []string{"more", "tags[]"}},
	} {
		var r Releases
		assert.Equal(t, tc.want, r.compare(lists, sets).paths([]byte(tc.before), []byte(tc.after)), tc.before)
		assert.Equal(t, tc.want, r.compare(sets, lists).paths([]byte(tc.before), []byte(tc.after)), tc.before)
	}
}
