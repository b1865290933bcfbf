package golangciplugin_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
	readExample(t, ".golangci.yml", &config)
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

// TestCustomBinary: golangci-lint custom is told this package, and the version of golangci-lint that this repository uses.
func TestCustomBinary(t *testing.T) {
	var config struct {
		Version string
		Plugins []struct{ Module, Import, Version string }
	}
	readExample(t, ".custom-gcl.yml", &config)
	tool, err := os.ReadFile("../../../.tools/golangci/go.mod")
	require.NoError(t, err)
	assert.Contains(t, string(tool), "golangci-lint/v2 "+config.Version)
	require.Len(t, config.Plugins, 1)
	const module = "github.com/hotupdate/providerconfig"
	assert.Equal(t, module, config.Plugins[0].Module)
	assert.Equal(t, strings.TrimSuffix(reflect.TypeFor[marker]().PkgPath(), "_test"), config.Plugins[0].Import)
	assert.True(t, strings.HasPrefix(config.Plugins[0].Version, "v"))
}

// marker is a type of this package's test.
type marker struct{}

func readExample(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../examples/editor", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}
