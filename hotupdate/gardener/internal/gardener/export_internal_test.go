package gardener

import (
	"encoding/json"

	"k8s.io/apiserver/pkg/admission"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// Stored returns what a cluster returns of a manifest that a user wrote, and the refusals of its
// creation.
func (j *Judge) Stored(manifest json.RawMessage) (json.RawMessage, []gardenerplugin.Refusal, error) {
	b, err := j.beforeOf(manifest)
	if err != nil {
		return nil, nil, err
	}
	return b.states[byDefault].live, b.refusals, nil
}

// Mutators are the mutating plugins of Gardener's default landscape.
func (j *Judge) Mutators() (plugins []admission.MutationInterface) {
	for _, m := range j.servers[byDefault].mutators {
		plugins = append(plugins, m.plugin)
	}
	return plugins
}

// PathOf is [pathOf].
var PathOf = pathOf
