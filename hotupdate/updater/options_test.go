package updater_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// TestOptions: New tells all problems at once. Negative Workers would update no machine, silently.
func TestOptions(t *testing.T) {
	fieldsOf := func(options updater.Options) (fields []string) {
		_, err := updater.New(options)
		require.Error(t, err)
		for _, problem := range fault.All(err) {
			assert.Equal(t, "unusable-options", problem.Code)
			assert.NotEmpty(t, problem.Hint)
			fields = append(fields, problem.Field)
		}
		return fields
	}
	assert.Equal(t, []string{"Control", "Namespace", "Driver", "Schema"}, fieldsOf(updater.Options{}))
	negative := updater.Options{Control: &rest.Config{}, Namespace: "n", Workers: -1}
	assert.Equal(t, []string{"Driver", "Schema", "Workers"}, fieldsOf(negative))
}
