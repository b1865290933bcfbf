package hotupdate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestErrorsOfOthersAreNotAdmitted: an error that is no fault.Error has no field, but still refuses the update.
func TestErrorsOfOthersAreNotAdmitted(t *testing.T) {
	errs := fieldErrors(field.NewPath("spec"), errors.New("a secret value"))
	assert.Len(t, errs, 1)
	assert.Equal(t, "spec: Internal error: cannot be checked", errs.ToAggregate().Error())
}
