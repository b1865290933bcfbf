package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPatterns: the path of an element becomes that of all elements, as Schemas name it.
func TestPatterns(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "volume.iops": "volume.iops", "disks[name=a].size": "disks[].size", "disks[0].size": "disks[].size", "tags[a]": "tags[]",
		`tags["a]b"].c`: "tags[].c", `tags["a\"]b"]`: "tags[]", "a[=x][1]": "a[][]", "broken[": "broken[]",
	} {
		assert.Equal(t, want, patternOf(path), path)
	}
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
