package fields

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
)

// TestRowsDoSomething: no row repeats what was measured. A field of the newest release without a measurement has a row
// because it does something, or because only a Worker has it.
func TestRowsDoSomething(t *testing.T) {
	for name, table := range map[string]Table{"Shoot": Shoot(), "pool": Pool()} {
		for path, row := range table.rows {
			isNone := row.Rolling == None && row.InPlace == None
			isMeasured := kinds.Shoot.IsUnhashed(table.place, strings.Split(path, "."))
			assert.False(t, isNone && isMeasured, "%s: %s was measured, and needs no row", name, path)
		}
	}
}
