package fieldpath_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, among, want, reason string }{
		{"iop", "iops size type", "iops", "a letter is missing"},
		{"tpye", "name type", "type", "two letters are swapped: one difference"},
		{"MINIMUM", "maximum minimum", "minimum", "another case is no difference"},
		{"maxmum", "maximum minimum", "maximum", "the fewest differences"},
		{"ab", "ad ac", "ad", "the first of several"},
		{"size", "type name", "", "three of four letters differ"},
		{"x", "y", "y", "one difference always passes"},
		{"foo", "", "", "no names"},
		{"", "a", "", "an empty name has no letter in common"},
	} {
		assert.Equal(t, test.want, fieldpath.Nearest(test.name, strings.Fields(test.among)), "%s: %s", test.name, test.reason)
	}
}
