package side

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestLines: a problem is on the line of its field, whatever the keys on the way to it hold.
func TestLines(t *testing.T) {
	object, err := tree.ParseYAML([]byte(`volumes:
- name: a
  size: 1
- name: a.b
  size: 2
- name: '[c]'
  size: 3
- name: a
  size: 4
`), 1)
	require.NoError(t, err)
	for path, line := range map[string]int{
		"volumes": 1, "volumes[1].size": 5, "volumes[name=a].size": 3, "volumes[name=a.b].size": 5,
		`volumes[name="[c]"].size`: 7, "volumes[name=d].size": 1, "missing": 0, "volumes[name=a]#2.size": 9, "volumes[name=a]#3.size": 1,
	} {
		assert.Equal(t, line, lineOf(object, &fault.Error{Path: path}), path)
	}
}
