package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParts: a long value is shown by the parts that differ, and not cut.
func TestParts(t *testing.T) {
	t.Parallel()
	const first = `{"name":"a","size":"100Gi","type":"gp3-with-a-long-name-of-a-volume"}`
	const second = `{"name":"b","size":"200Gi","type":"gp3-with-a-long-name-of-a-volume"}`
	grown := strings.Replace(second, "200Gi", "300Gi", 1)
	many := strings.TrimSuffix(strings.Repeat("1,", 30), ",")
	for _, tc := range []struct{ name, old, updated, want string }{
		{"a member of an element", "[" + first + "," + second + "]", "[" + first + "," + grown + "]", `~ disks[1].size "200Gi" "300Gi"`},
		{"an element is appended", "[" + first + "]", "[" + first + "," + second + "]", "+ disks[1] " + second},
		{"an element is put first", "[" + first + "]", "[" + second + "," + first + "]", "+ disks[0] " + second},
		{"an element is removed", "[" + first + "," + second + "]", "[" + second + "]", "- disks[0] " + first},
		{"a member is added", "[" + first + "]", "[" + strings.Replace(first, "{", `{"iops":3,`, 1) + "]", "+ disks[0].iops 3"},
		{
			"null is a value", "[" + strings.Replace(first, "{", `{"iops":null,`, 1) + "]",
			"[" + strings.Replace(first, "{", `{"iops":3,`, 1) + "]", "~ disks[0].iops null 3",
		},
		{"another type", "[" + first + "]", `[1]`, "~ disks[0] " + first + " 1"},
		{"a short value", `[1]`, `[2]`, "~ disks [1] [2]"},
		{
			"too many parts", "[" + many + "]", "[" + strings.ReplaceAll(many, "1", "2") + "]",
			"~ disks [" + many + "] [" + strings.ReplaceAll(many, "1", "2") + "]",
		},
		{"a text", `"` + strings.Repeat("a", 60) + `"`, `"b"`, `~ disks "` + strings.Repeat("a", 60) + `" "b"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			change := ChangeReport{Op: "replace", Path: "disks", Old: json.RawMessage(tc.old), New: json.RawMessage(tc.updated)}
			var rows []string
			for _, part := range change.parts() {
				sign := map[string]string{"replace": "~", "add": "+", "remove": "-"}[part.Op]
				rows = append(rows, strings.Join(strings.Fields(sign+" "+part.Path+" "+string(part.Old)+" "+string(part.New)), " "))
			}
			assert.Equal(t, []string{tc.want}, rows)
		})
	}
	hidden := ChangeReport{
		Op: "replace", Path: "disks", Old: json.RawMessage("[" + first + "]"), New: json.RawMessage("[" + second + "]"), Sensitive: true,
	}
	assert.Equal(t, []ChangeReport{hidden}, hidden.parts(), "the parts of a sensitive value are not shown")
}

// TestPartsOfManyMembers: members are found by their names. To look for each among all others would take minutes.
func TestPartsOfManyMembers(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 100_000 {
		all = append(all, fmt.Sprintf(`"resource-%06d":"1"`, i))
	}
	old := "{" + strings.Join(all, ",") + "}"
	updated := strings.Replace(old, `"resource-077777":"1"`, `"resource-077777":"2"`, 1)
	change := ChangeReport{Op: "replace", Path: "capacity", Old: json.RawMessage(old), New: json.RawMessage(updated)}
	parts := change.parts()
	require.Len(t, parts, 1)
	assert.Equal(t, "capacity.resource-077777", parts[0].Path)
}
