package repository_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestPreCommitHooks: a hook runs a command that is there, and the example of a configuration names a hook.
func TestPreCommitHooks(t *testing.T) {
	var hooks []struct{ ID, Entry, Language string }
	require.NoError(t, yaml.Unmarshal([]byte(read(t, ".pre-commit-hooks.yaml")), &hooks))
	example := read(t, "examples/editor/.pre-commit-config.yaml")
	for _, hook := range hooks {
		command, _, _ := strings.Cut(hook.Entry, " ")
		assert.DirExists(t, filepath.Join(root, "hotupdate", "cmd", command))
		assert.Equal(t, "golang", hook.Language)
		assert.Contains(t, example, "- id: "+hook.ID+"\n")
	}
	assert.NotEmpty(t, hooks)
}

// TestCustomBinary: golangci-lint custom is told the module of the plugin, and the version of golangci-lint that this
// repository uses. The plugin has a module, so that its dependency on golangci-lint's registry stays out of the module
// graphs of adopters.
func TestCustomBinary(t *testing.T) {
	var config struct {
		Version string
		Plugins []struct{ Module, Import, Version string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "examples/editor/.custom-gcl.yml")), &config))
	assert.Contains(t, read(t, ".tools/golangci/go.mod"), "golangci-lint/v2 "+config.Version+" ")
	require.Len(t, config.Plugins, 1)
	plugin := config.Plugins[0]
	assert.Equal(t, firstMatch(t, `(?m)^module (.*)$`, read(t, "hotupdate/hotupdatelint/golangciplugin/go.mod")), plugin.Module)
	assert.Empty(t, plugin.Import, "the module is the package")
	assert.Equal(t, libraryVersion(t), plugin.Version)
	assert.NotContains(t, read(t, "go.mod"), "golangci")
}

// TestIssueForms: each form asks something, and every question that must be answered says what for.
func TestIssueForms(t *testing.T) {
	forms, err := filepath.Glob(filepath.Join(root, ".github", "ISSUE_TEMPLATE", "*.yml"))
	require.NoError(t, err)
	asked := 0
	for _, file := range forms {
		if filepath.Base(file) == "config.yml" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var form struct {
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Labels      []string `json:"labels"`
			Body        []struct {
				Type       string `json:"type"`
				ID         string `json:"id"`
				Attributes struct {
					Label       string   `json:"label"`
					Description string   `json:"description"`
					Render      string   `json:"render"`
					Options     []string `json:"options"`
				} `json:"attributes"`
				Validations struct {
					Required bool `json:"required"`
				} `json:"validations"`
			} `json:"body"`
		}
		require.NoError(t, yaml.UnmarshalStrict(text, &form), file)
		assert.NotEmpty(t, form.Name+form.Description, file)
		for _, question := range form.Body {
			asked++
			assert.Contains(t, []string{"textarea", "dropdown"}, question.Type, file)
			assert.NotEmpty(t, question.Attributes.Label, file)
			assert.Equal(t, question.Type == "dropdown", len(question.Attributes.Options) > 0, file)
		}
	}
	assert.Positive(t, asked)
}
