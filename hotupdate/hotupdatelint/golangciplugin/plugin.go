// Package golangciplugin makes the analyzer of package hotupdatelint a linter of golangci-lint, as
// a module plugin. Only the binary that golangci-lint custom builds imports it: see the files in
// examples/editor. The package has a module, so that its dependency on golangci-lint's registry stays
// out of the module graphs of adopters.
package golangciplugin

import (
	"errors"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
)

// name is the name of the linter in .golangci.yml.
const name = "hotupdatelint"

func init() { //nolint:gochecknoinits // golangci-lint finds a plugin through the registration in its init function
	register.Plugin(name, func(settings any) (register.LinterPlugin, error) {
		if settings != nil {
			return nil, errors.New("hotupdatelint: has no settings; leave them out")
		}
		return plugin{}, nil
	})
}

type plugin struct{}

// BuildAnalyzers returns the only analyzer.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{hotupdatelint.Analyzer}, nil
}

// GetLoadMode says that the analyzer needs types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
