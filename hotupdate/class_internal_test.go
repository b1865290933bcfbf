package hotupdate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TestNumbersOfClasses: a class is converted from and to that of a struct tag, and an operation from that of the engine.
func TestNumbersOfClasses(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []Class{Immutable, InPlace, Hot, Ignored}, []Class{
		Class(structtag.Immutable), Class(structtag.InPlace), Class(structtag.Hot), Class(structtag.Ignored),
	})
	assert.Equal(t, []Op{OpReplace, OpAdd, OpRemove}, []Op{Op(engine.OpReplace), Op(engine.OpAdd), Op(engine.OpRemove)})
}
