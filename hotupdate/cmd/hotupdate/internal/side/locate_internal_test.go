package side

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestLines: a problem is on the line of its field, whatever the keys on the way to it hold.
func TestLines(t *testing.T) {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(`volumes:
- name: a
  size: 1
- name: a.b
  size: 2
- name: '[c]'
  size: 3
`), &document))
	for path, line := range map[string]int{
		"volumes": 1, "volumes[1].size": 5, "volumes[name=a].size": 3, "volumes[name=a.b].size": 5,
		`volumes[name="[c]"].size`: 7, "volumes[name=d].size": 1, "missing": 0,
	} {
		assert.Equal(t, line, lineOf(&document, &fault.Error{Path: path}), path)
	}
}
