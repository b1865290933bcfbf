package structtag_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

func TestParseClass(t *testing.T) {
	t.Parallel()
	words := map[string]structtag.Class{
		"true": structtag.Hot, "false": structtag.Immutable, "inplace": structtag.InPlace, "ignore": structtag.Ignored,
	}
	for word, want := range words {
		got, ok := structtag.ParseClass(word)
		assert.True(t, ok, word)
		assert.Equal(t, want, got, word)
	}
	for _, word := range []string{"", "True", "hot", "immutable", "in-place", "ignored", " true", "yes"} {
		got, ok := structtag.ParseClass(word)
		assert.False(t, ok, word)
		assert.Equal(t, structtag.Immutable, got, "an unknown word must not weaken a field: %q", word)
	}
}

func TestClassString(t *testing.T) {
	t.Parallel()
	var zero structtag.Class
	assert.Equal(t, "immutable", zero.String(), "the zero value is the strictest class")
	assert.Equal(t, "in-place", structtag.InPlace.String())
	assert.Equal(t, "hot", structtag.Hot.String())
	assert.Equal(t, "ignored", structtag.Ignored.String())
	assert.Equal(t, "Class(9)", structtag.Class(9).String())
}

func TestStricter(t *testing.T) {
	t.Parallel()
	order := []structtag.Class{structtag.Immutable, structtag.InPlace, structtag.Hot, structtag.Ignored}
	for i, a := range order {
		for j, b := range order {
			assert.Equal(t, order[min(i, j)], a.Stricter(b), "%v, %v", a, b)
		}
	}
}
