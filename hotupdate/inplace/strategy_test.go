package inplace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

func TestStrategy(t *testing.T) {
	t.Parallel()
	for strategy, want := range map[hotupdate.Strategy]string{
		hotupdate.AutoRollingUpdate: "RollingUpdate ", hotupdate.AutoInPlaceUpdate: "InPlaceUpdate Auto", hotupdate.ManualInPlaceUpdate: "InPlaceUpdate Manual",
	} {
		deploymentType, orchestrationType := inplace.DeploymentStrategy(strategy)
		assert.Equal(t, want, deploymentType+" "+orchestrationType)
		back, err := inplace.StrategyOf(deploymentType, orchestrationType)
		require.NoError(t, err)
		assert.Equal(t, strategy, back)
	}
	strategy, err := inplace.StrategyOf("", "")
	require.NoError(t, err)
	assert.Equal(t, hotupdate.AutoRollingUpdate, strategy, "machine-controller-manager's default")
	for _, unknown := range [][2]string{{"InPlaceUpdate", ""}, {"InPlaceUpdate", "manual"}, {"Recreate", ""}, {"inPlaceUpdate", "Auto"}} {
		_, err := inplace.StrategyOf(unknown[0], unknown[1])
		require.Len(t, fault.All(err), 1)
		assert.Equal(t, "unknown-strategy", fault.All(err)[0].Code, unknown)
	}
}
