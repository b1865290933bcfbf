package shapes_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/shapes"
)

const file = "../../../cmd/hotupdate/internal/members/members.json"

// written is the table in the file.
func written(t *testing.T) (*shapes.Table, []byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	table, err := shapes.Parse(text)
	require.NoError(t, err)
	return table, text
}

// TestNewestReleaseIsLinked: the members of the newest release in the table are those of the Gardener that this module links, read from
// its sources again.
func TestNewestReleaseIsLinked(t *testing.T) {
	t.Parallel()
	table, _ := written(t)
	linked, err := shapes.Linked()
	require.NoError(t, err)
	assert.Equal(t, append(shapes.Earlier(), linked.Version), table.Releases, "write the table again, by go generate")
	types, err := shapes.Read(linked.Dir)
	require.NoError(t, err)
	assert.Equal(t, types, table.Newest(), "write the table again, by go generate")
	assert.Equal(t, "quantity", types["KubeletConfigReserved"]["cpu"])
	assert.Equal(t, "[]ShootWorker", types["Provider"]["workers"])
	assert.Equal(t, "duration", types["MachineControllerManagerSettings"]["machineDrainTimeout"])
	assert.Equal(t, "intOrString", types["ShootWorker"]["maxSurge"])
	assert.NotContains(t, types["KubeAPIServerConfig"], "enableBasicAuthentication")
}

// TestTableIsWrittenTheSame: what is read is written with the same bytes.
func TestTableIsWrittenTheSame(t *testing.T) {
	t.Parallel()
	table, text := written(t)
	again, err := table.JSON()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
}

// TestMerge: the first and the last release of a member, and a type that has changed.
func TestMerge(t *testing.T) {
	t.Parallel()
	table := shapes.Merge([]shapes.Release{
		{Version: "v1", Types: shapes.Types{"A": {"always": "int", "gone": "B", "other": "string", "back": "int"}, "B": {"b": "int"}}},
		{Version: "v2", Types: shapes.Types{"A": {"always": "int", "gone": "B", "other": "string"}, "B": {"b": "int"}}},
		{Version: "v3", Types: shapes.Types{"A": {"always": "int", "new": "bool", "other": "int", "back": "int"}}},
	})
	want := map[string]map[string]shapes.Member{
		"A": {
			"always": {Type: "int"}, "gone": {Type: "B", Last: "v2"}, "new": {Type: "bool", First: "v3"},
			"other": {Type: "int", Was: "string"}, "back": {Type: "int"},
		},
		"B": {"b": {Type: "int", Last: "v2"}},
	}
	assert.Equal(t, want, table.Types)
	assert.Equal(t, shapes.Types{"A": {"always": "int", "new": "bool", "other": "int", "back": "int"}}, table.Newest())
	text, err := table.JSON()
	require.NoError(t, err)
	assert.True(t, json.Valid(text))
	assert.Equal(t, 2+6, strings.Count(string(text), "\n"))
	again, err := shapes.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, table, again)
}

// TestReadRefuses: a type that cannot be read is named.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ fields, want string }{
		"a channel":          {"A chan int `json:\"a\"`", "has an unknown expression *ast.ChanType"},
		"no name":            {"A int", "field A has no name in JSON"},
		"an unknown type":    {"A other `json:\"a\"`", "has no type other"},
		"an embedded number": {"Number `json:\",inline\"`", "an embedded type is not a struct"},
	} {
		dir := t.TempDir()
		source := "package v1\n\ntype Number int\ntype Shoot struct { " + test.fields + " }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o600))
		_, err := shapes.Read(func(string) (string, error) { return dir, nil })
		require.ErrorContains(t, err, test.want, name)
	}
	_, err := shapes.Read(func(string) (string, error) { return "", os.ErrNotExist })
	require.ErrorIs(t, err, os.ErrNotExist)
}
