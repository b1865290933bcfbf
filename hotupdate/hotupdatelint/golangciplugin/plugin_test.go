package golangciplugin_test

import (
	"os"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
	_ "github.com/hotupdate/providerconfig/hotupdate/hotupdatelint/golangciplugin"
)

// TestPlugin: golangci-lint finds the analyzer under the name that the example of a configuration gives it.
func TestPlugin(t *testing.T) {
	var config struct {
		Linters struct {
			Enable   []string
			Settings struct {
				Custom map[string]struct {
					Type     string
					Settings any
				}
			}
		}
	}
	text, err := os.ReadFile("../../../examples/editor/.golangci.yml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &config))
	require.Len(t, config.Linters.Settings.Custom, 1)
	for name, custom := range config.Linters.Settings.Custom {
		assert.Contains(t, config.Linters.Enable, name)
		assert.Equal(t, "module", custom.Type)
		build, err := register.GetPlugin(name)
		require.NoError(t, err)
		plugin, err := build(custom.Settings)
		require.NoError(t, err)
		analyzers, err := plugin.BuildAnalyzers()
		require.NoError(t, err)
		assert.Equal(t, []*analysis.Analyzer{hotupdatelint.Analyzer}, analyzers)
		assert.Equal(t, register.LoadModeTypesInfo, plugin.GetLoadMode())
		_, err = build(map[string]any{"fix": true})
		assert.Error(t, err, "a setting that would be ignored")
	}
}
