package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// requireSameHash checks that two configurations have one hash, and that Diff lists nothing that would change it.
func requireSameHash[T any](t *testing.T, a, b *T) {
	t.Helper()
	schema, err := hotupdate.SchemaOf[T]()
	require.NoError(t, err)
	before, err := schema.Document(a)
	require.NoError(t, err)
	after, err := schema.Document(b)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	changes, err := schema.Diff(a, b)
	require.NoError(t, err)
	require.Empty(t, changes.Of(hotupdate.Immutable))
	require.Empty(t, changes.Of(hotupdate.InPlace))
}

// The selector of an ignored collection is ignored, also in an element that is written because of another field.
func TestIgnoredSelectorIsNotHashed(t *testing.T) {
	type part struct {
		Mode string `json:"mode,omitempty"`
		Size int    `json:"size,omitempty" hotupdatable:"false"`
	}
	type config struct {
		Parts map[string]part `json:"parts,omitempty" hotupdatable:"ignore,hotwhen=mode:live"`
	}
	for _, mode := range []string{"", "dead", "live"} {
		requireSameHash(t, &config{map[string]part{"a": {"other", 1}}}, &config{map[string]part{"a": {mode, 1}}})
	}
}

// A nil element of a collection with hotwhen means the same as an empty one, whether hotwhen holds for it or not.
func TestNilElementWithSelectorEqualsEmptyOne(t *testing.T) {
	type part struct {
		Live bool `json:"live,omitempty"`
		Size int  `json:"size,omitempty"`
	}
	type config struct {
		Hot  map[string]*part `json:"hot,omitempty"  hotupdatable:"false,hotwhen=live:false"`
		Cold map[string]*part `json:"cold,omitempty" hotupdatable:"false,hotwhen=live:true"`
	}
	requireSameHash(t, &config{Hot: map[string]*part{"a": nil}}, &config{Hot: map[string]*part{"a": {}}})
	requireSameHash(t, &config{Hot: map[string]*part{"a": nil}}, &config{})
	requireSameHash(t, &config{Cold: map[string]*part{"a": nil}}, &config{Cold: map[string]*part{"a": {}}})
}

// Selector is embedded by pointer.
type Selector struct {
	Live bool   `json:"live"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

// A selector behind a nil embedded pointer is zero, so that a hot neighbour, which makes the pointer, changes nothing.
func TestSelectorBehindNilEmbeddedPointerIsZero(t *testing.T) {
	type part struct {
		*Selector

		Size int `json:"size,omitempty"`
	}
	type config struct {
		Hot  map[string]part `json:"hot,omitempty"  hotupdatable:"false,hotwhen=live:false"`
		Cold map[string]part `json:"cold,omitempty" hotupdatable:"false,hotwhen=live:true"`
	}
	noted := part{Selector: &Selector{Note: "x"}, Size: 1}
	requireSameHash(t, &config{Hot: map[string]part{"a": {Size: 1}}}, &config{Hot: map[string]part{"a": noted}})
	requireSameHash(t, &config{Cold: map[string]part{"a": {Size: 1}}}, &config{Cold: map[string]part{"a": noted}})
}

// A selector that declares the class of its collection is still hot in an element that it makes hot.
func TestDeclaredSelectorIsHotInHotElement(t *testing.T) {
	type part struct {
		Mode  string `json:"mode"  hotupdatable:"false"`
		Value string `json:"value"`
	}
	type config struct {
		Parts map[string]part `json:"parts,omitempty" hotupdatable:"false,hotwhen=mode:live"`
	}
	requireSameHash(t, &config{map[string]part{"a": {"live", "x"}}}, &config{})
}

// The presence of an element that hotwhen makes hot is hot, even if the element has no member but its declared selector.
func TestElementWithNothingButItsSelectorIsHot(t *testing.T) {
	type part struct {
		Cold bool `json:"cold" hotupdatable:"false"`
	}
	type config struct {
		Parts map[string]part `json:"parts,omitempty" hotupdatable:"false,hotwhen=cold:false"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	immutable, _, err := hotupdate.Split(schema, &config{})
	require.NoError(t, err)
	_, hot, err := hotupdate.Split(schema, &config{map[string]part{"a": {}}})
	require.NoError(t, err)
	_, err = hotupdate.Merge(schema, immutable, hot)
	require.Equal(t, "halves-differ", fault.All(err)[0].Code)
}

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
