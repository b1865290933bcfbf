package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// A removal inside an element that has moved points to where the element stood.
func TestRemovalPointsIntoOldConfiguration(t *testing.T) {
	type element struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels,omitempty"`
		Parts  []element         `json:"parts,omitempty"  hotupdatable:"false,key=name"`
	}
	type config struct {
		List []element `json:"list,omitempty" hotupdatable:"false,key=name"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	old := &config{[]element{{Name: "b", Parts: []element{{Name: "d"}, {Name: "c", Labels: map[string]string{"x": "1"}}}}, {Name: "a"}}}
	updated := &config{[]element{{Name: "a"}, {Name: "b", Parts: []element{{Name: "c", Labels: map[string]string{"y": "1"}}, {Name: "d"}}}}}
	changes, err := schema.Diff(old, updated)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, "/list/0/parts/1/labels/x", changes[0].Pointer)
	require.Equal(t, "/list/1/parts/0/labels/y", changes[1].Pointer)
}
