package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestSelectorOfAnIgnoredListIsItsKey: where the key is the selector as well, an element is hashed with
// its key. Without it, an Immutable field that moved from one element to another changed no hash.
func TestSelectorOfAnIgnoredListIsItsKey(t *testing.T) {
	type element struct {
		Name  string `json:"name"`
		Image string `json:"image,omitempty" hotupdatable:"false"`
	}
	type config struct {
		Texts []element `json:"texts,omitempty" hotupdatable:"ignore,key=name,hotwhen=name:a"`
		Empty []element `json:"empty,omitempty" hotupdatable:"ignore,key=name,hotwhen=name:''"`
	}
	schema := schemaFor[config](t)
	for _, list := range []string{"texts", "empty"} {
		for _, names := range [][2]string{{"b", "c"}, {"a", "b"}, {"b", "a"}} {
			old := []byte(`{"` + list + `":[{"name":"` + names[0] + `","image":"x"}]}`)
			updated := []byte(`{"` + list + `":[{"name":"` + names[1] + `","image":"x"}]}`)
			changes, err := schema.DiffRaw(old, updated)
			require.NoError(t, err)
			require.NotEmpty(t, changes.Of(hotupdate.Immutable))
			before, err := schema.HashRaw(old)
			require.NoError(t, err)
			after, err := schema.HashRaw(updated)
			require.NoError(t, err)
			require.NotEqual(t, before, after, "%s %v", list, names)
		}
	}
	document, err := schema.DocumentRaw([]byte(`{"texts":[{"name":"b","image":"x"},{"name":"a","image":"y"},{"name":"c"}]}`))
	require.NoError(t, err)
	require.Equal(t, `{"texts":[{"image":"y","name":"a"},{"image":"x","name":"b"}]}`, string(document))
}
